import { randomId } from '../../../../util/src/random.ts'
import { compareKeys } from '../listing.ts'
import { type EventLog, type LogEntry, UnknownPositionError } from '../log.ts'
import { createBatcher, type Idle } from '../remote/batcher.ts'
import { groupByLog, type LogChange } from '../remote/group-by-log.ts'
import type { PostgresExecutor } from './executor.ts'
import { decodeText, encodeText } from './text-encoding.ts'

/** Limits of the event logs in PostgreSQL. Logs are trimmed from the front. If there are too many, the least recently written one is deleted. */
export interface PostgresLogOptions {
  /** Maximum entries per log. Default: 10,000. */
  maxEntries?: number
  /** Maximum bytes per log. A larger single entry leaves the log empty. Default: 4 MiB. */
  maxBytes?: number
  /** Time to live of an entry. Entries are removed when others are appended, or with the whole log. Default: 30 minutes. */
  entryTtlMs?: number
  /** Maximum number of logs, enforced every 30 seconds. Default: 100,000. */
  maxLogs?: number
}

export interface PostgresLogParts {
  readonly executor: PostgresExecutor
  readonly limits: Required<PostgresLogOptions>
  /** Called at each write. */
  onWrite(): void
}

const POSITION = /^([\w-]{16})-(0|[1-9]\d{0,14})$/
const REPEATABLE = true

/** Creates event logs in PostgreSQL. */
export function createPostgresLog({ executor, limits, onWrite }: PostgresLogParts): EventLog & Idle {
  const { maxEntries, maxBytes, entryTtlMs } = limits
  const writer = randomId(9)
  let batchNumber = 0

  const changes = createBatcher<LogChange, string | undefined>({
    concurrency: 1,
    async send(batch) {
      const groups = groupByLog(batch).sort((a, b) => compareKeys(a.key, b.key))
      const runs = groups.map(({ key, entries }) => [key, ++batchNumber, entries, randomId(12)])
      const argument = { maxEntries, maxBytes, maxAgeMs: entryTtlMs, writer, runs }
      const results = (await executor.call('append', argument, REPEATABLE)) as Array<[logName: string, first: number] | null>
      const positions: Array<string | undefined> = []
      for (const [at, { indexes }] of groups.entries()) {
        const [logName, first] = results[at] ?? []
        for (const [nth, index] of indexes.entries()) positions[index] = logName && `${logName}-${Number(first) + nth}`
      }
      return positions
    },
  })
  const change = (key: string, data?: string): Promise<string | undefined> => {
    onWrite()
    const encodedData = data === undefined ? undefined : encodeText(data)
    return changes.add({ key: encodeText(key), data: encodedData }, 2 * (key.length + (data?.length ?? 0)))
  }

  return {
    append: async (key, data) => (await change(key, data)) ?? '',
    async read(key, after) {
      const [, name, number] = POSITION.exec(after ?? '') ?? []
      if (after !== undefined && name === undefined) throw new UnknownPositionError()
      const argument = { key: encodeText(key), name, number: number && Number(number), maxAgeMs: entryTtlMs }
      const log = (await executor.call('read', argument, REPEATABLE)) as { name: string; entries: [number, string][] } | null
      if (!log) throw new UnknownPositionError()
      return log.entries.map(
        ([entryNumber, data]): LogEntry => ({ position: `${log.name}-${entryNumber}`, data: decodeText(data) }),
      )
    },
    delete: async (key) => void (await change(key)),
    idle: () => changes.idle(),
  }
}
