import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import type { ClientExtension } from '../../client/extension.ts'
import { type ConnectedClient, connect } from '../../connect/connect.ts'
import type { ConnectOptions } from '../../connect/options.ts'
import type { InProcessTarget } from '../../connect/target.ts'
import { channelPair } from '../../jsonrpc/channel.ts'
import { MODERN_VERSIONS, revisionOf } from '../../protocol/revisions.ts'
import type { NodeServerLimits } from '../../transports/http/server/node/server.ts'
import type { HttpOptions } from '../../transports/http/server/options.ts'
import { serveChannel } from '../../transports/stdio/server.ts'
import { recordCauses } from './show-causes.ts'
import type { ChannelDecorator, PairedServer } from './types.ts'

/**
 * How client and server are connected. `memory`: by function calls, or by messages without serialization; `stdio`: by two byte streams;
 * `http`: by a port on localhost.
 */
export type PairTransport = 'memory' | 'stdio' | 'http'

/** Options of `connectPair`, in addition to all options of `connect`. */
export interface PairOptions<E extends readonly ClientExtension[] = readonly ClientExtension[]> extends ConnectOptions<E> {
  /** How the two sides are connected. Default: `memory`. */
  readonly transport?: PairTransport
  /** The protocol version of both sides. Default: the newest. */
  readonly protocolVersion?: string
  /** Wraps the client's end of the channel, for example with `recordChannel` or `faultyChannel`. Not used over HTTP. */
  readonly wrapChannel?: ChannelDecorator
  /** How the server is served over HTTP. */
  readonly serve?: HttpOptions & NodeServerLimits
}

/** A client that is connected to a server. Closing it closes the connection, not the server. */
export type PairedClient<S, E extends readonly ClientExtension[] = []> = ConnectedClient<S, E> & {
  /** The URL of the server, over HTTP. */
  readonly url: string | undefined
}

type Opener = (
  server: InProcessTarget,
  options: Pick<PairOptions, 'protocolVersion' | 'wrapChannel' | 'serve'>,
) => PairedServer | Promise<PairedServer>

/** Opens a server over a transport. Code that needs Node is loaded on demand. */
const OPENERS: { readonly [transport in PairTransport]: Opener } = {
  memory: (server, { protocolVersion = '', wrapChannel }) =>
    MODERN_VERSIONS.includes(protocolVersion) && !wrapChannel
      ? { target: server, close: async () => {} }
      : openInMemory(server, wrapChannel),
  stdio: async (server, { wrapChannel }) => (await import('./stdio.ts')).openPipes(server, wrapChannel),
  http: async (server, { serve }) => (await import('./http.ts')).openPort(server, serve),
}

/**
 * Connects a client and a server in this process, for tests.
 *
 * When a handler throws an exception, clients get its reference only. The client of a pair also gets the exception: as the `cause` of the
 * error, or as the `cause` of the failed tool result, which is not enumerable. The assertions of this module show it.
 *
 * @example
 * const client = await connectPair(server)
 * assertText(await client.callTool('greet', { name: 'Ada' }), 'Hello, Ada')
 * await client.close()
 */
export async function connectPair<S extends InProcessTarget, const E extends readonly ClientExtension[] = []>(
  server: S,
  options: PairOptions<E> = {},
): Promise<PairedClient<S, E>> {
  const { transport = 'memory', serve, wrapChannel, ...connectOptions } = options
  const protocolVersion = connectOptions.protocolVersion ?? (MODERN_VERSIONS[0] as string)
  const openOptions = { protocolVersion, ...withoutUndefined({ serve, wrapChannel }) }
  const recorder = recordCauses(server)
  const paired = await OPENERS[transport](recorder.server, openOptions)
  const usesHttpSse = transport === 'http' && revisionOf(protocolVersion)?.http.transport === 'HTTP+SSE'
  try {
    const client = await connect<unknown, E>(paired.target, {
      ...(usesHttpSse && { era: 'http+sse' as const }),
      ...connectOptions,
      middleware: [recorder.middleware, ...(connectOptions.middleware ?? [])],
      protocolVersion,
    } as ConnectOptions<E>)
    const { close } = client
    const url = typeof paired.target === 'string' ? paired.target : undefined
    return Object.assign(client, {
      url,
      async close() {
        await close()
        await paired.close()
      },
    }) as never
  } catch (error) {
    await paired.close()
    throw error
  }
}

function openInMemory(server: InProcessTarget, wrapChannel: ChannelDecorator = (channel) => channel): PairedServer {
  const [clientChannel, serverChannel] = channelPair()
  const peer = serveChannel(server, serverChannel)
  return { target: wrapChannel(clientChannel), close: () => peer.close() }
}
