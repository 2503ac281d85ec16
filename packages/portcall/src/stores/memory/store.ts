import { StoreFullError } from '../errors.ts'
import { listKeys } from '../listing.ts'
import type { KeyValueStore } from '../store.ts'
import { createGroups } from './groups.ts'

/**
 * Limits of the key-value store in memory. When they are exceeded, the least recently written entries of the largest group are evicted. Keys
 * with the same text up to the last slash are one group, so that whoever stores much under `OWNER/` does not evict the entries of others.
 */
export interface MemoryKeyValueStoreOptions {
  /** Maximum number of entries. Default: 100,000. */
  maxEntries?: number
  /** Maximum bytes of keys and values, at two per character. `set` rejects a larger single entry with a `RangeError`. Default: 64 MiB. */
  maxBytes?: number
  /** Upper bound of the `ttlMs` of entries. Default: no limit. */
  maxTtlMs?: number
  /** The treatment of a new entry when the store is full: others are evicted for it, or it is refused with a `StoreFullError`. Default: `evict`. */
  whenFull?: 'evict' | 'refuse'
  /** Returns the current time in milliseconds since 1970. */
  now?: () => number
}

interface Entry {
  value: string
  expires: number
  bytes: number
}

const SWEEP_INTERVAL_MS = 30_000

/** Creates a key-value store in memory. */
export function createMemoryStore(options: MemoryKeyValueStoreOptions = {}): KeyValueStore {
  const { maxEntries = 100_000, maxBytes = 64 * 1024 * 1024, maxTtlMs = Infinity, now = Date.now } = options
  const { whenFull = 'evict' } = options
  const entries = new Map<string, Entry>()
  const groups = createGroups({ maxKeys: maxEntries, maxBytes })
  let sweptAt = now()

  const remove = (key: string): void => {
    const entry = entries.get(key)
    if (!entry) return
    entries.delete(key)
    groups.remove(key, entry.bytes)
  }
  /** Adds an entry as the newest one, also in the place of `before`. */
  const add = (key: string, entry: Entry, before?: Entry): void => {
    if (before) entries.delete(key)
    entries.set(key, entry)
    groups.write(key, entry.bytes - (before?.bytes ?? 0))
  }
  const read = (key: string): string | undefined => {
    const entry = entries.get(key)
    if (!entry) return undefined
    if (now() < entry.expires) return entry.value
    remove(key)
    return undefined
  }
  const sweep = (time: number): void => {
    sweptAt = time
    for (const [key, { expires }] of entries) if (expires <= time) remove(key)
  }
  const unexpiredKeys = (): Iterable<string> => {
    sweep(now())
    return entries.keys()
  }
  /** Evicts the oldest entries of the group that takes the most. `added` is evicted only if it is the last one of its group. */
  const evict = (added: string): void => {
    while (groups.isExceeded()) remove(groups.oldestOfLargest() ?? added)
  }
  const write = (key: string, value: string, ttlMs = Infinity): void => {
    const bytes = 2 * (key.length + value.length)
    if (bytes > maxBytes) throw new RangeError(`The entry has ${bytes} bytes; this store is limited to ${maxBytes} (maxBytes)`)
    const time = now()
    if (time - sweptAt >= SWEEP_INTERVAL_MS) sweep(time)
    const before = entries.get(key)
    add(key, { value, expires: time + Math.min(ttlMs, maxTtlMs), bytes }, before)
    if (!groups.isExceeded()) return
    if (whenFull === 'evict') return evict(key)
    sweep(time)
    if (!groups.isExceeded()) return
    remove(key)
    if (before) add(key, before)
    throw new StoreFullError(`The store is full: it has ${entries.size} entries and ${groups.bytes} bytes (maxEntries, maxBytes)`)
  }

  return {
    get: async (key) => read(key),
    set: async (key, value, { ttlMs } = {}) => write(key, value, ttlMs),
    delete: async (key) => remove(key),
    async compareAndSet(key, { expected, value, ttlMs }) {
      if (read(key) !== expected) return false
      if (value === undefined) remove(key)
      else write(key, value, ttlMs)
      return true
    },
    list: async (prefix, options) => listKeys(unexpiredKeys(), prefix, options),
    async count(prefix) {
      let count = 0
      for (const key of unexpiredKeys()) if (key.startsWith(prefix)) count++
      return count
    },
  }
}
