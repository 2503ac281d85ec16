import type { AuthError } from '../errors.ts'
import { isClientRefusal } from '../oauth/oauth-response.ts'
import type { GrantType } from '../types.ts'
import { joinScopes, splitScopes } from './scopes.ts'
import type { ResourceBinding } from './token-store.ts'

const OFFLINE_ACCESS = 'offline_access'

/**
 * Adds `offline_access` if the grant wants it and the server supports it, so that the server issues a refresh token.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-selection-strategy
 */
export function addOfflineAccess(
  scope: string | undefined,
  { offlineAccess }: Pick<GrantType, 'offlineAccess'>,
  { server }: ResourceBinding,
): string | undefined {
  const isSupported = offlineAccess && server.scopes_supported?.includes(OFFLINE_ACCESS)
  return scope !== undefined && isSupported ? joinScopes(scope, OFFLINE_ACCESS) : scope
}

/** Removes `offline_access`. */
export function removeOfflineAccess(scope: string | undefined): string | undefined {
  return joinScopes(...splitScopes(scope).filter((one) => one !== OFFLINE_ACCESS))
}

export function hasOfflineAccess(scope: string | undefined): boolean {
  return splitScopes(scope).includes(OFFLINE_ACCESS)
}

/** Errors that have nothing to do with scopes. */
const OTHER_ERRORS: ReadonlySet<string> = new Set(['access_denied', 'invalid_grant', 'server_error', 'temporarily_unavailable'])

/** Reports whether an authorization server may have refused a sign-in because of `offline_access`. Servers have no common error for it. */
export function mayRefuseOfflineAccess(error: AuthError): boolean {
  const { reason, response } = error
  return (
    (reason === 'denied' || reason === 'token_refused') &&
    response !== undefined &&
    !OTHER_ERRORS.has(response.error) &&
    !isClientRefusal(error)
  )
}
