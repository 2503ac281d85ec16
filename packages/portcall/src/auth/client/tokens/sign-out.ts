import type { HeldLock } from '../../store-lock.ts'
import { createClientAuth } from '../oauth/client-authentication.ts'
import { loadOAuth } from '../oauth/load-oauth.ts'
import type { ClientIdentity, GrantContext } from '../types.ts'
import type { ContextOf, TokenManagerOptions } from './token-context.ts'
import type { ResourceBinding, StoredTokens } from './token-store.ts'

/** The result of signing out. */
export interface SignOutResult {
  /** True if there were tokens. */
  readonly wasSignedIn: boolean
  /** True if the authorization server has revoked the tokens. Otherwise servers accept the access token until it expires. */
  readonly revoked: boolean
}

interface SignOutContext {
  readonly contextOf: ContextOf
  withLock<T>(binding: ResourceBinding, signal: AbortSignal, task: (lock: HeldLock) => Promise<T>): Promise<T>
}

/** Forgets the tokens of an endpoint and the client that was registered for them, and revokes the tokens if the server can. */
export async function signOut(
  { grant, tokenStore }: TokenManagerOptions,
  { contextOf, withLock }: SignOutContext,
  callSignal: AbortSignal,
): Promise<SignOutResult> {
  const binding = await tokenStore.loadBinding()
  if (!binding) return { wasSignedIn: false, revoked: false }
  return withLock(binding, callSignal, async ({ signal, write }) => {
    const context = contextOf(binding, undefined, signal)
    const tokens = await tokenStore.loadTokens(binding)
    const client = tokens && (await grant.client(context, tokens))
    await write(() => tokenStore.deleteTokens(binding))
    if (!tokens || !client) return { wasSignedIn: tokens !== undefined, revoked: false }
    await grant.forget?.(context, client)
    return { wasSignedIn: true, revoked: await revokeTokens(context, client, tokens).catch(() => false) }
  })
}

/**
 * Revokes the refresh token and the access token (RFC 7009). Resolves to whether the server has revoked them; to false also if it has no
 * revocation endpoint.
 *
 * @throws whatever `fetch` throws; AuthError if the client lacks its credentials.
 */
async function revokeTokens(
  context: GrantContext,
  client: ClientIdentity,
  { refreshToken, accessToken }: StoredTokens,
): Promise<boolean> {
  const { oauth, server, options } = await loadOAuth(context)
  if (server.revocation_endpoint === undefined) return false
  const auth = await createClientAuth(client, server)
  const revoke = async (token: string, hint: string): Promise<boolean> => {
    const additionalParameters = { token_type_hint: hint }
    const request = { ...options, additionalParameters }
    return (await oauth.revocationRequest(server, { client_id: client.clientId }, auth, token, request)).ok
  }
  // Many servers revoke the access tokens of a refresh token together with it, and some cannot revoke access tokens.
  const isRevoked = refreshToken === undefined || (await revoke(refreshToken, 'refresh_token'))
  const isAccessRevoked = await revoke(accessToken, 'access_token')
  return isRevoked && (isAccessRevoked || refreshToken !== undefined)
}
