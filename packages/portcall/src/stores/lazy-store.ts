import type { KeyValueStore } from './store.ts'

/** Returns a store that `open` opens when it is used. `open` is called for each operation, and returns the same store each time. */
export function lazyStore(open: () => Promise<KeyValueStore>): KeyValueStore {
  return {
    get: async (key) => (await open()).get(key),
    set: async (key, value, options) => (await open()).set(key, value, options),
    delete: async (key) => (await open()).delete(key),
    compareAndSet: async (key, change) => (await open()).compareAndSet(key, change),
    list: async (prefix, options) => (await open()).list(prefix, options),
    count: async (prefix) => (await open()).count(prefix),
  }
}
