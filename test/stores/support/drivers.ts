import { Redis } from 'ioredis'
import pg from 'pg'
import type { Stores } from 'portcall/stores'
import { postgresStores } from 'portcall/stores/postgres'
import { redisStores } from 'portcall/stores/redis'
import postgresJs from 'postgres'
import { createClient } from 'redis'
import { EVENTUALLY_TIMEOUT_MS } from '../../../packages/portcall/test-kit/eventually.ts'

/** The namespace of stores, and their limits. */
export interface OpenOptions {
  /** The prefix of keys, or the name of a schema. */
  namespace: string
  timeoutMs?: number
  /** Receives the warnings of stores in Redis. */
  onWarning?: (message: string) => void
  store?: { maxEntries?: number; maxTtlMs?: number }
  log?: { maxEntries?: number; maxBytes?: number; entryTtlMs?: number; maxLogs?: number }
}

/** On a slow machine, opening a connection may take longer than the default. */
const timeoutMs = EVENTUALLY_TIMEOUT_MS

/** Creates stores with a driver of their own. Closing the stores closes the driver. */
export type OpenStores = (url: string, options: OpenOptions) => Stores

function closeWith(stores: Stores, close: () => Promise<void>): Stores {
  return { ...stores, close: () => stores.close().then(close) }
}

export const REDIS_DRIVERS: Record<string, OpenStores> = {
  ioredis: (url, { namespace, ...options }) =>
    redisStores(new Redis(url, { lazyConnect: true }), { prefix: `{${namespace}}:`, timeoutMs, ...options }),
  redis: (url, { namespace, ...options }) =>
    redisStores(createClient({ url }), { prefix: `{${namespace}}:`, timeoutMs, ...options }),
}

export const POSTGRES_DRIVERS: Record<string, OpenStores> = {
  pg(url, { namespace, ...options }) {
    const pool = new pg.Pool({ connectionString: url })
    return closeWith(postgresStores(pool, { schema: namespace, timeoutMs, ...options }), () => pool.end())
  },
  postgres: (url, options) => openPostgresJs(url, options),
}

/** Opens stores with the package `postgres`. `settings` are those of its client. */
export function openPostgresJs(
  url: string,
  { namespace, ...options }: OpenOptions,
  settings: { max_lifetime?: number } = {},
): Stores {
  const sql = postgresJs(url, { max: 3, backoff: () => 0.2, ...settings })
  return closeWith(postgresStores(sql, { schema: namespace, timeoutMs, ...options }), () => sql.end({ timeout: 1 }))
}
