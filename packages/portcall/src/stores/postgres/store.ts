import { isLargerThan } from '../../../../util/src/bytes.ts'
import { compareKeys, DEFAULT_LIMIT, prefixEnd } from '../listing.ts'
import { createBatcher, type Idle } from '../remote/batcher.ts'
import type { KeyValueStore } from '../store.ts'
import type { PostgresExecutor } from './executor.ts'
import { decodeText, encodeText } from './text-encoding.ts'

/** Limits of the key-value store in PostgreSQL. If there are too many entries, those that expire first are evicted. */
export interface PostgresKeyValueStoreOptions {
  /** Maximum number of entries, enforced every 30 seconds. Default: 1,000,000. */
  maxEntries?: number
  /** Upper bound of the `ttlMs` of entries. Default: 365 days. */
  maxTtlMs?: number
}

export interface PostgresStoreParts {
  readonly executor: PostgresExecutor
  readonly maxTtlMs: number
  /** Called at each write. */
  onWrite(): void
}

type Condition = 'any' | 'absent' | 'this'
type Write = readonly [key: string, condition: Condition, expected: string, value: string | null, ttlMs: number]

/** The maximum length of an indexed value in PostgreSQL, rounded down. */
const MAX_KEY_BYTES = 2000
const REPEATABLE = true

/** Creates a key-value store in PostgreSQL. */
export function createPostgresStore({ executor, maxTtlMs, onWrite }: PostgresStoreParts): KeyValueStore & Idle {
  const reads = createBatcher<string, string | null>({
    send: async (keys) => (await executor.call('get', keys, REPEATABLE)) as (string | null)[],
  })
  const writes = createBatcher<Write, boolean>({
    concurrency: 1,
    async send(batch) {
      // All processes lock rows in the order of their keys, so that they cannot deadlock.
      const order = [...batch.keys()].sort((a, b) => compareKeys(batch[a]?.[0] ?? '', batch[b]?.[0] ?? '') || a - b)
      const sorted = order.map((index) => batch[index])
      const outcomes = (await executor.call('write', sorted)) as boolean[]
      const results: boolean[] = []
      for (const [at, index] of order.entries()) results[index] = outcomes[at] === true
      return results
    },
  })
  const write = (change: Write): Promise<boolean> => {
    onWrite()
    return writes.add(change, 2 * (change[0].length + change[2].length + (change[3]?.length ?? 0)))
  }
  const encodeValue = (value: string | undefined, ttlMs = Infinity): readonly [value: string | null, ttlMs: number] => {
    const ms = Math.min(ttlMs, maxTtlMs)
    return value === undefined || ms <= 0 ? [null, 0] : [encodeText(value), ms]
  }

  return {
    async get(key) {
      const value = await reads.add(encodeKey(key), 2 * key.length)
      return value === null ? undefined : decodeText(value)
    },
    set: async (key, value, { ttlMs } = {}) => void (await write([encodeKey(key), 'any', '', ...encodeValue(value, ttlMs)])),
    delete: async (key) => void (await write([encodeKey(key), 'any', '', null, 0])),
    async compareAndSet(key, { expected, value, ttlMs }) {
      const condition = expected === undefined ? 'absent' : 'this'
      return write([encodeKey(key), condition, encodeText(expected ?? ''), ...encodeValue(value, ttlMs)])
    },
    async list(prefix, { after, limit = DEFAULT_LIMIT } = {}) {
      const range = rangeOf(prefix)
      const encodedAfter = after === undefined ? undefined : encodeText(after)
      const from = encodedAfter !== undefined && compareKeys(encodedAfter, range.from) > 0 ? encodedAfter : range.from
      const count = Number.isFinite(limit) ? limit : undefined
      const keys = (await executor.call('list', { ...range, from, after: encodedAfter, limit: count }, REPEATABLE)) as string[]
      return keys.map(decodeText)
    },
    count: async (prefix) => Number(await executor.call('count', rangeOf(prefix), REPEATABLE)),
    idle: () => writes.idle(),
  }
}

/** Returns the range of the encoded keys with a prefix; without `to`, it has no end. */
function rangeOf(prefix: string): { from: string; to: string | undefined } {
  const from = encodeText(prefix)
  return { from, to: prefixEnd(from) ?? undefined }
}

/** @throws RangeError if the key is too long. */
function encodeKey(key: string): string {
  const encoded = encodeText(key)
  if (isLargerThan(encoded, MAX_KEY_BYTES))
    throw new RangeError(`The key is too long: keys in PostgreSQL are limited to ${MAX_KEY_BYTES} bytes`)
  return encoded
}
