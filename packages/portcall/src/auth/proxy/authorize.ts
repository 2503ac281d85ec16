/**
 * The authorization endpoint. It validates the whole request before it sends the user anywhere. Then it asks the user for consent, each time:
 * the identity provider sees a single client, so it would skip consent for all MCP clients (the confused deputy problem).
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/security_best_practices#confused-deputy-problem
 */

import { constantTimeEqual, sha256 } from '../../../../util/src/digest.ts'
import { randomId } from '../../../../util/src/random.ts'
import type { HookRequest, HookResponse } from '../../protocol/http.ts'
import { ownedSecret, ownerKey, secretKey } from '../../stores/owned-keys.ts'
import { isLoopbackUrl, isSameResource } from '../server/resource.ts'
import { consentPage, denialPage } from './consent.ts'
import type { ProxyContext } from './context.ts'
import { readCookie, writeCookie } from './cookies.ts'
import { OAuthEndpointError, readForm, readQuery, redirectResponse, textResponse } from './http.ts'
import type { ProxyClientAuthMethod } from './options.ts'
import { isRegisteredRedirectUri } from './redirects.ts'
import { SECRET_BYTES } from './upstream.ts'

/** A validated authorization request of a client. */
export interface AuthorizationRequest {
  readonly clientId: string
  /** How the client has to authenticate to redeem the code. */
  readonly clientMethod: ProxyClientAuthMethod
  readonly redirectUri: string
  /** The PKCE code challenge. */
  readonly challenge: string
  readonly scopes: readonly string[]
  /** The `state` of the client, returned to it with the response. */
  readonly state?: string | undefined
}

/** A sign-in that waits for the user to return from the identity provider. */
export interface PendingSignIn extends AuthorizationRequest {
  /** The PKCE code verifier of this proxy. */
  readonly verifier: string
}

/** The keys of waiting sign-ins name their clients. */
export const STATE_KEY = 'proxy/state/'
const STATE_COOKIE = 'portcall-state-'
const STATE_PURPOSE = 'proxy-browser'
const VISIT_COOKIE = 'portcall-visit'
const REQUEST_PURPOSE = 'proxy-request'
const CHALLENGE = /^[\w-]{43}$/
const VISIT = /^[\w-]{43}$/
const MAX_STATE_LENGTH = 2048

/**
 * Validates an authorization request and shows the consent page. Errors are shown to the user and never sent to the client: anyone can register
 * a client, so a redirect before the user has trusted it would make this endpoint an open redirector (RFC 9700, section 4.11.2).
 *
 * @throws OAuthEndpointError
 */
export async function handleAuthorization(request: HookRequest, context: ProxyContext): Promise<HookResponse> {
  const { options, sealer, lifetimes, resource } = context
  const query = readQuery(request)
  const client = await context.clients.find(query.get('client_id') ?? '', request)
  const redirectUri = query.get('redirect_uri') ?? ''
  if (!isRegisteredRedirectUri(redirectUri, client.redirectUris))
    throw new OAuthEndpointError('invalid_request', 'The client has not registered this redirect_uri')
  const state = query.get('state')
  const authorization: AuthorizationRequest = {
    clientId: client.id,
    clientMethod: client.credentials.method,
    redirectUri,
    ...(state !== undefined && { state }),
    ...validateQuery(query, context),
  }
  const previousVisit = readCookie(request, VISIT_COOKIE)
  const visit = previousVisit !== undefined && VISIT.test(previousVisit) ? previousVisit : randomId(SECRET_BYTES)
  const binding = await sha256(visit)
  const sealed = await sealer.seal(REQUEST_PURPOSE, authorization, { ttlMs: lifetimes.signInTtlMs, binding })
  const { authorizationEndpoint, scopes: upstreamScopes = [] } = options.upstream
  const upstreamHost = new URL(authorizationEndpoint).host
  const { name = resource.host } = options
  const consent = { client, redirectUri, scopes: authorization.scopes, name, upstreamHost, upstreamScopes, sealed }
  const cookie = writeCookie(VISIT_COOKIE, visit, { sameSite: 'Strict', maxAgeS: lifetimes.signInTtlMs / 1000 })
  return consentPage(consent, { 'set-cookie': cookie })
}

