import { isSameIssuer } from '../../../../../util/src/issuer.ts'
import { isUrl } from '../../../../../util/src/parse-url.ts'
import type { JsonObject } from '../../../jsonrpc/message.ts'
import { readFlag, readList, readText } from '../../members.ts'
import { AuthError } from '../errors.ts'
import type { AuthorizationServer } from '../types.ts'
import { findDocument, type MetadataFetch, wellKnownUrl } from './metadata-document.ts'

const OAUTH = 'oauth-authorization-server'
const OPENID = 'openid-configuration'

const STRING_MEMBERS = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'device_authorization_endpoint',
  'revocation_endpoint',
] as const
const LIST_MEMBERS = [
  'scopes_supported',
  'grant_types_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'code_challenge_methods_supported',
  'dpop_signing_alg_values_supported',
] as const
const BOOLEAN_MEMBERS = ['client_id_metadata_document_supported', 'authorization_response_iss_parameter_supported'] as const

/**
 * Fetches the metadata of an authorization server (RFC 8414 or OpenID Connect Discovery), whose `issuer` has to be the one requested. Skips
 * documents that are not its metadata.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-server-metadata-discovery
 *
 * @throws AuthError `discovery_failed`, `issuer_mismatch`; whatever `fetch` throws.
 */
export async function fetchServerMetadata(issuer: string, options: MetadataFetch): Promise<AuthorizationServer> {
  if (!isUrl(issuer)) throw new AuthError('discovery_failed', 'The identifier of the authorization server is not a URL')
  const server = await findMetadata(issuer, options)
  if (!server) throw new AuthError('discovery_failed', `${issuer} has no authorization server metadata`)
  return server
}

/**
 * Fetches the metadata of a server of revision 2025-03-26, which is its own authorization server, from its origin. Without metadata, the
 * endpoints are at default paths.
 * https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#2-3-3-fallbacks-for-servers-without-metadata-discovery
 *
 * @throws AuthError `issuer_mismatch`; whatever `fetch` throws.
 */
export async function fetchLegacyServerMetadata(endpoint: URL, options: MetadataFetch): Promise<AuthorizationServer> {
  const { origin } = endpoint
  return (await findMetadata(origin, options)) ?? defaultMetadata(origin)
}

function findMetadata(issuer: string, options: MetadataFetch): Promise<AuthorizationServer | undefined> {
  const url = new URL(issuer)
  const hasPath = url.pathname !== '/'
  const urls = [wellKnownUrl(OAUTH, url), wellKnownUrl(OPENID, url)]
  if (hasPath) urls.push(`${url.origin}${url.pathname.replace(/\/$/, '')}/.well-known/${OPENID}`)
  return findDocument({ urls, read: (document) => readMetadata(document, issuer) }, options)
}

/**
 * Reads the known members. A member with a wrong type counts as absent. The issuer is kept as the server writes it.
 */
function readMetadata(document: JsonObject, issuer: string): AuthorizationServer {
  if (typeof document.issuer !== 'string' || !isSameIssuer(document.issuer, issuer))
    throw new AuthError('issuer_mismatch', `The metadata of ${issuer} belongs to another authorization server`)
  const members = [
    ...STRING_MEMBERS.map((name) => [name, readText(document[name])] as const),
    ...BOOLEAN_MEMBERS.map((name) => [name, readFlag(document[name])] as const),
    ...LIST_MEMBERS.map((name) => [name, readList(document[name])] as const),
  ]
  return { issuer: document.issuer, ...Object.fromEntries(members.filter(([, value]) => value !== undefined)) }
}

/** PKCE counts as supported, because that revision requires it. */
function defaultMetadata(origin: string): AuthorizationServer {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
  }
}
