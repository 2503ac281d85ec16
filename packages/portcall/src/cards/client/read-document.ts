import { errorMessage } from '../../../../util/src/errors.ts'
import { AuthError } from '../../auth/client/errors.ts'
import type { SafeFetch } from '../../auth/client/http/safe-fetch.ts'
import { exceedsDepth } from '../../jsonrpc/message.ts'
import { type CachedDocument, type DocumentCache, freshTtlOf } from './document-cache.ts'

/** How an attempt to read a document ended. */
export type DocumentOutcome =
  /** The document was read. */
  | 'found'
  /** There is none: the server refused the request, or sent a page. */
  | 'absent'
  /** It is not what it should be. */
  | 'invalid'
  /** The address must not be used: it is not https, or a private one. */
  | 'refused'
  /** There was no response, or it was too large or too late. */
  | 'unreachable'

/** A document, or why there is none. */
export interface DocumentReading {
  readonly outcome: DocumentOutcome
  /** Why there is no document. Remote text is not in it. */
  readonly reason?: string
  /** The parsed JSON. */
  readonly value?: unknown
}

/** Reads documents. */
export interface DocumentReader {
  /** Reads the JSON at a URL. Never rejects, except with the reason of the signal. */
  read(url: URL, accept: string): Promise<DocumentReading>
}

export interface DocumentReaderOptions {
  readonly fetch: SafeFetch['fetch']
  readonly signal: AbortSignal | undefined
  readonly cache: DocumentCache | undefined
  /** Separates the documents of callers that may reach different addresses. */
  readonly cacheKey: string
}

const MAX_DEPTH = 64
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i

/** Creates a reader. It sends the tags of documents that it knows, and remembers for a while which ones are absent. */
export function createDocumentReader({ fetch, signal, cache, cacheKey }: DocumentReaderOptions): DocumentReader {
  const load = async (url: URL, accept: string): Promise<CachedDocument> => {
    const key = JSON.stringify([cacheKey, url.href])
    const known = await cache?.get(key)
    if (known && Date.now() < known.freshUntil) return known
    const headers = { accept, ...(known?.etag !== undefined && { 'if-none-match': known.etag }) }
    const response = await fetch(url, { headers, signal })
    const freshUntil = Date.now() + freshTtlOf(response.headers.get('cache-control'))
    const { status } = response
    const document: CachedDocument =
      status === 304 && known
        ? { ...known, freshUntil }
        : {
            status,
            type: response.headers.get('content-type') ?? '',
            text: status === 200 ? await response.text() : '',
            etag: response.headers.get('etag') ?? undefined,
            freshUntil,
          }
    if (status < 500) await cache?.set(key, document)
    return document
  }
  return {
    async read(url, accept) {
      try {
        return parse(await load(url, accept))
      } catch (error) {
        signal?.throwIfAborted()
        const isRefused = error instanceof AuthError && error.reason === 'address_refused'
        return { outcome: isRefused ? 'refused' : 'unreachable', reason: errorMessage(error) }
      }
    },
  }
}

function parse({ status, type, text }: CachedDocument): DocumentReading {
  if (status !== 200) return { outcome: status >= 500 ? 'unreachable' : 'absent', reason: `HTTP ${status || 'redirect'}` }
  if (/^text\/html/i.test(type)) return { outcome: 'absent', reason: 'a page instead of JSON' }
  if (!JSON_TYPE.test(type)) return { outcome: 'invalid', reason: 'the content type is not JSON' }
  if (exceedsDepth(text, MAX_DEPTH)) return { outcome: 'invalid', reason: `nested deeper than ${MAX_DEPTH} levels` }
  try {
    return { outcome: 'found', value: JSON.parse(text) }
  } catch {
    return { outcome: 'invalid', reason: 'not JSON' }
  }
}
