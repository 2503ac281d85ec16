import { createSingleFlight, retryableOnce } from '../../../../../util/src/async.ts'
import { raceAbort } from '../../../../../util/src/timers.ts'
import { removeOfflineAccess } from './offline-access.ts'
import { coversScopes } from './scopes.ts'
import type { ActiveTokens } from './token-context.ts'
import type { TokenDemand, TokenManager } from './token-manager.ts'

/** The tokens of one endpoint in the memory of this process. */
export interface TokenCache {
  /** The last tokens, even if they have expired. */
  readonly latest: ActiveTokens | undefined
  /** The last tokens, unless they have expired. */
  readonly current: ActiveTokens | undefined
  /** True if a server has accepted the last tokens. */
  readonly accepted: boolean
  /** True if `latest` can be used without calling `prepare`. */
  readonly ready: boolean
  /** Returns the tokens for a request: loads them from the store, and refreshes them if they are about to expire. @throws AuthError. */
  prepare(signal: AbortSignal | undefined): Promise<ActiveTokens | undefined>
  /** Gets other tokens and returns whether it could. Calls that need the same tokens share one acquisition. @throws AuthError. */
  renew(demand: TokenDemand, signal: AbortSignal | undefined): Promise<boolean>
  /** Forgets the tokens. */
  clear(): void
  /** Records that a server has accepted an access token. */
  markAccepted(accessToken: string): void
}

/** Time between two attempts to refresh tokens that are still valid, after the authorization server failed. */
const RETRY_DELAY_MS = 5000
/** How long tokens count as new. */
const UNTRIED_MS = 60_000
/** The key of the single flight: an endpoint has one set of tokens. */
const TOKENS = 'tokens'

export function createTokenCache({ load, refresh, acquire, isDue, canRenew }: TokenManager): TokenCache {
  const flight = createSingleFlight<ActiveTokens | undefined>()
  let latest: ActiveTokens | undefined
  let accepted = false
  let loaded = false
  let retryAt = 0

  const store = (next: ActiveTokens | undefined): ActiveTokens | undefined => {
    if (next?.tokens.accessToken !== latest?.tokens.accessToken) accepted = false
    latest = next
    return next
  }
  const loading = retryableOnce(async () => {
    store(await load())
    loaded = true
  })
  /** New tokens are tried even if they seem to have expired, because clocks differ. */
  const isUntried = ({ source, tokens }: ActiveTokens): boolean =>
    source !== 'stored' && !accepted && Date.now() - tokens.issuedAt < UNTRIED_MS
  const current = (): ActiveTokens | undefined =>
    latest && (isUntried(latest) || Date.now() < (latest.tokens.expiresAt ?? Infinity)) ? latest : undefined
  const meets = ({ rejectedToken, challenge }: TokenDemand): boolean =>
    latest !== undefined &&
    latest.tokens.accessToken !== rejectedToken &&
    coversScopes(latest.tokens.requestedScope, removeOfflineAccess(challenge.scope))

  return {
    get latest() {
      return latest
    },
    get current() {
      return current()
    },
    get accepted() {
      return accepted
    },
    get ready() {
      return loaded && (latest === undefined || !isDue(latest.tokens))
    },
    clear() {
      store(undefined)
    },
    markAccepted(accessToken) {
      if (latest?.tokens.accessToken === accessToken) accepted = true
    },
    async prepare(signal) {
      if (!loaded) await raceAbort(loading.run(), signal)
      const last = latest
      if (!last || isUntried(last) || !isDue(last.tokens) || !canRenew(last.tokens)) return current()
      if (Date.now() < retryAt && current()) return current()
      try {
        await flight.run(TOKENS, async (shared) => store(await refresh(last, shared)), signal && { signal })
      } catch (error) {
        signal?.throwIfAborted()
        if (!current()) throw error
        retryAt = Date.now() + RETRY_DELAY_MS
      }
      return current()
    },
    async renew(demand, signal) {
      const source = signal && { signal }
      for (let joined = flight.join(TOKENS, source); joined; joined = flight.join(TOKENS, source)) {
        await joined
        if (meets(demand)) return true
      }
      if (demand.mayStart?.() === false) return false
      await flight.run(TOKENS, async (shared) => store(await acquire(demand, shared)), source)
      return true
    },
  }
}
