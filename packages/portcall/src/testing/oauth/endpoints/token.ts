import { toBase64url } from '../../../../../util/src/base64url.ts'
import { randomId } from '../../../../../util/src/random.ts'
import type { AuthorizationContext } from '../context.ts'
import { override } from '../faults.ts'
import type { ClientMetadata } from '../options.ts'
import { createJsonResponse, OAuthError, type OAuthRequest, type OAuthResponse, requireParameter } from '../request.ts'
import { nowSeconds } from '../settings.ts'
import type { AccessGrant } from '../tokens.ts'
import { verifyAssertion } from './assertions.ts'
import { authenticateClient, isConfidential } from './client-auth.ts'
import { narrowAccess, readResources, readScope } from './requested-access.ts'

/** A token request of an authenticated client. */
interface TokenRequest {
  readonly request: OAuthRequest
  readonly context: AuthorizationContext
  readonly client: ClientMetadata
  /** The thumbprint of the key that the client has proven to have. */
  readonly jkt?: string
}

/** Returns the members of the token response. @throws OAuthError */
type GrantHandler = (tokenRequest: TokenRequest) => Promise<Readonly<Record<string, unknown>>>

const GRANTS: { readonly [type: string]: GrantHandler } = {
  authorization_code: redeemCode,
  refresh_token: refresh,
  client_credentials: grantClientCredentials,
  'urn:ietf:params:oauth:grant-type:device_code': redeemDeviceCode,
  'urn:ietf:params:oauth:grant-type:token-exchange': exchangeToken,
  'urn:ietf:params:oauth:grant-type:jwt-bearer': grantJwtBearer,
}

/** The values of `grant_type` that the server supports. */
export const GRANT_TYPES: readonly string[] = Object.keys(GRANTS)

const ANONYMOUS: ClientMetadata = { client_id: '' }

/** The token endpoint ([RFC 6749 §3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2)). */
export async function serveTokenRequest(request: OAuthRequest, context: AuthorizationContext): Promise<OAuthResponse> {
  const type = requireParameter(request, 'grant_type')
  const grant = Object.hasOwn(GRANTS, type) ? GRANTS[type] : undefined
  if (!grant) throw new OAuthError('unsupported_grant_type', `Unsupported grant type: ${type}`)
  const client = isAnonymous(request) ? ANONYMOUS : await authenticateClient(request, context)
  if (client.grant_types && !client.grant_types.includes(type))
    throw new OAuthError('unauthorized_client', `The client may not use ${type}`)
  const jkt = await context.dpop.verify(request)
  const response = await grant({ request, context, client, ...(jkt !== undefined && { jkt }) })
  const { nonce } = context.dpop
  const headers = nonce === undefined ? {} : { 'dpop-nonce': nonce }
  return createJsonResponse(override<unknown>(response, context.faults().token), { headers })
}

/** An assertion can identify its sender without client authentication ([RFC 7521 §4.1](https://www.rfc-editor.org/rfc/rfc7521#section-4.1)). */
function isAnonymous({ parameters, headers }: OAuthRequest): boolean {
  const hasClient = ['client_id', 'client_assertion'].some((name) => parameters.has(name))
  return parameters.has('assertion') && !hasClient && headers['authorization'] === undefined
}

/**
 * Redeems an authorization code ([RFC 6749 §4.1.3](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3)). Reuse of a code revokes the tokens
 * that were issued for it.
 */
async function redeemCode(tokenRequest: TokenRequest): Promise<Record<string, unknown>> {
  const { request, context, client, jkt } = tokenRequest
  const code = context.codes.get(requireParameter(request, 'code'))
  if (code?.isUsed) context.tokens.revokeFamily(code.grant.family)
  if (!code || code.isUsed || code.expiresAt < context.now())
    throw new OAuthError('invalid_grant', 'The code is unknown, expired or used')
  if (code.grant.clientId !== client.client_id) throw new OAuthError('invalid_grant', 'The code was issued to another client')
  if (code.redirectUri !== requireParameter(request, 'redirect_uri'))
    throw new OAuthError('invalid_grant', 'redirect_uri differs from the authorization request')
  if ((await pkceChallenge(requireParameter(request, 'code_verifier'))) !== code.challenge)
    throw new OAuthError('invalid_grant', 'code_verifier does not match the code_challenge')
  checkKey(code.grant, jkt)
  code.isUsed = true
  return issueTokens(tokenRequest, { ...code.grant, ...narrowAccess(request, code.grant, context) }, true)
}

