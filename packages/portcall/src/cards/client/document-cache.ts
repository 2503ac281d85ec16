import { createMemoryStore } from '../../stores/memory/store.ts'

/** A document that was fetched, or the fact that there is none. */
export interface CachedDocument {
  /** The HTTP status: 200, or that of a document that is absent. */
  readonly status: number
  readonly type: string
  readonly text: string
  readonly etag?: string | undefined
  /** When it has to be fetched again, in milliseconds since 1970. */
  readonly freshUntil: number
}

/** The documents of domains. They are kept beyond their time, so that a server can confirm them by their tag. */
export interface DocumentCache {
  get(key: string): Promise<CachedDocument | undefined>
  set(key: string, document: CachedDocument): Promise<void>
}

const MAX_DOCUMENTS = 200
const MAX_BYTES = 16 * 1024 * 1024
const KEPT_TTL_MS = 24 * 3_600_000
const MAX_FRESH_TTL_MS = KEPT_TTL_MS
/** How long a document without caching headers is fresh, and how long one is considered absent. */
const DEFAULT_FRESH_TTL_MS = 5 * 60_000

/** Creates a cache in memory. */
export function createDocumentCache(): DocumentCache {
  const store = createMemoryStore({ maxEntries: MAX_DOCUMENTS, maxBytes: MAX_BYTES })
  return {
    async get(key) {
      const text = await store.get(key)
      return text === undefined ? undefined : (JSON.parse(text) as CachedDocument)
    },
    async set(key, document) {
      // A document that does not fit is fetched again.
      await store.set(key, JSON.stringify(document), { ttlMs: KEPT_TTL_MS }).catch(() => {})
    },
  }
}

/** Returns how long a response may be used, by its `Cache-Control`. */
export function freshTtlOf(cacheControl: string | null): number {
  if (cacheControl === null) return DEFAULT_FRESH_TTL_MS
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return 0
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(cacheControl)?.[1]
  return seconds === undefined ? DEFAULT_FRESH_TTL_MS : Math.min(Number(seconds) * 1000, MAX_FRESH_TTL_MS)
}
