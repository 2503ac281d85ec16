/**
 * A program with three workers. It prints its URL, as JSON. `OPTIONS` are further options of `serve`. With `STORES`, an SQLite file, it is one
 * program of several that share the file, without workers unless the options have them. With `AUDIT_LOG`, all workers record calls in this file.
 * With `LAST_WORKER_STARTS_AFTER_MS`, the third worker serves later than the others.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'portcall'
import { metrics } from 'portcall/metrics'
import { auditLog, idempotency, rateLimit, resultSizeLimit } from 'portcall/middleware'
import { serve, workerNumber } from 'portcall/node'
import { sqliteStores } from 'portcall/stores/sqlite'
import { tasks } from 'portcall/tasks'

const { STORES, AUDIT_LOG, OPTIONS = '{}', LAST_WORKER_STARTS_AFTER_MS = '0' } = process.env
const stores = STORES ? { stores: sqliteStores(STORES) } : {}
const workers = STORES ? {} : { workers: 3 }
const server = createServer({ name: 'workers', version: '1.0.0' }, { ...stores, extensions: [tasks()], onEvent: () => {} })
const number = { type: 'number' }
const text = { type: 'string' }
const object = (properties) => ({ type: 'object', properties })

const prometheus = metrics()
server.use(prometheus.middleware)
if (AUDIT_LOG) server.use(auditLog({ to: AUDIT_LOG }))
server.use(rateLimit({ limit: 4, intervalMs: 3_600_000, tools: ['limited'] }))
server.use(idempotency({ tools: ['pay'] }))
server.use(resultSizeLimit({ maxBytes: 1000, exceeded: 'link', tools: ['long'] }))

server.tool('limited', {}, () => 'allowed')
server.tool('pay', {}, () => `paid by ${process.pid} at ${performance.now()}`)
server.tool('long', {}, () => 'x'.repeat(2000))
server.tool('pid', {}, () => `${process.pid}`)
server.tool('number', {}, () => `${workerNumber}`)
server.tool('wait', { input: object({ ms: number }) }, async ({ ms }) => {
  console.log('waiting')
  await sleep(ms)
  return 'done'
})
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
server.tool('render', { task: 'optional', input: object({ ms: number }) }, async ({ ms }) => {
  await sleep(ms)
  return `rendered by ${process.pid}`
})
server.resource('note://{id}', {}, ({ id }) => `note ${id}`)

if (workerNumber === 3) await sleep(Number(LAST_WORKER_STARTS_AFTER_MS))
const { url } = await serve(server, { port: 0, nodeLeaseTtlMs: 3000, metrics: prometheus, ...workers, ...JSON.parse(OPTIONS) })
if (workerNumber === undefined) console.log(JSON.stringify({ url }))
