import { describeClient } from '../check-stores-options.ts'

/*
 * The parts of the two Redis drivers that Portcall uses. The client that is passed in is a template: `duplicate` creates the connections,
 * configured not to queue, retry or reconnect by themselves, because an operation with an unknown outcome must not be repeated without the
 * knowledge of its caller.
 */

/** The parts of a client of `ioredis`, or of its `Cluster`, that are used. */
export interface IoRedisClient {
  /** The state of the connection, such as `ready`. */
  readonly status: string
  /** Whether the client is a `Cluster`. */
  readonly isCluster: boolean
  /** Creates a client with the same settings. */
  duplicate(...options: never[]): IoRedisClient
  /** Opens the connection. */
  connect(): Promise<unknown>
  /** Closes the connection immediately. */
  disconnect(): void
  /** Sends a command. */
  call(command: string, args: string[]): Promise<unknown>
  /** Sends several commands at once. */
  pipeline(commands: string[][]): {
    /** Resolves to the error or the result of each command. */
    exec(): Promise<Array<[error: Error | null, result: unknown]> | null>
  }
  /** Subscribes to channels. */
  subscribe(...channels: string[]): Promise<unknown>
  /** Ends subscriptions. */
  unsubscribe(...channels: string[]): Promise<unknown>
  /** Listens to an event. */
  on(event: string, listener: (...args: string[]) => void): unknown
  /** Returns the number of listeners of an event. */
  listenerCount?(event: string): number
}

/** The parts of a client of the package `redis` that are used. */
export interface NodeRedisClient {
  /** Whether the client was connected and not closed. */
  readonly isOpen: boolean
  /** The settings of the client. */
  readonly options?:
    | {
        /** The settings of the connection. */
        readonly socket?: object
      }
    | undefined
  /** Creates a client with the same settings, except those passed. */
  duplicate(options: object): NodeRedisClient
  /** Opens the connection. */
  connect(): Promise<unknown>
  /** Closes the connection immediately. */
  destroy(): void
  /** Sends a command. */
  sendCommand(args: string[]): Promise<unknown>
  /** Subscribes to channels. */
  subscribe(channels: string[], listener: (message: string, channel: string) => void): Promise<unknown>
  /** Ends subscriptions. */
  unsubscribe(channels: string[]): Promise<unknown>
  /** Listens to an event. */
  on(event: string, listener: (...args: string[]) => void): unknown
  /** Returns the number of listeners of an event. */
  listenerCount?(event: string): number
}

/**
 * A client of `ioredis` or `redis` for Redis 6.2 or newer, or Valkey. Portcall duplicates it, and does not connect, use or close the client
 * itself.
 */
export type RedisClient = IoRedisClient | NodeRedisClient

/** Reports whether the client is for a cluster, where each key belongs to a hash slot. */
export function isCluster(client: RedisClient): boolean {
  return 'isCluster' in client && client.isCluster
}

/** @throws TypeError if the client cannot be used, or not with this prefix. In a cluster, a hash tag must put all keys into one slot. */
export function assertSupported(client: RedisClient, prefix: string): void {
  if (typeof (client as Partial<RedisClient> | null | undefined)?.duplicate !== 'function')
    throw new TypeError(
      `redisStores() needs a client of ioredis or redis, not ${describeClient(client)}. Pass new Redis(url) of ioredis, or createClient({ url }) of redis`,
    )
  if ('slots' in client && !isCluster(client))
    throw new TypeError('Clusters of the package redis are not supported: pass a Cluster of ioredis')
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

export interface ConnectionEvents {
  onLost(): void
  onMessage(channel: string, message: string): void
}

/** One connection, in the same form for both drivers. */
export interface RedisConnection {
  /** Sends commands in one write. Resolves to their results, with an `Error` for a command that failed. */
  send(commands: string[][]): Promise<unknown[]>
  subscribe(channels: string[]): Promise<unknown>
  unsubscribe(channels: string[]): Promise<unknown>
  close(): void
}

/** Opens a connection with the settings of a client. */
export function openConnection(client: RedisClient, events: ConnectionEvents): Promise<RedisConnection> {
  return 'isOpen' in client ? openNodeRedis(client, events) : openIoRedis(client, events)
}

const BASE_OPTIONS = { lazyConnect: true, enableOfflineQueue: false }
const NODE_OPTIONS = { ...BASE_OPTIONS, retryStrategy: null, autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 }
const CLUSTER_OPTIONS = { ...BASE_OPTIONS, clusterRetryStrategy: null }

async function openIoRedis(template: IoRedisClient, { onLost, onMessage }: ConnectionEvents): Promise<RedisConnection> {
  // The `duplicate` of a cluster takes its nodes as the first argument.
  const options = template.isCluster ? [[], CLUSTER_OPTIONS] : [NODE_OPTIONS]
  const client = template.duplicate(...(options as never[]))
  client.on('error', () => {})
  client.on('end', onLost)
  client.on('message', (channel = '', message = '') => onMessage(channel, message))
  const sendEach = createOrderedSend(client)
  const sendPipeline = async (commands: string[][]): Promise<unknown[]> =>
    ((await client.pipeline(commands.map((command) => ['call', ...command])).exec()) ?? []).map(
      ([error, result]) => error ?? result,
    )
  await client.connect()
  return {
    send: (commands) => (template.isCluster || commands.length === 1 ? sendEach(commands) : sendPipeline(commands)),
    subscribe: (channels) => client.subscribe(...channels),
    unsubscribe: (channels) => client.unsubscribe(...channels),
    close: () => client.disconnect(),
  }
}

/**
 * Sends commands one by one. A cluster client preserves their order only on an established connection to their node: commands that are sent
 * while it is being established go to an arbitrary node and are redirected. Therefore the first command completes before others follow.
 */
function createOrderedSend(client: IoRedisClient): RedisConnection['send'] {
  let firstResult: Promise<unknown> | undefined
  client.on('-node', () => void (firstResult = undefined))
  const call = ([name = '', ...args]: string[]): Promise<unknown> => client.call(name, args).catch((error: unknown) => error)
  return async (commands) => {
    const [first, ...rest] = commands
    if (firstResult || !first) {
      await firstResult
      return Promise.all(commands.map(call))
    }
    firstResult = call(first)
    return [await firstResult, ...(await Promise.all(rest.map(call)))]
  }
}

async function openNodeRedis(template: NodeRedisClient, { onLost, onMessage }: ConnectionEvents): Promise<RedisConnection> {
  const socket = { ...template.options?.socket, reconnectStrategy: false }
  const client = template.duplicate({ socket, disableOfflineQueue: true })
  const listener = (message: string, channel: string): void => onMessage(channel, message)
  client.on('error', () => void (client.isOpen || onLost()))
  client.on('end', onLost)
  client.on('terminated', onLost)
  await client.connect()
  return {
    // The client combines commands of one turn of the event loop in one write.
    send: (commands) => Promise.all(commands.map((command) => client.sendCommand(command).catch((error: unknown) => error))),
    subscribe: (channels) => client.subscribe(channels, listener),
    unsubscribe: (channels) => client.unsubscribe(channels),
    close: () => client.destroy(),
  }
}
