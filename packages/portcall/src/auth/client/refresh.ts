import { AuthError } from './errors.ts'
import { requestTokens } from './token.ts'
import type { Grant, GrantContext } from './types.ts'
import { type StoredTokens, stampTokens } from './vault.ts'

/** Refusals after which the same refresh token will not be taken again. */
const FINAL: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'invalid_target',
  'invalid_scope',
  'unsupported_grant_type',
])

/**
 * Changes a refresh token for new tokens; what the answer leaves out stays as it was. Nothing when there is no refresh token, or it is not
 * taken any more.
 *
 * @throws AuthError when it may be taken at another time.
 */
export async function refreshTokens(
  grant: Grant,
  context: GrantContext,
  stored: StoredTokens,
): Promise<StoredTokens | undefined> {
  const { refreshToken, scope, client: registered } = stored
  const client = await grant.client(context, stored)
  if (refreshToken === undefined || !client) return undefined
  try {
    const tokens = await requestTokens(context, client, { grant_type: 'refresh_token', refresh_token: refreshToken })
    const kept = { refreshToken, ...(scope !== undefined && { scope }), ...(registered && { client: registered }) }
    return stampTokens({ ...kept, ...tokens }, stored.asked, context.dpop)
  } catch (error) {
    if (error instanceof AuthError && FINAL.has(error.refusal?.error ?? '')) return undefined
    throw error
  }
}
