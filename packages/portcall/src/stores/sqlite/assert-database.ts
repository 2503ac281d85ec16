import { isObject } from '../../jsonrpc/message.ts'
import { describeClient } from '../check-stores-options.ts'
import type { SqliteDatabase } from './driver.ts'
import { isReadOnlyError } from './errors.ts'

/** @throws TypeError if what was passed is neither a path nor a database. */
export function assertFileOrDatabase(fileOrDatabase: string | SqliteDatabase): void {
  if (typeof fileOrDatabase === 'string') return assertPath(fileOrDatabase)
  if (typeof (fileOrDatabase as Partial<SqliteDatabase> | undefined)?.prepare !== 'function')
    throw new TypeError(`sqliteStores() needs the path of a file or a database, not ${describeClient(fileOrDatabase)}`)
  assertRows(fileOrDatabase.prepare('SELECT 1 AS one').get())
}

/** URLs that other programs accept, and the configuration of the gateway: SQLite would create a file of this name. */
const URL_OF_DATABASE = /^(sqlite3?|rediss?|postgres(?:ql)?|https?):/i

/** @throws TypeError if a path is a URL. */
function assertPath(path: string): void {
  const [, scheme] = URL_OF_DATABASE.exec(path) ?? []
  if (scheme === undefined) return
  const advice = /^sqlite/i.test(scheme) ? `leave out "${scheme}:"` : 'use the stores of its module'
  throw new TypeError(`sqliteStores() needs the path of a file, not a URL that begins with ${scheme}: ${advice}`)
}

/** @throws TypeError if a row is not the one that was selected: the database was opened with an option that changes results. */
function assertRows(row: unknown): void {
  const advice = 'open the database without this option, or pass the path of the file'
  if (isThenable(row))
    throw new TypeError('sqliteStores() needs a database whose statements return their results, not promises of them')
  if (Array.isArray(row)) throw new TypeError(`The database returns rows as arrays (returnArrays): ${advice}`)
  if (isObject(row) && typeof row.one === 'bigint')
    throw new TypeError(`The database returns integers as BigInt (readBigInts, safeIntegers): ${advice}`)
  if (!isObject(row) || row.one !== 1)
    throw new TypeError('sqliteStores() needs a database of node:sqlite, bun:sqlite, libsql or better-sqlite3')
}

const isThenable = (value: unknown): boolean => typeof (value as { then?: unknown } | undefined)?.then === 'function'

/** @throws TypeError if the database cannot be written to. It must have the tables. */
export function assertWritable(database: SqliteDatabase): void {
  try {
    database.prepare('DELETE FROM portcall_entries WHERE id = -1').run()
  } catch (error) {
    if (isReadOnlyError(error)) throw new TypeError('The database was opened read-only: open it for writing', { cause: error })
  }
}

/** Reports whether a database is in memory, so that other processes do not see it. */
export function isInMemory(fileOrDatabase: string | SqliteDatabase): boolean {
  if (typeof fileOrDatabase === 'string') return fileOrDatabase === '' || fileOrDatabase === ':memory:'
  const main: unknown = fileOrDatabase.prepare('PRAGMA database_list').get()
  return isObject(main) && main.file === ''
}
