import { randomId } from '../../../../util/src/random.ts'
import { type EventLog, type LogEntry, UnknownPositionError } from '../log.ts'
import { createBatcher, type Idle } from '../remote/batcher.ts'
import { groupByLog, type LogChange, type LogChangeGroup } from '../remote/group-by-log.ts'
import type { RedisCommand, RedisExecutor } from './executor.ts'
import { APPEND, REMOVE } from './scripts.ts'

/** Limits of the event logs in Redis. Logs are trimmed from the front. If there are too many, the least recently written one is deleted. */
export interface RedisLogOptions {
  /** Maximum entries per log. Default: 10,000. */
  maxEntries?: number
  /** Maximum bytes per log. A larger single entry leaves the log empty. Default: 4 MiB. */
  maxBytes?: number
  /** Time to live of an entry. Entries are removed when others are appended, or with the whole log. Default: 30 minutes. */
  entryTtlMs?: number
  /** Maximum number of logs. Default: 100,000. */
  maxLogs?: number
}

const POSITION = /^[1-9]\d{0,15}-[1-9]\d{0,15}$/
const MIB = 1024 * 1024
const REPEATABLE = true

/** Creates event logs in Redis. */
export function createRedisLog(executor: RedisExecutor, prefix: string, options: RedisLogOptions = {}): EventLog & Idle {
  const { maxEntries = 10_000, maxBytes = 4 * MIB, entryTtlMs = 30 * 60_000, maxLogs = 100_000 } = options
  const [streams, hashes, logs] = [`${prefix}l:`, `${prefix}w:`, `${prefix}logs`]
  const limits = [maxEntries, maxBytes, Math.floor(entryTtlMs), maxLogs].map(String)
  const writer = randomId(9)
  let batchNumber = 0

  const keysOf = (key: string): string[] => [streams + key, hashes + key, logs]
  const appendCommand = ({ key, entries }: LogChangeGroup): RedisCommand => ({
    script: APPEND,
    keys: keysOf(key),
    args: [key, streams, hashes, ...limits, writer, String(++batchNumber), randomStart(), ...entries],
  })
  const removeCommand = ({ key }: LogChangeGroup): RedisCommand => ({ script: REMOVE, keys: keysOf(key), args: [key] })
  const changes = createBatcher<LogChange, string | undefined>({
    concurrency: 1,
    async send(batch) {
      const groups = groupByLog(batch)
      const results = await executor.send(
        groups.map((group) => (group.entries.length > 0 ? appendCommand(group) : removeCommand(group))),
        REPEATABLE,
      )
      const positions: Array<string | Error | undefined> = []
      for (const [at, { indexes }] of groups.entries())
        for (const [nth, index] of indexes.entries()) positions[index] = positionIn(results[at], nth)
      return positions
    },
  })
  const reads = createBatcher<readonly string[], unknown>({ send: (batch) => executor.send([...batch], REPEATABLE) })

  return {
    append: async (key, data) => (await changes.add({ key, data }, 2 * (key.length + data.length))) ?? '',
    async read(key, after) {
      if (after !== undefined && !POSITION.test(after)) throw new UnknownPositionError()
      const rows = (await reads.add(['XRANGE', streams + key, after ?? '-', '+'], 2 * key.length)) as [string, [string, string]][]
      const entries: LogEntry[] = rows.map(([position, [, data]]) => ({ position, data }))
      if (after === undefined || entries[0]?.position === after) return after === undefined ? entries : entries.slice(1)
      if (entries.length === 0 && (await reads.add(['HGET', hashes + key, 'end'], 2 * key.length)) === after) return []
      throw new UnknownPositionError()
    },
    delete: async (key) => void (await changes.add({ key }, 2 * key.length)),
    idle: () => changes.idle(),
  }
}

function positionIn(result: unknown, index: number): string | Error | undefined {
  if (result instanceof Error) return result
  return Array.isArray(result) ? String(result[index]) : undefined
}

/**
 * Returns the number at which a log starts to count: unpredictable, and small enough that it can grow by the same amount and still be exact
 * as a number.
 */
function randomStart(): string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  return String((high % 2 ** 19) * 2 ** 32 + low + 1)
}
