import { retryableOnce } from '../../../util/src/async.ts'
import { lazyStore } from '../stores/lazy-store.ts'
import type { Stores } from '../stores/stores.ts'

/** Returns stores that are opened by the first operation, so that a worker does not wait for them before it loads its program. */
export function createLazyStores(open: () => Promise<Stores>): Omit<Stores, 'close'> {
  const { run: opened } = retryableOnce(open)
  const log = async (): Promise<Stores['log']> => (await opened()).log
  const bus = async (): Promise<Stores['bus']> => (await opened()).bus
  return {
    store: lazyStore(async () => (await opened()).store),
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
