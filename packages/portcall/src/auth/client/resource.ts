import type { JsonObject } from '../../jsonrpc/message.ts'
import { type Reading, readDocument, stringsOf, wellKnown } from './documents.ts'
import { AuthError } from './errors.ts'

/** What a protected resource says of itself (RFC 9728). */
export interface ProtectedResource {
  /** Verbatim: it is sent to the authorization server in this form. */
  readonly resource: string
  readonly authorizationServers: readonly string[]
  readonly scopes: readonly string[] | undefined
}

const NAME = 'oauth-protected-resource'

/**
 * Fetches the metadata of a protected server: from where its challenge says, else from the two well-known places. Nothing when it has none.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#protected-resource-metadata-discovery-requirements
 *
 * @throws AuthError `resource_mismatch` when it is about something else, `discovery_failed` when it names no authorization server.
 */
export async function readResource(
  endpoint: URL,
  challenged: string | undefined,
  reading: Reading,
): Promise<ProtectedResource | undefined> {
  for (const place of places(endpoint, challenged)) {
    const document = await readDocument(place, reading)
    if (document) return checkResource(document, endpoint, place)
  }
  return undefined
}

function places(endpoint: URL, challenged: string | undefined): Set<string> {
  const given = challenged !== undefined && URL.canParse(challenged) ? [challenged] : []
  return new Set([...given, wellKnown(NAME, endpoint), wellKnown(NAME, new URL('/', endpoint))])
}

function checkResource(document: JsonObject, endpoint: URL, place: string): ProtectedResource {
  const { resource } = document
  if (typeof resource !== 'string' || !isAbout(resource, endpoint, place))
    throw new AuthError('resource_mismatch', `The metadata of ${endpoint.href} is about another resource: ${shorten(resource)}`)
  const authorizationServers = stringsOf(document.authorization_servers)
  if (!authorizationServers?.length)
    throw new AuthError('discovery_failed', `The metadata of ${endpoint.href} names no authorization server`)
  return { resource, authorizationServers, scopes: stringsOf(document.scopes_supported) }
}

/**
 * Whether a resource is the endpoint. Servers also name what the endpoint is a part of; this is believed when it was fetched from the same
 * origin, whose owner decides over both.
 */
function isAbout(resource: string, endpoint: URL, place: string): boolean {
  if (!URL.canParse(resource)) return false
  const named = new URL(resource)
  if (named.origin !== endpoint.origin || resource.includes('#')) return false
  const [whole, part] = [withoutSlash(endpoint.pathname), withoutSlash(named.pathname)]
  if (whole === part && named.search === endpoint.search) return true
  return named.search === '' && `${whole}/`.startsWith(`${part}/`) && new URL(place).origin === endpoint.origin
}

const withoutSlash = (path: string): string => path.replace(/\/$/, '')

/** What strangers wrote, as far as it may be shown. */
function shorten(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 200) ?? 'it names none'
}

/**
 * The name of a server that does not tell its own: its address without fragment, without a slash at the end.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#canonical-server-uri
 */
export function canonicalResource(endpoint: URL): string {
  return endpoint.origin + withoutSlash(endpoint.pathname) + endpoint.search
}
