import { pathOf } from '../../../../util/src/request-target.ts'
import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import type { Auth } from '../../jsonrpc/exchange.ts'
import type { HookRequest, HookResponse } from '../../protocol/http.ts'
import { InvalidTokenError, VerifierUnavailableError } from '../server/errors.ts'
import { documentResponse } from '../server/metadata.ts'
import type { Verifier } from '../server/types.ts'
import { JWT_ALGORITHMS } from '../server/verifiers/jwt.ts'
import { handleAuthorization, handleConsent } from './authorize.ts'
import { handleCallback } from './callback.ts'
import { CLIENT_AUTH_METHODS } from './client-metadata.ts'
import { createProxyContext, PATHS, type ProxyContext } from './context.ts'
import { errorResponse, jsonResponse, OAuthEndpointError, readJsonBody, textResponse } from './http.ts'
import { checkProxyOptions, type OAuthProxyOptions } from './options.ts'
import { handleRevocation, handleTokenRequest } from './token-endpoint.ts'
import { UpstreamRefusedError } from './upstream.ts'

/** A verifier that is also an authorization server, whose users sign in at an identity provider. */
export interface OAuthProxy extends Verifier {
  readonly issuers: readonly string[]
  readonly onRequest: NonNullable<Verifier['onRequest']>
  /**
   * Returns a fresh access token of the identity provider for the caller, to call the provider's API with.
   *
   * @throws InvalidTokenError if the user has to sign in again, VerifierUnavailableError if the identity provider does not respond.
   */
  upstreamToken(auth: Auth | undefined): Promise<string>
}

type Handler = (request: HookRequest, context: ProxyContext) => Promise<HookResponse>

interface Endpoint {
  /** By HTTP method. */
  readonly handlers: Readonly<Record<string, Handler>>
  readonly renderError: (error: OAuthEndpointError) => HookResponse
}

const renderText: Endpoint['renderError'] = ({ code, message, status }) => textResponse(`${message} (${code})`, status)

/** The endpoints by path. Clients receive errors as JSON, users as text. */
const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  [PATHS.authorize]: { handlers: { GET: handleAuthorization, POST: handleConsent }, renderError: renderText },
  [PATHS.callback]: { handlers: { GET: handleCallback }, renderError: renderText },
  [PATHS.token]: { handlers: { POST: handleTokenRequest }, renderError: errorResponse },
  [PATHS.register]: { handlers: { POST: handleRegistration }, renderError: errorResponse },
  [PATHS.revoke]: { handlers: { POST: handleRevocation }, renderError: errorResponse },
}
const MIN_UPSTREAM_TTL_MS = 30_000

/**
 * Turns the origin of the server into an authorization server whose users sign in at an identity provider. Use it for clients of 2025-03-26,
 * which expect the authorization server there, and for identity providers that do not let clients register. Clients register with the proxy or
 * publish a metadata document, users consent to each client, and the proxy issues its own tokens, so that those of the provider never leave it.
 * https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#2-10-third-party-authorization-flow
 *
 * @throws TypeError for an invalid resource or endpoint URL.
 *
 * @example
 * const proxy = oauthProxy({ resource, upstream, identify, store, sealingKeys })
 * await serve(server, protect({ resource, verify: proxy }))
 */
export function oauthProxy(options: OAuthProxyOptions): OAuthProxy {
  checkProxyOptions(options)
  const context = createProxyContext(options)
  const { issuer, grants, resource } = context
  const metadata = JSON.stringify(metadataOf(context))
  return {
    issuers: [issuer],
    async verify(token) {
      const access = await grants.findAccessToken(token)
      if (!access) return undefined
      const { clientId, subject, scopes, id } = access.grant
      const expiresAt = access.record.expiresAt / 1000
      return { issuer, audience: [resource.uri], subject, clientId, scopes, expiresAt, claims: { grant: id } }
    },
    onRequest(request) {
      const path = pathOf(request.target)
      if (path === PATHS.metadata) return documentResponse(request.method, metadata)
      return Object.hasOwn(ENDPOINTS, path) ? respond(path, request, context) : undefined
    },
    async upstreamToken(auth) {
      const id = auth?.issuer === issuer ? (auth.claims as { grant?: unknown } | undefined)?.grant : undefined
      const grant = typeof id === 'string' ? await grants.find(id) : undefined
      if (!grant) throw new InvalidTokenError('The user must sign in again')
      return context.tokenRefresher.freshTokens(grant, MIN_UPSTREAM_TTL_MS).then(
        ({ accessToken }) => accessToken,
        (error) => {
          throw error instanceof UpstreamRefusedError
            ? new InvalidTokenError('The user must sign in again', { cause: error })
            : error
        },
      )
    },
  }
}

/** Returns the authorization server metadata of the proxy (RFC 8414). */
function metadataOf({ issuer, scopes, options }: ProxyContext): object {
  const { dynamicRegistration = true, metadataDocuments = true } = options
  return {
    issuer,
    authorization_endpoint: issuer + PATHS.authorize,
    token_endpoint: issuer + PATHS.token,
    revocation_endpoint: issuer + PATHS.revoke,
    ...(dynamicRegistration && { registration_endpoint: issuer + PATHS.register }),
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: CLIENT_AUTH_METHODS,
    token_endpoint_auth_signing_alg_values_supported: JWT_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTH_METHODS,
    revocation_endpoint_auth_signing_alg_values_supported: JWT_ALGORITHMS,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: metadataDocuments !== false,
  }
}

async function respond(path: string, request: HookRequest, context: ProxyContext): Promise<HookResponse> {
  const { handlers, renderError } = ENDPOINTS[path] as Endpoint
  const handler = Object.hasOwn(handlers, request.method) ? handlers[request.method] : undefined
  if (!handler) return { status: 405, headers: { allow: Object.keys(handlers).join(', ') } }
  try {
    return await handler(request, context)
  } catch (error) {
    if (error instanceof OAuthEndpointError) return renderError(error)
    if (error instanceof VerifierUnavailableError)
      return renderError(new OAuthEndpointError('temporarily_unavailable', 'The identity provider does not respond', 503))
    throw error
  }
}

async function handleRegistration(request: HookRequest, { clients, lifetimes, now }: ProxyContext): Promise<HookResponse> {
  const { client, secret } = await clients.register(await readJsonBody(request))
  const { id, name, redirectUris, credentials } = client
  const { method, jwks, jwksUri } = credentials
  const registration = {
    client_id: id,
    client_id_issued_at: Math.floor(now() / 1000),
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    ...(secret !== undefined && {
      client_secret: secret,
      client_secret_expires_at: Math.floor((now() + lifetimes.clientTtlMs) / 1000),
    }),
    ...withoutUndefined({ jwks, jwks_uri: jwksUri }),
  }
  return jsonResponse(registration, 201)
}
