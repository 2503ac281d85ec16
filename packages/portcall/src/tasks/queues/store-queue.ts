import { randomId } from '../../../../util/src/random.ts'
import type { Bus } from '../../stores/bus.ts'
import { type KeptSubscription, keepSubscribed } from '../../stores/keep-subscribed.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { TaskQueue } from './queue.ts'
import { createWorkerPool, type WorkerPool } from './worker-pool.ts'

export interface StoreQueueOptions {
  readonly store: KeyValueStore
  readonly bus: Bus
  /** How often the store is polled for entries of processes that have failed, in milliseconds. Default: 5000. */
  readonly pollIntervalMs?: number
}

const PREFIX = 'tasks/queue/'
const TOPIC = 'tasks-queue'

/**
 * Creates a queue in the store, oldest first, for the processes of one machine. Each reference is an entry that remains until it is
 * processed, so that another process can continue after a failure.
 */
export function createStoreQueue({ store, bus, pollIntervalMs = 5000 }: StoreQueueOptions): TaskQueue {
  let pool: WorkerPool | undefined
  let subscription: KeptSubscription | undefined

  return {
    async enqueue(ref, { ttlMs }) {
      const key = `${PREFIX}${Date.now().toString(36).padStart(9, '0')}.${randomId(6)}.${ref}`
      await store.set(key, '', { ttlMs })
      if (!pool?.tryProcess(key)) await bus.publish(TOPIC, '').catch(() => {})
    },
    async process(processor, options) {
      const ownPool = createWorkerPool({
        ...options,
        pollIntervalMs,
        list: (after, limit) => store.list(PREFIX, { limit, ...(after !== undefined && { after }) }),
        process: (key) => processor(key.slice(key.lastIndexOf('.') + 1)),
        remove: (key) => store.delete(key),
      })
      pool = ownPool
      ownPool.pollNow()
      const { pollNow } = ownPool
      subscription = keepSubscribed({ bus, topic: TOPIC, onMessage: pollNow, onLate: pollNow, onError: options.onError })
      await subscription.firstAttempt
    },
    count: () => store.count(PREFIX),
    async close() {
      subscription?.end()
      await pool?.close()
    },
  }
}
