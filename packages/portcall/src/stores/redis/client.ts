/*
 * What Portcall uses of the two drivers of Redis. The client that is passed in is a pattern: its `duplicate` makes the connections, which are
 * told not to queue, repeat or reconnect by themselves, since what has an unknown fate must not be done twice behind the back of who asked.
 */

/** What is used of a client of `ioredis`, or of its `Cluster`. */
export interface IoRedisClient {
  readonly status: string
  readonly isCluster: boolean
  duplicate(...options: never[]): IoRedisClient
  connect(): Promise<unknown>
  disconnect(): void
  call(command: string, args: string[]): Promise<unknown>
  pipeline(commands: string[][]): { exec(): Promise<Array<[error: Error | null, result: unknown]> | null> }
  subscribe(...channels: string[]): Promise<unknown>
  unsubscribe(...channels: string[]): Promise<unknown>
  on(event: string, listener: (...args: string[]) => void): unknown
}

/** What is used of a client of the package `redis`. */
export interface NodeRedisClient {
  readonly isOpen: boolean
  readonly options?: { readonly socket?: object } | undefined
  duplicate(options: object): NodeRedisClient
  connect(): Promise<unknown>
  destroy(): void
  sendCommand(args: string[]): Promise<unknown>
  subscribe(channels: string[], listener: (message: string, channel: string) => void): Promise<unknown>
  unsubscribe(channels: string[]): Promise<unknown>
  on(event: string, listener: (...args: string[]) => void): unknown
}

/** A client of `ioredis` or of `redis`, for Redis 6.2 or newer, or Valkey. It is not connected, used or closed: it is duplicated. */
export type RedisClient = IoRedisClient | NodeRedisClient

/** Tells whether a client is that of a cluster, where keys have places. */
export function isCluster(client: RedisClient): boolean {
  return 'isCluster' in client && client.isCluster
}

/** Says what is wrong with a client, or with a prefix for it. In a cluster all keys have to be in one place, which a hash tag sees to. */
export function findFault(client: RedisClient, prefix: string): string | undefined {
  if ('slots' in client && !isCluster(client)) return 'A cluster of the package redis cannot be used: pass a Cluster of ioredis'
  if (!isCluster(client) || /^[^{]*\{[^}]+\}/.test(prefix)) return undefined
  return `In a cluster the prefix needs a hash tag, so that all keys are in one place: '{portcall}:' has one, '${prefix}' has none`
}

/** Who hears of a connection. */
export interface ConnectionEvents {
  onLost(): void
  onMessage(channel: string, message: string): void
}

/** One connection, whatever driver it is of. */
export interface RedisConnection {
  /** Sends commands in one write. Each answer is what came, or an `Error`. */
  send(commands: string[][]): Promise<unknown[]>
  subscribe(channels: string[]): Promise<unknown>
  unsubscribe(channels: string[]): Promise<unknown>
  end(): void
}

/** Opens a connection like that of a client. */
export function openConnection(client: RedisClient, events: ConnectionEvents): Promise<RedisConnection> {
  return 'isOpen' in client ? openNodeRedis(client, events) : openIoRedis(client, events)
}

const ALONE = { lazyConnect: true, enableOfflineQueue: false }
const ALONE_NODE = { ...ALONE, retryStrategy: null, autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 }
const ALONE_CLUSTER = { ...ALONE, clusterRetryStrategy: null }

async function openIoRedis(pattern: IoRedisClient, { onLost, onMessage }: ConnectionEvents): Promise<RedisConnection> {
  // A cluster's takes its nodes first.
  const options = pattern.isCluster ? [[], ALONE_CLUSTER] : [ALONE_NODE]
  const client = pattern.duplicate(...(options as never[]))
  client.on('error', () => {})
  client.on('end', onLost)
  client.on('message', (channel = '', message = '') => onMessage(channel, message))
  const sendAlone = inTheirOrder(client)
  const sendTogether = async (commands: string[][]): Promise<unknown[]> =>
    ((await client.pipeline(commands.map((command) => ['call', ...command])).exec()) ?? []).map(
      ([error, result]) => error ?? result,
    )
  await client.connect()
  return {
    send: (commands) => (pattern.isCluster || commands.length === 1 ? sendAlone(commands) : sendTogether(commands)),
    subscribe: (channels) => client.subscribe(...channels),
    unsubscribe: (channels) => client.unsubscribe(...channels),
    end: () => client.disconnect(),
  }
}

/**
 * Sends commands one by one, which a cluster keeps in order only on a connection to their node that is there already: what comes while it is
 * being made goes to any node, and arrives by detours. So the first command is answered before others follow.
 */
function inTheirOrder(client: IoRedisClient): RedisConnection['send'] {
  let way: Promise<unknown> | undefined
  client.on('-node', () => void (way = undefined))
  const call = ([name = '', ...args]: string[]): Promise<unknown> => client.call(name, args).catch((error: unknown) => error)
  return async (commands) => {
    const [first, ...rest] = commands
    if (way || !first) {
      await way
      return Promise.all(commands.map(call))
    }
    way = call(first)
    return [await way, ...(await Promise.all(rest.map(call)))]
  }
}

async function openNodeRedis(pattern: NodeRedisClient, { onLost, onMessage }: ConnectionEvents): Promise<RedisConnection> {
  const socket = { ...pattern.options?.socket, reconnectStrategy: false }
  const client = pattern.duplicate({ socket, disableOfflineQueue: true })
  const hear = (message: string, channel: string): void => onMessage(channel, message)
  client.on('error', () => void (client.isOpen || onLost()))
  client.on('end', onLost)
  client.on('terminated', onLost)
  await client.connect()
  return {
    // What it is given in one turn, it sends in one write.
    send: (commands) => Promise.all(commands.map((command) => client.sendCommand(command).catch((error: unknown) => error))),
    subscribe: (channels) => client.subscribe(channels, hear),
    unsubscribe: (channels) => client.unsubscribe(channels),
    end: () => client.destroy(),
  }
}