/** Computes the S256 challenge of a verifier ([RFC 7636 §4.2](https://www.rfc-editor.org/rfc/rfc7636#section-4.2)). */
async function pkceChallenge(verifier: string): Promise<string> {
  return toBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}

/** Redeems a refresh token ([RFC 6749 §6](https://www.rfc-editor.org/rfc/rfc6749#section-6)). A key-bound token requires a proof of its key. */
async function refresh(tokenRequest: TokenRequest): Promise<Record<string, unknown>> {
  const { request, context, client, jkt } = tokenRequest
  const token = requireParameter(request, 'refresh_token')
  const issued = context.tokens.find(token)
  if (issued && issued.grant.clientId !== client.client_id)
    throw new OAuthError('invalid_grant', 'The refresh token was issued to another client')
  if (issued) checkKey(issued.grant, jkt)
  const narrowed = issued && narrowAccess(request, issued.grant, context)
  const grant = context.tokens.redeem(token)
  return issueTokens(tokenRequest, { ...grant, ...narrowed }, context.options.rotateRefreshTokens !== false)
}

/** Issues a token to a client for itself ([RFC 6749 §4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4)). */
async function grantClientCredentials(tokenRequest: TokenRequest): Promise<Record<string, unknown>> {
  const { request, context, client } = tokenRequest
  if (!isConfidential(client)) throw new OAuthError('unauthorized_client', 'Only confidential clients may use this grant')
  const requested = { scope: readScope(request, context), resources: readResources(request, context) }
  const { client_id } = client
  return issueTokens(tokenRequest, { ...requested, subject: client_id, clientId: client_id, family: randomId() })
}

const SLOW_DOWN_MS = 5000

/** Redeems a device code ([RFC 8628 §3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5)). */
async function redeemDeviceCode(tokenRequest: TokenRequest): Promise<Record<string, unknown>> {
  const { request, context, client } = tokenRequest
  const code = requireParameter(request, 'device_code')
  const device = context.devices.get(code)
  if (device?.clientId !== client.client_id) throw new OAuthError('invalid_grant', 'The device code is unknown')
  const now = context.now()
  if (device.expiresAt < now) throw new OAuthError('expired_token', 'The device code has expired')
  const isTooEarly = now - device.lastPolledAt < device.pollIntervalMs
  device.lastPolledAt = now
  if (isTooEarly) {
    device.pollIntervalMs += SLOW_DOWN_MS
    throw new OAuthError('slow_down', 'The client polls too fast')
  }
  if (!device.decision) throw new OAuthError('authorization_pending', 'The user has not decided yet')
  context.devices.delete(code)
  if ('error' in device.decision) throw new OAuthError(device.decision.error, 'The user declined')
  return issueTokens(tokenRequest, device.decision.grant, true)
}

/**
 * Issues a token for the assertion of a trusted issuer ([RFC 7523 §2.1](https://www.rfc-editor.org/rfc/rfc7523#section-2.1)). An assertion that
 * names a client, such as an ID-JAG, is valid only for that client. Each assertion with an ID is single-use.
 */
async function grantJwtBearer(tokenRequest: TokenRequest): Promise<Record<string, unknown>> {
  const { request, context, client } = tokenRequest
  const audience = [context.issuer, `${context.issuer}/token`]
  const claims = await verifyAssertion(requireParameter(request, 'assertion'), context, { audience })
  const { sub = '', jti, client_id: clientId, resource } = claims
  if (clientId !== undefined && clientId !== client.client_id)
    throw new OAuthError('invalid_grant', 'The assertion is for another client')
  if (jti !== undefined && context.usedAssertions.has(jti)) throw new OAuthError('invalid_grant', 'The assertion was used before')
  if (jti !== undefined) context.usedAssertions.add(jti)
  const requested = readResources(request, context)
  const asserted = typeof resource === 'string' ? [resource] : []
  const scope = readScope(request, context) || (typeof claims['scope'] === 'string' ? claims['scope'] : '')
  return issueTokens(tokenRequest, {
    subject: sub,
    clientId: client.client_id || sub,
    scope,
    resources: requested.length > 0 ? requested : asserted,
    family: randomId(),
  })
}

