import { joinStores } from '../remote/join.ts'
import type { Stores } from '../stores.ts'
import { createPostgresBus, type PostgresBusOptions } from './bus.ts'
import { createDriver, type PostgresSource } from './client.ts'
import { createLink } from './link.ts'
import { createPostgresLog, type PostgresLogOptions } from './log.ts'
import { createPostgresStore, type PostgresStoreOptions } from './store.ts'
import { createSweeper } from './sweeper.ts'

/** Where in PostgreSQL the stores are, how long it may take, and their bounds. */
export interface PostgresOptions {
  /** The schema that everything is in, and the channel of the bus; lower-case letters, digits and `_`. Default: `'portcall'`. */
  schema?: string
  /** How long PostgreSQL may take for an answer, in milliseconds. Default: 2000. */
  timeoutMs?: number
  store?: PostgresStoreOptions
  log?: PostgresLogOptions
  bus?: PostgresBusOptions
}

const SCHEMA = /^[a-z_][a-z0-9_]{0,50}$/
const YEAR_MS = 365 * 24 * 3600_000
const LOG_BOUNDS: Required<PostgresLogOptions> = {
  maxEntries: 10_000,
  maxBytes: 4_194_304,
  maxAgeMs: 30 * 60_000,
  maxLogs: 100_000,
}

/**
 * The three contracts in PostgreSQL (12 or newer), for any number of processes: over a `Pool` of `pg` or a client of the package `postgres`. The
 * tables are made at the first use.
 *
 * While PostgreSQL is away, operations reject with `StoreUnavailable`: the first ones after `timeoutMs`, all others at once. Nothing has to
 * be done when it is back.
 *
 * @throws TypeError for a name of a schema that is none.
 */
export function postgres(source: PostgresSource, options: PostgresOptions = {}): Stores {
  const { schema = 'portcall', timeoutMs = 2000 } = options
  if (!SCHEMA.test(schema)) throw new TypeError(`'${schema}' cannot be a schema: up to 51 lower-case letters, digits and _`)
  const { maxEntries = 1_000_000, maxAgeMs = YEAR_MS } = options.store ?? {}
  const bounds = { ...LOG_BOUNDS, ...options.log }

  const driver = createDriver(source)
  const link = createLink({ driver, schema, timeoutMs, onBack: () => bus.renew() })
  const onWrite = createSweeper(link, { maxEntries, maxLogs: bounds.maxLogs, maxAgeMs: bounds.maxAgeMs })
  const store = createPostgresStore({ link, maxAgeMs, onWrite })
  const log = createPostgresLog({ link, bounds, onWrite })
  const bus = createPostgresBus({ driver, link, schema, timeoutMs }, options.bus)
  const leave = (): void => {
    link.close()
    driver.close()
  }
  return joinStores({ store, log, bus, leave })
}
