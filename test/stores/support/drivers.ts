import { Redis } from 'ioredis'
import pg from 'pg'
import type { Stores } from 'portcall/stores'
import { postgres } from 'portcall/stores/postgres'
import { redis } from 'portcall/stores/redis'
import postgresJs from 'postgres'
import { createClient } from 'redis'

/** Where stores are, and the bounds that a test wants. */
export interface Wanted {
  /** What keys begin with, or the name of a schema. */
  place: string
  timeoutMs?: number
  store?: { maxEntries?: number; maxAgeMs?: number }
  log?: { maxEntries?: number; maxBytes?: number; maxAgeMs?: number; maxLogs?: number }
}

/** Makes stores with a driver of its own; closing them lets go of it. */
export type Open = (url: string, wanted: Wanted) => Stores

function alsoEnding(stores: Stores, end: () => Promise<void>): Stores {
  return { ...stores, close: () => stores.close().then(end) }
}

export const REDIS_DRIVERS: Record<string, Open> = {
  ioredis: (url, { place, ...bounds }) => redis(new Redis(url, { lazyConnect: true }), { prefix: `{${place}}:`, ...bounds }),
  redis: (url, { place, ...bounds }) => redis(createClient({ url }), { prefix: `{${place}}:`, ...bounds }),
}

export const POSTGRES_DRIVERS: Record<string, Open> = {
  pg(url, { place, ...bounds }) {
    const pool = new pg.Pool({ connectionString: url })
    return alsoEnding(postgres(pool, { schema: place, ...bounds }), () => pool.end())
  },
  postgres(url, { place, ...bounds }) {
    const sql = postgresJs(url, { max: 3, backoff: () => 0.2 })
    return alsoEnding(postgres(sql, { schema: place, ...bounds }), () => sql.end({ timeout: 1 }))
  },
}
