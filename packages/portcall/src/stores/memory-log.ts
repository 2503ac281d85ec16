import { type Log, type LogEntry, UnknownPosition } from './log.ts'
import { newName, numberIn, positionOf } from './position.ts'

/**
 * The bounds of logs in memory. Logs are trimmed from the front; when the whole is too large, the log that was written to
 * longest ago goes.
 */
export interface MemoryLogOptions {
  /** Entries in one log. Default: 10,000. */
  maxEntries?: number
  /** Bytes in one log, at two a character. A larger single entry leaves the log empty. Default: 4 MiB. */
  maxBytes?: number
  /** How long an entry stays. Default: 30 minutes. */
  maxAgeMs?: number
  /** Logs in all. Default: 20,000. */
  maxLogs?: number
  /** Bytes in all logs. Default: 64 MiB. */
  maxTotalBytes?: number
  /** Milliseconds since 1970. */
  now?: () => number
}

interface Kept extends LogEntry {
  time: number
  bytes: number
}

/** One log. `entries[head]` is its oldest entry, number `first`; the place before `head` is garbage until it is worth a copy. */
interface Line {
  readonly name: string
  entries: Kept[]
  head: number
  first: number
  bytes: number
  lastTime: number
}

const ENTRY_BYTES = 100
/** Stands where an entry was, so that it is not kept. */
const DROPPED: Kept = { position: '', data: '', time: 0, bytes: 0 }
const MIB = 1024 * 1024

/** Makes logs in memory. */
export function createMemoryLog(options: MemoryLogOptions = {}): Log {
  const { maxEntries = 10_000, maxBytes = 4 * MIB, maxAgeMs = 30 * 60_000, now = Date.now } = options
  const { maxLogs = 20_000, maxTotalBytes = 64 * MIB } = options
  const lines = new Map<string, Line>()
  let total = 0

  const remove = (key: string): void => {
    total -= lines.get(key)?.bytes ?? 0
    lines.delete(key)
  }
  const trim = (line: Line, time: number): void => {
    const before = line.bytes
    while (isOver(line, line.entries.length - line.head > maxEntries || line.bytes > maxBytes, time - maxAgeMs)) dropFirst(line)
    total += line.bytes - before
  }
  const makeRoom = (time: number): void => {
    for (const [key, line] of lines) {
      if (lines.size <= maxLogs && total <= maxTotalBytes && line.lastTime > time - maxAgeMs) break
      remove(key)
    }
  }

  return {
    append(key, data) {
      const time = now()
      const line = lines.get(key) ?? createLine()
      const position = positionOf(line.name, line.first + line.entries.length - line.head)
      const bytes = 2 * data.length + ENTRY_BYTES
      line.entries.push({ position, data, time, bytes })
      line.bytes += bytes
      line.lastTime = time
      total += bytes
      lines.delete(key)
      lines.set(key, line)
      trim(line, time)
      makeRoom(time)
      return Promise.resolve(position)
    },
    async read(key, after) {
      const line = lines.get(key)
      if (line) trim(line, now())
      const from = after === undefined ? 0 : findAfter(line, after)
      return line ? line.entries.slice(line.head + from).map(({ position, data }) => ({ position, data })) : []
    },
    delete: async (key) => remove(key),
  }
}

function createLine(): Line {
  return { name: newName(), entries: [], head: 0, first: 0, bytes: 0, lastTime: 0 }
}

function isOver(line: Line, tooMuch: boolean, oldest: number): boolean {
  const first = line.entries[line.head]
  return first !== undefined && (tooMuch || first.time <= oldest)
}

function dropFirst(line: Line): void {
  line.bytes -= line.entries[line.head]?.bytes ?? 0
  line.entries[line.head] = DROPPED
  line.first++
  line.head++
  if (line.head < 64 || line.head < line.entries.length / 2) return
  line.entries = line.entries.slice(line.head)
  line.head = 0
}

/** How many of the kept entries a reader at this position has already. */
function findAfter(line: Line | undefined, after: string): number {
  const number = numberIn(after)
  if (!line || number === undefined || after !== positionOf(line.name, number)) throw new UnknownPosition()
  const count = number + 1 - line.first
  if (count < 0 || count > line.entries.length - line.head) throw new UnknownPosition()
  return count
}
