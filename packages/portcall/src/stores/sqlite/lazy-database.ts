import { StoreUnavailableError } from '../errors.ts'
import type { SqliteConnection } from './connection.ts'
import { isBusyError, isFullError } from './errors.ts'

/** A database that is opened on first use. After a failure other than a lock or a full disk, it is closed and reopened on the next use. */
export interface LazyDatabase {
  /** Runs a function with the open database. @throws StoreUnavailableError; whatever the function throws. */
  use<T>(run: (connection: SqliteConnection) => T): T
  /** Opens the database now, unless it is locked. @throws StoreUnavailableError */
  tryOpen(): void
  close(): void
}

export function createLazyDatabase(open: () => SqliteConnection): LazyDatabase {
  let connection: SqliteConnection | undefined
  let isClosed = false

  const drop = (): void => {
    const dropped = connection
    connection = undefined
    try {
      dropped?.close()
    } catch {
      // The connection is not used again in any case.
    }
  }
  const use = <T>(run: (connection: SqliteConnection) => T): T => {
    if (isClosed) throw new Error('This store is closed')
    try {
      connection ??= open()
      return run(connection)
    } catch (error) {
      if (error instanceof StoreUnavailableError && !isBusyError(error) && !isFullError(error)) drop()
      throw error
    }
  }
  return {
    use,
    tryOpen() {
      try {
        use(() => {})
      } catch (error) {
        if (!isBusyError(error)) throw error
      }
    },
    close() {
      isClosed = true
      drop()
    },
  }
}
