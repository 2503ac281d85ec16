import { StoreUnavailableError } from '../errors.ts'
import { fieldsOf } from './driver.ts'

/** The result codes of SQLite that make a database unavailable. https://www.sqlite.org/rescode.html */
const RESULT_CODES = {
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

type ResultCode = (typeof RESULT_CODES)[keyof typeof RESULT_CODES]

const DENIED = 'cannot be written: give this process write permission for it and its folder'
const LOCKED = 'is locked by another process or connection: check for a transaction there that does not end'
const DAMAGED = 'is damaged or not an SQLite database: restore it from a backup, or move it away to start with an empty one'

const MESSAGES: Record<ResultCode, string> = {
  PERM: DENIED,
  BUSY: LOCKED,
  LOCKED,
  READONLY: DENIED,
  IOERR: 'cannot be read or written: check the disk, and whether it is full',
  CORRUPT: DAMAGED,
  FULL: 'cannot grow: the disk is full, or the size limit of the database is reached; free some space',
  CANTOPEN: 'cannot be opened: check that its folder exists and that this process may write to it',
  AUTH: DENIED,
  NOTADB: DAMAGED,
}

/** Converts an error of a driver. `name` is the name of the database in the message. */
export function toSqliteUnavailableError(cause: unknown, name: string): StoreUnavailableError {
  const code = resultCodeOf(cause)
  const message = code ? MESSAGES[code] : `failed: ${cause instanceof Error ? cause.message : String(cause)}`
  return new StoreUnavailableError(`${name} ${message}`, { cause })
}

/** Reports whether the database is locked, so that a later attempt may succeed. */
export function isBusyError(error: unknown): boolean {
  const code = resultCodeOf(error)
  return code === 'BUSY' || code === 'LOCKED'
}

/** Reports whether the database was opened read-only. */
export const isReadOnlyError = (error: unknown): boolean => resultCodeOf(error) === 'READONLY'

/** Reports whether a transaction did not fit, in which case a smaller one may. */
export const isFullError = (error: unknown): boolean => resultCodeOf(error) === 'FULL'

/** Reads the code from an error of `node:sqlite`, `libsql`, `bun:sqlite` or `better-sqlite3`, in this order, or from the cause of our own. */
function resultCodeOf(error: unknown): ResultCode | undefined {
  if (error instanceof StoreUnavailableError) return resultCodeOf(error.cause)
  if (!(error instanceof Error)) return undefined
  const { errcode, rawCode, errno, code } = fieldsOf(error)
  const number = [errcode, rawCode, errno, /^ConnectionFailed.*: (\d+)"?\)$/.exec(error.message)?.[1]].find(
    (candidate) => candidate !== undefined,
  )
  const name = /^SQLITE_([A-Z]+)/.exec(String(code))?.[1]
  return Object.entries(RESULT_CODES).find(
    ([known, knownName]) => (Number(number) & 0xff) === Number(known) || knownName === name,
  )?.[1]
}
