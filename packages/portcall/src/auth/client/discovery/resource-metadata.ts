import { parseUrl } from '../../../../../util/src/parse-url.ts'
import { isStrictUrl } from '../../../../../util/src/strict-url.ts'
import type { JsonObject } from '../../../jsonrpc/message.ts'
import { readList } from '../../members.ts'
import { AuthError } from '../errors.ts'
import type { BearerChallenge } from './challenge.ts'
import { type DocumentSearch, findDocument, type MetadataFetch, wellKnownUrl } from './metadata-document.ts'

/** The metadata of a protected resource (RFC 9728). */
export interface ResourceMetadata {
  /** Verbatim, because it is sent to the authorization server in this form. */
  readonly resource: string
  readonly authorizationServers: readonly string[]
  readonly scopes: readonly string[] | undefined
}

const NAME = 'oauth-protected-resource'

/**
 * Fetches the metadata of a protected server from the URLs in its challenge, else from the two well-known URLs. Skips URLs without usable
 * metadata. Returns `undefined` if there is none.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#protected-resource-metadata-discovery-requirements
 *
 * @throws AuthError `resource_mismatch` if it describes another resource, `discovery_failed` if it names no authorization server.
 */
export function fetchResourceMetadata(
  endpoint: URL,
  challenge: BearerChallenge,
  options: MetadataFetch,
): Promise<ResourceMetadata | undefined> {
  const search: DocumentSearch<ResourceMetadata> = {
    urls: candidateUrls(endpoint, challenge),
    read: (document, url) => readMetadata(document, endpoint, url),
  }
  return findDocument(search, options)
}

const MAX_ADVERTISED = 3

/** Relative URLs refer to the endpoint. */
function candidateUrls(endpoint: URL, { resourceMetadata, otherResourceMetadata = [] }: BearerChallenge): ReadonlySet<string> {
  const advertised = (resourceMetadata === undefined ? [] : [resourceMetadata, ...otherResourceMetadata]).slice(0, MAX_ADVERTISED)
  const urls = advertised.flatMap((url) => parseUrl(url, endpoint)?.href ?? [])
  return new Set([...urls, wellKnownUrl(NAME, endpoint), wellKnownUrl(NAME, new URL('/', endpoint))])
}

/** Returns `undefined` for a document that is something else, such as the error of a gateway. */
function readMetadata(document: JsonObject, endpoint: URL, url: string): ResourceMetadata | undefined {
  const { resource, authorization_servers } = document
  if (resource === undefined && authorization_servers === undefined) return undefined
  if (typeof resource !== 'string' || !describesEndpoint(resource, endpoint, url))
    throw new AuthError('resource_mismatch', `The metadata of ${endpoint.href} describes another resource: ${truncate(resource)}`)
  const authorizationServers = readList(authorization_servers)
  if (!authorizationServers?.length)
    throw new AuthError('discovery_failed', `The metadata of ${endpoint.href} names no authorization server`)
  return { resource, authorizationServers, scopes: readList(document.scopes_supported) }
}

/**
 * Reports whether a resource is the endpoint. A resource that contains the endpoint is accepted if the metadata comes from the same origin,
 * whose owner controls both.
 */
function describesEndpoint(resource: string, endpoint: URL, url: string): boolean {
  if (!isStrictUrl(resource)) return false
  const named = new URL(resource)
  if (named.origin !== endpoint.origin) return false
  const [endpointPath, path] = [withoutSlash(endpoint.pathname), withoutSlash(named.pathname)]
  if (endpointPath === path && named.search === endpoint.search) return true
  return named.search === '' && `${endpointPath}/`.startsWith(`${path}/`) && new URL(url).origin === endpoint.origin
}

const withoutSlash = (path: string): string => path.replace(/\/$/, '')

/** Returns the JSON text of a foreign value, short enough for an error message. */
function truncate(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 200) ?? 'none'
}

/**
 * Returns the resource identifier of a server without metadata: its URL without the fragment and without a trailing slash.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#canonical-server-uri
 */
export function canonicalResource(endpoint: URL): string {
  return endpoint.origin + withoutSlash(endpoint.pathname) + endpoint.search
}
