import type { Stores } from '../stores/stores.ts'
import { retryableOnce } from '../util/async.ts'

/** Returns stores that are opened by the first operation, so that a worker does not wait for them before it loads its program. */
export function createLazyStores(open: () => Promise<Stores>): Omit<Stores, 'close'> {
  const { run: opened } = retryableOnce(open)
  const store = async (): Promise<Stores['store']> => (await opened()).store
  const log = async (): Promise<Stores['log']> => (await opened()).log
  const bus = async (): Promise<Stores['bus']> => (await opened()).bus
  return {
    store: {
      get: async (key) => (await store()).get(key),
      set: async (key, value, options) => (await store()).set(key, value, options),
      delete: async (key) => (await store()).delete(key),
      compareAndSet: async (key, change) => (await store()).compareAndSet(key, change),
      list: async (prefix, options) => (await store()).list(prefix, options),
      count: async (prefix) => (await store()).count(prefix),
    },
    log: {
      append: async (key, data) => (await log()).append(key, data),
      read: async (key, after) => (await log()).read(key, after),
      delete: async (key) => (await log()).delete(key),
    },
    bus: {
      publish: async (topic, message) => (await bus()).publish(topic, message),
      subscribe: async (topic, onMessage) => (await bus()).subscribe(topic, onMessage),
    },
  }
}
