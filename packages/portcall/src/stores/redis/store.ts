import { compareKeys, DEFAULT_LIMIT } from '../listing.ts'
import { createBatcher, type Idle } from '../remote/batcher.ts'
import type { KeyValueStore } from '../store.ts'
import type { RedisExecutor } from './executor.ts'
import { LIST, WRITE } from './scripts.ts'

/** Limits of the key-value store in Redis. If there are too many entries, those that expire first are evicted. */
export interface RedisKeyValueStoreOptions {
  /** Maximum number of entries. Default: 1,000,000. */
  maxEntries?: number
  /** Upper bound of the `ttlMs` of entries. Default: 365 days. */
  maxTtlMs?: number
}

/** The condition and the new value of a write, as the script expects them. */
interface Write {
  readonly expected: readonly [mode: 'any' | 'absent' | 'this', value: string]
  readonly value: string | undefined
  readonly ttlMs?: number | undefined
}

/** The range of keys to list or count. */
interface KeyRange {
  readonly prefix: string
  readonly after?: string | undefined
  readonly limit?: number
}

const YEAR_MS = 365 * 24 * 3600_000
const REPEATABLE = true
const ANY = ['any', ''] as const
const ABSENT = ['absent', ''] as const

/** Creates a key-value store in Redis. */
export function createRedisStore(
  executor: RedisExecutor,
  prefix: string,
  options: RedisKeyValueStoreOptions = {},
): KeyValueStore & Idle {
  const { maxEntries = 1_000_000, maxTtlMs = YEAR_MS } = options
  const values = `${prefix}v:`
  const [keys, due] = [`${prefix}keys`, `${prefix}due`]

  const reads = createBatcher<string, unknown>({
    send: (batch) =>
      executor.send(
        batch.map((key) => ['GET', values + key]),
        REPEATABLE,
      ),
  })
  const writes = createBatcher<readonly string[], unknown>({
    concurrency: 1,
    send: (batch) => executor.send(batch.map((args) => ({ script: WRITE, keys: [values + args[0], keys, due], args }))),
  })

  const write = async (key: string, { expected, value, ttlMs = Infinity }: Write): Promise<boolean> => {
    const ms = Math.floor(Math.min(ttlMs, maxTtlMs))
    const change = value === undefined ? ['delete', ''] : ['set', value]
    const args = [key, values, String(maxEntries), String(ms), ...expected, ...change]
    return (await writes.add(args, 2 * (key.length + (value?.length ?? 0)))) === 1
  }
  const query = async (kind: 'list' | 'count', { prefix, after, limit = Infinity }: KeyRange): Promise<unknown> => {
    const from = after !== undefined && compareKeys(after, prefix) >= 0 ? `(${after}` : `[${prefix}`
    const count = Number.isFinite(limit) ? limit : -1
    const call = { script: LIST, keys: [keys, due], args: [values, from, prefix, kind, String(count)] }
    for (;;) {
      const [result] = await executor.send([call], REPEATABLE)
      if (result instanceof Error) throw result
      // The script returns nothing while it has expired entries to remove first.
      if (result !== null) return result
    }
  }

  return {
    get: async (key) => ((await reads.add(key, 2 * key.length)) as string | null) ?? undefined,
    set: async (key, value, { ttlMs } = {}) => void (await write(key, { expected: ANY, value, ttlMs })),
    delete: async (key) => void (await write(key, { expected: ANY, value: undefined })),
    compareAndSet: (key, { expected, value, ttlMs }) =>
      write(key, { expected: expected === undefined ? ABSENT : ['this', expected], value, ttlMs }),
    list: async (prefix, { after, limit = DEFAULT_LIMIT } = {}) => (await query('list', { prefix, after, limit })) as string[],
    count: async (prefix) => (await query('count', { prefix })) as number,
    idle: () => writes.idle(),
  }
}
