import type { OptionNames } from '../../../../util/src/check-options.ts'
import { checkStoresOptions } from '../check-stores-options.ts'
import { markFull } from '../full-stores.ts'
import { markProcessLocal } from '../process-local.ts'
import type { Stores } from '../stores.ts'
import { logWarning } from '../warn.ts'
import { assertFileOrDatabase, assertWritable, isInMemory } from './assert-database.ts'
import { createSqliteBus, type SqliteBusOptions } from './bus.ts'
import { createSqliteConnection, type SqliteConnection } from './connection.ts'
import { findDriver, type SqliteDatabase } from './driver.ts'
import { toSqliteUnavailableError } from './errors.ts'
import { createSqliteExecutor } from './executor.ts'
import { identifyFile } from './file-identity.ts'
import { createSqliteLog, type SqliteLogOptions } from './log.ts'
import { createSqlitePruner } from './prune.ts'
import { migrate } from './schema.ts'
import { createSqliteStore, type SqliteKeyValueStoreOptions } from './store.ts'

type Durability = 'process-crash' | 'power-loss'

/** The limits and the durability of stores in SQLite. */
export interface SqliteStoresOptions {
  /** Options of the key-value store. */
  store?: SqliteKeyValueStoreOptions
  /** Options of the event log. */
  log?: SqliteLogOptions
  /** Options of the bus. */
  bus?: SqliteBusOptions
  /** How long operations wait for a lock of another process before they fail, in milliseconds. Default: 2000. */
  busyTimeoutMs?: number
  /**
   * The failures that acknowledged writes survive: `process-crash`, or also `power-loss`, at the price of a disk flush for each transaction. Ignored for a
   * database that is passed in. Default: `process-crash`.
   */
  durability?: Durability
  /** Receives a warning if the file is removed or replaced while it is open. Default: it is written to stderr. */
  onWarning?: (message: string) => void
  /** Returns the current time in milliseconds since 1970. */
  now?: () => number
}

const NAMES: OptionNames<SqliteStoresOptions> = {
  store: 'object',
  log: 'object',
  bus: 'object',
  busyTimeoutMs: 1,
  durability: ['process-crash', 'power-loss'],
  onWarning: 1,
  now: 1,
}
const MIB = 1024 * 1024
const STORE_DEFAULTS = { maxEntries: 1_000_000, maxBytes: 1024 * MIB, maxTtlMs: Infinity }
const LOG_DEFAULTS = {
  maxEntries: 10_000,
  maxBytes: 4 * MIB,
  entryTtlMs: 30 * 60_000,
  maxLogs: 100_000,
  maxTotalBytes: 1024 * MIB,
}
const BUS_DEFAULTS = {
  pollIntervalMs: 50,
  messageTtlMs: 60_000,
  maxMessages: 10_000,
  maxBytes: 16 * MIB,
  maxSubscriptions: 100_000,
}
const BUS_NAMES: OptionNames<SqliteBusOptions> = { ...BUS_DEFAULTS, onError: 1 }

/**
 * Creates stores in one file, for one or several processes on one machine. Acknowledged writes survive `kill -9`.
 *
 * A file is opened with `node:sqlite` or `bun:sqlite`, or else with `libsql` or `better-sqlite3` if one of them is installed. It is in WAL
 * mode, with two more files next to it while it is open. A database that is passed in stays open when the stores are closed. All tables start
 * with `portcall_`.
 *
 * @throws AggregateError if no driver is installed; StoreUnavailableError if the file cannot be used.
 */
export function sqliteStores(fileOrDatabase: string | SqliteDatabase, options: SqliteStoresOptions = {}): Stores {
  assertFileOrDatabase(fileOrDatabase)
  checkStoresOptions('sqliteStores()', options, {
    names: NAMES,
    parts: { store: STORE_DEFAULTS, log: LOG_DEFAULTS, bus: BUS_NAMES },
  })
  const { busyTimeoutMs = 2000, durability = 'process-crash', onWarning = logWarning, now = Date.now } = options
  const store = { ...STORE_DEFAULTS, ...options.store }
  const log = { ...LOG_DEFAULTS, ...options.log }
  const bus = { ...BUS_DEFAULTS, ...options.bus }
  const limits = {
    entries: { count: store.maxEntries, bytes: store.maxBytes },
    logs: { count: log.maxLogs, bytes: log.maxTotalBytes },
    messages: { count: bus.maxMessages, bytes: bus.maxBytes },
  }
  const open = typeof fileOrDatabase === 'string' ? openerOf(fileOrDatabase, durability) : () => adopt(fileOrDatabase)
  const prune = createSqlitePruner(limits, now)
  const executor = createSqliteExecutor({ open, prune, busyTimeoutMs, onWarning, onFull: () => markFull(stores.store) })
  if (typeof fileOrDatabase !== 'string') assertWritable(fileOrDatabase)
  const sqliteBus = createSqliteBus(executor, bus, now)
  const stores: Stores = {
    store: createSqliteStore(executor, store, now),
    log: createSqliteLog(executor, log, now),
    bus: sqliteBus,
    async close() {
      sqliteBus.close()
      await executor.close()
    },
  }
  return isInMemory(fileOrDatabase) ? markProcessLocal(stores) : stores
}

/** SQLite does not wait for locks itself, because that would block the whole process. */
const SETTINGS = `PRAGMA busy_timeout = 0; PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = ${16 * MIB}`
const SYNCHRONOUS: Record<Durability, string> = { 'process-crash': 'NORMAL', 'power-loss': 'FULL' }

function openerOf(file: string, durability: Durability): () => SqliteConnection {
  const openFile = findDriver()
  return () => {
    let database: SqliteDatabase | undefined
    try {
      database = openFile(file)
      database.exec(`${SETTINGS}; PRAGMA synchronous = ${SYNCHRONOUS[durability]}`)
      migrate(database)
    } catch (error) {
      database?.close()
      throw toSqliteUnavailableError(error, file)
    }
    const opened = database
    return createSqliteConnection({
      database: opened,
      name: file,
      identity: identifyFile(file),
      close: () => void opened.close(),
    })
  }
}

function adopt(database: SqliteDatabase): SqliteConnection {
  try {
    migrate(database)
  } catch (error) {
    throw toSqliteUnavailableError(error, 'The database')
  }
  return createSqliteConnection({ database, name: 'The database', close: () => {} })
}
