import { createRequire } from 'node:module'

/** A value that is bound to a `?` of a statement. */
export type SqliteValue = string | number | null

/** A prepared statement, as all drivers provide it. */
export interface SqliteStatement {
  /** Runs the statement. */
  run(...values: SqliteValue[]): {
    /** How many rows the statement changed. */
    changes: number | bigint
  }
  /** Returns the first row, if there is one. */
  get(...values: SqliteValue[]): unknown
  /** Returns all rows. */
  all(...values: SqliteValue[]): unknown[]
}

/** An open database: `DatabaseSync` of `node:sqlite`, or `Database` of `libsql`, `better-sqlite3` or `bun:sqlite`. */
export interface SqliteDatabase {
  /** Prepares a statement. */
  prepare(sql: string): SqliteStatement
  /** Runs statements without values. */
  exec(sql: string): unknown
  /** Closes the database. */
  close(): unknown
}

/** Opens a file. @throws whatever the driver throws. */
export type OpenFile = (file: string) => SqliteDatabase

type DatabaseClass = new (file: string) => SqliteDatabase

/** The supported modules, each with the export that is the class, unless the module itself is. The first one that is installed is used. */
const DRIVERS: readonly (readonly [module: string, exportName: string])[] = [
  ['node:sqlite', 'DatabaseSync'],
  ['bun:sqlite', 'Database'],
  ['libsql', 'default'],
  ['better-sqlite3', 'default'],
]

/** Finds an installed driver. @throws AggregateError if there is none; its message says what to install. */
export function findDriver(load: (module: string) => unknown = createRequire(import.meta.url)): OpenFile {
  const errors: unknown[] = []
  for (const [module, exportName] of DRIVERS) {
    try {
      const loaded = load(module)
      const Database = typeof loaded === 'function' ? loaded : fieldsOf(loaded)[exportName]
      if (isDatabaseClass(Database)) return (file) => new Database(file)
    } catch (error) {
      errors.push(error)
    }
  }
  const message =
    'No SQLite driver found: install libsql, use Node 22.13 or newer, or pass an open database instead of a file name'
  throw new AggregateError(errors, message)
}

const isDatabaseClass = (value: unknown): value is DatabaseClass => typeof value === 'function'

/** Returns the members of a value of unknown type. */
export const fieldsOf = (value: unknown): Partial<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}
