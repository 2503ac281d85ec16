/**
 * One process of the service: `node node.mjs redis URL`, `node node.mjs postgres URL`, or `memory` or `none` for one that is alone, with
 * stores or without. Says its URL when it listens.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import { memory } from 'portcall/stores'
import { postgres } from 'portcall/stores/postgres'
import { redis } from 'portcall/stores/redis'

const [kind, url] = process.argv.slice(2)
const skewMs = Number(process.env.SKEW_MS ?? 0)
const now = Date.now
Date.now = () => now() + skewMs
const OPEN = {
  redis: () => redis(new Redis(url, { lazyConnect: true }), { prefix: '{scale}:' }),
  postgres: () => postgres(new pg.Pool({ connectionString: url }), { schema: 'scale' }),
  memory: () => memory(),
  none: () => undefined,
}
const stores = OPEN[kind]()
const number = { type: 'number' }
const text = { type: 'string' }
const object = (properties) => ({ type: 'object', properties })

const server = createServer({ name: 'scale', version: '1.0.0' }, { ...(stores && { stores }), onEvent: () => {} })
server.tool('add', { input: object({ a: number, b: number }) }, ({ a, b }) => `${a + b}`)
server.tool('steps', { input: object({ mark: text, count: number, ms: number }) }, async ({ mark, count, ms }, call) => {
  for (let at = 1; at <= count; at++) {
    call.progress(at, count, mark)
    await sleep(ms)
  }
  return mark
})
server.tool('ask', { input: object({ mark: text }) }, async ({ mark }, call) => {
  const { name } = await call.elicit(mark, object({ name: text }))
  return `${mark} ${name}`
})
server.tool('touch', { input: object({ uri: text }) }, ({ uri }) => {
  server.resourceUpdated(uri)
  return 'touched'
})
server.resource('note://{id}', {}, ({ id }) => `note ${id}`)

const { url: own } = await serve(server, {
  port: 0,
  sessionIdleMs: Number(process.env.IDLE_MS ?? 1_800_000),
  nodeLeaseMs: 3000,
  maxPrincipalSessions: 100_000,
  maxSessions: 100_000,
})
process.send?.({ url: own })
process.on('message', async (message) => {
  if (message !== 'memory') return
  globalThis.gc?.()
  const { heapUsed: heap, rss } = process.memoryUsage()
  const keys = kind === 'memory' ? await stores.store.list('http/') : []
  process.send({ heap, rss, handles: process.getActiveResourcesInfo().sort(), keys })
})
