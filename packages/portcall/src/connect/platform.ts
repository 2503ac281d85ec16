/** What a client takes from the platform that it runs on, loaded when it is needed: in a browser there are no processes. */
import type { Channel } from '../jsonrpc/channel.ts'
import { createWebFetch } from '../transports/http/fetch-client.ts'
import type { HttpFetch } from '../transports/http/request.ts'
import type { SpawnOptions } from '../transports/stdio/spawn.ts'

interface Platform {
  readonly process?: { readonly versions?: { readonly [name: string]: string | undefined } }
  readonly navigator?: { readonly userAgent?: string }
}

const { process, navigator } = globalThis as Platform
const { node, bun, deno } = process?.versions ?? {}
/** Workers may have Node's names, but they have no processes. */
const hasProcesses = node !== undefined && navigator?.userAgent !== 'Cloudflare-Workers'
const isNode = hasProcesses && bun === undefined && deno === undefined

/** What sends HTTP requests here: Node's own client where there is one, for it costs a fifth of `fetch`. */
export async function loadHttpFetch(): Promise<HttpFetch> {
  if (!isNode) return createWebFetch()
  const { createNodeFetch } = await import('../transports/http/node-client.ts')
  return createNodeFetch()
}

/** What starts programs here. @throws Error where there are none. */
export async function loadSpawn(): Promise<(options: SpawnOptions) => Channel> {
  if (!hasProcesses) throw new Error('Programs cannot be started here: there are no processes. Connect to a URL')
  const { spawnChannel } = await import('../transports/stdio/spawn.ts')
  return spawnChannel
}
