import { createRequire } from 'node:module'

/** What is bound to the `?` of a statement. */
export type SqliteValue = string | number | null

/** A prepared statement, as all drivers have it. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): { changes: number | bigint }
  /** The first row; nothing when there is none. */
  get(...values: SqliteValue[]): unknown
  all(...values: SqliteValue[]): unknown[]
}

/** An open database: `DatabaseSync` of `node:sqlite`, `Database` of `libsql`, `better-sqlite3` or `bun:sqlite`. */
export interface SqliteDatabase {
  prepare(sql: string): SqliteStatement
  exec(sql: string): unknown
  close(): unknown
}

/** Opens files. @throws what the driver throws. */
export type OpenFile = (file: string) => SqliteDatabase

type Driver = new (file: string) => SqliteDatabase

/** Modules that open files, and the class in those that are not the class themselves. The first that is there is used. */
const DRIVERS: readonly (readonly [module: string, name: string])[] = [
  ['node:sqlite', 'DatabaseSync'],
  ['bun:sqlite', 'Database'],
  ['libsql', 'default'],
  ['better-sqlite3', 'default'],
]

/** Finds a driver. @throws Error that says what to install. */
export function findDriver(load: (module: string) => unknown = createRequire(import.meta.url)): OpenFile {
  const failures: unknown[] = []
  for (const [module, name] of DRIVERS) {
    try {
      const loaded = load(module)
      const found = typeof loaded === 'function' ? loaded : fieldsOf(loaded)[name]
      if (isDriver(found)) return (file) => new found(file)
    } catch (error) {
      failures.push(error)
    }
  }
  const message =
    'There is no SQLite here: install libsql, use Node 22.13 or newer, or pass an open database instead of a file name'
  throw new AggregateError(failures, message)
}

const isDriver = (value: unknown): value is Driver => typeof value === 'function'

/** Reads a value of which nothing is known. */
export const fieldsOf = (value: unknown): Partial<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}
