import { StoreUnavailableError } from '../errors.ts'
import type { OnWarning } from '../warn.ts'
import type { SqliteConnection } from './connection.ts'
import { isBusyError, isFullError } from './errors.ts'

/**
 * A database that is opened on first use. After a failure other than a lock or a full disk, it is closed and reopened on the next use. The same
 * happens if its file was removed or replaced: operations fail for a second, so that health checks see it, and go on with the file that is there.
 */
export interface LazyDatabase {
  /** Runs a function with the open database. @throws StoreUnavailableError; whatever the function throws. */
  use<T>(run: (connection: SqliteConnection) => T): T
  /** Opens the database now, unless it is locked. @throws StoreUnavailableError */
  tryOpen(): void
  close(): void
}

const REPLACED_REJECT_MS = 1000
const REPLACED =
  'The file of the store was removed or replaced while it was open. What was stored is lost, unless the file that is there contains it'

export function createLazyDatabase(open: () => SqliteConnection, onWarning: OnWarning): LazyDatabase {
  let connection: SqliteConnection | undefined
  let isClosed = false
  let rejectUntil = -Infinity

  const drop = (): void => {
    const dropped = connection
    connection = undefined
    try {
      dropped?.close()
    } catch {
      // The connection is not used again in any case.
    }
  }
  const checkFile = (): void => {
    if (connection?.identity?.hasChanged()) {
      drop()
      rejectUntil = performance.now() + REPLACED_REJECT_MS
      onWarning(REPLACED)
    }
    if (performance.now() < rejectUntil) throw new StoreUnavailableError(REPLACED)
  }
  const use = <T>(run: (connection: SqliteConnection) => T): T => {
    if (isClosed) throw new Error('This store is closed')
    checkFile()
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
