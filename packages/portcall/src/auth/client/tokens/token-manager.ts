/**
 * Obtains tokens for one endpoint: discovers its authorization server, looks for new tokens from other processes with the same store,
 * refreshes, and only then starts the grant. All changes happen under one lock in the store, so that a refresh token is used once and a
 * user is asked once, by however many calls in however many processes.
 */
import type { KeyValueStore } from '../../../stores/store.ts'
import { withStoreLock } from '../../store-lock.ts'
import type { BearerChallenge } from '../discovery/challenge.ts'
import { discoverAuthorizationServer } from '../discovery/discover.ts'
import type { DpopKeys } from '../dpop/keys.ts'
import { AuthError } from '../errors.ts'
import { requestTokens } from '../oauth/token-endpoint.ts'
import type { AuthFetch, DpopSigner, GrantContext, GrantType } from '../types.ts'
import { coversScopes, joinScopes } from './scopes.ts'
import { type ResourceBinding, type StoredTokens, type TokenStore, toStoredTokens } from './token-store.ts'

/** Tokens that this process can use. */
export interface ActiveTokens {
  readonly binding: ResourceBinding
  readonly tokens: StoredTokens
  /** How this process got them. */
  readonly source: 'stored' | 'refreshed' | 'obtained'
  readonly dpop: DpopSigner | undefined
}

/** Why other tokens are needed. */
export interface TokenDemand {
  /** The access token that the server refused, if one was sent. */
  readonly rejectedToken: string | undefined
  readonly challenge: BearerChallenge
  /** Whether refreshed tokens could meet the demand. */
  readonly mayRefresh: boolean
  /** Called if no acquisition that meets the demand is running. Returns whether to start one. */
  readonly mayStart?: () => boolean
}

export interface TokenManagerOptions {
  readonly endpoint: URL
  readonly grant: GrantType
  readonly store: KeyValueStore
  readonly tokenStore: TokenStore
  readonly fetch: AuthFetch
  readonly checkBrowserUrl: (url: string) => URL
  /** Scopes that are always requested. */
  readonly scope: string | undefined
  /** How long before their expiry tokens are refreshed, in milliseconds. */
  readonly refreshAheadMs: number
  /** Whether tokens have to be bound to a key. */
  readonly requireDpop: boolean
  readonly dpopKeys: DpopKeys
}

export interface TokenManager {
  /** Returns the stored tokens. */
  load(): Promise<ActiveTokens | undefined>
  /** Renews tokens without user interaction. Returns `undefined` if that is no longer possible. @throws AuthError. */
  refresh(tokens: ActiveTokens, signal: AbortSignal): Promise<ActiveTokens | undefined>
  /** Gets tokens that meet the demand of a server. @throws AuthError. */
  acquire(demand: TokenDemand, signal: AbortSignal): Promise<ActiveTokens>
  /** Reports whether tokens have expired or are about to. */
  isDue(tokens: StoredTokens): boolean
  /** Reports whether `refresh` could renew the tokens. */
  canRenew(tokens: StoredTokens): boolean
}

