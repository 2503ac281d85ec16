import { AuthError } from '../errors.ts'
import type { AuthorizationServer, GrantType } from '../types.ts'
import type { BearerChallenge } from './challenge.ts'
import type { MetadataFetch } from './metadata-document.ts'
import { canonicalResource, fetchResourceMetadata } from './resource-metadata.ts'
import { fetchLegacyServerMetadata, fetchServerMetadata } from './server-metadata.ts'

/** Where the tokens for a server come from. */
export interface DiscoveryResult {
  /** Its `issuer` has been verified. */
  readonly server: AuthorizationServer
  /** The `resource` parameter, exactly as it has to be sent. */
  readonly resource: string
  /** The scopes that the resource metadata lists, separated by spaces. */
  readonly scope: string | undefined
}

export interface DiscoveryOptions extends MetadataFetch {
  readonly endpoint: URL
  readonly challenge: BearerChallenge
  readonly chooseIssuer?: GrantType['chooseIssuer'] | undefined
}

/**
 * Discovers the authorization server of a protected server from the resource metadata. A server without metadata is treated as one of revision
 * 2025-03-26, which is its own authorization server, unless it says that it has metadata.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-server-discovery
 *
 * @throws AuthError `discovery_failed`, `resource_mismatch`, `issuer_mismatch`; whatever `fetch` throws.
 */
export async function discoverAuthorizationServer(options: DiscoveryOptions): Promise<DiscoveryResult> {
  const { endpoint, challenge, chooseIssuer } = options
  const metadata = await fetchResourceMetadata(endpoint, challenge, options)
  if (!metadata && challenge.resourceMetadata !== undefined)
    throw new AuthError('discovery_failed', `${endpoint.href} names metadata that is not usable`)
  if (!metadata) {
    const server = await fetchLegacyServerMetadata(endpoint, options)
    return { server, resource: canonicalResource(endpoint), scope: undefined }
  }
  const { resource, authorizationServers, scopes } = metadata
  const [first = ''] = authorizationServers
  const issuer = chooseIssuer ? chooseIssuer(authorizationServers) : first
  return { server: await fetchServerMetadata(issuer, options), resource, scope: scopes?.join(' ') }
}
