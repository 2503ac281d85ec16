import type { ClusterOptions } from './cluster/node.ts'
import type { HttpEndpoint } from './endpoint.ts'
import type { HttpOptions } from './options.ts'
import { createLocalBackend } from './sessions/local-backend.ts'
import { createSessionHandler } from './sessions/session-handler.ts'
import { createStatelessHandler } from './stateless.ts'
import type { LegacyHandler } from './types.ts'

/** Creates the handler that the `legacy` option selects. Returns undefined if it is off. */
export function createLegacyHandler(endpoint: HttpEndpoint, options: HttpOptions): LegacyHandler | undefined {
  const { legacy = 'sessions', stores, isIdempotent = () => false } = options
  if (legacy === 'off') return undefined
  if (legacy === 'stateless') return createStatelessHandler(endpoint)
  if (stores) return loadOnDemand(endpoint, { stores, isIdempotent })
  return createSessionHandler(endpoint, createLocalBackend(endpoint, options))
}

/** Creates a handler with sessions in shared stores. Its code is loaded with the first request of a legacy client. */
function loadOnDemand(endpoint: HttpEndpoint, options: ClusterOptions): LegacyHandler {
  let loading: Promise<LegacyHandler> | undefined
  let loaded: LegacyHandler | undefined
  const load = (): Promise<LegacyHandler> =>
    (loading ??= import('./cluster/cluster-backend.ts').then(({ createClusterHandler }) => {
      loaded = createClusterHandler(endpoint, options)
      return loaded
    }))

  return {
    post: async (received, context) => (loaded ?? (await load())).post(received, context),
    batch: async (values, context) => (loaded ?? (await load())).batch(values, context),
    get: async (context) => (loaded ?? (await load())).get(context),
    delete: async (context) => (loaded ?? (await load())).delete(context),
    sessionCount: () => loaded?.sessionCount() ?? 0,
    drain: () => loaded?.drain(),
    close: async () => (loading ? (await loading).close() : undefined),
  }
}
