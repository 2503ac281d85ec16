import type { HeldLock } from '../../store-lock.ts'
import { AuthError } from '../errors.ts'
import { addOfflineAccess, hasOfflineAccess, mayRefuseOfflineAccess, removeOfflineAccess } from './offline-access.ts'
import { loadServerLimits, saveServerLimits } from './server-limits.ts'
import type { ActiveTokens, ContextOf, TokenManagerOptions } from './token-context.ts'
import { type ResourceBinding, toStoredTokens } from './token-store.ts'

/** The scopes of a sign-in, and those that the metadata of the resource lists. */
export interface SignInScope {
  readonly scope: string | undefined
  readonly resourceScope?: string | undefined
}

/** Starts a grant, and stores the tokens. */
export interface TokenObtainer {
  /** Returns the scopes to request: with `offline_access` if it is wanted, and was not refused before. */
  scopeOfSignIn(scope: string | undefined, binding: ResourceBinding): Promise<string | undefined>
  /**
   * Starts the grant. If the server may have refused `offline_access`, starts it again without, and remembers if that helped. Call it under
   * the lock of the tokens. @throws AuthError.
   */
  obtain(binding: ResourceBinding, scopes: SignInScope, lock: HeldLock): Promise<ActiveTokens>
}

export function createTokenObtainer(options: TokenManagerOptions, contextOf: ContextOf): TokenObtainer {
  const { grant, store, tokenStore, requireDpop, dpopKeys, offlineAccess } = options
  const isOptional = (scope: string | undefined): boolean => hasOfflineAccess(scope) && !hasOfflineAccess(options.scope)
  const obtainOnce = async (
    binding: ResourceBinding,
    { scope, resourceScope }: SignInScope,
    { signal, write }: HeldLock,
  ): Promise<ActiveTokens> => {
    const dpop = requireDpop ? await dpopKeys.forNew(binding.server) : undefined
    const tokens = toStoredTokens(await grant.obtain({ ...contextOf(binding, dpop, signal), scope, resourceScope }), scope, dpop)
    await write(() => tokenStore.saveTokens(binding, tokens))
    return { binding, tokens, source: 'obtained', dpop }
  }
  return {
    async scopeOfSignIn(scope, binding) {
      const { refusesOfflineAccess = false } = await loadServerLimits({ store, server: binding.server })
      if (offlineAccess && !refusesOfflineAccess) return addOfflineAccess(scope, grant, binding)
      return isOptional(scope) ? removeOfflineAccess(scope) : scope
    },
    async obtain(binding, scopes, lock) {
      try {
        return await obtainOnce(binding, scopes, lock)
      } catch (error) {
        const mayHelp = isOptional(scopes.scope) && error instanceof AuthError && mayRefuseOfflineAccess(error)
        if (lock.signal.aborted || !mayHelp) throw error
        const active = await obtainOnce(binding, { ...scopes, scope: removeOfflineAccess(scopes.scope) }, lock)
        await saveServerLimits({ store, server: binding.server }, { refusesOfflineAccess: true })
        return active
      }
    },
  }
}
