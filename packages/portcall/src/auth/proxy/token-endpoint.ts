import { constantTimeEqual, sha256 } from '../../../../util/src/digest.ts'
import type { HookRequest, HookResponse } from '../../protocol/http.ts'
import { isSameResource } from '../server/resource.ts'
import { CODE_KEY, type CodeRecord } from './callback.ts'
import { type AuthenticatedClient, authenticateProxyClient } from './client-authentication.ts'
import { getAndDelete, type ProxyContext } from './context.ts'
import type { Grant, Grants } from './grants.ts'
import { jsonResponse, OAuthEndpointError, readForm } from './http.ts'
import { UpstreamRefusedError } from './upstream.ts'

type Form = ReadonlyMap<string, string>

/** A token request, and the client that sent it. */
interface TokenRequest {
  readonly form: Form
  readonly client: AuthenticatedClient
}

const USED_CODE_KEY = 'proxy/used/'
/** How long a redeemed code is remembered, to detect its reuse. */
const USED_CODE_TTL_MS = 10 * 60_000
/** Tokens are issued only while those of the identity provider are valid for at least this long. */
const MIN_UPSTREAM_TTL_MS = 60_000
const CODE_VERIFIER = /^[\w.~-]{43,128}$/

const GRANT_TYPES: Readonly<Record<string, (request: TokenRequest, context: ProxyContext) => Promise<Grant>>> = {
  authorization_code: redeemCode,
  refresh_token: redeemRefreshToken,
}

/** Issues tokens of the proxy. The tokens of the identity provider never leave it. @throws OAuthEndpointError */
export async function handleTokenRequest(request: HookRequest, context: ProxyContext): Promise<HookResponse> {
  const form = await readForm(request)
  const type = form.get('grant_type') ?? ''
  const redeem = Object.hasOwn(GRANT_TYPES, type) ? GRANT_TYPES[type] : undefined
  if (!redeem) throw new OAuthEndpointError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token')
  const resource = form.get('resource')
  if (resource !== undefined && !isSameResource(resource, context.resource.uri))
    throw new OAuthEndpointError('invalid_target', `Tokens are issued for ${context.resource.uri} only`)
  const client = await authenticateProxyClient(request, form, context)
  return issueTokens(await redeem({ form, client }, context), context)
}

/**
 * Revokes the grant of a token, if there is one (RFC 7009), and with it the tokens of the identity provider. The token is invalid in any case.
 * If the identity provider does not respond, the client can repeat the request.
 *
 * @throws OAuthEndpointError
 */
export async function handleRevocation(request: HookRequest, context: ProxyContext): Promise<HookResponse> {
  const { grants } = context
  const form = await readForm(request)
  const client = await authenticateProxyClient(request, form, context)
  const grant = await grants.findRevocable(form.get('token') ?? '')
  if (grant && isIssuedTo(grant, client) && !(await grants.revoke(grant.id)))
    throw new OAuthEndpointError('temporarily_unavailable', 'The identity provider has not revoked its tokens yet', 503)
  return { status: 200 }
}

/** Reports whether a client may use a code or grant: it is the one that the user has consented to, and has authenticated as it has to. */
function isIssuedTo({ clientId, clientMethod }: Pick<Grant, 'clientId' | 'clientMethod'>, client: AuthenticatedClient): boolean {
  return clientId === client.clientId && clientMethod === client.method
}

/** Redeems an authorization code. A code that is used a second time revokes its grant. @throws OAuthEndpointError */
async function redeemCode({ form, client }: TokenRequest, { store, grants }: ProxyContext): Promise<Grant> {
  const hash = await sha256(form.get('code') ?? '')
  const text = await getAndDelete(store, CODE_KEY + hash)
  if (text === undefined) {
    const usedFor = await store.get(USED_CODE_KEY + hash)
    if (usedFor !== undefined) await grants.revoke(usedFor)
    throw new OAuthEndpointError('invalid_grant', 'The code is unknown or was used before')
  }
  const record = JSON.parse(text) as CodeRecord
  const { grant: id, redirectUri, challenge } = record
  await store.set(USED_CODE_KEY + hash, id, { ttlMs: USED_CODE_TTL_MS })
  const verifier = form.get('code_verifier') ?? ''
  const isValid =
    isIssuedTo(record, client) &&
    form.get('redirect_uri') === redirectUri &&
    CODE_VERIFIER.test(verifier) &&
    constantTimeEqual(await sha256(verifier), challenge)
  const grant = isValid ? await grants.find(id) : undefined
  if (grant) return grant
  await grants.revoke(id)
  throw new OAuthEndpointError('invalid_grant', 'The code was issued to another client')
}

/**
 * Redeems a refresh token. One that was replaced before revokes its grant, because one of the two parties that used it has stolen it.
 *
 * @throws OAuthEndpointError
 */
async function redeemRefreshToken({ form, client }: TokenRequest, { grants }: ProxyContext): Promise<Grant> {
  const refresh = await grants.findRefreshToken(form.get('refresh_token') ?? '')
  if (!refresh || !isIssuedTo(refresh.grant, client))
    throw new OAuthEndpointError('invalid_grant', 'The refresh token is unknown')
  if (refresh.isCurrent) return refresh.grant
  await grants.revoke(refresh.grant.id)
  throw new OAuthEndpointError('invalid_grant', 'The refresh token was used before')
}

async function issueTokens(grant: Grant, { grants, tokenRefresher, lifetimes, now }: ProxyContext): Promise<HookResponse> {
  const upstream = await tokenRefresher.freshTokens(grant, MIN_UPSTREAM_TTL_MS).catch((error) => {
    throw error instanceof UpstreamRefusedError ? new OAuthEndpointError('invalid_grant', 'The user must sign in again') : error
  })
  const refreshToken = await rotateRefreshToken(grant, grants)
  const canRefresh = upstream.refreshToken !== undefined || upstream.expiresAt === undefined
  const expiresAt = Math.min(now() + lifetimes.accessTokenTtlMs, grant.expiresAt, upstream.expiresAt ?? Number.POSITIVE_INFINITY)
  return jsonResponse({
    access_token: await grants.issueAccessToken(grant, expiresAt),
    token_type: 'Bearer',
    expires_in: Math.max(0, Math.floor((expiresAt - now()) / 1000)),
    ...(canRefresh && { refresh_token: refreshToken }),
    ...(grant.scopes.length > 0 && { scope: grant.scopes.join(' ') }),
  })
}

/** Replaces the refresh token of a grant. Of several concurrent requests with the same token, one succeeds. @throws OAuthEndpointError */
async function rotateRefreshToken(grant: Grant, grants: Grants): Promise<string> {
  const { token, hash } = await grants.createRefreshToken(grant)
  for (let current = await grants.find(grant.id); current; current = await grants.find(grant.id)) {
    if (current.refreshHash !== grant.refreshHash) break
    if (await grants.update(current, { refreshHash: hash })) return token
  }
  throw new OAuthEndpointError('invalid_grant', 'The grant was revoked or used by a concurrent request')
}
