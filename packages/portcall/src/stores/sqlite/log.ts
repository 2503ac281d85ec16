import { Buffer } from 'node:buffer'
import { type EventLog, type LogEntry, UnknownPositionError } from '../log.ts'
import { createLogName, entryNumberOf, positionOf } from '../log-position.ts'
import type { SqliteConnection } from './connection.ts'
import type { SqliteExecutor } from './executor.ts'
import { expiresAt } from './prune.ts'
import { NEVER } from './schema.ts'

/**
 * Limits of the event logs in an SQLite file. Each log is trimmed from the front. If all logs together are too large, the least recently
 * written log is deleted.
 */
export interface SqliteLogOptions {
  /** Maximum entries per log. Default: 10,000. */
  maxEntries?: number
  /** Maximum bytes per log: UTF-8 bytes of data, and 100 per entry. A larger single entry leaves the log empty. Default: 4 MiB. */
  maxBytes?: number
  /** Time to live of an entry. Default: 30 minutes. */
  entryTtlMs?: number
  /** Maximum number of logs. Default: 100,000. */
  maxLogs?: number
  /** Maximum bytes of all logs. Default: 1 GiB. */
  maxTotalBytes?: number
}

/** The row of a log. Its entries have the numbers from `first` up to, but not including, `next`. */
interface LogRow {
  readonly name: string
  readonly first: number
  readonly next: number
  readonly bytes: number
  /** When its first entry expires. */
  readonly oldest: number
}

/** The row of an entry, without its data. */
interface EntryRow {
  readonly number: number
  readonly bytes: number
  readonly expires: number
}

/** A log joined with one of its entries; `number` is null if there is no entry to read. */
interface JoinedRow extends Omit<LogRow, 'bytes' | 'oldest'> {
  readonly number: number | null
  readonly expires: number
  readonly data: string
}

const ENTRY_OVERHEAD_BYTES = 100
const PAGE_SIZE = 200

const INSERT_OR_EXTEND_LOG = `INSERT INTO portcall_logs (id, key, expires, bytes, name, first, next, oldest)
  VALUES ((SELECT coalesce(max(id), 0) + 1 FROM portcall_logs), ?, ?, ?, ?, 0, 1, ?)
  ON CONFLICT (key) DO UPDATE SET id = excluded.id, expires = excluded.expires, bytes = bytes + excluded.bytes,
    next = next + 1, oldest = min(oldest, excluded.oldest)
  RETURNING name, first, next, bytes, oldest`
const INSERT_ENTRY = 'INSERT INTO portcall_lines (log, number, expires, bytes, data) VALUES (?, ?, ?, ?, ?)'
const READ_FRONT = `SELECT number, bytes, expires FROM portcall_lines WHERE log = ? AND number >= ? ORDER BY number LIMIT ${PAGE_SIZE}`
const DELETE_FRONT = 'DELETE FROM portcall_lines WHERE log = ? AND number < ?'
const UPDATE_LOG = 'UPDATE portcall_logs SET first = ?, bytes = ?, oldest = ? WHERE name = ?'
const READ = `SELECT name, first, next, number, portcall_lines.expires AS expires, data
  FROM portcall_logs LEFT JOIN portcall_lines ON log = name AND number >= ? WHERE key = ? ORDER BY number`
const DELETE = 'DELETE FROM portcall_logs WHERE key = ?'

/** Creates the event logs of a database. */
export function createSqliteLog(executor: SqliteExecutor, options: Required<SqliteLogOptions>, now: () => number): EventLog {
  return {
    append: (key, data) =>
      executor.write((connection) => {
        const time = now()
        const expires = expiresAt(time, options.entryTtlMs)
        const bytes = Buffer.byteLength(data) + ENTRY_OVERHEAD_BYTES
        const log = connection.get<LogRow>(INSERT_OR_EXTEND_LOG, key, expires, bytes, createLogName(), expires)
        if (!log) throw new Error('SQLite did not return the row that it wrote')
        connection.run(INSERT_ENTRY, log.name, log.next - 1, expires, bytes, data)
        if (isOverLimit(log, options) || log.oldest <= time) trim(connection, log, { ...options, time })
        return positionOf(log.name, log.next - 1)
      }),
    read: (key, after) =>
      executor.read((connection) => {
        const number = after === undefined ? -1 : entryNumberOf(after)
        const rows = number === undefined ? [] : connection.all<JoinedRow>(READ, number + 1, key)
        if (after !== undefined && !isInLog(after, rows[0])) throw new UnknownPositionError()
        return unexpiredEntries(rows, { time: now(), mustBeComplete: after !== undefined })
      }),
    async delete(key) {
      await executor.write((connection) => connection.run(DELETE, key))
    },
  }
}

const isOverLimit = ({ first, next, bytes }: LogRow, { maxEntries, maxBytes }: Required<SqliteLogOptions>): boolean =>
  next - first > maxEntries || bytes > maxBytes

/** Deletes entries from the front until the rest is within the limits and unexpired. */
function trim(connection: SqliteConnection, log: LogRow, limits: Required<SqliteLogOptions> & { time: number }): void {
  let trimmed = log
  for (const { number, bytes, expires } of readFront(connection, log)) {
    trimmed = { ...trimmed, first: number, oldest: expires }
    if (!isOverLimit(trimmed, limits) && limits.time < expires) break
    trimmed = { ...trimmed, first: number + 1, bytes: trimmed.bytes - bytes, oldest: NEVER }
  }
  connection.run(DELETE_FRONT, log.name, trimmed.first)
  connection.run(UPDATE_LOG, trimmed.first, trimmed.bytes, trimmed.oldest, log.name)
}

/** Yields the entries of a log from the front, read page by page. */
function* readFront(connection: SqliteConnection, { name, first, next }: LogRow): Generator<EntryRow> {
  for (let from = first; from < next; from += PAGE_SIZE) yield* connection.all<EntryRow>(READ_FRONT, name, from)
}

function isInLog(position: string, log: JoinedRow | undefined): boolean {
  const number = entryNumberOf(position)
  if (!log || number === undefined || position !== positionOf(log.name, number)) return false
  return number + 1 >= log.first && number < log.next
}

/** @throws UnknownPositionError if the entries must be complete and one of them has expired. */
function unexpiredEntries(
  rows: readonly JoinedRow[],
  { time, mustBeComplete }: { time: number; mustBeComplete: boolean },
): LogEntry[] {
  const start = rows.findIndex(({ number, expires }) => number !== null && time < expires)
  if (mustBeComplete && start !== 0 && rows[0]?.number !== null) throw new UnknownPositionError()
  if (start === -1) return []
  return rows.slice(start).map(({ name, number, data }) => ({ position: positionOf(name, number ?? 0), data }))
}
