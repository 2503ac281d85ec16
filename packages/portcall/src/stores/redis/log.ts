import { type Log, type LogEntry, UnknownPosition } from '../log.ts'
import { createLane } from '../remote/lane.ts'
import { groupByLog, type LogChange, type LogRun } from '../remote/runs.ts'
import { randomId } from '../seal.ts'
import type { Command, RedisLink } from './link.ts'
import { APPEND, REMOVE } from './scripts.ts'

/** The bounds of logs in Redis. Logs are trimmed from the front; when there are too many, the one written to longest ago goes. */
export interface RedisLogOptions {
  /** Entries in one log. Default: 10,000. */
  maxEntries?: number
  /** Bytes in one log. A larger single entry leaves the log empty. Default: 4 MiB. */
  maxBytes?: number
  /** How long an entry stays after it was written; the newest ones keep older ones up to as long again. Default: 30 minutes. */
  maxAgeMs?: number
  /** Logs in all. Default: 100,000. */
  maxLogs?: number
}

const POSITION = /^[1-9]\d{0,15}-[1-9]\d{0,15}$/
const MIB = 1024 * 1024
const REPEATABLE = true

/** Makes logs in Redis; `idle` resolves when all that was appended is there. */
export function createRedisLog(link: RedisLink, prefix: string, options: RedisLogOptions = {}): Log & { idle(): Promise<void> } {
  const { maxEntries = 10_000, maxBytes = 4 * MIB, maxAgeMs = 30 * 60_000, maxLogs = 100_000 } = options
  const [streams, hashes, logs] = [`${prefix}l:`, `${prefix}w:`, `${prefix}logs`]
  const bounds = [maxEntries, maxBytes, Math.floor(maxAgeMs), maxLogs].map(String)
  const writer = randomId(9)
  let number = 0

  const keysOf = (key: string): string[] => [streams + key, hashes + key, logs]
  const append = ({ key, entries }: LogRun): Command => ({
    script: APPEND,
    keys: keysOf(key),
    args: [key, streams, hashes, ...bounds, writer, String(++number), randomStart(), ...entries],
  })
  const remove = ({ key }: LogRun): Command => ({ script: REMOVE, keys: keysOf(key), args: [key] })
  const changes = createLane<LogChange, string | undefined>({
    flights: 1,
    async send(batch) {
      const runs = groupByLog(batch)
      const answers = await link.send(
        runs.map((run) => (run.entries.length > 0 ? append(run) : remove(run))),
        REPEATABLE,
      )
      const positions: Array<string | Error | undefined> = []
      for (const [at, { places }] of runs.entries())
        for (const [nth, place] of places.entries()) positions[place] = resultOf(answers[at], nth)
      return positions
    },
  })
  const reads = createLane<readonly string[], unknown>({ send: (batch) => link.send([...batch], REPEATABLE) })

  return {
    append: async (key, data) => (await changes.add({ key, data }, 2 * (key.length + data.length))) ?? '',
    async read(key, after) {
      if (after !== undefined && !POSITION.test(after)) throw new UnknownPosition()
      const found = (await reads.add(['XRANGE', streams + key, after ?? '-', '+'], 2 * key.length)) as [
        string,
        [string, string],
      ][]
      const entries: LogEntry[] = found.map(([position, [, data]]) => ({ position, data }))
      if (after === undefined || entries[0]?.position === after) return after === undefined ? entries : entries.slice(1)
      if (entries.length === 0 && (await reads.add(['HGET', hashes + key, 'end'], 2 * key.length)) === after) return []
      throw new UnknownPosition()
    },
    delete: async (key) => void (await changes.add({ key }, 2 * key.length)),
    idle: () => changes.idle(),
  }
}

function resultOf(answer: unknown, nth: number): string | Error | undefined {
  if (answer instanceof Error) return answer
  return Array.isArray(answer) ? String(answer[nth]) : undefined
}

/** Where a log begins to count: beyond guessing, and exact as a number for as many bytes again. */
function randomStart(): string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  return String((high % 2 ** 19) * 2 ** 32 + low + 1)
}
