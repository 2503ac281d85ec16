import { listKeys } from './listing.ts'
import type { Store } from './store.ts'

/** The bounds of a store in memory. When they are reached, the entries that were written longest ago make room. */
export interface MemoryStoreOptions {
  /** Default: 100,000. */
  maxEntries?: number
  /** Bytes of keys and values, at two a character. A larger single entry is refused. Default: 64 MiB. */
  maxBytes?: number
  /** How long an entry stays at the most, whatever its `ttlMs`. Default: no such limit. */
  maxAgeMs?: number
  /** Milliseconds since 1970. */
  now?: () => number
}

interface Entry {
  value: string
  expires: number
  bytes: number
}

const SWEEP_MS = 30_000

/** Makes a store in memory. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const { maxEntries = 100_000, maxBytes = 64 * 1024 * 1024, maxAgeMs = Infinity, now = Date.now } = options
  const entries = new Map<string, Entry>()
  let total = 0
  let swept = now()

  const remove = (key: string): void => {
    total -= entries.get(key)?.bytes ?? 0
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
    swept = time
    for (const [key, { expires }] of entries) if (expires <= time) remove(key)
  }
  const alive = (): Iterable<string> => {
    sweep(now())
    return entries.keys()
  }
  const write = (key: string, value: string, ttlMs = Infinity): void => {
    const bytes = 2 * (key.length + value.length)
    if (bytes > maxBytes) throw new RangeError(`The entry has ${bytes} bytes; this store holds ${maxBytes}`)
    const time = now()
    remove(key)
    if (time - swept >= SWEEP_MS) sweep(time)
    entries.set(key, { value, expires: time + Math.min(ttlMs, maxAgeMs), bytes })
    total += bytes
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries && total <= maxBytes) break
      remove(oldest)
    }
  }

  return {
    get: async (key) => read(key),
    set: async (key, value, { ttlMs } = {}) => write(key, value, ttlMs),
    delete: async (key) => remove(key),
    async swap(key, { expected, value, ttlMs }) {
      if (read(key) !== expected) return false
      if (value === undefined) remove(key)
      else write(key, value, ttlMs)
      return true
    },
    list: async (prefix, options) => listKeys(alive(), prefix, options),
    async count(prefix) {
      let found = 0
      for (const key of alive()) if (key.startsWith(prefix)) found++
      return found
    },
  }
}
