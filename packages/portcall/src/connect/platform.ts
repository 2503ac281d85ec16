/** What a client takes from the platform that it runs on, loaded when it is needed: in a browser there are no processes. */
import type { Channel } from '../jsonrpc/channel.ts'
import type { HttpFetch } from '../transports/http/request.ts'
import { createWebFetch } from '../transports/http/fetch-client.ts'
import type { SpawnOptions } from '../transports/stdio/spawn.ts'

const isNode = typeof process === 'object' && typeof process.versions?.node === 'string' && !('Bun' in globalThis) && !('Deno' in globalThis)

/** What sends HTTP requests here: Node's own client where there is one, for it costs a fifth of `fetch`. */
export async function loadHttpFetch(): Promise<HttpFetch> {
  if (!isNode) return createWebFetch()
  const { createNodeFetch } = await import('../transports/http/node-client.ts')
  return createNodeFetch()
}

/** What starts programs here. @throws Error where there are none. */
export async function loadSpawn(): Promise<(options: SpawnOptions) => Channel> {
  const { spawnChannel } = await import('../transports/stdio/spawn.ts')
  return spawnChannel
}
