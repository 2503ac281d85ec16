import { compareKeys, DEFAULT_LIMIT } from '../listing.ts'
import { createLane } from '../remote/lane.ts'
import type { Store } from '../store.ts'
import type { RedisLink } from './link.ts'
import { LIST, WRITE } from './scripts.ts'

/** The bounds of a store in Redis. When there are too many entries, those that expire first make room. */
export interface RedisStoreOptions {
  /** Default: 1,000,000. */
  maxEntries?: number
  /** How long an entry stays at the most, whatever its `ttlMs`. Default: 365 days. */
  maxAgeMs?: number
}

/** What a key has to hold, and what it is to hold, as the script takes them. */
interface Write {
  readonly expected: readonly [mode: 'any' | 'absent' | 'this', value: string]
  readonly value: string | undefined
  readonly ttlMs?: number | undefined
}

/** Which keys are looked for. */
interface Search {
  readonly prefix: string
  readonly after?: string | undefined
  readonly limit?: number
}

const YEAR_MS = 365 * 24 * 3600_000
const REPEATABLE = true
const ANY = ['any', ''] as const
const ABSENT = ['absent', ''] as const

/** Makes a store in Redis; `idle` resolves when all that was written is there. */
export function createRedisStore(
  link: RedisLink,
  prefix: string,
  options: RedisStoreOptions = {},
): Store & { idle(): Promise<void> } {
  const { maxEntries = 1_000_000, maxAgeMs = YEAR_MS } = options
  const values = `${prefix}v:`
  const [keys, due] = [`${prefix}keys`, `${prefix}due`]

  const reads = createLane<string, unknown>({
    send: (batch) =>
      link.send(
        batch.map((key) => ['GET', values + key]),
        REPEATABLE,
      ),
  })
  const writes = createLane<readonly string[], unknown>({
    flights: 1,
    send: (batch) => link.send(batch.map((args) => ({ script: WRITE, keys: [values + args[0], keys, due], args }))),
  })

  const write = async (key: string, { expected, value, ttlMs = Infinity }: Write): Promise<boolean> => {
    const ms = Math.floor(Math.min(ttlMs, maxAgeMs))
    const change = value === undefined ? ['delete', ''] : ['set', value]
    const args = [key, values, String(maxEntries), String(ms), ...expected, ...change]
    return (await writes.add(args, 2 * (key.length + (value?.length ?? 0)))) === 1
  }
  const search = async (what: 'list' | 'count', { prefix, after, limit = Infinity }: Search): Promise<unknown> => {
    const from = after !== undefined && compareKeys(after, prefix) >= 0 ? `(${after}` : `[${prefix}`
    const most = Number.isFinite(limit) ? limit : -1
    const call = { script: LIST, keys: [keys, due], args: [values, from, prefix, what, String(most)] }
    for (;;) {
      const [found] = await link.send([call], REPEATABLE)
      if (found instanceof Error) throw found
      if (found !== null) return found
    }
  }

  return {
    get: async (key) => ((await reads.add(key, 2 * key.length)) as string | null) ?? undefined,
    set: async (key, value, { ttlMs } = {}) => void (await write(key, { expected: ANY, value, ttlMs })),
    delete: async (key) => void (await write(key, { expected: ANY, value: undefined })),
    swap: (key, { expected, value, ttlMs }) =>
      write(key, { expected: expected === undefined ? ABSENT : ['this', expected], value, ttlMs }),
    list: async (prefix, { after, limit = DEFAULT_LIMIT } = {}) => (await search('list', { prefix, after, limit })) as string[],
    count: async (prefix) => (await search('count', { prefix })) as number,
    idle: () => writes.idle(),
  }
}
