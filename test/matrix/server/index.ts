import { createServer, extension, type Server } from 'portcall'
import { tasks } from 'portcall/tasks'
import { addAsking } from './asking.ts'
import { addCalling } from './calling.ts'
import { addChanging } from './changing.ts'
import { addListing } from './listing.ts'
import { addPrompts } from './prompts.ts'
import { addReporting } from './reporting.ts'
import { addResources } from './resources.ts'
import { addTasks } from './tasks.ts'

/** What the handlers of one server have done, for tests to read. */
export type Journal = string[]

/** How many items a page of a list has: few, so that every list has several pages. */
export const PAGE_SIZE = 7

/** An extension of our own. */
export const EXTENSION = 'com.example/shout'

const shout = extension({
  id: EXTENSION,
  settings: { loud: true },
  serve: (host) => host.method(`${EXTENSION}/say`, {}, ({ text }) => ({ said: `${text}!` })),
})

/** Makes the server that all behaviours are tried on. Everything about it can be reached by messages, so that it may run anywhere. */
export function createMatrixServer(): Server {
  const server = createServer(
    { name: 'matrix', version: '1.2.3', title: 'The matrix' },
    {
      instructions: 'Try everything.',
      pageSize: PAGE_SIZE,
      extensions: [shout, tasks({ limits: { pollIntervalMs: 20, messageMs: 20 } })],
    },
  )
  const journal: Journal = []
  server.tool('journal', { description: 'Tells what has been done, and forgets it' }, () => JSON.stringify(journal.splice(0)))
  addCalling(server)
  addListing(server)
  addReporting(server, journal)
  addAsking(server, journal)
  addChanging(server)
  addResources(server, journal)
  addPrompts(server)
  addTasks(server, journal)
  return server
}
