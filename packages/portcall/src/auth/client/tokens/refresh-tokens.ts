import { withoutUndefined } from '../../../../../util/src/without-undefined.ts'
import { AuthError } from '../errors.ts'
import { describeOAuthError, isClientRefusal, isFinalRefusal } from '../oauth/oauth-response.ts'
import { readTokens, sendTokenRequest } from '../oauth/token-endpoint.ts'
import type { ClientIdentity, GrantContext, GrantType } from '../types.ts'
import { loadServerLimits, type RefreshForm, saveServerLimits } from './server-limits.ts'
import { type StoredTokens, toStoredTokens } from './token-store.ts'

/**
 * The result of a refresh: new tokens, `refused` if the refresh token will not be accepted any more, or `missing` if there is no token endpoint
 * where the metadata said.
 */
export type RefreshResult = StoredTokens | 'refused' | 'missing'

/** Errors about the refresh token or the client. Other parameters cannot help. */
const CREDENTIAL_ERRORS: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
])
const MISSING_STATUSES: ReadonlySet<number> = new Set([404, 405, 410])
const DEFAULT_FORM: RefreshForm = { resource: true, scope: false }

/**
 * Exchanges a refresh token for new tokens. What the response omits is taken over from the old ones. If the server refuses the optional
 * parameters, tries others and remembers which it accepts. Forgets a client that the server does not know.
 *
 * @throws AuthError if a later attempt may succeed.
 */
export async function refreshTokens(grant: GrantType, context: GrantContext, stored: StoredTokens): Promise<RefreshResult> {
  const client = await grant.client(context, stored)
  if (stored.refreshToken === undefined || !client) return 'refused'
  const { refresh: known = DEFAULT_FORM } = await loadServerLimits(context)
  const first = await tryRefresh(known, { context, client, stored })
  if (!(first instanceof AuthError)) return first
  if (!isFinalRefusal(first)) throw first
  if (isClientRefusal(first)) await grant.forget?.(context, client)
  if (MISSING_STATUSES.has(first.status ?? 0) && !first.response) return 'missing'
  if (isClientRefusal(first) || CREDENTIAL_ERRORS.has(first.response?.error ?? '')) return 'refused'
  for (const form of otherForms(known, first, stored)) {
    const next = await tryRefresh(form, { context, client, stored })
    if (!(next instanceof AuthError)) {
      await saveServerLimits(context, { refresh: form })
      return next
    }
    if (!isFinalRefusal(next) || CREDENTIAL_ERRORS.has(next.response?.error ?? '')) break
  }
  return 'refused'
}

/**
 * Returns with which parameters to try again. Some servers refuse `resource` (RFC 8707) on refresh, and some need `scope`, although RFC 6749,
 * section 6, makes it optional.
 */
function otherForms({ resource, scope }: RefreshForm, { message, response }: AuthError, stored: StoredTokens): RefreshForm[] {
  const text = response ? describeOAuthError(response) : message
  const namesScope = /scope/i.test(text)
  const candidates: RefreshForm[] = namesScope
    ? [
        { resource, scope: !scope },
        { resource: false, scope: !scope },
      ]
    : [
        { resource: !resource, scope },
        { resource: false, scope: true },
      ]
  return candidates.filter((form) => !form.scope || scopeOf(stored) !== undefined)
}

const scopeOf = ({ scope, requestedScope }: StoredTokens): string | undefined => scope ?? requestedScope

interface RefreshAttempt {
  readonly context: GrantContext
  readonly client: ClientIdentity
  readonly stored: StoredTokens
}

/** Sends one request. Returns the error with which the endpoint refused it. @throws whatever is not a response. */
async function tryRefresh(form: RefreshForm, { context, client, stored }: RefreshAttempt): Promise<StoredTokens | AuthError> {
  const { refreshToken = '', scope, client: dynamicClient, requestedScope } = stored
  const requested = form.scope ? scopeOf(stored) : undefined
  try {
    const body = await sendTokenRequest(context, client, {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      ...(form.resource && { resource: context.resource }),
      ...(requested !== undefined && { scope: requested }),
    })
    const previous = { refreshToken, ...withoutUndefined({ scope, client: dynamicClient }) }
    return toStoredTokens({ ...previous, ...readTokens(body, context) }, requestedScope, context.dpop)
  } catch (error) {
    if (error instanceof AuthError && (error.status !== undefined || error.response)) return error
    throw error
  }
}
