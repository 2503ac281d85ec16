import type { SqliteConnection } from './connection.ts'
import { NEVER, type Table } from './schema.ts'

/** The size of a table, or its limit. */
export interface TableSize {
  readonly count: number
  readonly bytes: number
}

interface TableStatus extends TableSize {
  readonly name: Table
  /** When the first row expires. */
  readonly due: number
}

const PAGE_SIZE = 200

const READ_STATUS = `SELECT name, count, bytes, CASE name
  WHEN 'entries' THEN (SELECT min(expires) FROM portcall_entries)
  WHEN 'logs' THEN (SELECT min(expires) FROM portcall_logs)
  ELSE (SELECT min(expires) FROM portcall_messages) END AS due
  FROM portcall_totals`

/**
 * Creates a function that enforces the limits of all tables, to run once in each transaction. It deletes expired rows, a page at most, and
 * then the least recently written rows until the rest fits.
 */
export function createSqlitePruner(limits: Record<Table, TableSize>, now: () => number): (connection: SqliteConnection) => void {
  return (connection) => {
    const time = now()
    for (const { name, count, bytes, due } of connection.all<TableStatus>(READ_STATUS)) {
      if (due !== null && due <= time) deleteExpired(connection, name, time)
      if (count > limits[name].count || bytes > limits[name].bytes) deleteOldest(connection, name, limits[name])
    }
  }
}

function deleteExpired(connection: SqliteConnection, table: Table, time: number): void {
  const expired = `SELECT id FROM portcall_${table} WHERE expires <= ? ORDER BY expires LIMIT ${PAGE_SIZE}`
  connection.run(`DELETE FROM portcall_${table} WHERE id IN (${expired})`, time)
}

function deleteOldest(connection: SqliteConnection, table: Table, limit: TableSize): void {
  for (;;) {
    const total = connection.get<TableSize>('SELECT count, bytes FROM portcall_totals WHERE name = ?', table)
    let excess = { count: (total?.count ?? 0) - limit.count, bytes: (total?.bytes ?? 0) - limit.bytes }
    const isOverLimit = (): boolean => excess.count > 0 || excess.bytes > 0
    let lastId = -1
    for (const { id, bytes } of readOldest(connection, table)) {
      if (!isOverLimit()) break
      excess = { count: excess.count - 1, bytes: excess.bytes - bytes }
      lastId = id
    }
    connection.run(`DELETE FROM portcall_${table} WHERE id <= ?`, lastId)
    if (!isOverLimit() || lastId === -1) return
  }
}

const readOldest = (connection: SqliteConnection, table: Table): { id: number; bytes: number }[] =>
  connection.all(`SELECT id, bytes FROM portcall_${table} ORDER BY id LIMIT ${PAGE_SIZE}`)

/** Returns when a row expires that is written at `time`. */
export const expiresAt = (time: number, ttlMs: number): number => Math.min(time + ttlMs, NEVER)
