/** The endpoints for metadata, client registration, token introspection and token revocation. */
import { isLoopbackHost } from '../../../../../util/src/loopback-host.ts'
import { isUrl } from '../../../../../util/src/parse-url.ts'
import type { AuthorizationContext } from '../context.ts'
import { override } from '../faults.ts'
import type { MetadataLocation } from '../options.ts'
import { createJsonResponse, OAuthError, type OAuthRequest, type OAuthResponse, requireParameter } from '../request.ts'
import { authenticateClient, isConfidential } from './client-auth.ts'
import { GRANT_TYPES } from './token.ts'

const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']
const ALGORITHMS = ['ES256', 'RS256', 'EdDSA']

/** Returns the authorization server metadata ([RFC 8414 §2](https://www.rfc-editor.org/rfc/rfc8414#section-2)). */
export function createMetadata({ issuer, options, faults }: AuthorizationContext): Record<string, unknown> {
  const { algorithm = 'ES256', dynamicRegistration, metadataDocuments, scopes } = options
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    registration_endpoint: dynamicRegistration === false ? undefined : `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    introspection_endpoint: `${issuer}/introspect`,
    device_authorization_endpoint: `${issuer}/device_authorization`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    grant_types_supported: GRANT_TYPES,
    authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    token_endpoint_auth_signing_alg_values_supported: ALGORITHMS,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: metadataDocuments !== false,
    dpop_signing_alg_values_supported: ALGORITHMS,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
  }
  return override<unknown>(metadata, faults().metadata)
}

/** Returns the path of a metadata location, for an issuer with the given path. */
export function metadataPath(location: MetadataLocation, issuerPath: string): string {
  if (location === 'oauth') return `/.well-known/oauth-authorization-server${issuerPath}`
  if (location === 'openid') return `/.well-known/openid-configuration${issuerPath}`
  return location === 'openid-appended' ? `${issuerPath}/.well-known/openid-configuration` : location
}

/** Registers a client ([RFC 7591 §3](https://www.rfc-editor.org/rfc/rfc7591#section-3)). */
export async function serveRegistration({ body }: OAuthRequest, { clients }: AuthorizationContext): Promise<OAuthResponse> {
  if (typeof body !== 'object' || body === null) throw new OAuthError('invalid_client_metadata', 'A JSON object is required')
  const metadata = body as Readonly<Record<string, unknown>>
  const uris = metadata['redirect_uris'] ?? []
  if (!Array.isArray(uris)) throw new OAuthError('invalid_redirect_uri', 'redirect_uris must be an array')
  for (const uri of uris) {
    if (!isAllowedRedirectUri(uri, metadata['application_type']))
      throw new OAuthError('invalid_redirect_uri', `${uri} is not allowed`)
  }
  return createJsonResponse(clients.register(metadata), { status: 201 })
}

/**
 * Web clients need HTTPS; only native clients may use localhost
 * ([OpenID Connect Registration §2](https://openid.net/specs/openid-connect-registration-1_0.html#ClientMetadata)).
 */
function isAllowedRedirectUri(uri: unknown, applicationType: unknown = 'web'): boolean {
  if (typeof uri !== 'string' || !isUrl(uri)) return false
  const { protocol, hostname } = new URL(uri)
  if (protocol === 'https:') return !isLoopbackHost(hostname)
  return protocol === 'http:' && isLoopbackHost(hostname) && applicationType === 'native'
}

/** Describes a token to a confidential client ([RFC 7662 §2](https://www.rfc-editor.org/rfc/rfc7662#section-2)). */
export async function serveIntrospection(request: OAuthRequest, context: AuthorizationContext): Promise<OAuthResponse> {
  const client = await authenticateClient(request, context)
  if (!isConfidential(client)) throw new OAuthError('unauthorized_client', 'Only confidential clients may introspect tokens')
  const token = context.tokens.find(requireParameter(request, 'token'))
  if (!token) return createJsonResponse({ active: false })
  return createJsonResponse({
    active: true,
    iat: token.issuedAt,
    exp: token.expiresAt,
    ...token.claims,
    ...(token.kind === 'access' && { token_type: token.grant.jkt === undefined ? 'Bearer' : 'DPoP' }),
  })
}

/** Revokes a token of the client ([RFC 7009 §2](https://www.rfc-editor.org/rfc/rfc7009#section-2)). Ignores tokens of other clients. */
export async function serveRevocation(request: OAuthRequest, context: AuthorizationContext): Promise<OAuthResponse> {
  const client = await authenticateClient(request, context)
  const token = requireParameter(request, 'token')
  if (context.tokens.find(token)?.grant.clientId === client.client_id) context.tokens.revoke(token)
  return { status: 200 }
}
