import { isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import { MODERN_VERSIONS } from '../../../protocol/revisions.ts'
import { AuthError } from '../errors.ts'
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
export async function fetchDocument(url: string, { fetch, signal }: MetadataFetch): Promise<JsonObject | undefined> {
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

/** Returns a member if it is a list of strings. */
export function readStrings(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined
}

/** Returns the URL of a well-known document, whose name goes between the host and the path. */
export function wellKnownUrl(name: string, { origin, pathname }: URL): string {
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname.replace(/\/$/, '')}`
}