/** Handles the form of the consent page. After a yes, sends the user to the identity provider to sign in. */
export async function handleConsent(request: HookRequest, context: ProxyContext): Promise<HookResponse> {
  const { issuer, sealer, lifetimes, store, upstream } = context
  if (!isSentByOwnPage(request, issuer)) return textResponse('This form was sent from another page.', 403)
  const form = await readForm(request)
  const binding = await sha256(readCookie(request, VISIT_COOKIE) ?? '')
  const authorization = (await sealer.open(REQUEST_PURPOSE, form.get('request') ?? '', { binding }).catch(() => undefined)) as
    | AuthorizationRequest
    | undefined
  if (!authorization)
    return textResponse('This page has expired or was created for another browser. Start again from the client.', 403)
  if (form.get('decision') !== 'allow') return denialResponse(authorization, context)
  const state = ownedSecret(await ownerKey(authorization.clientId), SECRET_BYTES)
  const verifier = randomId(SECRET_BYTES)
  const pending: PendingSignIn = { ...authorization, verifier }
  const hash = await sha256(state)
  await store.set(await secretKey(STATE_KEY, state), JSON.stringify(pending), { ttlMs: lifetimes.signInTtlMs })
  const sealedHash = await sealer.seal(STATE_PURPOSE, hash, { ttlMs: lifetimes.signInTtlMs, binding: authorization.clientId })
  const cookie = writeCookie(stateCookie(hash), sealedHash, { sameSite: 'Lax', maxAgeS: lifetimes.signInTtlMs / 1000 })
  return redirectResponse(await upstream.authorizationUrl(state, verifier), { 'set-cookie': cookie })
}

/** Reports whether a form was sent by a page of this origin. Browsers say so with at least one of these headers. */
function isSentByOwnPage(request: HookRequest, issuer: string): boolean {
  const [origin, fetchSite] = [request.header('origin'), request.header('sec-fetch-site')]
  if (origin === undefined && fetchSite === undefined) return false
  return (origin ?? issuer) === issuer && (fetchSite ?? 'same-origin') === 'same-origin'
}

/** Returns the name of the cookie that binds a sign-in to the browser. Each sign-in has its own, because several may be pending. */
function stateCookie(hash: string): string {
  return STATE_COOKIE + hash.slice(0, 8)
}

/** Reports whether the request comes from the browser that gave consent to this sign-in. */
export async function isSameBrowser(
  request: HookRequest,
  { sealer }: ProxyContext,
  [hash, pending]: readonly [string, PendingSignIn],
): Promise<boolean> {
  const sealedHash = await sealer
    .open(STATE_PURPOSE, readCookie(request, stateCookie(hash)) ?? '', { binding: pending.clientId })
    .catch(() => undefined)
  return typeof sealedHash === 'string' && constantTimeEqual(sealedHash, hash)
}

/**
 * Tells the client that the user denied access. A program on this computer receives a redirect. The page of any other client opens only if the
 * user follows a link: the user has just declined to trust it.
 */
function denialResponse(authorization: AuthorizationRequest, context: ProxyContext): HookResponse {
  const url = responseUrl(authorization, { error: 'access_denied' }, context)
  return isLoopbackUrl(url) ? redirectResponse(url) : denialPage(url)
}

/** Redirects the user to a client that the user has consented to, with an authorization response. */
export function redirectToClient(
  authorization: AuthorizationRequest,
  parameters: Readonly<Record<string, string>>,
  context: ProxyContext,
): HookResponse {
  return redirectResponse(responseUrl(authorization, parameters, context))
}

function responseUrl(
  { redirectUri, state }: AuthorizationRequest,
  parameters: Readonly<Record<string, string>>,
  { issuer }: ProxyContext,
): URL {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries({ ...parameters, ...(state !== undefined && { state }), iss: issuer }))
    url.searchParams.set(name, value)
  return url
}

function validateQuery(
  query: ReadonlyMap<string, string>,
  { resource, scopes: supported }: ProxyContext,
): Pick<AuthorizationRequest, 'challenge' | 'scopes'> {
  if (query.get('response_type') !== 'code')
    throw new OAuthEndpointError('unsupported_response_type', 'response_type must be code')
  const challenge = query.get('code_challenge') ?? ''
  if (query.get('code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge))
    throw new OAuthEndpointError('invalid_request', 'PKCE with S256 is required')
  if ((query.get('state')?.length ?? 0) > MAX_STATE_LENGTH)
    throw new OAuthEndpointError('invalid_request', 'The state is too long')
  const requested = query.get('resource')
  if (requested !== undefined && !isSameResource(requested, resource.uri))
    throw new OAuthEndpointError('invalid_target', `Tokens are issued for ${resource.uri} only`)
  const scopes = (query.get('scope') ?? '').split(' ').filter((scope) => scope !== '' && scope !== 'offline_access')
  if (scopes.some((scope) => !supported.includes(scope)))
    throw new OAuthEndpointError('invalid_scope', 'The server has no such scope')
  return { challenge, scopes: scopes.length > 0 ? [...new Set(scopes)] : supported }
}
