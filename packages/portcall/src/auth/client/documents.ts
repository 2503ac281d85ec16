import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { MODERN_VERSIONS } from '../../protocol/revisions.ts'
import { AuthError } from './errors.ts'
import type { AuthFetch } from './types.ts'

/** What fetches metadata. */
export interface Reading {
  readonly fetch: AuthFetch
  readonly signal: AbortSignal
}

const [VERSION = ''] = MODERN_VERSIONS
const HEADERS = { accept: 'application/json', 'mcp-protocol-version': VERSION }

/**
 * Fetches a document of metadata. Nothing when there is none at that address, also when something else is there.
 *
 * @throws AuthError `discovery_failed` when the server that may have it is out of order; what `fetch` throws.
 */
export async function readDocument(url: string, { fetch, signal }: Reading): Promise<JsonObject | undefined> {
  const response = await fetch(url, { headers: HEADERS, signal })
  if (response.status >= 500)
    throw new AuthError(
      'discovery_failed',
      `${new URL(url).origin} answered with HTTP ${response.status} to the request for its metadata`,
    )
  if (response.status !== 200) return undefined
  try {
    const document: unknown = await response.json()
    return isObject(document) ? document : undefined
  } catch {
    return undefined
  }
}

/** Reads a member that is to be a list of strings. */
export function stringsOf(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined
}

/** The address of a well-known document: its name goes between the host and the path. */
export function wellKnown(name: string, { origin, pathname }: URL): string {
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname.replace(/\/$/, '')}`
}
