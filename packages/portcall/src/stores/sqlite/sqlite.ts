import type { Stores } from '../stores.ts'
import { createSqliteBus, type SqliteBusOptions } from './bus.ts'
import { createConnection } from './connection.ts'
import { findDriver, type SqliteDatabase } from './driver.ts'
import { unavailable } from './failure.ts'
import { createSqliteLog, type SqliteLogOptions } from './log.ts'
import { migrate } from './schema.ts'
import { createSession, type Session } from './session.ts'
import { createSqliteStore, type SqliteStoreOptions } from './store.ts'
import { createTidy } from './tidy.ts'

/** The bounds of stores in SQLite, and what an acknowledged write survives. */
export interface SqliteOptions {
  store?: SqliteStoreOptions
  log?: SqliteLogOptions
  bus?: SqliteBusOptions
  /** How long another process may hold the file before operations fail. Default: 2000. */
  patienceMs?: number
  /**
   * What an acknowledged write survives: `process`, that this process is killed; `power`, that the machine loses its power as well, at the
   * price of a wait for the disk in every turn that writes. Of a database that is passed in, its owner decides. Default: `process`.
   */
  survive?: 'process' | 'power'
  /** Milliseconds since 1970. */
  now?: () => number
}

const MIB = 1024 * 1024
const STORE = { maxEntries: 1_000_000, maxBytes: 1024 * MIB, maxAgeMs: Infinity }
const LOG = { maxEntries: 10_000, maxBytes: 4 * MIB, maxAgeMs: 30 * 60_000, maxLogs: 100_000, maxTotalBytes: 1024 * MIB }
const BUS = { pollMs: 50, maxAgeMs: 60_000, maxMessages: 10_000, maxBytes: 16 * MIB, maxSubscriptions: 100_000 }

/**
 * The three contracts in one file, for one process or for several on one machine: what is acknowledged is there after `kill -9`. A file is
 * opened with `node:sqlite` or `bun:sqlite`, or else with `libsql` or `better-sqlite3` when one of them is installed; it is in WAL mode, with
 * two more files beside it while it is open. A database that is passed in stays open when the stores are closed; its tables are `portcall_…`.
 *
 * @throws Error when there is nothing to open files with; StoreUnavailable when the file cannot be used.
 */
export function sqlite(fileOrDatabase: string | SqliteDatabase, options: SqliteOptions = {}): Stores {
  const { patienceMs = 2000, survive = 'process', now = Date.now } = options
  const [store, log, bus] = [
    { ...STORE, ...options.store },
    { ...LOG, ...options.log },
    { ...BUS, ...options.bus },
  ]
  const bounds = {
    entries: { count: store.maxEntries, bytes: store.maxBytes },
    logs: { count: log.maxLogs, bytes: log.maxTotalBytes },
    messages: { count: bus.maxMessages, bytes: bus.maxBytes },
  }
  const open = typeof fileOrDatabase === 'string' ? openerOf(fileOrDatabase, survive) : () => adopt(fileOrDatabase)
  const connection = createConnection({ open, tidy: createTidy(bounds, now), patienceMs })
  const topics = createSqliteBus(connection, bus, now)
  return {
    store: createSqliteStore(connection, store, now),
    log: createSqliteLog(connection, log, now),
    bus: topics,
    async close() {
      topics.close()
      await connection.close()
    },
  }
}

/** Waiting for locks is not left to SQLite: it would stop the whole process. */
const SETTINGS = `PRAGMA busy_timeout = 0; PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = ${16 * MIB}`
const SYNCHRONOUS = { process: 'NORMAL', power: 'FULL' }

function openerOf(file: string, survive: 'process' | 'power'): () => Session {
  const openFile = findDriver()
  return () => {
    let database: SqliteDatabase | undefined
    try {
      database = openFile(file)
      database.exec(`${SETTINGS}; PRAGMA synchronous = ${SYNCHRONOUS[survive]}`)
      migrate(database)
    } catch (error) {
      database?.close()
      throw unavailable(error, file)
    }
    const opened = database
    return createSession({ database: opened, place: file, close: () => void opened.close() })
  }
}

function adopt(database: SqliteDatabase): Session {
  try {
    migrate(database)
  } catch (error) {
    throw unavailable(error, 'The database')
  }
  return createSession({ database, place: 'The database', close: () => {} })
}
