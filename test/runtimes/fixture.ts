/** The server that runs on every runtime. Its schemas are plain JSON Schemas, so that the validator runs there too. */
import { createServer, type Server } from 'portcall'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const NUMBER = { type: 'number' } as const
const PAIR = { type: 'object', properties: { a: NUMBER, b: NUMBER }, required: ['a', 'b'] } as const
const SUM = { type: 'object', properties: { sum: NUMBER }, required: ['sum'] } as const
const HANG = { type: 'object', properties: { reports: { type: 'boolean' }, filler: { type: 'string' } } } as const
const WHO = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const

/** Creates a new server: its counters belong to one client. */
export function createFixture(): Server {
  const server = createServer({ name: 'runtimes', version: '1.0.0' })
  let cancelled = 0
  const hanging = { started: 0, aborted: 0 }

  server.tool('add', { input: PAIR, output: SUM }, ({ a, b }) => ({ sum: a + b }))
  server.tool('greet', {}, async (_args, call) => `Hello ${(await call.elicit('Who are you?', WHO)).name}`)
  server.tool('count', {}, async (_args, call) => {
    for (let step = 1; step <= 3; step++) {
      await call.progress(step, 3)
      await pause(20)
    }
    return 'counted'
  })
  server.tool('wait', {}, async (_args, { signal }) => {
    signal.addEventListener('abort', () => cancelled++)
    await pause(500)
    return 'waited'
  })
  server.tool('hang', { input: HANG }, async ({ reports }, call) => {
    hanging.started++
    if (reports) await call.progress(1)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 30_000)
      call.signal.addEventListener('abort', () => {
        hanging.aborted++
        clearTimeout(timer)
        resolve()
      })
    })
    return 'hung'
  })
  server.tool('hanging', {}, () => JSON.stringify(hanging))
  server.tool('cancelled', {}, () => String(cancelled))
  server.tool('change', {}, () => {
    server.resourceUpdated('memo://a')
    return 'changed'
  })
  server.resource('memo://a', {}, () => 'a')
  return server
}
