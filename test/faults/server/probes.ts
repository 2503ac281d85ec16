import type { Server } from 'portcall'
import { answerProbes, askAllProcesses, type Report } from './processes.ts'

/** The counts of the tools in this process so far. */
export const counts = { started: 0, finished: 0, aborted: 0, sent: 0 }

/** The reports of the processes of the server about themselves: numbers, which are added up, and lists, which are joined. */
const PROBES = { counts: () => counts, health: measureHealth }

/** Tools that report the state of the process. */
export function addProbes(server: Server, workers: number): void {
  server.tool(
    'touch',
    {
      description: 'Sends updates of a number of resources.',
      input: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
    },
    async ({ count }) => {
      for (let at = 0; at < count; at++) {
        server.resourceUpdated(`files:///many/${String(at).padStart(80, '0')}`)
        if (at % 1000 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      return `touched ${count}`
    },
  )

  answerProbes(PROBES, workers)
  server.tool('counts', { description: 'The counts of all processes.' }, async () =>
    JSON.stringify(await askAllProcesses('counts')),
  )
  server.tool(
    'health',
    { description: 'Memory of all processes after a collection, open handles, and whether a prototype was polluted.' },
    async () => JSON.stringify(await askAllProcesses('health')),
  )
}

async function measureHealth(): Promise<Report> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  return { rss, heapUsed, external, sockets, timers, polluted: pollution() }
}

/** Returns every unexpected name that is reachable from a new object. */
function pollution(): string[] {
  const found: string[] = []
  for (const name in {}) found.push(name)
  for (const name of ['polluted', 'isAdmin']) if (name in {}) found.push(name)
  return found
}