export function createTokenManager(options: TokenManagerOptions): TokenManager {
  const { endpoint, grant, store, tokenStore, fetch, checkBrowserUrl, refreshAheadMs, requireDpop, dpopKeys } = options

  const isDue = ({ expiresAt = Infinity, issuedAt }: StoredTokens): boolean =>
    Date.now() >= expiresAt - Math.min(refreshAheadMs, (expiresAt - issuedAt) / 2)
  const contextOf = (binding: ResourceBinding, dpop: DpopSigner | undefined, signal: AbortSignal): GrantContext => ({
    ...binding,
    endpoint,
    scope: undefined,
    store,
    fetch,
    checkBrowserUrl,
    dpop,
    signal,
  })
  const withLock = <T>(binding: ResourceBinding, signal: AbortSignal, task: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    withStoreLock({ store, key: tokenStore.lockKey(binding), signal }, task)
  /** Returns `undefined` if this process lacks the key that the tokens are bound to, or if they have to be bound and are not. */
  const activate = async (binding: ResourceBinding, tokens: StoredTokens): Promise<ActiveTokens | undefined> => {
    const { tokenType, dpopKey } = tokens
    const dpop = tokenType === 'dpop' && dpopKey ? await dpopKeys.forStored(dpopKey) : undefined
    return (tokenType === 'dpop' || requireDpop) && !dpop ? undefined : { binding, tokens, source: 'stored', dpop }
  }
  /** Refreshes under the lock. Deletes a refresh token that was refused. */
  const refreshLocked = async (
    binding: ResourceBinding,
    stored: StoredTokens,
    signal: AbortSignal,
  ): Promise<ActiveTokens | undefined> => {
    const active = stored.refreshToken === undefined ? undefined : await activate(binding, stored)
    if (!active) return undefined
    const tokens = await refreshTokens(grant, contextOf(binding, active.dpop, signal), stored)
    signal.throwIfAborted()
    const { refreshToken: _, ...rest } = stored
    await tokenStore.saveTokens(binding, tokens ?? rest)
    return tokens && { ...active, tokens, source: 'refreshed' }
  }
  /** Starts the grant under the lock. */
  const obtainLocked = async (
    binding: ResourceBinding,
    scope: string | undefined,
    signal: AbortSignal,
  ): Promise<ActiveTokens> => {
    const dpop = requireDpop ? await dpopKeys.forNew(binding.server) : undefined
    const tokens = toStoredTokens(await grant.obtain({ ...contextOf(binding, dpop, signal), scope }), scope, dpop)
    signal.throwIfAborted()
    await tokenStore.saveTokens(binding, tokens)
    return { binding, tokens, source: 'obtained', dpop }
  }

  return {
    isDue,
    canRenew: ({ refreshToken }) => refreshToken !== undefined || grant.silent === true,
    async load() {
      const binding = await tokenStore.loadBinding()
      const tokens = binding && (await tokenStore.loadTokens(binding))
      return binding && tokens && activate(binding, tokens)
    },
    refresh: ({ binding, tokens }, callSignal) =>
      withLock(binding, callSignal, async (signal) => {
        const stored = await tokenStore.loadTokens(binding)
        if (!stored) return undefined
        if (stored.accessToken !== tokens.accessToken && !isDue(stored)) return activate(binding, stored)
        const refreshed = await refreshLocked(binding, stored, signal)
        return refreshed ?? (grant.silent ? obtainLocked(binding, stored.requestedScope, signal) : undefined)
      }),
    async acquire({ rejectedToken, challenge, mayRefresh }, callSignal) {
      const { chooseIssuer } = grant
      const discovered = await discoverAuthorizationServer({ endpoint, challenge, chooseIssuer, fetch, signal: callSignal })
      const { scope: supported, ...binding } = discovered
      await tokenStore.saveBinding(binding)
      return withLock(binding, callSignal, async (signal) => {
        const stored = await tokenStore.loadTokens(binding)
        if (stored && coversScopes(stored.requestedScope, challenge.scope)) {
          const isNew = stored.accessToken !== rejectedToken && !isDue(stored)
          const active = isNew ? await activate(binding, stored) : mayRefresh && (await refreshLocked(binding, stored, signal))
          if (active) return active
        }
        const demanded = challenge.scope ?? (options.scope === undefined ? supported : undefined)
        const scope = joinScopes(stored?.requestedScope, options.scope, demanded)
        return obtainLocked(binding, addOfflineAccess(scope, grant, binding), signal)
      })
    },
  }
}

/**
 * Adds `offline_access` if the grant wants it and the server supports it. The scopes to request are those that the challenge demands, else
 * those that the resource metadata lists, together with those that were requested before.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-selection-strategy
 */
export function addOfflineAccess(
  scope: string | undefined,
  { offlineAccess }: GrantType,
  { server }: ResourceBinding,
): string | undefined {
  const isSupported = offlineAccess && server.scopes_supported?.includes('offline_access')
  return scope !== undefined && isSupported ? joinScopes(scope, 'offline_access') : scope
}

/** Errors after which a refresh token will not be accepted again. */
const FINAL_ERRORS: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'invalid_target',
  'invalid_scope',
  'unsupported_grant_type',
])

/**
 * Exchanges a refresh token for new tokens. What the response omits is taken over from the old ones. Returns `undefined` if there is no refresh
 * token or it is no longer accepted.
 *
 * @throws AuthError if a later attempt may succeed.
 */
async function refreshTokens(grant: GrantType, context: GrantContext, stored: StoredTokens): Promise<StoredTokens | undefined> {
  const { refreshToken, scope, client: dynamicClient } = stored
  const client = await grant.client(context, stored)
  if (refreshToken === undefined || !client) return undefined
  try {
    const tokens = await requestTokens(context, client, { grant_type: 'refresh_token', refresh_token: refreshToken })
    const previous = { refreshToken, ...(scope !== undefined && { scope }), ...(dynamicClient && { client: dynamicClient }) }
    return toStoredTokens({ ...previous, ...tokens }, stored.requestedScope, context.dpop)
  } catch (error) {
    if (error instanceof AuthError && FINAL_ERRORS.has(error.response?.error ?? '')) return undefined
    throw error
  }
}
