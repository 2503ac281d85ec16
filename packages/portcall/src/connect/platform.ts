/** The parts of a client that depend on the platform, loaded on demand: a browser cannot start processes. */
import type { Channel } from '../jsonrpc/channel.ts'
import type { ProxySetting } from '../net/proxy-setting.ts'
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

/**
 * Loads the HTTP client of the platform. On Node, that is `node:http`, which takes a fifth of the time of `fetch`. Elsewhere, the platform
 * decides about proxies.
 *
 * @throws TypeError for a proxy that the platform cannot be told about; ProxyError when the setting is not the URL of a proxy.
 */
export async function loadHttpFetch(proxy: ProxySetting | undefined): Promise<HttpFetch> {
  if (!isNode) {
    if (proxy && proxy !== 'env') throw new TypeError('The option proxy works on Node only: pass a fetch that uses the proxy')
    return createWebFetch()
  }
  const { createNodeFetch } = await import('../transports/http/client/node-fetch.ts')
  return createNodeFetch(proxy)
}

/** Loads the function that starts processes. @throws Error on platforms without processes. */
export async function loadSpawn(): Promise<(options: SpawnOptions) => Channel> {
  if (!hasProcesses) throw new Error('This platform cannot start processes: connect to a URL instead')
  const { spawnChannel } = await import('../transports/stdio/spawn.ts')
  return spawnChannel
}
