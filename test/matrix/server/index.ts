import { createServer, defineServerExtension, type OnEvent, type Server } from 'portcall'
import { skills } from 'portcall/skills'
import { tasks } from 'portcall/tasks'
import * as z from 'zod'
import { addChanges } from './changes.ts'
import { addInputRequests } from './input-requests.ts'
import { addLists } from './lists.ts'
import { addProgress } from './progress.ts'
import { addPrompts } from './prompts.ts'
import { addResources } from './resources.ts'
import { addTasks } from './tasks.ts'
import { addTools } from './tools.ts'

/** The actions of one server's handlers, recorded for tests. */
export type Journal = string[]

/** Items per page of a list; small, so that every list has several pages. */
export const PAGE_SIZE = 7

/** The id of a custom extension. */
export const EXTENSION = 'com.example/shout'

const shout = defineServerExtension({
  id: EXTENSION,
  settings: { loud: true },
  setup: (context) => context.method(`${EXTENSION}/say`, {}, ({ text }) => ({ said: `${text}!` })),
})

/** The errors that tests provoke on purpose. */
const EXPECTED = /canary|larger than 100 bytes|does not match the output schema/

/** Prints unexpected errors only. */
const onEvent: OnEvent = (event) => {
  if (event.type === 'warning' || !EXPECTED.test(String(event.error))) console.error(event)
}

/** Creates the server under test. It is controlled by messages only, so that it can run in any process. */
export function createMatrixServer(): Server {
  const server = createServer(
    { name: 'matrix', version: '1.2.3', title: 'The matrix' },
    {
      instructions: 'Try everything.',
      pageSize: PAGE_SIZE,
      onEvent,
      extensions: [shout, skills(), tasks({ limits: { pollIntervalMs: 20, statusMessageIntervalMs: 20 } })],
    },
  )
  const journal: Journal = []
  server.tool('journal', { description: 'Returns and clears the recorded actions' }, () => JSON.stringify(journal.splice(0)))
  server.tool('serves_skills', { input: z.object({ folder: z.string() }) }, async ({ folder }) => {
    await server.skills(folder)
    return 'served'
  })
  addTools(server)
  addLists(server)
  addProgress(server, journal)
  addInputRequests(server, journal)
  addChanges(server)
  addResources(server, journal)
  addPrompts(server)
  addTasks(server, journal)
  return server
}
