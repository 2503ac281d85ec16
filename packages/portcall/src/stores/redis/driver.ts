import { isCertificateError, RemoteError } from '../remote/remote-error.ts'
import type { IoRedisClient, NodeRedisClient, RedisClient } from './client.ts'
import { ioRedisOverrides, nodeRedisOverrides } from './client-options.ts'
import { isLoginError } from './error-replies.ts'

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

/** Opens a connection with the settings of a client. */
export function openConnection(client: RedisClient, events: ConnectionEvents): Promise<RedisConnection> {
  return 'isOpen' in client ? openNodeRedis(client, events) : openIoRedis(client, events)
}

async function openIoRedis(template: IoRedisClient, { onLost, onMessage }: ConnectionEvents): Promise<RedisConnection> {
  const client = template.duplicate(...(ioRedisOverrides(template) as never[]))
  let lastError: unknown
  client.on('error', (error: unknown) => void (lastError = nodeErrorOf(error)))
  client.on('end', onLost)
  client.on('message', (channel = '', message = '') => onMessage(channel, message))
  const sendEach = createOrderedSend(client)
  const sendPipeline = async (commands: string[][]): Promise<unknown[]> =>
    ((await client.pipeline(commands.map((command) => ['call', ...command])).exec()) ?? []).map(
      ([error, result]) => error ?? result,
    )
  // The client rejects with another error than the one that it has met.
  await client.connect().catch((error: unknown) => throwConnectError(lastError ?? error))
  return {
    send: (commands) => (template.isCluster || commands.length === 1 ? sendEach(commands) : sendPipeline(commands)),
    subscribe: (channels) => client.subscribe(...channels),
    unsubscribe: (channels) => client.unsubscribe(...channels),
    close: () => client.disconnect(),
  }
}

/** Returns why a node of a cluster refused the connection. The error of the cluster says only that none of the nodes could be used. */
function nodeErrorOf(error: unknown): unknown {
  return (error as { lastNodeError?: Error }).lastNodeError ?? error
}

/** @throws RemoteError `rejected` if the login or the certificate was refused, so that it is not tried again at once; otherwise the error. */
function throwConnectError(error: unknown): never {
  throw isLoginError(error) || isCertificateError(error) ? new RemoteError('rejected', error) : error
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
  const client = template.duplicate(nodeRedisOverrides(template.options?.socket))
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
