/** The parts of a client that depend on the platform, loaded on demand: a browser cannot start processes. */
import { IS_PROCESS, RUNTIME } from '../../../util/src/runtime.ts'
import type { Channel } from '../jsonrpc/channel.ts'
import type { ProxySetting } from '../net/proxy-setting.ts'
import type { HttpFetch } from '../transports/http/client/types.ts'
import { createWebFetch } from '../transports/http/client/web-fetch.ts'
import type { SpawnOptions } from '../transports/stdio/spawn.ts'

/**
 * Loads the HTTP client of the platform. On Node, that is `node:http`, which takes a fifth of the time of `fetch`. Elsewhere, the platform
 * decides about proxies.
 *
 * @throws TypeError for a proxy that the platform cannot be told about; ProxyError when the setting is not the URL of a proxy.
 */
export async function loadHttpFetch(proxy: ProxySetting | undefined): Promise<HttpFetch> {
  if (RUNTIME !== 'node') {
    if (proxy && proxy !== 'env') throw new TypeError('The option proxy works on Node only: pass a fetch that uses the proxy')
    return createWebFetch()
  }
  const { createNodeFetch } = await import('../transports/http/client/node-fetch.ts')
  return createNodeFetch(proxy)
}

/** Loads the function that starts processes. @throws Error on platforms without processes. */
export async function loadSpawn(): Promise<(options: SpawnOptions) => Channel> {
  if (!IS_PROCESS) throw new Error('This platform cannot start processes: connect to a URL instead')
  const { spawnChannel } = await import('../transports/stdio/spawn.ts')
  return spawnChannel
}
