/** What a client takes from the platform that it runs on, loaded when it is needed: in a browser there are no processes. */
import type { Channel } from '../jsonrpc/channel.ts'
import type { HttpFetch } from '../transports/http/request.ts'
import { createWebFetch } from '../transports/http/fetch-client.ts'
import type { Command } from './target.ts'

const isNode = typeof process === 'object' && typeof process.versions?.node === 'string' && !('Bun' in globalThis) && !('Deno' in globalThis)

/** What sends HTTP requests here: Node's own client where there is one, for it costs a fifth of `fetch`. */
export async function loadHttpFetch(): Promise<HttpFetch> {
  if (!isNode) return createWebFetch()
  const { createNodeFetch } = await import('../transports/http/node-client.ts')
  return createNodeFetch()
}

/** Starts a program. */
export type Spawn = (program: Command & { readonly onStderr?: (text: string) => void }) => Channel

/** What starts programs here. @throws Error where there are none. */
export async function loadSpawn(): Promise<Spawn> {
  throw new Error('This platform cannot start programs')
}
