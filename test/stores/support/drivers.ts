import { Redis } from 'ioredis'
import type { Stores } from 'portcall/stores'
import { redis } from 'portcall/stores/redis'
import { createClient } from 'redis'

/** The bounds that a test may want. */
export interface Wanted {
  prefix: string
  maxEntries?: number
  timeoutMs?: number
}

/** What is made of a driver's client: stores, and how to let go of the client. */
export type Open = (url: string, wanted: Wanted) => Stores

function boundsOf({ prefix, maxEntries, timeoutMs }: Wanted) {
  return { prefix, ...(timeoutMs && { timeoutMs }), ...(maxEntries && { log: { maxEntries } }) }
}

/** The drivers of Redis. */
export const REDIS_DRIVERS: Record<string, Open> = {
  ioredis: (url, wanted) => redis(new Redis(url, { lazyConnect: true }), boundsOf(wanted)),
  redis: (url, wanted) => redis(createClient({ url }), boundsOf(wanted)),
}
