/** The parts of a client that depend on the platform, loaded on demand: a browser cannot start processes. */
import type { Channel } from '../jsonrpc/channel.ts'
import type { HttpFetch } from '../transports/http/client/types.ts'
import { createWebFetch } from '../transports/http/client/web-fetch.ts'
import type { SpawnOptions } from '../transports/stdio/spawn.ts'

interface Platform {
  readonly process?: { readonly versions?: { readonly [name: string]: string | undefined } }
  readonly navigator?: { readonly userAgent?: string }
}

const { process, navigator } = globalThis as Platform
const { node, bun, deno } = process?.versions ?? {}
/** Cloudflare Workers emulate the versions of Node, but cannot start processes. */
const hasProcesses = node !== undefined && navigator?.userAgent !== 'Cloudflare-Workers'
const isNode = hasProcesses && bun === undefined && deno === undefined

/** Loads the HTTP client of the platform. On Node, that is `node:http`, which takes a fifth of the time of `fetch`. */
export async function loadHttpFetch(): Promise<HttpFetch> {
  if (!isNode) return createWebFetch()
  const { createNodeFetch } = await import('../transports/http/client/node-fetch.ts')
  return createNodeFetch()
}

/** Loads the function that starts processes. @throws Error on platforms without processes. */
export async function loadSpawn(): Promise<(options: SpawnOptions) => Channel> {
  if (!hasProcesses) throw new Error('This platform cannot start processes: connect to a URL instead')
  const { spawnChannel } = await import('../transports/stdio/spawn.ts')
  return spawnChannel
}
