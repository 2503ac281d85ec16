import type { Store } from '../../stores/store.ts'

/**
 * A store in a file, for the tokens of one user: readable for its owner only, written whole or not at all, and locked while it is, so that
 * several processes can share it. It is read at each use, so it is made for few entries.
 */
export function fileStore(path: string): Store {
  let opened: Promise<Store> | undefined
  const open = (): Promise<Store> =>
    (opened ??= import('./node/file-store.ts').then(({ createFileStore }) => createFileStore(path)))
  return {
    get: async (key) => (await open()).get(key),
    set: async (key, value, options) => (await open()).set(key, value, options),
    delete: async (key) => (await open()).delete(key),
    swap: async (key, change) => (await open()).swap(key, change),
    list: async (prefix, options) => (await open()).list(prefix, options),
    count: async (prefix) => (await open()).count(prefix),
  }
}
