import { type EventLog, type LogEntry, UnknownPositionError } from 'portcall/stores'

/** Creates event logs in a `Map`. Each log keeps its last `maxEntries` entries. */
export function createMapLog({ maxEntries = 10_000 } = {}): EventLog {
  const logs = new Map<string, { id: string; count: number; entries: LogEntry[] }>()

  return {
    async append(key, data) {
      const log = logs.get(key) ?? { id: crypto.randomUUID(), count: 0, entries: [] }
      const position = `${log.id}.${++log.count}`
      log.entries.push({ position, data })
      if (log.entries.length > maxEntries) log.entries.shift()
      logs.set(key, log)
      return position
    },
    async read(key, after) {
      const log = logs.get(key)
      if (after === undefined) return [...(log?.entries ?? [])]
      const index = log?.entries.findIndex(({ position }) => position === after) ?? -1
      if (!log || index < 0) throw new UnknownPositionError()
      return log.entries.slice(index + 1)
    },
    delete: async (key) => void logs.delete(key),
  }
}
