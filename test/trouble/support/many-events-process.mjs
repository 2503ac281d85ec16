/**
 * One process of a service with many subscriptions: `node many-events-process.mjs BACKEND URL NAMESPACE ROLE LOG`. A `worker` delivers to webhooks. The file
 * LOG says what it does, until it is killed: `begun EVENT` before a delivery, `recorded SUBSCRIPTION` when its outcome is stored.
 * Answers the messages of its parent: `{ subscribe: { count, url, secret } }`, and `{ emit: { count, perSecond, shards } }`.
 */
import { openSync, writeSync } from 'node:fs'
import { createServer } from 'portcall'
import { events } from 'portcall/events'
import { openBackend } from '../../stores/support/task-backends.mjs'

const [backend, url, namespace, role, logFile] = process.argv.slice(2)
const LEASE_TTL_MS = 2000
const TICK_MS = 20
const PER_PRINCIPAL = 100
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

const log = openSync(logFile, 'a')
const write = (line) => writeSync(log, `${line}\n`)

/** Returns the store of a worker that writes down which deliveries are stored. A subscription gets one event. */
function recording(store) {
  return {
    ...store,
    async compareAndSet(key, change) {
      const isDone = await store.compareAndSet(key, change)
      if (isDone && key.includes('events/state/') && change.value?.includes('"lastDeliveryAt"'))
        write(`recorded ${key.split('/').at(-1)}`)
      return isDone
    },
  }
}

const opened = await openBackend(backend, { url, namespace, lockTtlMs: LEASE_TTL_MS })
const stores = { ...opened, store: recording(opened.store) }
const limits = { leaseTtlMs: LEASE_TTL_MS, retryDelayMs: 50, maxRetryDelayMs: 200, maxAttempts: 100 }
const webhooks = { allow: ['127.0.0.1'], isKnown: () => true, runWorker: role === 'worker', limits }
const server = createServer(
  { name: 'events', version: '1.0.0' },
  { stores, extensions: [events({ webhooks })], onEvent: () => {} },
)
const integer = { type: 'integer' }
const counted = server.event(
  'counted',
  {
    description: 'A number was counted',
    input: { type: 'object', properties: { shard: integer }, required: ['shard'] },
    payload: { type: 'object', properties: { n: integer, shard: integer }, required: ['n', 'shard'] },
  },
  {
    match: ({ data }, { arguments: { shard } }) => data.shard === shard,
    transform({ eventId, data }) {
      write(`begun ${eventId}`)
      return data
    },
  },
)

async function subscribe({ count, url, secret }) {
  for (let shard = 0; shard < count; shard++) {
    const delivery = { mode: 'webhook', url, secret }
    const params = { name: 'counted', arguments: { shard }, cursor: null, delivery, _meta: META }
    const context = {
      signal: new AbortController().signal,
      notify: () => {},
      auth: { principal: `p${Math.floor(shard / PER_PRINCIPAL)}` },
    }
    const response = await server.exchange({ jsonrpc: '2.0', id: 1, method: 'events/subscribe', params }, context)
    if (!response.result?.id) throw new Error(JSON.stringify(response))
  }
}

async function emit({ count, perSecond, shards }) {
  const startedAt = performance.now()
  for (let n = 0; n < count; ) {
    const due = Math.min(count, Math.ceil(((performance.now() - startedAt) * perSecond) / 1000))
    const batch = []
    // 7919 is a prime: the shards come in no order.
    for (; n < due; n++) batch.push(counted.emit({ n, shard: (n * 7919) % shards }, { eventId: `n-${n}` }))
    await Promise.all(batch)
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
}

process.on('message', async ({ id, subscribe: wanted, emit: batch }) => {
  if (wanted) await subscribe(wanted)
  if (batch) await emit(batch)
  process.send({ id, cpu: process.cpuUsage() })
})
process.on('disconnect', () => process.exit())
process.send({ id: 'ready' })
