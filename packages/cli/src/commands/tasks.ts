import type { CallToolResult } from 'portcall'
import { CliError, usageError } from '../cli-error.ts'
import { type Command, defineCommand } from '../command.ts'
import { unknownName } from '../command-line/did-you-mean.ts'
import type { ExitReason } from '../exit-codes.ts'
import { formatTask } from '../format.ts'
import type { Io } from '../io.ts'
import { printContent, printResult } from '../print-result.ts'
import { createProgressBar } from '../progress.ts'
import { type TasksClient, withTasksClient } from '../target/connect.ts'
import { readToolArguments } from './call.ts'

/** `portcall tasks` */
export const tasksCommand: Command = defineCommand({
  name: 'tasks',
  summary: 'Start and manage tasks',
  serverUse: 'connect',
  args: ['[action]', '[args...]'],
  details: ['Keep the ID of a task: only some servers of an older protocol version can list their tasks.'],
  choices: [
    {
      title: 'Actions',
      values: {
        list: 'List the tasks (default)',
        'start <tool> [arguments...]': 'Call a tool and print the ID of the task, without waiting for the result',
        'get <task>': 'Show the status of a task',
        'result <task>': 'Wait for the result of a task, and handle its input requests',
        'answer <task>': 'Handle the input requests of a task, without waiting for the result',
        'cancel <task>': 'Cancel a task',
      },
    },
  ],
  flags: {
    save: { type: 'string', value: 'DIR', description: 'Save images, audio and other binary content to this directory' },
  },
  examples: [
    'portcall tasks http://127.0.0.1:3000/mcp start render name=book',
    'portcall tasks http://127.0.0.1:3000/mcp result 5Jn0rk1xyQ4JdrV0mYvIeM8w',
    'portcall tasks http://127.0.0.1:3000/mcp answer 5Jn0rk1xyQ4JdrV0mYvIeM8w --answer color=red',
  ],
  run: async ({ args: [actionName = 'list', subject, ...words], flags, io, ...invocation }) => {
    const action = Object.hasOwn(ACTIONS, actionName) ? ACTIONS[actionName] : undefined
    if (!action) throw unknownName('action', actionName, Object.keys(ACTIONS))
    if (subject === undefined && action !== list)
      throw usageError(`${actionName} needs ${action === start ? 'a tool' : 'the ID of a task'}`)
    return withTasksClient({ ...invocation, flags, io, fallbackHandlers: ANSWER_LATER }, (client) =>
      action(client, { subject: subject ?? '', words, saveDir: flags.save, io }),
    )
  },
})

/** Declares elicitation although this command cannot answer, because another command can answer later. */
const ANSWER_LATER = { elicit: throwInputRequired, elicitUrl: throwInputRequired }

function throwInputRequired(): never {
  const hint = 'run the command in a terminal, or use portcall tasks <server> answer <task> --answer FIELD=VALUE'
  throw new CliError('input_required', 'The task requires input', { hint })
}

interface ActionOptions {
  /** The ID of a task, or the name of a tool. */
  readonly subject: string
  readonly words: readonly string[]
  readonly saveDir: string | undefined
  readonly io: Io
}

type Action = (client: TasksClient, options: ActionOptions) => Promise<ExitReason | void>

const list: Action = async (client, { io }) => {
  const tasks = await client.tasks.list({ signal: io.signal }).toArray()
  if (io.json) io.value({ tasks })
  else for (const task of tasks) io.data(formatTask(task))
}

const start: Action = async (client, { subject, words, saveDir, io }) => {
  const args = await readToolArguments(client, subject, words)
  const outcome = await client.tasks.start(subject, args, { signal: io.signal })
  if (!('taskId' in outcome)) return printResult(outcome, io, saveDir)
  if (io.json) io.value({ taskId: outcome.taskId })
  else io.line(outcome.taskId)
}

const get: Action = async (client, { subject, saveDir, io }) => {
  const task = await client.tasks.open(subject).get({ signal: io.signal })
  if (io.json) return io.value(task)
  io.data(formatTask(task))
  if (task.status === 'completed') await printContent(task.result as unknown as CallToolResult, io, saveDir)
}

const result: Action = async (client, { subject, saveDir, io }) => {
  const bar = createProgressBar(io)
  const { onProgress } = bar
  const waiting = client.tasks.open(subject).result({ signal: io.signal, ...(onProgress && { onProgress }) })
  return printResult(await waiting.finally(bar.clear), io, saveDir)
}

const answer: Action = async (client, { subject, io }) => {
  const count = await client.tasks.open(subject).answerInputRequests({ signal: io.signal })
  if (count === 0)
    throw new CliError('rejected', 'The task requires no input at this time', { hint: 'see portcall tasks <server> get <task>' })
  if (io.json) io.value({ answered: count })
}

const cancel: Action = async (client, { subject, io }) => {
  await client.tasks.open(subject).cancel({ signal: io.signal })
  if (io.json) io.value({})
}

const ACTIONS: { readonly [action: string]: Action } = { list, start, get, result, answer, cancel }
