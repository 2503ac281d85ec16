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

/** An entry; its position follows from its place. */
interface Kept {
  readonly data: string
  readonly time: number
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
const DROPPED: Kept = { data: '', time: 0 }
const MIB = 1024 * 1024

/** Makes logs in memory. */
export function createMemoryLog(options: MemoryLogOptions = {}): Log {
  const { maxEntries = 10_000, maxBytes = 4 * MIB, maxAgeMs = 30 * 60_000, now = Date.now } = options
  const { maxLogs = 20_000, maxTotalBytes = 64 * MIB } = options
  /** The one that was written to longest ago is the first. */
  const lines = new Map<string, Line>()
  let newest: Line | undefined
  let total = 0

  const remove = (key: string): void => {
    const line = lines.get(key)
    total -= line?.bytes ?? 0
    lines.delete(key)
    if (line === newest) newest = undefined
  }
  const moveToEnd = (key: string, line: Line): void => {
    if (line === newest) return
    lines.delete(key)
    lines.set(key, line)
    newest = line
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
      const position = positionAt(line, line.entries.length)
      line.entries.push({ data, time })
      line.bytes += bytesOf(data)
      line.lastTime = time
      total += bytesOf(data)
      moveToEnd(key, line)
      trim(line, time)
      makeRoom(time)
      return Promise.resolve(position)
    },
    async read(key, after) {
      const line = lines.get(key)
      if (line) trim(line, now())
      const from = after === undefined ? 0 : findAfter(line, after)
      return line ? entriesFrom(line, line.head + from) : []
    },
    delete: async (key) => remove(key),
  }
}

function createLine(): Line {
  return { name: newName(), entries: [], head: 0, first: 0, bytes: 0, lastTime: 0 }
}

/** What an entry counts. */
function bytesOf(data: string): number {
  return 2 * data.length + ENTRY_BYTES
}

/** The position of the entry at an index of `entries`. */
function positionAt(line: Line, index: number): string {
  return positionOf(line.name, line.first + index - line.head)
}

function entriesFrom(line: Line, index: number): LogEntry[] {
  return line.entries.slice(index).map(({ data }, at) => ({ position: positionAt(line, index + at), data }))
}

function isOver(line: Line, tooMuch: boolean, oldest: number): boolean {
  const first = line.entries[line.head]
  return first !== undefined && (tooMuch || first.time <= oldest)
}

function dropFirst(line: Line): void {
  const first = line.entries[line.head]
  if (first) line.bytes -= bytesOf(first.data)
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
