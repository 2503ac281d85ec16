import { type EventLog, type LogEntry, UnknownPositionError } from '../log.ts'
import { createLogName, entryNumberOf, positionOf } from '../log-position.ts'
import { createGroups } from './groups.ts'

/**
 * Limits of the event logs in memory. Each log is trimmed from the front. If all logs together are too large, the least recently written log of
 * the largest group is deleted. Logs whose keys have the same text up to the last slash are one group, so that the events of one owner do not cost
 * those of others.
 */
export interface MemoryLogOptions {
  /** Maximum entries per log. Default: 10,000. */
  maxEntries?: number
  /** Maximum bytes per log, at two per character. A larger single entry leaves the log empty. Default: 4 MiB. */
  maxBytes?: number
  /** Time to live of an entry. Default: 30 minutes. */
  entryTtlMs?: number
  /** Maximum number of logs. Default: 20,000. */
  maxLogs?: number
  /** Maximum bytes of all logs. Default: 64 MiB. */
  maxTotalBytes?: number
  /** Returns the current time in milliseconds since 1970. */
  now?: () => number
}

/** An entry. Its position follows from its index. */
interface StoredEntry {
  readonly data: string
  readonly time: number
}

/**
 * One log. `entries[head]` is its oldest entry and has the number `first`. The array before `head` is unused; it is cut off when that is
 * worth a copy.
 */
interface StoredLog {
  readonly name: string
  entries: StoredEntry[]
  head: number
  first: number
  bytes: number
  lastTime: number
}

const ENTRY_OVERHEAD_BYTES = 100
/** Replaces a trimmed entry, so that its data can be collected. */
const TRIMMED: StoredEntry = { data: '', time: 0 }
const MIB = 1024 * 1024

/** Creates event logs in memory. */
export function createMemoryLog(options: MemoryLogOptions = {}): EventLog {
  const { maxEntries = 10_000, maxBytes = 4 * MIB, entryTtlMs = 30 * 60_000, now = Date.now } = options
  const { maxLogs = 20_000, maxTotalBytes = 64 * MIB } = options
  /** Ordered by the last write: the least recently written log is the first. */
  const logs = new Map<string, StoredLog>()
  const groups = createGroups({ maxKeys: maxLogs, maxBytes: maxTotalBytes })
  let newest: StoredLog | undefined

  const remove = (key: string): void => {
    const log = logs.get(key)
    if (!log) return
    groups.remove(key, log.bytes)
    logs.delete(key)
    if (log === newest) newest = undefined
  }
  const moveToEnd = (key: string, log: StoredLog): void => {
    if (log === newest) return
    logs.delete(key)
    logs.set(key, log)
    newest = log
  }
  const trim = (log: StoredLog, time: number): number => {
    const before = log.bytes
    const isTooLarge = (): boolean => log.entries.length - log.head > maxEntries || log.bytes > maxBytes
    while (mustTrim(log, isTooLarge(), time - entryTtlMs)) trimFirst(log)
    return log.bytes - before
  }
  const evict = (key: string, time: number): void => {
    for (const [expired, log] of logs) {
      if (log.lastTime > time - entryTtlMs) break
      remove(expired)
    }
    while (groups.isExceeded()) remove(groups.oldestOfLargest() ?? key)
  }

  return {
    append(key, data) {
      const time = now()
      const log = logs.get(key) ?? createLog()
      const position = positionAt(log, log.entries.length)
      log.entries.push({ data, time })
      const bytes = bytesOf(data)
      log.bytes += bytes
      log.lastTime = time
      moveToEnd(key, log)
      groups.write(key, bytes + trim(log, time))
      evict(key, time)
      return Promise.resolve(position)
    },
    async read(key, after) {
      const log = logs.get(key)
      if (log) groups.resize(key, trim(log, now()))
      const skipped = after === undefined ? 0 : countUpTo(log, after)
      return log ? entriesFrom(log, log.head + skipped) : []
    },
    delete: async (key) => remove(key),
  }
}

function createLog(): StoredLog {
  return { name: createLogName(), entries: [], head: 0, first: 0, bytes: 0, lastTime: 0 }
}

/** Returns the bytes that an entry counts for. */
function bytesOf(data: string): number {
  return 2 * data.length + ENTRY_OVERHEAD_BYTES
}

/** Returns the position of the entry at an index of `entries`. */
function positionAt(log: StoredLog, index: number): string {
  return positionOf(log.name, log.first + index - log.head)
}

function entriesFrom(log: StoredLog, index: number): LogEntry[] {
  return log.entries.slice(index).map(({ data }, at) => ({ position: positionAt(log, index + at), data }))
}

function mustTrim(log: StoredLog, isTooLarge: boolean, expiredSince: number): boolean {
  const first = log.entries[log.head]
  return first !== undefined && (isTooLarge || first.time <= expiredSince)
}

function trimFirst(log: StoredLog): void {
  const first = log.entries[log.head]
  if (first) log.bytes -= bytesOf(first.data)
  log.entries[log.head] = TRIMMED
  log.first++
  log.head++
  if (log.head < 64 || log.head < log.entries.length / 2) return
  log.entries = log.entries.slice(log.head)
  log.head = 0
}

/** Returns the number of stored entries up to and including a position. */
function countUpTo(log: StoredLog | undefined, position: string): number {
  const number = entryNumberOf(position)
  if (!log || number === undefined || position !== positionOf(log.name, number)) throw new UnknownPositionError()
  const count = number + 1 - log.first
  if (count < 0 || count > log.entries.length - log.head) throw new UnknownPositionError()
  return count
}
