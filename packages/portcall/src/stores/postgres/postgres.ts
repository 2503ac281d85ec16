import type { OptionNames } from '../../../../util/src/check-options.ts'
import type { BusOptions } from '../bus.ts'
import { checkStoresOptions, type StoresPartNames } from '../check-stores-options.ts'
import { markFull } from '../full-stores.ts'
import { combineStores } from '../remote/stores.ts'
import type { Stores } from '../stores.ts'
import { createPostgresBus } from './bus.ts'
import { createPostgresDriver } from './create-driver.ts'
import type { PostgresSource } from './driver.ts'
import { createPostgresExecutor } from './executor.ts'
import { createPostgresLog, type PostgresLogOptions } from './log.ts'
import { createPostgresPruner } from './prune.ts'
import { createPostgresStore, type PostgresKeyValueStoreOptions } from './store.ts'

/** The location, timeout and limits of stores in PostgreSQL. */
export interface PostgresStoresOptions {
  /** Name of the schema of all tables and functions, and of the channel of the bus: lower-case letters, digits and `_`. Default: `'portcall'`. */
  schema?: string
  /** Time allowed for an operation, in milliseconds. Default: 2000. */
  timeoutMs?: number
  /** Options of the key-value store. */
  store?: PostgresKeyValueStoreOptions
  /** Options of the event log. */
  log?: PostgresLogOptions
  /** Options of the bus. */
  bus?: BusOptions
}

const NAMES: OptionNames<PostgresStoresOptions> = { schema: 1, timeoutMs: 1, store: 'object', log: 'object', bus: 'object' }
const PARTS: StoresPartNames<PostgresStoresOptions> = {
  store: { maxEntries: 1, maxTtlMs: 1 },
  log: { maxEntries: 1, maxBytes: 1, entryTtlMs: 1, maxLogs: 1 },
  bus: { maxSubscriptions: 1, onError: 1 },
}
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,50}$/
const YEAR_MS = 365 * 24 * 3600_000
const LOG_DEFAULTS: Required<PostgresLogOptions> = {
  maxEntries: 10_000,
  maxBytes: 4_194_304,
  entryTtlMs: 30 * 60_000,
  maxLogs: 100_000,
}

/**
 * Creates stores in PostgreSQL 12 or newer, for any number of processes, over a `Pool` of `pg` or a client of the package `postgres`. The
 * tables are created on first use.
 *
 * While PostgreSQL is unavailable, operations reject with `StoreUnavailableError`: the first ones after `timeoutMs`, further ones
 * immediately. The stores recover by themselves.
 *
 * @throws TypeError if the name of the schema is invalid, or the source is not one or has fewer than two connections.
 */
export function postgresStores(source: PostgresSource, options: PostgresStoresOptions = {}): Stores {
  checkStoresOptions('postgresStores()', options, { names: NAMES, parts: PARTS })
  const { schema = 'portcall', timeoutMs = 2000 } = options
  if (!SCHEMA_NAME.test(schema))
    throw new TypeError(`'${schema}' cannot be the name of a schema: use up to 51 lower-case letters, digits and _`)
  const { maxEntries = 1_000_000, maxTtlMs = YEAR_MS } = options.store ?? {}
  const limits = { ...LOG_DEFAULTS, ...options.log }

  const driver = createPostgresDriver(source)
  const executor = createPostgresExecutor({
    ...{ driver, schema, timeoutMs },
    onSuspect: () => bus.reconnect(),
    onFull: () => markFull(store),
  })
  const onWrite = createPostgresPruner(executor, { maxEntries, maxLogs: limits.maxLogs, entryTtlMs: limits.entryTtlMs })
  const store = createPostgresStore({ executor, maxTtlMs, onWrite })
  const log = createPostgresLog({ executor, limits, onWrite })
  const bus = createPostgresBus({ driver, executor, schema, timeoutMs }, options.bus)
  const disconnect = (): void => {
    executor.close()
    driver.close()
  }
  return combineStores({ store, log, bus, disconnect })
}
