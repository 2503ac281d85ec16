import type { SqliteDatabase, SqliteStatement, SqliteValue } from './driver.ts'
import { toSqliteUnavailableError } from './errors.ts'
import type { FileIdentity } from './file-identity.ts'

/** An open database with a cache of prepared statements. Throws `StoreUnavailableError` in place of the errors of the driver. */
export interface SqliteConnection {
  /** Returns the first row, if there is one. */
  get<Row>(sql: string, ...values: SqliteValue[]): Row | undefined
  all<Row>(sql: string, ...values: SqliteValue[]): Row[]
  /** Returns the number of changed rows. */
  run(sql: string, ...values: SqliteValue[]): number
  /** Which file it is, unless that is unknown. */
  readonly identity?: FileIdentity | undefined
  close(): void
}

export interface SqliteConnectionOptions {
  readonly database: SqliteDatabase
  /** The name of the database in error messages. */
  readonly name: string
  readonly identity?: FileIdentity | undefined
  close(): void
}

export function createSqliteConnection({ database, name, identity, close }: SqliteConnectionOptions): SqliteConnection {
  const statements = new Map<string, SqliteStatement>()

  const execute = <T>(sql: string, use: (statement: SqliteStatement) => T): T => {
    try {
      let statement = statements.get(sql)
      if (!statement) statements.set(sql, (statement = database.prepare(sql)))
      return use(statement)
    } catch (error) {
      throw toSqliteUnavailableError(error, name)
    }
  }
  return {
    get: <Row>(sql: string, ...values: SqliteValue[]) =>
      execute(sql, (statement) => (statement.get(...values) ?? undefined) as Row | undefined),
    all: <Row>(sql: string, ...values: SqliteValue[]) => execute(sql, (statement) => statement.all(...values) as Row[]),
    run: (sql, ...values) => execute(sql, (statement) => Number(statement.run(...values).changes)),
    identity,
    close() {
      // Some drivers keep the file open while one of its statements is referenced.
      statements.clear()
      close()
    },
  }
}
