import type { KeyValueStore } from '../../stores/store.ts'

/**
 * Creates a store in a file, for the tokens of one user. Only the owner can read the file, writes are atomic, and a lock file lets several
 * processes share it. The file is read for each operation, so the store is suitable for a few entries only.
 */
export function fileStore(path: string): KeyValueStore {
  let store: Promise<KeyValueStore> | undefined
  const load = (): Promise<KeyValueStore> =>
    (store ??= import('./node/file-store.ts').then(({ createFileStore }) => createFileStore(path)))
  return {
    get: async (key) => (await load()).get(key),
    set: async (key, value, options) => (await load()).set(key, value, options),
    delete: async (key) => (await load()).delete(key),
    compareAndSet: async (key, change) => (await load()).compareAndSet(key, change),
    list: async (prefix, options) => (await load()).list(prefix, options),
    count: async (prefix) => (await load()).count(prefix),
  }
}
