import type { Endpoint } from './endpoint.ts'
import type { Legacy } from './legacy-half.ts'
import type { SharedOptions } from './shared/site.ts'

/** Serves legacy clients with sessions that rest in stores; the code for it is loaded with the first of them. */
export function createLateSessions(endpoint: Endpoint, options: SharedOptions): Legacy {
  let loading: Promise<Legacy> | undefined
  let loaded: Legacy | undefined
  const load = (): Promise<Legacy> =>
    (loading ??= import('./shared/sessions.ts').then(({ createSharedSessions }) => {
      loaded = createSharedSessions(endpoint, options)
      return loaded
    }))

  return {
    post: async (received, visit) => (loaded ?? (await load())).post(received, visit),
    batch: async (values, visit) => (loaded ?? (await load())).batch(values, visit),
    get: async (visit) => (loaded ?? (await load())).get(visit),
    remove: async (visit) => (loaded ?? (await load())).remove(visit),
    drain: () => loaded?.drain(),
    close: async () => (loading ? (await loading).close() : undefined),
  }
}
