import { normalUri } from '../../../util/src/normal-uri.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { MethodLookup } from '../protocol/methods.ts'
import { openStore } from '../stores/open-store.ts'
import type { CacheOptions } from './options.ts'

/** A cache of results that have a `ttlMs`. https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching */
export interface Cache {
  /** Returns the cached result while it is fresh, else the result of `fetch`. */
  get(method: string, params: JsonObject, fetch: () => Promise<JsonObject>): Promise<JsonObject>
  /** Invalidates all results of a method, or those of one resource. */
  invalidate(method: string, uri?: string): void
}

interface CacheEntry {
  result: JsonObject
  freshUntil: number
}

/** A cache that stores nothing. */
export const NO_CACHE: Cache = { get: (_method, _params, fetch) => fetch(), invalidate: () => {} }

const STORE_TIMEOUT_MS = 1000
const MAX_GENERATIONS = 10_000
const READ = 'resources/read'

/**
 * Creates a cache. While its store fails, every lookup is a miss. Each method and each resource has a generation number that is part of the
 * key: invalidation increments it, so older entries are never found again.
 */
export function createCache(methodOf: MethodLookup, options: CacheOptions = {}): Cache {
  const { storeTimeoutMs = STORE_TIMEOUT_MS, partition = '', staleIfErrorTtlMs = 0 } = options
  const store = openStore(options.store, storeTimeoutMs)
  const generations = new Map<string, number>()
  const generationOf = (name: string): number => generations.get(name) ?? 0
  const keyOf = (method: string, params: JsonObject): string => {
    const uriGeneration = typeof params.uri === 'string' ? generationOf(`${method} ${normalUri(params.uri)}`) : 0
    return JSON.stringify(['cache', partition, method, generationOf(method), params, uriGeneration])
  }

  /** Invalidates all resources at once and drops their generations, so that a server cannot make the map grow without limit. */
  const invalidateResources = (): void => {
    for (const name of generations.keys()) if (name.startsWith(`${READ} `)) generations.delete(name)
    generations.set(READ, generationOf(READ) + 1)
  }

  return {
    async get(method, params, fetch) {
      if (!methodOf(method)?.cacheable || 'inputResponses' in params) return fetch()
      const key = keyOf(method, params)
      const text = await store.get(key).catch(() => undefined)
      const entry = text === undefined ? undefined : (JSON.parse(text) as CacheEntry)
      if (entry && entry.freshUntil > Date.now()) return entry.result
      const result = await fetch().catch((error: unknown) => {
        if (entry) return undefined
        throw error
      })
      if (!result) return (entry as CacheEntry).result
      const ttlMs = typeof result.ttlMs === 'number' && result.ttlMs > 0 ? result.ttlMs : 0
      if (ttlMs > 0)
        await store
          .set(key, JSON.stringify({ result, freshUntil: Date.now() + ttlMs }), { ttlMs: ttlMs + staleIfErrorTtlMs })
          .catch(() => {})
      return result
    },
    invalidate(method, uri) {
      if (generations.size >= MAX_GENERATIONS) invalidateResources()
      const name = uri === undefined ? method : `${method} ${normalUri(uri)}`
      generations.set(name, generationOf(name) + 1)
    },
  }
}
