import { untilAborted } from '../../jsonrpc/waiting.ts'
import type { Acquirer, Held, Need } from './acquire.ts'
import { coversScopes } from './scopes.ts'
import { createShare } from './share.ts'

/** What one process knows of the tokens for one endpoint. */
export interface Session {
  readonly held: Held | undefined
  /** The same, as long as they have not expired. */
  readonly current: Held | undefined
  /** Whether a server has taken the tokens that are held. */
  readonly accepted: boolean
  /** Whether nothing has to be waited for. */
  readonly ready: boolean
  /** The tokens to use now: out of the store, and refreshed when they are about to expire. @throws AuthError. */
  prepare(signal: AbortSignal | undefined): Promise<Held | undefined>
  /** Gets other tokens, if it may. Calls that need the same wait together. @throws AuthError. */
  renew(need: Need, signal: AbortSignal | undefined): Promise<boolean>
  /** The server has taken an access token. */
  accept(accessToken: string): void
}

/** An authorization server that is out of order is left alone for so long, while the last tokens are still good. */
const PAUSE_MS = 5000
/** For so long tokens are new. */
const UNTRIED_MS = 60_000

export function createSession({ load, refresh, acquire, isDue, isRenewable }: Acquirer): Session {
  const share = createShare<Held | undefined>()
  let held: Held | undefined
  let accepted = false
  let loading: Promise<void> | undefined
  let loaded = false
  let pausedUntil = 0

  const take = (next: Held | undefined): Held | undefined => {
    if (next?.tokens.accessToken !== held?.tokens.accessToken) accepted = false
    held = next
    return next
  }
  const loadOnce = async (): Promise<void> => {
    try {
      take(await load())
      loaded = true
    } finally {
      loading = undefined
    }
  }
  /** What was got just now is tried, even if it should have expired already: clocks differ. */
  const isUntried = ({ source, tokens }: Held): boolean =>
    source !== 'stored' && !accepted && Date.now() - tokens.issuedAt < UNTRIED_MS
  const current = (): Held | undefined =>
    held && (isUntried(held) || Date.now() < (held.tokens.expiresAt ?? Infinity)) ? held : undefined
  const satisfies = ({ refused, demand }: Need): boolean =>
    held !== undefined && held.tokens.accessToken !== refused && coversScopes(held.tokens.asked, demand.scope)

  return {
    get held() {
      return held
    },
    get current() {
      return current()
    },
    get accepted() {
      return accepted
    },
    get ready() {
      return loaded && (held === undefined || !isDue(held.tokens))
    },
    accept(accessToken) {
      if (held?.tokens.accessToken === accessToken) accepted = true
    },
    async prepare(signal) {
      if (!loaded) await untilAborted((loading ??= loadOnce()), signal)
      const last = held
      if (!last || isUntried(last) || !isDue(last.tokens) || !isRenewable(last.tokens)) return current()
      if (Date.now() < pausedUntil && current()) return current()
      try {
        const refreshing = share.join(signal) ?? share.begin(async (given) => take(await refresh(last, given)), signal)
        await refreshing
      } catch (error) {
        signal?.throwIfAborted()
        if (!current()) throw error
        pausedUntil = Date.now() + PAUSE_MS
      }
      return current()
    },
    async renew(need, signal) {
      for (let joined = share.join(signal); joined; joined = share.join(signal)) {
        await joined
        if (satisfies(need)) return true
      }
      if (need.mayBegin?.() === false) return false
      await share.begin(async (given) => take(await acquire(need, given)), signal)
      return true
    },
  }
}
