import type { JsonObject } from '../../jsonrpc/message.ts'
import { pathOf, type Resource } from './resource.ts'
import type { Page, ResourceRequest } from './types.ts'

/** How long clients and caches may keep metadata. */
const MAX_AGE_S = 300

/** What the metadata of a protected resource says (RFC 9728, section 2). */
export interface MetadataOptions {
  readonly authorizationServers: readonly string[]
  readonly scopesSupported: readonly string[]
  /** The signing algorithms of proofs; without them, there is no DPoP. */
  readonly dpopAlgorithms?: readonly string[] | undefined
  readonly dpopRequired?: boolean | undefined
  /** More members, such as `resource_name` and `resource_documentation`. */
  readonly metadata?: JsonObject | undefined
}

/**
 * Makes what answers with the metadata of a resource, at both places where clients look for it; nothing where no authorization server issues
 * tokens. https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#protected-resource-metadata-discovery-requirements
 */
export function createMetadata(
  { uri, metadataPaths }: Resource,
  options: MetadataOptions,
): (request: ResourceRequest) => Page | undefined {
  const { authorizationServers, scopesSupported, dpopAlgorithms, dpopRequired, metadata } = options
  const document = JSON.stringify({
    resource: uri,
    authorization_servers: authorizationServers,
    ...(scopesSupported.length > 0 && { scopes_supported: scopesSupported }),
    bearer_methods_supported: ['header'],
    ...(dpopAlgorithms && { dpop_signing_alg_values_supported: dpopAlgorithms }),
    ...(dpopRequired && { dpop_bound_access_tokens_required: true }),
    ...metadata,
  })
  return ({ method, target }) => {
    if (authorizationServers.length === 0 || !metadataPaths.includes(pathOf(target))) return undefined
    return documentPage(method, document)
  }
}

/** The answer to a request for a public JSON document. */
export function documentPage(method: string, document: string): Page {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: { allow: 'GET, HEAD' } }
  const headers = { 'content-type': 'application/json', 'cache-control': `public, max-age=${MAX_AGE_S}` }
  return { status: 200, headers, body: document }
}
