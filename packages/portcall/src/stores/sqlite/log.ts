import { Buffer } from 'node:buffer'
import { type Log, UnknownPosition } from '../log.ts'
import { newName, numberIn, positionOf } from '../position.ts'
import type { Connection } from './connection.ts'
import { NEVER } from './schema.ts'
import type { Session } from './session.ts'
import { expiry } from './tidy.ts'

/** The bounds of the logs in a file. Logs are trimmed from the front; when the whole is too large, the log that was written to longest ago goes. */
export interface SqliteLogOptions {
  /** Entries in one log. Default: 10,000. */
  maxEntries?: number
  /** Bytes in one log, in UTF-8, and 100 for each entry. A larger single entry leaves the log empty. Default: 4 MiB. */
  maxBytes?: number
  /** How long an entry stays. Default: 30 minutes. */
  maxAgeMs?: number
  /** Logs in all. Default: 100,000. */
  maxLogs?: number
  /** Bytes in all logs. Default: 1 GiB. */
  maxTotalBytes?: number
}

/** A log after an append: its entries have the numbers from `first` up to, but not including, `next`. */
interface Head {
  readonly name: string
  readonly first: number
  readonly next: number
  readonly bytes: number
  /** When its first entry expires. */
  readonly oldest: number
}

interface Line {
  readonly number: number
  readonly bytes: number
  readonly expires: number
}

/** A log with one of its lines, or without when there is none to read. */
interface Found extends Omit<Head, 'bytes' | 'oldest'> {
  readonly number: number | null
  readonly expires: number
  readonly data: string
}

const LINE_BYTES = 100
const SOME = 200

const EXTEND = `INSERT INTO portcall_logs (id, key, expires, bytes, name, first, next, oldest)
  VALUES ((SELECT coalesce(max(id), 0) + 1 FROM portcall_logs), ?, ?, ?, ?, 0, 1, ?)
  ON CONFLICT (key) DO UPDATE SET id = excluded.id, expires = excluded.expires, bytes = bytes + excluded.bytes,
    next = next + 1, oldest = min(oldest, excluded.oldest)
  RETURNING name, first, next, bytes, oldest`
const ADD = 'INSERT INTO portcall_lines (log, number, expires, bytes, data) VALUES (?, ?, ?, ?, ?)'
const FRONT = `SELECT number, bytes, expires FROM portcall_lines WHERE log = ? AND number >= ? ORDER BY number LIMIT ${SOME}`
const CUT = 'DELETE FROM portcall_lines WHERE log = ? AND number < ?'
const SHORTEN = 'UPDATE portcall_logs SET first = ?, bytes = ?, oldest = ? WHERE name = ?'
const READ = `SELECT name, first, next, number, portcall_lines.expires AS expires, data
  FROM portcall_logs LEFT JOIN portcall_lines ON log = name AND number >= ? WHERE key = ? ORDER BY number`
const DELETE = 'DELETE FROM portcall_logs WHERE key = ?'

/** Makes the logs of a database. */
export function createSqliteLog(connection: Connection, options: Required<SqliteLogOptions>, now: () => number): Log {
  return {
    append: (key, data) =>
      connection.write((session) => {
        const time = now()
        const expires = expiry(time, options.maxAgeMs)
        const bytes = Buffer.byteLength(data) + LINE_BYTES
        const head = session.get<Head>(EXTEND, key, expires, bytes, newName(), expires)
        if (!head) throw new Error('SQLite has not said what it wrote')
        session.run(ADD, head.name, head.next - 1, expires, bytes, data)
        if (isOver(head, options) || head.oldest <= time) trim(session, head, { ...options, time })
        return positionOf(head.name, head.next - 1)
      }),
    read: (key, after) =>
      connection.read((session) => {
        const number = after === undefined ? -1 : numberIn(after)
        const lines = number === undefined ? [] : session.all<Found>(READ, number + 1, key)
        if (after !== undefined && !isKnown(after, lines[0])) throw new UnknownPosition()
        return entriesOf(lines, { time: now(), complete: after !== undefined })
      }),
    async delete(key) {
      await connection.write((session) => session.run(DELETE, key))
    },
  }
}

const isOver = ({ first, next, bytes }: Head, { maxEntries, maxBytes }: Required<SqliteLogOptions>): boolean =>
  next - first > maxEntries || bytes > maxBytes

/** Drops entries from the front until the rest is small and young enough. */
function trim(session: Session, head: Head, bounds: Required<SqliteLogOptions> & { time: number }): void {
  let rest = head
  for (const { number, bytes, expires } of linesOf(session, head)) {
    rest = { ...rest, first: number, oldest: expires }
    if (!isOver(rest, bounds) && bounds.time < expires) break
    rest = { ...rest, first: number + 1, bytes: rest.bytes - bytes, oldest: NEVER }
  }
  session.run(CUT, head.name, rest.first)
  session.run(SHORTEN, rest.first, rest.bytes, rest.oldest, head.name)
}

/** The entries of a log from the front, some at a time. */
function* linesOf(session: Session, { name, first, next }: Head): Generator<Line> {
  for (let from = first; from < next; from += SOME) yield* session.all<Line>(FRONT, name, from)
}

function isKnown(position: string, log: Found | undefined): boolean {
  const number = numberIn(position)
  if (!log || number === undefined || position !== positionOf(log.name, number)) return false
  return number + 1 >= log.first && number < log.next
}

/** What is still young enough. When the answer has to be complete, nothing may be too old. */
function entriesOf(
  lines: readonly Found[],
  { time, complete }: { time: number; complete: boolean },
): { position: string; data: string }[] {
  const young = lines.findIndex(({ number, expires }) => number !== null && time < expires)
  if (complete && young !== 0 && lines[0]?.number !== null) throw new UnknownPosition()
  if (young === -1) return []
  return lines.slice(young).map(({ name, number, data }) => ({ position: positionOf(name, number ?? 0), data }))
}
