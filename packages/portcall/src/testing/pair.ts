import type { ClientExtension } from '../client/extension.ts'
import { type Connected, type ConnectOptions, connect } from '../connect/connect.ts'
import type { Served } from '../connect/target.ts'
import { channelPair } from '../jsonrpc/channel.ts'
import { MODERN_VERSIONS, revisionOf } from '../protocol/revisions.ts'
import type { NodeServerLimits } from '../transports/http/node-server.ts'
import type { HttpOptions } from '../transports/http/options.ts'
import { serveChannel } from '../transports/stdio/server.ts'
import type { AroundChannel, Place } from './place.ts'

/** `memory`: function calls, or messages without bytes; `stdio`: lines of bytes; `http`: a port of this machine. */
export type PairTransport = 'memory' | 'stdio' | 'http'

/** How server and client of a test are joined; all options of `connect` are here too. */
export interface PairOptions<E extends readonly ClientExtension[] = readonly ClientExtension[]> extends ConnectOptions<E> {
  /** Default: `memory`. */
  readonly transport?: PairTransport
  /** The protocol revision that both speak. Default: the newest. */
  readonly revision?: string
  /** Puts something around the client's end of the channel, such as `recordChannel` or `faultyChannel`; HTTP has none. */
  readonly channel?: AroundChannel
  /** How the server is served over HTTP. */
  readonly serve?: HttpOptions & NodeServerLimits
}

/** A client that is joined to a server; closing it closes what joins them, not the server. */
export type PairedClient<S, E extends readonly ClientExtension[] = []> = Connected<S, E> & {
  /** Where the server listens, over HTTP. */
  readonly url: string | undefined
}

type Opener = (server: Served, options: Pick<PairOptions, 'revision' | 'channel' | 'serve'>) => Place | Promise<Place>

/** How a server is put in its place; what only Node has is loaded when it is needed. */
const OPENERS: { readonly [transport in PairTransport]: Opener } = {
  memory: (server, { revision = '', channel }) =>
    isModern(revision) && !channel ? { target: server, close: async () => {} } : openMemory(server, channel),
  stdio: async (server, { channel }) => (await import('./pair-stdio.ts')).openPipes(server, channel),
  http: async (server, { serve }) => (await import('./pair-http.ts')).openPort(server, serve),
}

/**
 * Joins a server and a client for a test, in this process.
 *
 * @example
 * const client = await pair(server)
 * assertText(await client.callTool('greet', { name: 'Ada' }), 'Hello, Ada')
 * await client.close()
 */
export async function pair<S extends Served, const E extends readonly ClientExtension[] = []>(
  server: S,
  options: PairOptions<E> = {},
): Promise<PairedClient<S, E>> {
  const { transport = 'memory', serve, channel, ...given } = options
  const revision = given.revision ?? (MODERN_VERSIONS[0] as string)
  const place = await OPENERS[transport](server, { revision, ...(serve && { serve }), ...(channel && { channel }) })
  const firstTransport = transport === 'http' && revisionOf(revision)?.http.transport === 'HTTP+SSE'
  try {
    const client = await connect<S, E>(place.target, {
      ...(firstTransport && { prior: 'http+sse' as const }),
      ...given,
      revision,
    } as ConnectOptions<E>)
    const { close } = client
    const url = typeof place.target === 'string' ? place.target : undefined
    return Object.assign(client, {
      url,
      async close() {
        await close()
        await place.close()
      },
    })
  } catch (error) {
    await place.close()
    throw error
  }
}

function isModern(revision: string): boolean {
  return MODERN_VERSIONS.includes(revision)
}

function openMemory(server: Served, around: AroundChannel = (channel) => channel): Place {
  const [near, far] = channelPair()
  const peer = serveChannel(server, far)
  return { target: around(near), close: () => peer.close() }
}
