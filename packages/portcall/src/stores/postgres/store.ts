import { compareKeys } from '../listing.ts'
import { createLane } from '../remote/lane.ts'
import type { Store } from '../store.ts'
import type { PostgresLink } from './link.ts'
import { behindPrefix, fromKept, toKept } from './text.ts'

/** The bounds of a store in PostgreSQL. When there are too many entries, those that expire first make room. */
export interface PostgresStoreOptions {
  /** Default: 1,000,000. Looked after every 30 seconds. */
  maxEntries?: number
  /** How long an entry stays at the most, whatever its `ttlMs`. Default: 365 days. */
  maxAgeMs?: number
}

export interface StorePlace {
  readonly link: PostgresLink
  readonly maxAgeMs: number
  /** Is told of every write. */
  onWrite(): void
}

type Mode = 'any' | 'absent' | 'this'
type Write = readonly [key: string, mode: Mode, expected: string, value: string | null, ms: number]

const DEFAULT_LIMIT = 1000
/** What an index of PostgreSQL takes. */
const MAX_KEY_BYTES = 2000
const REPEATABLE = true

/** Makes a store in PostgreSQL; `idle` resolves when all that was written is there. */
export function createPostgresStore({ link, maxAgeMs, onWrite }: StorePlace): Store & { idle(): Promise<void> } {
  const reads = createLane<string, string | null>({
    send: async (keys) => (await link.ask('get', keys, REPEATABLE)) as (string | null)[],
  })
  const writes = createLane<Write, boolean>({
    flights: 1,
    async send(batch) {
      // In one order everywhere, so that two processes never wait for each other.
      const order = [...batch.keys()].sort((a, b) => compareKeys(batch[a]?.[0] ?? '', batch[b]?.[0] ?? '') || a - b)
      const answers = (await link.ask(
        'write',
        order.map((at) => batch[at]),
      )) as boolean[]
      const results: boolean[] = []
      for (const [nth, at] of order.entries()) results[at] = answers[nth] === true
      return results
    },
  })
  const write = (change: Write): Promise<boolean> => {
    onWrite()
    return writes.add(change, 2 * (change[0].length + change[2].length + (change[3]?.length ?? 0)))
  }
  const put = (value: string | undefined, ttlMs = Infinity): readonly [value: string | null, ms: number] => {
    const ms = Math.min(ttlMs, maxAgeMs)
    return value === undefined || ms <= 0 ? [null, 0] : [toKept(value), ms]
  }

  return {
    async get(key) {
      const value = await reads.add(keyOf(key), 2 * key.length)
      return value === null ? undefined : fromKept(value)
    },
    set: async (key, value, { ttlMs } = {}) => void (await write([keyOf(key), 'any', '', ...put(value, ttlMs)])),
    delete: async (key) => void (await write([keyOf(key), 'any', '', null, 0])),
    async swap(key, { expected, value, ttlMs }) {
      const mode = expected === undefined ? 'absent' : 'this'
      return write([keyOf(key), mode, toKept(expected ?? ''), ...put(value, ttlMs)])
    },
    async list(prefix, { after, limit = DEFAULT_LIMIT } = {}) {
      const range = rangeOf(prefix)
      const behind = after === undefined ? undefined : toKept(after)
      const from = behind !== undefined && compareKeys(behind, range.from) > 0 ? behind : range.from
      const most = Number.isFinite(limit) ? limit : undefined
      const keys = (await link.ask('list', { ...range, from, after: behind, limit: most }, REPEATABLE)) as string[]
      return keys.map(fromKept)
    },
    count: async (prefix) => Number(await link.ask('count', rangeOf(prefix), REPEATABLE)),
    idle: () => writes.idle(),
  }
}

function rangeOf(prefix: string): { from: string; to: string | undefined } {
  const from = toKept(prefix)
  return { from, to: behindPrefix(from) }
}

/** A key as it is kept. @throws RangeError when it is too long. */
function keyOf(key: string): string {
  const kept = toKept(key)
  if (3 * kept.length > MAX_KEY_BYTES && new TextEncoder().encode(kept).length > MAX_KEY_BYTES)
    throw new RangeError(`A key in PostgreSQL has at most ${MAX_KEY_BYTES} bytes`)
  return kept
}
