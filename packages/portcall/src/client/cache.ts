import type { JsonObject } from '../jsonrpc/message.ts'
import type { MethodOf } from '../protocol/methods.ts'
import { openStore } from '../stores/open-store.ts'
import type { CacheOptions } from './options.ts'

/** Results that servers gave a lifetime. https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching */
export interface Cache {
  /** The result of a request: a kept one while it is fresh, else the one that `fetch` gets. */
  get(method: string, params: JsonObject, fetch: () => Promise<JsonObject>): Promise<JsonObject>
  /** Makes all that is kept of a method stale, or only what is kept of one resource. */
  drop(method: string, uri?: string): void
}

interface Kept {
  result: JsonObject
  freshUntil: number
}

/** Results come as they are; nothing is kept. */
export const NO_CACHE: Cache = { get: (_method, _params, fetch) => fetch(), drop: () => {} }

const STORE_TIMEOUT_MS = 1000
const MAX_COUNTS = 10_000
const READ = 'resources/read'

/**
 * Makes a cache. While its store fails, it is as if nothing were kept. What was dropped is never found again: each method, and each resource, counts its drops, and keys hold
 * the count.
 */
export function createCache(methodOf: MethodOf, options: CacheOptions = {}): Cache {
  const { storeTimeoutMs = STORE_TIMEOUT_MS, partition = '', staleOnErrorMs = 0 } = options
  const store = openStore(options.store, storeTimeoutMs)
  const drops = new Map<string, number>()
  const countOf = (name: string): number => drops.get(name) ?? 0
  const keyOf = (method: string, params: JsonObject): string => {
    const dropsOfUri = typeof params.uri === 'string' ? countOf(`${method} ${params.uri}`) : 0
    return JSON.stringify(['cache', partition, method, countOf(method), params, dropsOfUri])
  }

  /** Makes all resources stale instead of each, so that a server cannot make the counts grow for ever. */
  const forgetResources = (): void => {
    for (const name of drops.keys()) if (name.startsWith(`${READ} `)) drops.delete(name)
    drops.set(READ, countOf(READ) + 1)
  }

  return {
    async get(method, params, fetch) {
      if (!methodOf(method)?.cacheable || 'inputResponses' in params) return fetch()
      const key = keyOf(method, params)
      const text = await store.get(key).catch(() => undefined)
      const kept = text === undefined ? undefined : (JSON.parse(text) as Kept)
      if (kept && kept.freshUntil > Date.now()) return kept.result
      const result = await fetch().catch((error: unknown) => {
        if (kept) return undefined
        throw error
      })
      if (!result) return (kept as Kept).result
      const ttlMs = typeof result.ttlMs === 'number' && result.ttlMs > 0 ? result.ttlMs : 0
      if (ttlMs > 0)
        await store
          .set(key, JSON.stringify({ result, freshUntil: Date.now() + ttlMs }), { ttlMs: ttlMs + staleOnErrorMs })
          .catch(() => {})
      return result
    },
    drop(method, uri) {
      if (drops.size >= MAX_COUNTS) forgetResources()
      const name = uri === undefined ? method : `${method} ${uri}`
      drops.set(name, countOf(name) + 1)
    },
  }
}
