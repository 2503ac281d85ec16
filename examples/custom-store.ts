import type { KeyValueStore } from 'portcall/stores'

/** Creates a key-value store in a `Map`. `now` returns the current time in milliseconds. */
export function createMapStore(now: () => number = Date.now): KeyValueStore {
  const entries = new Map<string, { value: string; expiresAt: number }>()

  const read = (key: string): string | undefined => {
    const entry = entries.get(key)
    if (entry && entry.expiresAt <= now()) entries.delete(key)
    return entries.get(key)?.value
  }
  const write = (key: string, value: string, ttlMs = Number.POSITIVE_INFINITY): void => {
    entries.set(key, { value, expiresAt: now() + ttlMs })
  }
  const keysWith = (prefix: string): string[] =>
    [...entries.keys()]
      .filter((key) => key.startsWith(prefix) && read(key) !== undefined)
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

  return {
    get: async (key) => read(key),
    set: async (key, value, { ttlMs } = {}) => write(key, value, ttlMs),
    delete: async (key) => void entries.delete(key),
    async compareAndSet(key, { expected, value, ttlMs }) {
      if (read(key) !== expected) return false
      if (value === undefined) entries.delete(key)
      else write(key, value, ttlMs)
      return true
    },
    async list(prefix, { after, limit = 1000 } = {}) {
      const keys = keysWith(prefix)
      const start = after === undefined ? 0 : keys.findIndex((key) => Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0)
      return start < 0 ? [] : keys.slice(start, start + limit)
    },
    count: async (prefix) => keysWith(prefix).length,
  }
}
