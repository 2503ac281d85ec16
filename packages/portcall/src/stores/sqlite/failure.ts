import { StoreUnavailable } from '../unavailable.ts'
import { fieldsOf } from './driver.ts'

/** Why SQLite does not do what it is told, by its result codes. https://www.sqlite.org/rescode.html */
const REASONS = {
  3: 'PERM',
  5: 'BUSY',
  6: 'LOCKED',
  8: 'READONLY',
  10: 'IOERR',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  23: 'AUTH',
  26: 'NOTADB',
} as const

type Reason = (typeof REASONS)[keyof typeof REASONS]

const DENIED = 'may not be written: give this process the right to write to it and to its folder'
const HELD = 'is held by another process or connection: look for a transaction there that does not end'
const DAMAGED = 'is damaged, or no SQLite database: restore it from a backup, or move it away to begin anew'

const ADVICE: Record<Reason, string> = {
  PERM: DENIED,
  BUSY: HELD,
  LOCKED: HELD,
  READONLY: DENIED,
  IOERR: 'cannot be read or written: look at the disk, and whether it is full',
  CORRUPT: DAMAGED,
  FULL: 'cannot grow: the disk is full, or its own limit is reached; make room',
  CANTOPEN: 'cannot be opened: see whether its folder exists, and whether this process may write there',
  AUTH: DENIED,
  NOTADB: DAMAGED,
}

/** What is thrown in the place of what a driver throws. */
export function unavailable(cause: unknown, place: string): StoreUnavailable {
  const reason = reasonOf(cause)
  const advice = reason ? ADVICE[reason] : `does not work: ${cause instanceof Error ? cause.message : String(cause)}`
  return new StoreUnavailable(`${place} ${advice}`, { cause })
}

/** Whether it helps to wait a moment. */
export function isBusy(error: unknown): boolean {
  const reason = reasonOf(error)
  return reason === 'BUSY' || reason === 'LOCKED'
}

/** Whether there is too little room for all, and perhaps enough for some. */
export const isFull = (error: unknown): boolean => reasonOf(error) === 'FULL'

/** Reads what `node:sqlite`, `libsql`, `bun:sqlite` and `better-sqlite3` throw, in this order, or the cause of what we throw. */
function reasonOf(error: unknown): Reason | undefined {
  if (error instanceof StoreUnavailable) return reasonOf(error.cause)
  if (!(error instanceof Error)) return undefined
  const { errcode, rawCode, errno, code } = fieldsOf(error)
  const number = [errcode, rawCode, errno, /^ConnectionFailed.*: (\d+)"?\)$/.exec(error.message)?.[1]].find(
    (one) => one !== undefined,
  )
  const name = /^SQLITE_([A-Z]+)/.exec(String(code))?.[1]
  return Object.entries(REASONS).find(([one, reason]) => (Number(number) & 0xff) === Number(one) || reason === name)?.[1]
}
