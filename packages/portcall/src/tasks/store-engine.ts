import type { Bus } from '../stores/bus.ts'
import { randomId } from '../stores/seal.ts'
import type { Store } from '../stores/store.ts'
import { type Crew, createCrew } from './crew.ts'
import type { TaskEngine } from './engine.ts'

export interface StoreEngineOptions {
  readonly store: Store
  readonly bus: Bus
  /** How often the store is looked through for what other processes have left, in milliseconds. Default: 5000. */
  readonly pollMs?: number
}

const QUEUE = 'tasks/queue/'
const TOPIC = 'tasks-queue'

/**
 * The engine for one machine: a queue in the store, oldest first. Each reference is an entry that stays until its work is done; a process
 * that comes later finds what another one has left.
 */
export function createStoreEngine({ store, bus, pollMs = 5000 }: StoreEngineOptions): TaskEngine {
  let crew: Crew | undefined
  let detach: (() => void) | undefined

  return {
    async add(ref, { ttlMs }) {
      const key = `${QUEUE}${Date.now().toString(36).padStart(9, '0')}.${randomId(6)}.${ref}`
      await store.set(key, '', { ttlMs })
      if (!crew?.take(key)) await bus.publish(TOPIC, '').catch(() => {})
    },
    async work(work, options) {
      const own = (crew = createCrew({
        ...options,
        pollMs,
        list: (after, limit) => store.list(QUEUE, { limit, ...(after !== undefined && { after }) }),
        work: (key) => work(key.slice(key.lastIndexOf('.') + 1)),
        remove: (key) => store.delete(key),
      }))
      own.look()
      detach = await bus.subscribe(TOPIC, own.look)
    },
    async close() {
      detach?.()
      await crew?.close()
    },
  }
}
