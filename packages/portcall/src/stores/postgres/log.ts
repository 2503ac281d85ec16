import { compareKeys } from '../listing.ts'
import { type Log, type LogEntry, UnknownPosition } from '../log.ts'
import { createLane } from '../remote/lane.ts'
import { groupByLog, type LogChange } from '../remote/runs.ts'
import { randomId } from '../seal.ts'
import type { PostgresLink } from './link.ts'
import { fromKept, toKept } from './text.ts'

/** The bounds of logs in PostgreSQL. Logs are trimmed from the front; when there are too many, the one written to longest ago goes. */
export interface PostgresLogOptions {
  /** Entries in one log. Default: 10,000. */
  maxEntries?: number
  /** Bytes in one log. A larger single entry leaves the log empty. Default: 4 MiB. */
  maxBytes?: number
  /** How long an entry stays after it was written; the newest ones keep older ones up to as long again. Default: 30 minutes. */
  maxAgeMs?: number
  /** Logs in all. Default: 100,000. Looked after every 30 seconds. */
  maxLogs?: number
}

export interface LogPlace {
  readonly link: PostgresLink
  readonly bounds: Required<PostgresLogOptions>
  /** Is told of every write. */
  onWrite(): void
}

const POSITION = /^([\w-]{16})-(0|[1-9]\d{0,14})$/
const REPEATABLE = true

/** Makes logs in PostgreSQL; `idle` resolves when all that was appended is there. */
export function createPostgresLog({ link, bounds, onWrite }: LogPlace): Log & { idle(): Promise<void> } {
  const writer = randomId(9)
  let number = 0

  const changes = createLane<LogChange, string | undefined>({
    flights: 1,
    async send(batch) {
      const runs = groupByLog(batch).sort((a, b) => compareKeys(a.key, b.key))
      const asked = runs.map(({ key, entries }) => [key, ++number, entries, randomId(12)])
      const argument = { ...bounds, writer, runs: asked }
      const answers = (await link.ask('append', argument, REPEATABLE)) as Array<[name: string, begun: number] | null>
      const positions: Array<string | undefined> = []
      for (const [at, { places }] of runs.entries()) {
        const [name, begun] = answers[at] ?? []
        for (const [nth, place] of places.entries()) positions[place] = name && `${name}-${Number(begun) + nth}`
      }
      return positions
    },
  })
  const change = (key: string, data?: string): Promise<string | undefined> => {
    onWrite()
    const kept = data === undefined ? undefined : toKept(data)
    return changes.add({ key: toKept(key), data: kept }, 2 * (key.length + (data?.length ?? 0)))
  }

  return {
    append: async (key, data) => (await change(key, data)) ?? '',
    async read(key, after) {
      const [, name, place] = POSITION.exec(after ?? '') ?? []
      if (after !== undefined && name === undefined) throw new UnknownPosition()
      const argument = { key: toKept(key), name, number: place && Number(place), maxAgeMs: bounds.maxAgeMs }
      const found = (await link.ask('read', argument, REPEATABLE)) as { name: string; entries: [number, string][] } | null
      if (!found) throw new UnknownPosition()
      return found.entries.map(([at, data]): LogEntry => ({ position: `${found.name}-${at}`, data: fromKept(data) }))
    },
    delete: async (key) => void (await change(key)),
    idle: () => changes.idle(),
  }
}
