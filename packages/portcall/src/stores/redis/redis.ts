import { joinStores } from '../remote/join.ts'
import type { Stores } from '../stores.ts'
import { createRedisBus, type RedisBusOptions } from './bus.ts'
import { findFault, type RedisClient } from './client.ts'
import { createLink } from './link.ts'
import { createRedisLog, type RedisLogOptions } from './log.ts'
import { createRedisStore, type RedisStoreOptions } from './store.ts'

/** Where in Redis the stores are, how long it may take, and their bounds. */
export interface RedisOptions {
  /**
   * What all keys and channels begin with. In a cluster it needs a hash tag, so that all are in one place. Default: `'{portcall}:'`.
   */
  prefix?: string
  /** How long Redis may take for an answer, in milliseconds. Default: 2000. */
  timeoutMs?: number
  store?: RedisStoreOptions
  log?: RedisLogOptions
  bus?: RedisBusOptions
}

/**
 * The three contracts in Redis (6.2 or newer) or Valkey, for any number of processes. The client, of `ioredis` or of the package `redis`,
 * serves as a pattern for the two connections that are made; it need not be connected itself.
 *
 * While Redis is away, operations reject with `StoreUnavailable`: the first ones after `timeoutMs`, all others at once. Nothing has to be
 * done when it is back.
 *
 * @throws TypeError for a cluster that it cannot use, or not with this prefix.
 */
export function redis(client: RedisClient, options: RedisOptions = {}): Stores {
  const { prefix = '{portcall}:', timeoutMs = 2000 } = options
  const fault = findFault(client, prefix)
  if (fault) throw new TypeError(fault)
  const link = createLink({ client, timeoutMs, onSilence: () => bus.renew() })
  const store = createRedisStore(link, prefix, options.store)
  const log = createRedisLog(link, prefix, options.log)
  const bus = createRedisBus({ client, link, prefix, timeoutMs }, options.bus)
  return joinStores({ store, log, bus, leave: link.close })
}
