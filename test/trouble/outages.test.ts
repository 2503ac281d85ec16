/** Stores that are away for a while: clients that wait for tasks notice nothing, and nothing runs twice. */
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type HttpStatusError } from 'portcall/client'
import { bridge } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { tasks } from 'portcall/tasks/client'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startDatabases } from '../support/services/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { withService } from './support/working-service.ts'

/** Longer than the TTL of leases, and than the timeouts of stores. */
const OUTAGE_MS = 4000

const folder = temporaryFolder(afterAll)
const { redis, postgres } = await startDatabases()
const servers = Object.entries({ redis, postgres }).flatMap(([backend, database]) => (database ? [{ backend, database }] : []))

async function openGateway(url: string): Promise<string> {
  const gateway = bridge(url)
  const served = await serve(gateway, { port: 0 })
  onTestFinished(async () => {
    await served.close()
    await gateway.close()
  })
  return served.url
}

/** Returns what a load balancer is told about a process. */
const readiness = async (url: string): Promise<number> => (await fetch(new URL('/readyz', url))).status

const ROUTES = { 'a server': async (url: string) => url, 'a gateway': openGateway }
const cases = Object.keys(ROUTES).flatMap((route) =>
  ['2026-07-28', '2025-11-25'].map((protocolVersion) => ({ route: route as keyof typeof ROUTES, protocolVersion })),
)

describe.each(servers)('$backend', ({ backend, database }) => {
  const options = { backend, url: database.url, folder }

  test.each(cases)(
    'a client of $protocolVersion that waits for a task at $route gets its result when the store is back',
    async ({ route, protocolVersion }) => {
      await withService(options, async ({ start, work, effects, goOn, result }) => {
        const node = await start()
        const url = await ROUTES[route](node.url)
        const working = work({ url }, { waits: true }, { protocolVersion })
        working.catch(() => {})
        await eventually(() => expect(effects()).toEqual(['start']))
        await database.kill()
        // A replica may take the place of a primary that was killed, before anybody asks.
        if (!process.env.PORTCALL_DATABASES) await eventually(async () => expect(await readiness(node.url)).toBe(503))
        await sleep(OUTAGE_MS)
        await database.start()
        await eventually(async () => expect(await readiness(node.url)).toBe(200), { intervalMs: 100 })
        goOn()
        expect(await working).toEqual(result)
        expect(effects()).toEqual(['start', 'effect', 'end'])
      })
    },
    120_000,
  )

  test('a request that needs the store is answered with 503 and Retry-After, and by a gateway with an error that says when to try again', async () => {
    await withService(options, async ({ start }) => {
      const node = await start()
      const clients = await Promise.all(
        [node.url, await openGateway(node.url)].map((url) => connect(url, { extensions: [tasks()] })),
      )
      const started = await Promise.all(clients.map((client) => client.tasks.start('work', { waits: true })))
      await database.kill()
      const gets = started.map((task) => ('get' in task ? task.get().catch((error: unknown) => error) : undefined))
      const [direct, atGateway] = await Promise.all(gets)
      expect(direct).toMatchObject({ code: 'HTTP_STATUS', status: 503, retryable: true, error: { data: { retryAfterMs: 1000 } } })
      expect((direct as HttpStatusError).header('retry-after')).toBe('1')
      expect(atGateway).toMatchObject({ code: -32603, data: { retryAfterMs: 1000 } })
      // A replica may take the place of a primary that was killed, before anybody asks.
      if (!process.env.PORTCALL_DATABASES) await eventually(async () => expect(await readiness(node.url)).toBe(503))
      await Promise.all(clients.map((client) => client.close()))
      await database.start()
      await eventually(async () => expect(await readiness(node.url)).toBe(200), { intervalMs: 100 })
    })
  }, 120_000)
})
