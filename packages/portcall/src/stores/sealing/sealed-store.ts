import type { KeyValueStore } from '../store.ts'
import { SealError, type Sealer } from './seal.ts'

const PURPOSE = 'sealed-store'
/** Entries expire in the store, not by their seal: long after anyone reads them. */
const SEAL_TTL_MS = 100 * 366 * 86_400_000

/**
 * Returns a view of a store that encrypts all values. A value is bound to its key, so that a copy of it under another key cannot be read. Keys
 * are not encrypted. A value that does not open, because its sealing key was removed or somebody changed it, counts as absent.
 */
export function sealStore(store: KeyValueStore, sealer: Sealer): KeyValueStore {
  const seal = (key: string, value: string): Promise<string> => sealer.seal(PURPOSE, value, { ttlMs: SEAL_TTL_MS, binding: key })
  const open = async (key: string, sealed: string | undefined): Promise<string | undefined> => {
    if (sealed === undefined) return undefined
    try {
      return String(await sealer.open(PURPOSE, sealed, { binding: key }))
    } catch (error) {
      if (error instanceof SealError) return undefined
      throw error
    }
  }
  return {
    get: async (key) => open(key, await store.get(key)),
    set: async (key, value, options) => store.set(key, await seal(key, value), options),
    delete: (key) => store.delete(key),
    /** Two seals of the same value differ, so the current seal is compared and not the value. */
    async compareAndSet(key, { expected, value, ...options }) {
      const sealed = await store.get(key)
      if ((await open(key, sealed)) !== expected) return false
      const next = value === undefined ? undefined : await seal(key, value)
      return store.compareAndSet(key, { expected: sealed, value: next, ...options })
    },
    list: (prefix, options) => store.list(prefix, options),
    count: (prefix) => store.count(prefix),
  }
}
