import { listKeys } from '../listing.ts'
import type { KeyValueStore } from '../store.ts'

/** Limits of the key-value store in memory. When they are exceeded, the least recently written entries are evicted. */
export interface MemoryKeyValueStoreOptions {
  /** Maximum number of entries. Default: 100,000. */
  maxEntries?: number
  /** Maximum bytes of keys and values, at two per character. `set` rejects a larger single entry with a `RangeError`. Default: 64 MiB. */
  maxBytes?: number
  /** Upper bound of the `ttlMs` of entries. Default: no limit. */
  maxTtlMs?: number
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
  /** Ordered by the last write: the least recently written entry is the first. */
  const entries = new Map<string, Entry>()
  let totalBytes = 0
  let sweptAt = now()

  const remove = (key: string): void => {
    totalBytes -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
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
  const write = (key: string, value: string, ttlMs = Infinity): void => {
    const bytes = 2 * (key.length + value.length)
    if (bytes > maxBytes) throw new RangeError(`The entry has ${bytes} bytes; this store is limited to ${maxBytes} (maxBytes)`)
    const time = now()
    remove(key)
    if (time - sweptAt >= SWEEP_INTERVAL_MS) sweep(time)
    entries.set(key, { value, expires: time + Math.min(ttlMs, maxTtlMs), bytes })
    totalBytes += bytes
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries && totalBytes <= maxBytes) break
      remove(oldest)
    }
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
