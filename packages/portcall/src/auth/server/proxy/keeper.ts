import type { Store } from '../../../stores/store.ts'
import { withLock } from '../../lock.ts'
import { VerifierUnavailable } from '../errors.ts'
import type { Grant, Grants } from './grants.ts'
import type { UpstreamTokens } from './options.ts'
import { type UpstreamClient, UpstreamRefused } from './upstream.ts'

/** Keeps the tokens of the identity provider fresh. */
export interface Keeper {
  /**
   * The tokens of a grant, good for `forMs` more. They are refreshed once, whoever asks and on whichever node. When the identity provider
   * refuses, the grant ends.
   *
   * @throws UpstreamRefused, VerifierUnavailable
   */
  fresh(grant: Grant, forMs: number): Promise<UpstreamTokens>
}

export interface KeeperOptions {
  readonly grants: Grants
  readonly upstream: UpstreamClient
  readonly store: Store
  readonly now: () => number
}

const LOCK = 'proxy/lock/'
const WAIT_MS = 15_000

/** Makes the keeper of one proxy. */
export function createKeeper({ grants, upstream, store, now }: KeeperOptions): Keeper {
  const refreshing = new Map<string, Promise<UpstreamTokens>>()
  const isFresh = ({ expiresAt }: UpstreamTokens, forMs: number): boolean => expiresAt === undefined || expiresAt > now() + forMs

  const refresh = async (grant: Grant, tokens: UpstreamTokens): Promise<UpstreamTokens> => {
    const next = await upstream.refresh(tokens).catch(async (error) => {
      if (error instanceof UpstreamRefused) await grants.end(grant.id)
      throw error
    })
    for (let current: Grant | undefined = grant; current; current = await grants.find(grant.id))
      if (await grants.change(current, { sealed: await grants.seal(grant, next) })) return next
    throw new UpstreamRefused('The grant has ended')
  }
  const locked = async (id: string, forMs: number): Promise<UpstreamTokens> => {
    const signal = AbortSignal.timeout(WAIT_MS)
    const renew = async (): Promise<UpstreamTokens> => {
      const grant = await grants.find(id)
      if (!grant) throw new UpstreamRefused('The grant has ended')
      const tokens = await grants.unseal(grant)
      return isFresh(tokens, forMs) ? tokens : refresh(grant, tokens)
    }
    return withLock({ store, key: LOCK + id, signal }, renew).catch((error) => {
      throw error === signal.reason ? new VerifierUnavailable('The tokens are being refreshed elsewhere') : error
    })
  }
  return {
    async fresh(grant, forMs) {
      const tokens = await grants.unseal(grant)
      if (isFresh(tokens, forMs)) return tokens
      if (tokens.refreshToken === undefined) {
        if (isFresh(tokens, 0)) return tokens
        await grants.end(grant.id)
        throw new UpstreamRefused('The tokens have expired')
      }
      const started = refreshing.get(grant.id) ?? locked(grant.id, forMs).finally(() => refreshing.delete(grant.id))
      refreshing.set(grant.id, started)
      return started
    },
  }
}
