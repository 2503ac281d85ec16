import { isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import { MODERN_VERSIONS } from '../../../protocol/revisions.ts'
import { AuthError, type AuthErrorReason } from '../errors.ts'
import type { AuthFetch } from '../types.ts'

/** How to fetch metadata. */
export interface MetadataFetch {
  readonly fetch: AuthFetch
  readonly signal: AbortSignal
}

const [VERSION = ''] = MODERN_VERSIONS
const HEADERS = { accept: 'application/json', 'mcp-protocol-version': VERSION }

/**
 * Fetches a metadata document. Returns `undefined` if the URL has no document, or something other than a JSON object.
 *
 * @throws AuthError `discovery_failed` for a response with status 500 or higher; whatever `fetch` throws.
 */
async function fetchDocument(url: string, { fetch, signal }: MetadataFetch): Promise<JsonObject | undefined> {
  const response = await fetch(url, { headers: HEADERS, signal })
  if (response.status >= 500)
    throw new AuthError(
      'discovery_failed',
      `${new URL(url).origin} responded with HTTP ${response.status} to the request for its metadata`,
    )
  if (response.status !== 200) return undefined
  try {
    const document: unknown = await response.json()
    return isObject(document) ? document : undefined
  } catch {
    return undefined
  }
}

/** The places where a document can be, and how it is read. */
export interface DocumentSearch<T> {
  readonly urls: Iterable<string>
  /** Returns `undefined` for a document of another kind. @throws AuthError for one that must not be used. */
  read(document: JsonObject, url: string): T | undefined
}

/** Reasons to look in the next place. Metadata of another resource, or an address that must not be used, ends the search. */
const SKIPPED: ReadonlySet<AuthErrorReason> = new Set(['unreachable', 'discovery_failed', 'issuer_mismatch'])

/**
 * Returns the first document that can be used. Returns `undefined` if there is none.
 *
 * @throws AuthError, the first one, if there may be a document: a place did not respond as it should, or had a document that must not be used.
 */
export async function findDocument<T>({ urls, read }: DocumentSearch<T>, options: MetadataFetch): Promise<T | undefined> {
  let failure: AuthError | undefined
  for (const url of urls) {
    try {
      const document = await fetchDocument(url, options)
      const found = document && read(document, url)
      if (found !== undefined) return found
    } catch (error) {
      if (!(error instanceof AuthError) || !SKIPPED.has(error.reason)) throw error
      failure ??= error
    }
  }
  if (failure) throw failure
  return undefined
}

/** Returns the URL of a well-known document, whose name goes between the host and the path. */
export function wellKnownUrl(name: string, { origin, pathname }: URL): string {
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname.replace(/\/$/, '')}`
}
