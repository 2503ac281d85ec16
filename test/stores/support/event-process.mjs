/**
 * One process of a service with events: `node event-process.mjs BACKEND URL NAMESPACE ROLE`. A `worker` delivers to webhooks; an `emitter` only
 * emits. Answers the messages of its parent: requests, and `{ emit: N, perSecond }`, after which it says `{ emitted: N }`.
 */
import { createServer } from 'portcall'
import { events } from 'portcall/events'
import { openBackend } from './task-backends.mjs'

const [backend, url, namespace, role] = process.argv.slice(2)
const LEASE_TTL_MS = 2000
const TICK_MS = 20

const stores = await openBackend(backend, { url, namespace, lockTtlMs: LEASE_TTL_MS })
const limits = { leaseTtlMs: LEASE_TTL_MS, sweepIntervalMs: 500, retryDelayMs: 50, maxRetryDelayMs: 200, maxAttempts: 100 }
const webhooks = { allow: ['127.0.0.1'], runWorker: role === 'worker', limits }
const server = createServer(
  { name: 'events', version: '1.0.0' },
  { stores, extensions: [events({ webhooks })], onEvent: () => {} },
)
const integer = { type: 'integer' }
const counted = server.event(
  'counted',
  {
    description: 'A number was counted',
    input: { type: 'object', properties: { odd: { type: 'boolean' } } },
    payload: { type: 'object', properties: { n: integer }, required: ['n'] },
  },
  { match: ({ data }, { arguments: { odd } }) => odd === undefined || (data.n % 2 === 1) === odd },
)

async function emit(count, perSecond) {
  const startedAt = performance.now()
  for (let n = 0; n < count; ) {
    const due = Math.min(count, Math.ceil(((performance.now() - startedAt) * perSecond) / 1000))
    const batch = []
    for (; n < due; n++) batch.push(counted.emit({ n }, { eventId: `n-${n}` }))
    await Promise.all(batch)
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
}

process.on('message', async ({ id, request, emit: count, perSecond }) => {
  if (request) {
    const context = { signal: new AbortController().signal, notify: () => {}, auth: { principal: 'ada' } }
    return process.send({ id, response: await server.exchange(request, context) })
  }
  await emit(count, perSecond)
  process.send({ id, emitted: count })
})
process.send({ id: 'ready' })
