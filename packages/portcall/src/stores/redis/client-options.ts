/*
 * The settings of the client that is passed in. Its connections are templates: settings that change replies, reconnect, retry, or read from
 * replicas are replaced in the copies, because the stores would return wrong results with them.
 */
import { describeClient } from '../check-stores-options.ts'
import type { IoRedisClient, RedisClient } from './client.ts'

/** Settings that must not be copied from a client of `ioredis`. */
const IOREDIS_NODE_OPTIONS = {
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  // An operation with an unknown outcome must not be repeated without the knowledge of its caller.
  retryStrategy: null,
  reconnectOnError: null,
  sentinelRetryStrategy: null,
  // Scripts build names of keys themselves, so the prefix is part of ours.
  keyPrefix: '',
  // Other forms of replies.
  stringNumbers: false,
  replyMapping: 'legacy',
  monitor: false,
  readOnly: false,
  enableAutoPipelining: false,
}

/** The same for a `Cluster` of `ioredis`. Its nodes have further settings. */
const IOREDIS_CLUSTER_OPTIONS = {
  lazyConnect: true,
  enableOfflineQueue: false,
  clusterRetryStrategy: null,
  keyPrefix: '',
  // A replica may be behind: what was just written would be absent.
  scaleReads: 'master',
  shardedSubscribers: false,
  enableAutoPipelining: false,
}
const IOREDIS_CLUSTER_NODE_OPTIONS = {
  keyPrefix: '',
  stringNumbers: false,
  replyMapping: 'legacy',
  reconnectOnError: null,
  monitor: false,
}

/** Settings that must not be copied from a client of the package `redis`. */
const NODE_REDIS_OPTIONS = {
  disableOfflineQueue: true,
  keyPrefix: undefined,
  readonly: false,
  commandOptions: {},
  clientSideCache: undefined,
  commandsQueueMaxLength: undefined,
}
/** A connection that only listens is silent for a long time. */
const NODE_REDIS_SOCKET = { reconnectStrategy: false, socketTimeout: undefined }

/** The settings of `ioredis` for how long a server may be silent while a connection is opened. */
type ConnectTimeouts = { readonly [name in 'connectTimeout' | 'sentinelCommandTimeout']?: number }

/** Longer than those who wait for the connection, whose errors say more. */
const CONNECT_MARGIN = 1.5

/** An attempt that nobody waits for any more would keep the process running. */
function boundTimeouts(settings: object | undefined, timeoutMs: number): ConnectTimeouts {
  const max = timeoutMs * CONNECT_MARGIN
  const { connectTimeout = max, sentinelCommandTimeout = max } = (settings ?? {}) as ConnectTimeouts
  return { connectTimeout: Math.min(connectTimeout, max), sentinelCommandTimeout: Math.min(sentinelCommandTimeout, max) }
}

/**
 * Returns the arguments for `duplicate` of a client of `ioredis`. The one of a cluster takes its nodes as the first argument. Only version 6
 * of the package keeps the options of the nodes that are not named here, such as the password.
 */
export function ioRedisOverrides({ isCluster, options }: IoRedisClient, timeoutMs: number): readonly unknown[] {
  if (!isCluster) return [{ ...IOREDIS_NODE_OPTIONS, ...boundTimeouts(options, timeoutMs) }]
  const { redisOptions } = options ?? {}
  const nodeOptions = { ...redisOptions, ...IOREDIS_CLUSTER_NODE_OPTIONS, ...boundTimeouts(redisOptions, timeoutMs) }
  return [[], { ...IOREDIS_CLUSTER_OPTIONS, redisOptions: nodeOptions }]
}

/** Returns the argument for `duplicate` of a client of the package `redis`. The signal ends its socket. */
export const nodeRedisOverrides = (socket: object | undefined, signal: AbortSignal): object => ({
  ...NODE_REDIS_OPTIONS,
  socket: { ...socket, ...NODE_REDIS_SOCKET, signal },
})

/** Reports whether the client is for a cluster, where each key belongs to a hash slot. */
export function isCluster(client: RedisClient): boolean {
  return 'isCluster' in client && client.isCluster
}

/**
 * Returns why connecting may have timed out, if the settings of the client tell: a server that does not use TLS takes the handshake for a command,
 * and waits for the rest of it.
 */
export function explainConnectTimeout({ options }: RedisClient): string | undefined {
  const { tls, redisOptions, socket } = (options ?? {}) as TlsSettings
  return tls || redisOptions?.tls || socket?.tls ? 'no TLS handshake (is TLS on at the server?)' : undefined
}

interface TlsSettings {
  readonly tls?: unknown
  readonly redisOptions?: { readonly tls?: unknown }
  readonly socket?: { readonly tls?: unknown }
}

/** Returns the prefix of all keys and channels: that of the client and that of the stores. */
export function fullPrefix(client: RedisClient, prefix: string): string {
  const { keyPrefix, redisOptions } = client.options ?? {}
  return `${keyPrefix || redisOptions?.keyPrefix || ''}${prefix}`
}

/**
 * @throws TypeError if the client cannot be used, or not with this prefix, which includes that of the client. In a cluster, a hash tag must put
 * all keys into one slot.
 */
export function assertRedisClient(client: RedisClient, prefix: string): void {
  const given: Partial<RedisClient> = typeof client === 'object' && client !== null ? client : {}
  if ('getSentinelNode' in given)
    throw new TypeError(
      'The Sentinel client of the package redis is not supported: pass a client of ioredis with the options sentinels and name',
    )
  if ('totalClients' in given)
    throw new TypeError('redisStores() cannot use a pool of the package redis: pass the client that createClient() returns')
  if (typeof given.duplicate !== 'function')
    throw new TypeError(
      `redisStores() needs a client of ioredis or redis, not ${describeClient(client)}. Pass new Redis(url) of ioredis, or createClient({ url }) of redis`,
    )
  if ('slots' in client && !isCluster(client))
    throw new TypeError('Clusters of the package redis are not supported: pass a Cluster of ioredis')
  if (client.options?.role === 'slave')
    throw new TypeError("The client connects to replicas (role: 'slave'), which cannot be written to: pass one without role")
  if (isCluster(client) && !/^[^{]*\{[^}]+\}/.test(prefix))
    throw new TypeError(
      `In a cluster, the prefix needs a hash tag that puts all keys into one slot, like '{portcall}:'; '${prefix}' has none`,
    )
}

/**
 * Listens to the errors of the client, unless its owner does: without a listener, `ioredis` prints each failed attempt to connect, and
 * `redis` ends the process. Operations on the stores report that Redis is unavailable.
 */
export function handleErrors(client: RedisClient): void {
  if (client.listenerCount?.('error') === 0) client.on('error', () => {})
}
