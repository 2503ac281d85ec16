import type { Server } from 'portcall'

/** What the tools have counted so far. */
export const counts = { started: 0, finished: 0, aborted: 0, sent: 0 }

/** Tools that report the state of the process. */
export function addProbes(server: Server): void {
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

  server.tool('counts', {}, () => JSON.stringify(counts))

  server.tool(
    'health',
    { description: 'Memory after a collection, open handles, and whether a prototype was polluted.' },
    async () => {
      for (let round = 0; round < 3; round++) {
        globalThis.gc?.()
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      const { rss, heapUsed, external } = process.memoryUsage()
      const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
      const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
      return JSON.stringify({ rss, heapUsed, external, sockets, timers, polluted: pollution() })
    },
  )
}

/** Returns every unexpected name that is reachable from a new object. */
function pollution(): string[] {
  const found: string[] = []
  for (const name in {}) found.push(name)
  for (const name of ['polluted', 'isAdmin']) if (name in {}) found.push(name)
  return found
}
