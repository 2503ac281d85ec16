import { NEVER, type Table } from './schema.ts'
import type { Session } from './session.ts'

/** How much one table may hold. */
export interface Bounds {
  readonly count: number
  readonly bytes: number
}

interface Total extends Bounds {
  readonly name: Table
  /** When the first row expires. */
  readonly due: number
}

const SOME = 200

const AUDIT = `SELECT name, count, bytes, CASE name
  WHEN 'entries' THEN (SELECT min(expires) FROM portcall_entries)
  WHEN 'logs' THEN (SELECT min(expires) FROM portcall_logs)
  ELSE (SELECT min(expires) FROM portcall_messages) END AS due
  FROM portcall_totals`

/**
 * Makes what holds the bounds of all tables. It looks at the totals once in a transaction; what has expired goes, and then what was written
 * longest ago until the rest fits. Of many rows that expire together each transaction takes some.
 */
export function createTidy(bounds: Record<Table, Bounds>, now: () => number): (session: Session) => void {
  return (session) => {
    const time = now()
    for (const { name, count, bytes, due } of session.all<Total>(AUDIT)) {
      if (due !== null && due <= time) dropExpired(session, name, time)
      if (count > bounds[name].count || bytes > bounds[name].bytes) dropOldest(session, name, bounds[name])
    }
  }
}

function dropExpired(session: Session, table: Table, time: number): void {
  const expired = `SELECT id FROM portcall_${table} WHERE expires <= ? ORDER BY expires LIMIT ${SOME}`
  session.run(`DELETE FROM portcall_${table} WHERE id IN (${expired})`, time)
}

function dropOldest(session: Session, table: Table, bounds: Bounds): void {
  for (;;) {
    const total = session.get<Bounds>('SELECT count, bytes FROM portcall_totals WHERE name = ?', table)
    let over = { count: (total?.count ?? 0) - bounds.count, bytes: (total?.bytes ?? 0) - bounds.bytes }
    const isOver = (): boolean => over.count > 0 || over.bytes > 0
    let last = -1
    for (const { id, bytes } of oldest(session, table)) {
      if (!isOver()) break
      over = { count: over.count - 1, bytes: over.bytes - bytes }
      last = id
    }
    session.run(`DELETE FROM portcall_${table} WHERE id <= ?`, last)
    if (!isOver() || last === -1) return
  }
}

const oldest = (session: Session, table: Table): { id: number; bytes: number }[] =>
  session.all(`SELECT id, bytes FROM portcall_${table} ORDER BY id LIMIT ${SOME}`)

/** When something expires that is written now. */
export const expiry = (time: number, ttlMs: number): number => Math.min(time + ttlMs, NEVER)
