/**
 * One process of the service: `node node.mjs redis URL`, `node node.mjs postgres URL`, or `memory` or `none` for a single process with or
 * without stores. With `UPSTREAM`, a URL, it is a gateway to the server there. Sends its URL to the parent when it listens.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import * as ioredis from 'ioredis'
import pg from 'pg'
import { createServer } from 'portcall'
import { bridge } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'
import { postgresStores } from 'portcall/stores/postgres'
import { redisStores } from 'portcall/stores/redis'
import { createRedisClient } from '../support/services/redis-client.mjs'

const [kind, url] = process.argv.slice(2)
const skewMs = Number(process.env.SKEW_MS ?? 0)
const realNow = Date.now
Date.now = () => realNow() + skewMs
const OPEN_STORES = {
  redis: () => redisStores(createRedisClient(ioredis, url), { prefix: '{scale}:' }),
  postgres: () => postgresStores(new pg.Pool({ connectionString: url }), { schema: 'scale' }),
  memory: () => memoryStores(),
  none: () => undefined,
}
const stores = OPEN_STORES[kind]()
const number = { type: 'number' }
const text = { type: 'string' }
const object = (properties) => ({ type: 'object', properties })

const server = createServer({ name: 'scale', version: '1.0.0' }, { ...(stores && { stores }), onEvent: () => {} })
server.tool('add', { input: object({ a: number, b: number }) }, ({ a, b }) => `${a + b}`)
server.tool('steps', { input: object({ mark: text, count: number, ms: number }) }, async ({ mark, count, ms }, call) => {
  for (let step = 1; step <= count; step++) {
    call.progress(step, count, mark)
    await sleep(ms)
  }
  return mark
})
server.tool('elicit', { input: object({ mark: text }) }, async ({ mark }, call) => {
  const { name } = await call.elicit(mark, object({ name: text }))
  return `${mark} ${name}`
})
server.tool('update', { input: object({ uri: text }) }, ({ uri }) => {
  server.resourceUpdated(uri)
  return 'updated'
})
server.resource('note://{id}', {}, ({ id }) => `note ${id}`)

const { UPSTREAM } = process.env
const served = UPSTREAM ? bridge(UPSTREAM, { ...(stores && { stores }) }) : server

const { url: ownUrl } = await serve(served, {
  port: 0,
  sessionIdleTimeoutMs: Number(process.env.IDLE_MS ?? 1_800_000),
  nodeLeaseTtlMs: 3000,
  maxPrincipalSessions: 100_000,
  maxSessions: 100_000,
})
process.send?.({ url: ownUrl })
process.on('message', async (message) => {
  if (message !== 'memory') return
  globalThis.gc?.()
  const { heapUsed: heap, rss } = process.memoryUsage()
  const keys = kind === 'memory' ? await stores.store.list('http/') : []
  process.send({ heap, rss, handles: process.getActiveResourcesInfo().sort(), keys })
})
