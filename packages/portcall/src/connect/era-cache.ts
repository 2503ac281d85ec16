import { setLru } from '../../../util/src/lru.ts'

/** `modern`: stateless revisions. `legacy`: revisions with a handshake. `http+sse`: legacy, over the HTTP+SSE transport. */
export type Era = 'modern' | 'legacy' | 'http+sse'

const MAX_ENTRIES = 1000
/** The detected eras, for the lifetime of the process. A server whose era is cached is not probed again. */
const eras = new Map<string, Era>()

export function cachedEra(server: string): Era | undefined {
  return eras.get(server)
}

export function cacheEra(server: string, era: Era): void {
  setLru(eras, [server, era], MAX_ENTRIES)
}

export function forgetEra(server: string): void {
  eras.delete(server)
}

export function clearEraCache(): void {
  eras.clear()
}
