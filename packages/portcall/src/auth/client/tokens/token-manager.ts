import { type HeldLock, withStoreLock } from '../../store-lock.ts'
import type { BearerChallenge } from '../discovery/challenge.ts'
import { discoverAuthorizationServer } from '../discovery/discover.ts'
import { createTokenObtainer, type SignInScope } from './obtain-tokens.ts'
import { removeOfflineAccess } from './offline-access.ts'
import { refreshTokens } from './refresh-tokens.ts'
import { coversScopes, joinScopes } from './scopes.ts'
import { type SignOutResult, signOut } from './sign-out.ts'
import type { ActiveTokens, ContextOf, TokenManagerOptions } from './token-context.ts'
import type { ResourceBinding, StoredTokens } from './token-store.ts'

/** Why other tokens are needed. */
export interface TokenDemand {
  /** The access token that the server refused, if one was sent. */
  readonly rejectedToken: string | undefined
  readonly challenge: BearerChallenge
  /** True if refreshed tokens could meet the demand. */
  readonly mayRefresh: boolean
  /** Called if no acquisition that meets the demand is running. Returns whether to start one. */
  readonly mayStart?: () => boolean
}

export interface TokenManager {
  /** Returns the stored tokens. */
  load(): Promise<ActiveTokens | undefined>
  /** Renews tokens without user interaction. Returns `undefined` if that is no longer possible. @throws AuthError. */
  refresh(tokens: ActiveTokens, signal: AbortSignal): Promise<ActiveTokens | undefined>
  /** Gets tokens that meet the demand of a server. @throws AuthError. */
  acquire(demand: TokenDemand, signal: AbortSignal): Promise<ActiveTokens>
  /**
   * Forgets the tokens, and revokes them if the server can. Forgets the client too if it was registered dynamically. Resolves to whether there
   * were tokens, and whether they were revoked.
   */
  signOut(signal: AbortSignal): Promise<SignOutResult>
  /** Reports whether tokens have expired or are about to. */
  isDue(tokens: StoredTokens): boolean
  /** Reports whether `refresh` could renew the tokens. */
  canRenew(tokens: StoredTokens): boolean
}

export function createTokenManager(options: TokenManagerOptions): TokenManager {
  const { endpoint, grant, store, tokenStore, fetch, checkBrowserUrl, refreshAheadMs, requireDpop, dpopKeys } = options

  const isDue = ({ expiresAt = Infinity, issuedAt }: StoredTokens): boolean =>
    Date.now() >= expiresAt - Math.min(refreshAheadMs, (expiresAt - issuedAt) / 2)
  const contextOf: ContextOf = (binding, dpop, signal) => {
    return { ...binding, endpoint, scope: undefined, store, fetch, checkBrowserUrl, dpop, signal }
  }
  const withLock = <T>(binding: ResourceBinding, signal: AbortSignal, task: (lock: HeldLock) => Promise<T>): Promise<T> => {
    const readState = async (): Promise<string | undefined> => JSON.stringify(await tokenStore.loadTokens(binding))
    return withStoreLock({ store, key: tokenStore.lockKey(binding), signal, readState }, task)
  }
  /** Returns `undefined` if this process lacks the key that the tokens are bound to, or if they have to be bound and are not. */
  const activate = async (binding: ResourceBinding, tokens: StoredTokens): Promise<ActiveTokens | undefined> => {
    const { tokenType, dpopKey } = tokens
    const dpop = tokenType === 'dpop' && dpopKey ? await dpopKeys.forStored(dpopKey) : undefined
    return (tokenType === 'dpop' || requireDpop) && !dpop ? undefined : { binding, tokens, source: 'stored', dpop }
  }
  /**
   * Refreshes under the lock. Deletes a refresh token that was refused. Keeps it if the token endpoint of the metadata does not exist, and the
   * metadata may be old.
   */
  const refreshLocked = async (
    binding: ResourceBinding,
    { stored, isDiscovered }: { readonly stored: StoredTokens; readonly isDiscovered: boolean },
    { signal, write }: HeldLock,
  ): Promise<ActiveTokens | undefined> => {
    const active = stored.refreshToken === undefined ? undefined : await activate(binding, stored)
    if (!active) return undefined
    const result = await refreshTokens(grant, contextOf(binding, active.dpop, signal), stored)
    signal.throwIfAborted()
    const { refreshToken: _, ...rest } = stored
    const isKept = result === 'missing' && !isDiscovered
    const tokens = typeof result === 'object' ? result : undefined
    if (!isKept) await write(() => tokenStore.saveTokens(binding, tokens ?? rest))
    return tokens && { ...active, tokens, source: 'refreshed' }
  }
  const { obtain, scopeOfSignIn } = createTokenObtainer(options, contextOf)
  /** Starts the grant. If it fails, uses tokens that another process has stored meanwhile: it may have finished the same sign-in. */
  const obtainOrReload = async (
    binding: ResourceBinding,
    { stored, ...scopes }: SignInScope & { readonly stored: StoredTokens | undefined },
    lock: HeldLock,
  ): Promise<ActiveTokens> => {
    try {
      return await obtain(binding, scopes, lock)
    } catch (error) {
      const latest = lock.signal.aborted ? undefined : await tokenStore.loadTokens(binding)
      const isNew = latest && latest.accessToken !== stored?.accessToken && coversScopes(latest.requestedScope, scopes.scope)
      const active = isNew && !isDue(latest) ? await activate(binding, latest) : undefined
      if (!active) throw error
      return active
    }
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
      withLock(binding, callSignal, async (lock) => {
        const stored = await tokenStore.loadTokens(binding)
        if (!stored) return undefined
        if (stored.accessToken !== tokens.accessToken && !isDue(stored)) return activate(binding, stored)
        const refreshed = await refreshLocked(binding, { stored, isDiscovered: false }, lock)
        return refreshed ?? (grant.silent ? obtain(binding, { scope: stored.requestedScope }, lock) : undefined)
      }),
    async acquire({ rejectedToken, challenge, mayRefresh }, callSignal) {
      const { chooseIssuer } = grant
      const discovered = await discoverAuthorizationServer({ endpoint, challenge, chooseIssuer, fetch, signal: callSignal })
      const { scope: supported, ...binding } = discovered
      await tokenStore.saveBinding(binding)
      return withLock(binding, callSignal, async (lock) => {
        const stored = await tokenStore.loadTokens(binding)
        if (stored && coversScopes(stored.requestedScope, removeOfflineAccess(challenge.scope))) {
          const isNew = stored.accessToken !== rejectedToken && !isDue(stored)
          const active = isNew
            ? await activate(binding, stored)
            : mayRefresh && (await refreshLocked(binding, { stored, isDiscovered: true }, lock))
          if (active) return active
        }
        const demanded = challenge.scope ?? (options.scope === undefined ? supported : undefined)
        const scope = joinScopes(stored?.requestedScope, options.scope, demanded)
        return obtainOrReload(binding, { stored, scope: await scopeOfSignIn(scope, binding), resourceScope: supported }, lock)
      })
    },
    signOut: (signal) => signOut(options, { contextOf, withLock }, signal),
  }
}
