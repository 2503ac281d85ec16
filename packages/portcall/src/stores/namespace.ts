import type { KeyValueStore } from './store.ts'

/** Returns the part of a store whose keys start with `prefix`. Its users do not see the prefix. */
export function namespaceStore(store: KeyValueStore, prefix: string): KeyValueStore {
  return {
    get: (key) => store.get(prefix + key),
    set: (key, value, options) => store.set(prefix + key, value, options),
    delete: (key) => store.delete(prefix + key),
    compareAndSet: (key, change) => store.compareAndSet(prefix + key, change),
    async list(start, { after, ...options } = {}) {
      const keys = await store.list(prefix + start, { ...options, ...(after !== undefined && { after: prefix + after }) })
      return keys.map((key) => key.slice(prefix.length))
    },
    count: (start) => store.count(prefix + start),
  }
}
