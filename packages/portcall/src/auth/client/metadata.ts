import type { JsonObject } from '../../jsonrpc/message.ts'
import { type Reading, readDocument, stringsOf, wellKnown } from './documents.ts'
import { AuthError } from './errors.ts'
import type { AuthorizationServer } from './types.ts'

const OAUTH = 'oauth-authorization-server'
const OPENID = 'openid-configuration'

const TEXTS = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'device_authorization_endpoint',
  'revocation_endpoint',
] as const
const LISTS = [
  'scopes_supported',
  'grant_types_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'code_challenge_methods_supported',
  'dpop_signing_alg_values_supported',
] as const
const FLAGS = ['client_id_metadata_document_supported', 'authorization_response_iss_parameter_supported'] as const

/**
 * Fetches the metadata of an authorization server, in the forms of RFC 8414 and of OpenID Connect Discovery, and checks that it is its own:
 * the `issuer` in it has to be the one that was asked for, to the letter.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-server-metadata-discovery
 *
 * @throws AuthError `discovery_failed`, `issuer_mismatch`; what `fetch` throws.
 */
export async function readMetadata(issuer: string, reading: Reading): Promise<AuthorizationServer> {
  if (!URL.canParse(issuer))
    throw new AuthError('discovery_failed', 'The authorization server is named by something that is no address')
  const found = await findMetadata(issuer, reading)
  if (!found) throw new AuthError('discovery_failed', `${issuer} has no metadata of an authorization server`)
  if (found.issuer !== issuer)
    throw new AuthError('issuer_mismatch', `The metadata of ${issuer} is that of another authorization server`)
  return found
}

/**
 * The authorization server that a server of revision 2025-03-26 is itself: with metadata at its origin, or with endpoints at default paths.
 * https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#2-3-3-fallbacks-for-servers-without-metadata-discovery
 *
 * @throws AuthError `issuer_mismatch`; what `fetch` throws.
 */
export async function readOwnMetadata(endpoint: URL, reading: Reading): Promise<AuthorizationServer> {
  const { origin } = endpoint
  const found = await findMetadata(origin, reading)
  if (!found) return defaultMetadata(origin)
  if (found.issuer !== origin && found.issuer !== `${origin}/`)
    throw new AuthError('issuer_mismatch', `The metadata of ${origin} is that of another authorization server`)
  return found
}

async function findMetadata(issuer: string, reading: Reading): Promise<AuthorizationServer | undefined> {
  const url = new URL(issuer)
  const hasPath = url.pathname !== '/'
  const places = [wellKnown(OAUTH, url), wellKnown(OPENID, url)]
  if (hasPath) places.push(`${url.origin}${url.pathname.replace(/\/$/, '')}/.well-known/${OPENID}`)
  for (const place of places) {
    const document = await readDocument(place, reading)
    if (document) return readServer(document)
  }
  return undefined
}

/** Takes what is known and of the right kind; the rest counts as absent. */
function readServer(document: JsonObject): AuthorizationServer {
  const server: Record<string, unknown> = { issuer: typeof document.issuer === 'string' ? document.issuer : '' }
  for (const name of TEXTS) if (typeof document[name] === 'string') server[name] = document[name]
  for (const name of FLAGS) if (typeof document[name] === 'boolean') server[name] = document[name]
  for (const name of LISTS) {
    const list = stringsOf(document[name])
    if (list) server[name] = list
  }
  return server as unknown as AuthorizationServer
}

/** That revision demands PKCE, so its support needs not be told. */
function defaultMetadata(origin: string): AuthorizationServer {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
  }
}
