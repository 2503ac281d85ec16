import type { CallToolResult } from '../../index.ts'
import { readPairs } from '../arguments/pair.ts'
import { type Command, defineCommand } from '../command.ts'
import type { Ending } from '../exit.ts'
import { noSuch } from '../grammar/nearest.ts'
import type { Io } from '../io.ts'
import { createProgressLine } from '../show/progress.ts'
import { showResult, tellResult } from '../show/result.ts'
import { showTask } from '../show/task.ts'
import { misused, Stop } from '../stop.ts'
import { type TasksClient, withTasks } from '../target/open.ts'
import { fitting } from './call.ts'

/** `portcall tasks`: tasks of a server. */
export const tasks: Command = defineCommand({
  name: 'tasks',
  summary: 'Begins tasks, and looks after them',
  takes: 'target',
  words: ['[ACTION]', '[WORD …]'],
  details: [
    `ACTION is list, which is meant where there is none; start TOOL [ARGUMENT …], which calls a tool, does not wait and prints the id of the task;
get TASK, which shows how it stands; result TASK, which waits for its end and answers what it asks; answer TASK, which answers what it asks and does
not wait; cancel TASK.`,
    'Only some servers of an older revision list their tasks. Elsewhere the id is all there is: keep it.',
  ],
  flags: { save: { type: 'string', value: 'FOLDER', description: 'Save images, sound and other bytes of a result there' } },
  examples: [
    'portcall tasks http://127.0.0.1:3000/mcp start render name=book',
    'portcall tasks http://127.0.0.1:3000/mcp result 5Jn0rk1xyQ4JdrV0mYvIeM8w',
    'portcall tasks http://127.0.0.1:3000/mcp answer 5Jn0rk1xyQ4JdrV0mYvIeM8w --answer colour=red',
  ],
  run: async ({ words: [action = 'list', word, ...rest], flags, io, ...given }) => {
    const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
    if (!act) throw noSuch('action', action, Object.keys(ACTIONS))
    if (word === undefined && act !== list) throw misused(`${action} needs ${act === start ? 'a tool' : 'the id of a task'}`)
    return withTasks({ ...given, flags, io, answers: LATER }, (client) =>
      act(client, { word: word ?? '', rest, folder: flags.save, io }),
    )
  },
})

/** What nobody answers here may be answered later, by another command: the server is to know that it can ask. */
const LATER = { elicit: unanswered, elicitUrl: unanswered }

function unanswered(): never {
  const hint = 'run it in a terminal, or answer with portcall tasks SERVER answer TASK --answer FIELD=VALUE'
  throw new Stop('unanswered', 'The task asks something', { hint })
}

interface Asked {
  /** The id of a task, or the name of a tool. */
  readonly word: string
  readonly rest: readonly string[]
  readonly folder: string | undefined
  readonly io: Io
}

type Act = (client: TasksClient, asked: Asked) => Promise<Ending | void>

const list: Act = async (client, { io }) => {
  const found = await client.tasks.list({ signal: io.signal }).toArray()
  if (io.json) io.value({ tasks: found })
  else for (const task of found) io.data(showTask(task))
}

const start: Act = async (client, { word, rest, folder, io }) => {
  const args = await fitting(client, word, await readPairs(rest))
  const begun = await client.tasks.start(word, args, { signal: io.signal })
  if (!('taskId' in begun)) return tellResult(begun, io, folder)
  if (io.json) io.value({ taskId: begun.taskId })
  else io.data(begun.taskId)
}

const get: Act = async (client, { word, folder, io }) => {
  const task = await client.tasks.open(word).get({ signal: io.signal })
  if (io.json) return io.value(task)
  io.data(showTask(task))
  if (task.status === 'completed') await showResult(task.result as unknown as CallToolResult, io, folder)
}

const result: Act = async (client, { word, folder, io }) => {
  const line = createProgressLine(io)
  const { onProgress } = line
  const waiting = client.tasks.open(word).result({ signal: io.signal, ...(onProgress && { onProgress }) })
  return tellResult(await waiting.finally(line.clear), io, folder)
}

const answer: Act = async (client, { word, io }) => {
  const count = await client.tasks.open(word).answer({ signal: io.signal })
  if (count === 0)
    throw new Stop('refused', 'The task asks nothing at this time', { hint: 'portcall tasks SERVER get TASK shows it' })
  if (io.json) io.value({ answered: count })
}

const cancel: Act = async (client, { word, io }) => {
  await client.tasks.open(word).cancel({ signal: io.signal })
  if (io.json) io.value({})
}

const ACTIONS: { readonly [action: string]: Act } = { list, start, get, result, answer, cancel }
