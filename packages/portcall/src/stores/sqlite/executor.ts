/*
 * Runs operations on one database. The writes of one turn of the event loop form one transaction, and are acknowledged when it is committed.
 * Drivers block the process, so they never wait for locks: operations on a locked file are retried after a short delay, and the process is
 * free in between.
 */
import { setImmediate } from 'node:timers'
import { StoreUnavailableError } from '../errors.ts'
import type { OnWarning } from '../warn.ts'
import { createBusyRetry } from './busy-retry.ts'
import type { SqliteConnection } from './connection.ts'
import { isFullError } from './errors.ts'
import { createLazyDatabase } from './lazy-database.ts'

export interface SqliteExecutorOptions {
  /** Opens the database and migrates it to the latest version. @throws StoreUnavailableError */
  open(): SqliteConnection
  /** Enforces the limits. Runs after the writes of each transaction. */
  prune(connection: SqliteConnection): void
  /** How long operations wait for a lock of another process. */
  busyTimeoutMs: number
  /** Called when the file was removed or replaced. */
  onWarning: OnWarning
  /** Called when there was no space for a write. */
  onFull(): void
}

/** Reads and writes one database. */
export interface SqliteExecutor {
  /** Runs a function that only reads. */
  read<T>(run: (connection: SqliteConnection) => T): Promise<T>
  /** Runs a function that writes, after all earlier ones. Resolves to its result when the transaction is committed. */
  write<T>(run: (connection: SqliteConnection) => T): Promise<T>
  /** Completes pending writes and closes the database. */
  close(): Promise<void>
}

interface Write {
  run(connection: SqliteConnection): void
  resolve(): void
  reject(error: unknown): void
}

/** Creates an executor and opens the database, unless it is locked. @throws StoreUnavailableError if it cannot be opened. */
export function createSqliteExecutor(options: SqliteExecutorOptions): SqliteExecutor {
  const { open, prune, busyTimeoutMs, onWarning, onFull } = options
  const database = createLazyDatabase(open, onWarning)
  const retryWhileBusy = createBusyRetry(busyTimeoutMs)
  let pendingWrites: Write[] = []
  let flushing = Promise.resolve()

  const takePendingWrites = (): Write[] => {
    const writes = pendingWrites
    pendingWrites = []
    return writes
  }
  /** Runs writes in one transaction. @throws only if the transaction cannot begin. */
  const transact = (takeWrites: () => readonly Write[]): void => {
    database.use((connection) => connection.run('BEGIN IMMEDIATE'))
    const writes = takeWrites()
    try {
      database.use((connection) => commit(connection, writes, prune))
    } catch (error) {
      const isFull = isFullError(error)
      if (isFull) onFull()
      if (isFull && writes.length > 1) for (const write of writes) transactAlone(write)
      else for (const { reject } of writes) reject(error)
    }
  }
  /** Runs one write of a transaction that did not fit, so that only the writes that are too large fail. */
  const transactAlone = (write: Write): void => {
    try {
      transact(() => [write])
    } catch (error) {
      write.reject(error)
    }
  }
  const flush = async (): Promise<void> => {
    try {
      await retryWhileBusy(() => transact(takePendingWrites))
    } catch (error) {
      for (const { reject } of takePendingWrites()) reject(error)
    }
  }

  database.tryOpen()
  return {
    read: (run) => retryWhileBusy(() => database.use(run)),
    write: (run) =>
      new Promise((resolve, reject) => {
        const write = createWrite(run, { resolve, reject })
        if (pendingWrites.push(write) === 1) flushing = new Promise((resolveFlush) => setImmediate(() => resolveFlush(flush())))
      }),
    async close() {
      await flushing
      database.close()
    },
  }
}

/** Wraps a function as a write: holds its result until the transaction is committed. An error that it throws affects no other writes. */
function createWrite<T>(
  run: (connection: SqliteConnection) => T,
  { resolve, reject }: { resolve(value: T): void; reject(error: unknown): void },
): Write {
  let settle: (() => void) | undefined
  return {
    run(connection) {
      try {
        const value = run(connection)
        settle = () => resolve(value)
      } catch (error) {
        if (error instanceof StoreUnavailableError) throw error
        settle = () => reject(error)
      }
    },
    resolve: () => settle?.(),
    reject,
  }
}

function commit(connection: SqliteConnection, writes: readonly Write[], prune: SqliteExecutorOptions['prune']): void {
  try {
    for (const write of writes) write.run(connection)
    prune(connection)
    connection.run('COMMIT')
  } catch (error) {
    try {
      connection.run('ROLLBACK')
    } catch {
      // SQLite has already rolled back.
    }
    throw error
  }
  for (const { resolve } of writes) resolve()
}
