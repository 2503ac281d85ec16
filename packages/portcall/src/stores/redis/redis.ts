import type { OptionNames } from '../../../../util/src/check-options.ts'
import type { BusOptions } from '../bus.ts'
import { checkStoresOptions, type StoresPartNames } from '../check-stores-options.ts'
import { combineStores } from '../remote/stores.ts'
import type { Stores } from '../stores.ts'
import { logWarning } from '../warn.ts'
import { createRedisBus } from './bus.ts'
import type { RedisClient } from './client.ts'
import { assertRedisClient, fullPrefix, handleErrors } from './client-options.ts'
import { createRedisExecutor } from './executor.ts'
import { createRedisLog, type RedisLogOptions } from './log.ts'
import { createRedisStore, type RedisKeyValueStoreOptions } from './store.ts'

/** The location, timeout and limits of stores in Redis. */
export interface RedisStoresOptions {
  /**
   * Prefix of all keys and channels, after the `keyPrefix` of the client. In a cluster, it needs a hash tag that puts all keys into one slot. Default: `'{portcall}:'`.
   */
  prefix?: string
  /** Time allowed for an operation, in milliseconds. Default: 2000. */
  timeoutMs?: number
  /** Options of the key-value store. */
  store?: RedisKeyValueStoreOptions
  /** Options of the event log. */
  log?: RedisLogOptions
  /** Options of the bus. */
  bus?: BusOptions
  /** Receives a warning if Redis is set to delete what is stored. Default: it is written to stderr. */
  onWarning?: (message: string) => void
}

const NAMES: OptionNames<RedisStoresOptions> = {
  prefix: 'text',
  timeoutMs: 1,
  store: 'object',
  log: 'object',
  bus: 'object',
  onWarning: 1,
}
const PARTS: StoresPartNames<RedisStoresOptions> = {
  store: { maxEntries: 1, maxTtlMs: 1 },
  log: { maxEntries: 1, maxBytes: 1, entryTtlMs: 1, maxLogs: 1 },
  bus: { maxSubscriptions: 1, onError: 1 },
}

/**
 * Creates stores in Redis 6.2 or newer, or Valkey, for any number of processes. The client, of `ioredis` or of the package `redis`, is a
 * template for the two connections that are opened; it need not be connected itself.
 *
 * While Redis is unavailable, operations reject with `StoreUnavailableError`: the first ones after `timeoutMs`, further ones immediately. The
 * stores recover by themselves.
 *
 * @throws TypeError if the client is a cluster that is not supported, or one that needs another prefix.
 */
export function redisStores(client: RedisClient, options: RedisStoresOptions = {}): Stores {
  checkStoresOptions('redisStores()', options, { names: NAMES, parts: PARTS })
  const { prefix: ownPrefix = '{portcall}:', timeoutMs = 2000, onWarning = logWarning } = options
  const prefix = fullPrefix(client ?? {}, ownPrefix)
  assertRedisClient(client, prefix)
  handleErrors(client)
  const executor = createRedisExecutor({ client, timeoutMs, onSuspect: () => bus.reconnect(), onWarning })
  const store = createRedisStore(executor, prefix, options.store)
  const log = createRedisLog(executor, prefix, options.log)
  const bus = createRedisBus({ client, executor, prefix, timeoutMs }, options.bus)
  return combineStores({ store, log, bus, disconnect: executor.close })
}
