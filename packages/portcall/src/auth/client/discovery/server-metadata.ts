import type { JsonObject } from '../../../jsonrpc/message.ts'
import { AuthError } from '../errors.ts'
import type { AuthorizationServer } from '../types.ts'
import { fetchDocument, type MetadataFetch, readStrings, wellKnownUrl } from './metadata-document.ts'

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
 * Fetches the metadata of an authorization server (RFC 8414 or OpenID Connect Discovery), whose `issuer` has to equal the one requested.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-server-metadata-discovery
 *
 * @throws AuthError `discovery_failed`, `issuer_mismatch`; whatever `fetch` throws.
 */
export async function fetchServerMetadata(issuer: string, options: MetadataFetch): Promise<AuthorizationServer> {
  if (!URL.canParse(issuer)) throw new AuthError('discovery_failed', 'The identifier of the authorization server is not a URL')
  const server = await findMetadata(issuer, options)
  if (!server) throw new AuthError('discovery_failed', `${issuer} has no authorization server metadata`)
  if (server.issuer !== issuer)
    throw new AuthError('issuer_mismatch', `The metadata of ${issuer} belongs to another authorization server`)
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
  const server = await findMetadata(origin, options)
  if (!server) return defaultMetadata(origin)
  if (server.issuer !== origin && server.issuer !== `${origin}/`)
    throw new AuthError('issuer_mismatch', `The metadata of ${origin} belongs to another authorization server`)
  return server
}

async function findMetadata(issuer: string, options: MetadataFetch): Promise<AuthorizationServer | undefined> {
  const url = new URL(issuer)
  const hasPath = url.pathname !== '/'
  const candidates = [wellKnownUrl(OAUTH, url), wellKnownUrl(OPENID, url)]
  if (hasPath) candidates.push(`${url.origin}${url.pathname.replace(/\/$/, '')}/.well-known/${OPENID}`)
  for (const candidate of candidates) {
    const document = await fetchDocument(candidate, options)
    if (document) return parseMetadata(document)
  }
  return undefined
}

/** Reads the known members. A member with a wrong type counts as absent. */
function parseMetadata(document: JsonObject): AuthorizationServer {
  const server: Record<string, unknown> = { issuer: typeof document.issuer === 'string' ? document.issuer : '' }
  for (const name of STRING_MEMBERS) if (typeof document[name] === 'string') server[name] = document[name]
  for (const name of BOOLEAN_MEMBERS) if (typeof document[name] === 'boolean') server[name] = document[name]
  for (const name of LIST_MEMBERS) {
    const list = readStrings(document[name])
    if (list) server[name] = list
  }
  return server as unknown as AuthorizationServer
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
