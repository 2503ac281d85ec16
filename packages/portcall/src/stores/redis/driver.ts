import { RemoteError } from '../remote/remote-error.ts'
import type { IoRedisClient, NodeRedisClient, RedisClient } from './client.ts'
import { ioRedisOverrides, nodeRedisOverrides } from './client-options.ts'
import { isRefusal } from './error-replies.ts'

/*
 * The parts of the two Redis drivers that Portcall uses. The client that is passed in is a template: `duplicate` creates the connections,
 * configured not to queue, retry or reconnect by themselves, because an operation with an unknown outcome must not be repeated without the
 * knowledge of its caller.
 */

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

/** How long to try to connect. */
export interface ConnectBounds {
  readonly timeoutMs: number
  /** Aborted when nobody waits for the connection any more. */
  readonly signal: AbortSignal
}

/** Opens a connection with the settings of a client. */
export function openConnection(client: RedisClient, events: ConnectionEvents, bounds: ConnectBounds): Promise<RedisConnection> {
  return 'isOpen' in client ? openNodeRedis(client, events, bounds) : openIoRedis(client, events, bounds)
}

async function openIoRedis(
  template: IoRedisClient,
  { onLost, onMessage }: ConnectionEvents,
  { timeoutMs, signal }: ConnectBounds,
): Promise<RedisConnection> {
  const client = template.duplicate(...(ioRedisOverrides(template, timeoutMs) as never[]))
  let lastError: unknown
  client.on('error', (error: unknown) => void (lastError = nodeErrorOf(error) ?? lastError ?? error))
  client.on('node error', (error: unknown) => void (lastError = error))
  let node: IoRedisClient | undefined
  client.on('+node', (added: unknown) => void (node = added as IoRedisClient))
  client.on('end', onLost)
  client.on('message', (channel = '', message = '') => onMessage(channel, message))
  const sendEach = createOrderedSend(client)
  const sendPipeline = async (commands: string[][]): Promise<unknown[]> =>
    ((await client.pipeline(commands.map((command) => ['call', ...command])).exec()) ?? []).map(
      ([error, result]) => error ?? result,
    )
  // The client rejects with another error than the one that it has met.
  await connectIoRedis(client, signal).catch(async (error: unknown) =>
    throwConnectError((node && (await failureOf(node, signal))) ?? lastError ?? error),
  )
  // The client goes on after Redis has refused a part of its greeting, such as `select`. A node of a cluster that fails is replaced.
  if (!template.isCluster && isRefusal(lastError)) {
    client.disconnect()
    throwConnectError(lastError)
  }
  return {
    send: (commands) => (template.isCluster || commands.length === 1 ? sendEach(commands) : sendPipeline(commands)),
    subscribe: (channels) => client.subscribe(...channels),
    unsubscribe: (channels) => client.unsubscribe(...channels),
    close: () => client.disconnect(),
  }
}

/** Returns why a node of a cluster refused the connection. The error of the cluster says only that none of the nodes could be used. */
function nodeErrorOf(error: unknown): unknown {
  return (error as { lastNodeError?: Error }).lastNodeError
}

/** Connects a client. Its sockets are destroyed when the signal is aborted. */
async function connectIoRedis(client: IoRedisClient, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const abandon = (): void => destroyIoRedis(client)
  signal.addEventListener('abort', abandon)
  // A cluster that ends before it is connected leaves its promise pending.
  const ended = new Promise<never>((_, reject) => client.on('end', () => reject(new Error('Connection is closed.'))))
  ended.catch(() => {})
  await Promise.race([client.connect(), ended]).finally(() => signal.removeEventListener('abort', abandon))
}

/** Connects to a node of a cluster, to learn why it cannot be used. The cluster says only that the connection was closed. */
async function failureOf(node: IoRedisClient, signal: AbortSignal): Promise<unknown> {
  const client = node.duplicate(...([{ lazyConnect: true, retryStrategy: null }] as never[]))
  let reason: unknown
  client.on('error', (error: unknown) => void (reason = error))
  await connectIoRedis(client, signal).catch((error: unknown) => void (reason ??= error))
  destroyIoRedis(client)
  return reason
}

/** Ends a client and what it is connecting to. Its own `disconnect` waits until a socket is connected. */
function destroyIoRedis(client: IoRedisClient & WithSockets): void {
  client.disconnect()
  for (const { stream } of [client, ...(client.nodes?.('all') ?? [])]) stream?.destroy()
}

interface WithSockets {
  readonly stream?: { destroy(): void }
  nodes?(role: string): WithSockets[]
}

/** @throws RemoteError `rejected` if the login or the certificate was refused, so that it is not tried again at once; otherwise the error. */
function throwConnectError(error: unknown): never {
  throw isRefusal(error) ? new RemoteError('rejected', error) : error
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

async function openNodeRedis(
  template: NodeRedisClient,
  { onLost, onMessage }: ConnectionEvents,
  { signal }: ConnectBounds,
): Promise<RedisConnection> {
  const client = template.duplicate(nodeRedisOverrides(template.options?.socket, signal))
  const listener = (message: string, channel: string): void => onMessage(channel, message)
  client.on('error', () => void (client.isOpen || onLost()))
  client.on('end', onLost)
  client.on('terminated', onLost)
  await client.connect().catch(throwConnectError)
  return {
    // The client combines commands of one turn of the event loop in one write.
    send: (commands) => Promise.all(commands.map((command) => client.sendCommand(command).catch((error: unknown) => error))),
    subscribe: (channels) => client.subscribe(channels, listener),
    unsubscribe: (channels) => client.unsubscribe(channels),
    close: () => client.destroy(),
  }
}
