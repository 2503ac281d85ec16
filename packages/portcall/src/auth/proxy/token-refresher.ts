import { createSingleFlight } from '../../../../util/src/async.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import { VerifierUnavailableError } from '../server/errors.ts'
import { withStoreLock } from '../store-lock.ts'
import type { Grant, Grants } from './grants.ts'
import type { UpstreamTokens } from './options.ts'
import { type UpstreamClient, UpstreamRefusedError } from './upstream.ts'

/** Refreshes the tokens of the identity provider. */
export interface TokenRefresher {
  /**
   * Returns the upstream tokens of a grant, valid for at least `minTtlMs`. Concurrent callers share one refresh, across all nodes. Revokes
   * the grant if the identity provider refuses the refresh.
   *
   * @throws UpstreamRefusedError, VerifierUnavailableError
   */
  freshTokens(grant: Grant, minTtlMs: number): Promise<UpstreamTokens>
}

export interface TokenRefresherOptions {
  readonly grants: Grants
  readonly upstream: UpstreamClient
  readonly store: KeyValueStore
  readonly now: () => number
}

const LOCK = 'proxy/lock/'
const LOCK_TIMEOUT_MS = 15_000

export function createTokenRefresher({ grants, upstream, store, now }: TokenRefresherOptions): TokenRefresher {
  const refreshes = createSingleFlight<UpstreamTokens>()
  const isFresh = ({ expiresAt }: UpstreamTokens, minTtlMs: number): boolean =>
    expiresAt === undefined || expiresAt > now() + minTtlMs

  const refresh = async (grant: Grant, tokens: UpstreamTokens): Promise<UpstreamTokens> => {
    const next = await upstream.refresh(tokens).catch(async (error) => {
      if (error instanceof UpstreamRefusedError) await grants.revoke(grant.id)
      throw error
    })
    for (let current: Grant | undefined = grant; current; current = await grants.find(grant.id))
      if (await grants.update(current, { sealed: await grants.seal(grant, next) })) return next
    // The grant ended meanwhile, so nobody else knows the new tokens.
    await upstream.revoke(next).catch(() => {})
    throw new UpstreamRefusedError('The grant was revoked')
  }
  const refreshLocked = async (id: string, minTtlMs: number): Promise<UpstreamTokens> => {
    const signal = AbortSignal.timeout(LOCK_TIMEOUT_MS)
    const refreshIfNeeded = async (): Promise<UpstreamTokens> => {
      const grant = await grants.find(id)
      if (!grant) throw new UpstreamRefusedError('The grant was revoked')
      const tokens = await grants.unseal(grant)
      return isFresh(tokens, minTtlMs) ? tokens : refresh(grant, tokens)
    }
    return withStoreLock({ store, key: LOCK + id, signal }, refreshIfNeeded).catch((error) => {
      throw error === signal.reason ? new VerifierUnavailableError('Another node is still refreshing the tokens') : error
    })
  }
  return {
    async freshTokens(grant, minTtlMs) {
      const tokens = await grants.unseal(grant)
      if (isFresh(tokens, minTtlMs)) return tokens
      if (tokens.refreshToken === undefined) {
        if (isFresh(tokens, 0)) return tokens
        await grants.revoke(grant.id)
        throw new UpstreamRefusedError('The tokens have expired and cannot be refreshed')
      }
      return refreshes.run(grant.id, () => refreshLocked(grant.id, minTtlMs))
    },
  }
}
