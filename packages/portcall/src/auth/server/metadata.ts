import { pathOf } from '../../../../util/src/request-target.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { HookResponse, RequestHead } from '../../protocol/http.ts'
import type { ProtectedResource } from './resource.ts'

/** How long metadata may be cached. */
const MAX_AGE_S = 300

/** The content of the protected resource metadata (RFC 9728, section 2). */
export interface MetadataOptions {
  readonly authorizationServers: readonly string[]
  readonly scopesSupported: readonly string[]
  /** The signing algorithms of DPoP proofs. Absent without DPoP. */
  readonly dpopAlgorithms?: readonly string[] | undefined
  readonly dpopRequired?: boolean | undefined
  /** Additional members, such as `resource_name` and `resource_documentation`. */
  readonly metadata?: JsonObject | undefined
}

/**
 * Creates the hook that serves the metadata of a resource at both well-known paths. It serves nothing if there is no authorization server.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#protected-resource-metadata-discovery-requirements
 */
export function createMetadataHook(
  { uri, metadataPaths }: ProtectedResource,
  options: MetadataOptions,
): (request: RequestHead) => HookResponse | undefined {
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
    return documentResponse(method, document)
  }
}

/** Responds to a request for a public JSON document. */
export function documentResponse(method: string, document: string): HookResponse {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: { allow: 'GET, HEAD' } }
  const headers = { 'content-type': 'application/json', 'cache-control': `public, max-age=${MAX_AGE_S}` }
  return { status: 200, headers, body: document }
}