const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:'
const ID_JAG = `${TOKEN_TYPE}id-jag`
const SUBJECT_TOKEN_TYPES = ['id_token', 'access_token', 'jwt'].map((name) => TOKEN_TYPE + name)

/**
 * Exchanges a token for an access token ([RFC 8693 §2](https://www.rfc-editor.org/rfc/rfc8693#section-2)), or an ID token for an identity
 * assertion authorization grant (ID-JAG) for the authorization server in `audience`.
 */
async function exchangeToken(tokenRequest: TokenRequest): Promise<Record<string, unknown>> {
  const { request, context, client } = tokenRequest
  const type = requireParameter(request, 'subject_token_type')
  if (!SUBJECT_TOKEN_TYPES.includes(type)) throw new OAuthError('invalid_request', `Unsupported token type: ${type}`)
  const isIdToken = type === `${TOKEN_TYPE}id_token`
  const requirements = isIdToken ? { audience: [client.client_id] } : {}
  const { sub: subject = '' } = await verifyAssertion(requireParameter(request, 'subject_token'), context, requirements)
  if (request.parameters.get('requested_token_type') === ID_JAG) return issueIdJag(tokenRequest, subject)
  const requested = { scope: readScope(request, context), resources: readResources(request, context) }
  const grant = { ...requested, subject, clientId: client.client_id, family: randomId() }
  return { ...(await issueTokens(tokenRequest, grant)), issued_token_type: `${TOKEN_TYPE}access_token` }
}

async function issueIdJag({ request, context, client }: TokenRequest, sub: string): Promise<Record<string, unknown>> {
  const issuedAt = nowSeconds(context)
  const lifetime = context.lifetimes.accessTokenTtlMs / 1000
  const scope = readScope(request, context)
  const resource = request.parameters.get('resource')
  const audience = requireParameter(request, 'audience')
  const claims = {
    iss: context.issuer,
    sub,
    aud: audience,
    client_id: client.known_as?.[audience] ?? client.client_id,
    jti: randomId(),
    iat: issuedAt,
    exp: issuedAt + lifetime,
    ...(scope !== '' && { scope }),
    ...(resource !== null && { resource }),
  }
  return {
    access_token: await context.keys.sign(claims, { typ: 'oauth-id-jag+jwt' }),
    issued_token_type: ID_JAG,
    token_type: 'N_A',
    expires_in: lifetime,
    ...(scope !== '' && { scope }),
  }
}

function checkKey({ jkt: boundTo }: AccessGrant, jkt: string | undefined): void {
  if (boundTo !== undefined && boundTo !== jkt) throw new OAuthError('invalid_dpop_proof', 'The proof is for another key')
}

/** Returns the members of a token response ([RFC 6749 §5.1](https://www.rfc-editor.org/rfc/rfc6749#section-5.1)). */
async function issueTokens(
  { context, client, jkt }: TokenRequest,
  grant: AccessGrant,
  allowRefresh = false,
): Promise<Record<string, unknown>> {
  const { tokens, lifetimes } = context
  const bound = jkt === undefined ? grant : { ...grant, jkt }
  const scopes = grant.scope.split(' ')
  return {
    access_token: await tokens.issueAccessToken(bound),
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    expires_in: lifetimes.accessTokenTtlMs / 1000,
    ...(grant.scope !== '' && { scope: grant.scope }),
    ...(allowRefresh && mayRefresh(client, scopes, context) && { refresh_token: tokens.issueRefreshToken(bound) }),
    ...(scopes.includes('openid') && { id_token: await issueIdToken(grant, context) }),
  }
}

function mayRefresh({ grant_types }: ClientMetadata, scopes: readonly string[], { options }: AuthorizationContext): boolean {
  if (grant_types && !grant_types.includes('refresh_token')) return false
  return !options.scopes?.includes('offline_access') || scopes.includes('offline_access')
}

function issueIdToken({ subject, clientId }: AccessGrant, context: AuthorizationContext): Promise<string> {
  const issuedAt = nowSeconds(context)
  const expiresAt = issuedAt + context.lifetimes.accessTokenTtlMs / 1000
  const claims = { iss: context.issuer, sub: subject, aud: clientId, iat: issuedAt, exp: expiresAt }
  return context.keys.sign(claims, { typ: 'JWT' })
}
