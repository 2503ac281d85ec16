import type { SqliteDatabase, SqliteStatement, SqliteValue } from './driver.ts'
import { unavailable } from './failure.ts'

/** An open database, its statements prepared once. Whatever the driver throws is thrown as `StoreUnavailable`. */
export interface Session {
  /** The first row, which has the columns that the statement names. */
  get<Row>(sql: string, ...values: SqliteValue[]): Row | undefined
  all<Row>(sql: string, ...values: SqliteValue[]): Row[]
  /** Gives how many rows were changed. */
  run(sql: string, ...values: SqliteValue[]): number
  close(): void
}

/** What a session is made of. */
export interface SessionOptions {
  readonly database: SqliteDatabase
  /** What messages name. */
  readonly place: string
  close(): void
}

/** Makes a session. */
export function createSession({ database, place, close }: SessionOptions): Session {
  const statements = new Map<string, SqliteStatement>()

  const using = <T>(sql: string, use: (statement: SqliteStatement) => T): T => {
    try {
      let statement = statements.get(sql)
      if (!statement) statements.set(sql, (statement = database.prepare(sql)))
      return use(statement)
    } catch (error) {
      throw unavailable(error, place)
    }
  }
  return {
    get: <Row>(sql: string, ...values: SqliteValue[]) =>
      using(sql, (statement) => (statement.get(...values) ?? undefined) as Row | undefined),
    all: <Row>(sql: string, ...values: SqliteValue[]) => using(sql, (statement) => statement.all(...values) as Row[]),
    run: (sql, ...values) => using(sql, (statement) => Number(statement.run(...values).changes)),
    close() {
      // Some drivers keep a file open as long as one of its statements is remembered.
      statements.clear()
      close()
    },
  }
}
