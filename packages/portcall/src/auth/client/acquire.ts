/**
 * Gets tokens for one endpoint: finds its authorization server, looks whether somebody else who shares the store has new tokens already,
 * refreshes, and only then asks for new ones. All that changes tokens happens under one lock in the store, so that a refresh token is used
 * once and a user is asked once, by however many calls in however many processes.
 */
import type { Store } from '../../stores/store.ts'
import { withLock } from '../lock.ts'
import type { Demand } from './challenge.ts'
import { discover } from './discover.ts'
import type { DpopKeys } from './dpop-keys.ts'
import { refreshTokens } from './refresh.ts'
import { coversScopes, joinScopes } from './scopes.ts'
import type { AuthFetch, Dpop, Grant, GrantContext } from './types.ts'
import { type Place, type StoredTokens, stampTokens, type Vault } from './vault.ts'

/** Tokens that can be used, and what is known of them. */
export interface Held {
  readonly place: Place
  readonly tokens: StoredTokens
  /** How this process came by them. */
  readonly source: 'stored' | 'refreshed' | 'obtained'
  readonly dpop: Dpop | undefined
}

/** Why other tokens are needed. */
export interface Need {
  /** The access token that was refused, if one was sent. */
  readonly refused: string | undefined
  readonly demand: Demand
  /** Whether it can help to refresh. */
  readonly mayRefresh: boolean
  /** Says whether to begin, where nothing that helps is under way. */
  readonly mayBegin?: () => boolean
}

export interface AcquirerOptions {
  readonly endpoint: URL
  readonly grant: Grant
  readonly store: Store
  readonly vault: Vault
  readonly fetch: AuthFetch
  readonly openable: (url: string) => URL
  /** Asked for in any case. */
  readonly scope: string | undefined
  /** Tokens are refreshed so long before they expire, in milliseconds. */
  readonly refreshAheadMs: number
  /** Whether tokens have to be bound to a key. */
  readonly bound: boolean
  readonly keys: DpopKeys
}

export interface Acquirer {
  /** The tokens that rest in the store. */
  load(): Promise<Held | undefined>
  /** Gets new tokens for those that expire, without asking anybody. Nothing when that cannot be done any more. @throws AuthError. */
  refresh(held: Held, signal: AbortSignal): Promise<Held | undefined>
  /** Gets tokens as a refusal demands them. @throws AuthError. */
  acquire(need: Need, signal: AbortSignal): Promise<Held>
  /** Whether tokens have expired, or will very soon. */
  isDue(tokens: StoredTokens): boolean
  /** Whether `refresh` can help. */
  isRenewable(tokens: StoredTokens): boolean
}

export function createAcquirer(options: AcquirerOptions): Acquirer {
  const { endpoint, grant, store, vault, fetch, openable, scope: fixed, refreshAheadMs, bound, keys } = options

  const isDue = ({ expiresAt = Infinity, issuedAt }: StoredTokens): boolean =>
    Date.now() >= expiresAt - Math.min(refreshAheadMs, (expiresAt - issuedAt) / 2)
  const contextOf = (place: Place, dpop: Dpop | undefined, signal: AbortSignal): GrantContext => ({
    ...place,
    endpoint,
    scope: undefined,
    store,
    fetch,
    openable,
    dpop,
    signal,
  })
  const locked = <T>(place: Place, signal: AbortSignal, run: () => Promise<T>): Promise<T> =>
    withLock({ store, key: vault.lockOf(place), signal }, run)
  /** Nothing when the tokens are bound to a key that is not here, or should be bound and are not. */
  const hold = async (place: Place, tokens: StoredTokens, source: Held['source']): Promise<Held | undefined> => {
    const { tokenType, key } = tokens
    const dpop = tokenType === 'dpop' && key ? await keys.forStored(key) : undefined
    return (tokenType === 'dpop' || bound) && !dpop ? undefined : { place, tokens, source, dpop }
  }
  /** Under the lock. A refresh token that was refused is forgotten. */
  const refreshNow = async (place: Place, stored: StoredTokens, signal: AbortSignal): Promise<Held | undefined> => {
    const held = stored.refreshToken === undefined ? undefined : await hold(place, stored, 'stored')
    if (!held) return undefined
    const tokens = await refreshTokens(grant, contextOf(place, held.dpop, signal), stored)
    const { refreshToken: _, ...rest } = stored
    await vault.keep(place, tokens ?? rest)
    return tokens && { ...held, tokens, source: 'refreshed' }
  }
  /** Under the lock. */
  const obtainNow = async (place: Place, scope: string | undefined, signal: AbortSignal): Promise<Held> => {
    const dpop = bound ? await keys.forNew(place.server) : undefined
    const tokens = stampTokens(await grant.obtain({ ...contextOf(place, dpop, signal), scope }), scope, dpop)
    await vault.keep(place, tokens)
    return { place, tokens, source: 'obtained', dpop }
  }

  return {
    isDue,
    isRenewable: ({ refreshToken }) => refreshToken !== undefined || grant.silent === true,
    async load() {
      const place = await vault.place()
      const tokens = place && (await vault.tokens(place))
      return place && tokens && hold(place, tokens, 'stored')
    },
    refresh: ({ place, tokens }, signal) =>
      locked(place, signal, async () => {
        const stored = await vault.tokens(place)
        if (!stored) return undefined
        if (stored.accessToken !== tokens.accessToken && !isDue(stored)) return hold(place, stored, 'stored')
        return (await refreshNow(place, stored, signal)) ?? (grant.silent ? obtainNow(place, stored.asked, signal) : undefined)
      }),
    async acquire({ refused, demand, mayRefresh }, signal) {
      const { server, resource, scope: named } = await discover({ endpoint, demand, choose: grant.choose, fetch, signal })
      const place: Place = { server, resource }
      await vault.settle(place)
      return locked(place, signal, async () => {
        const stored = await vault.tokens(place)
        if (stored && coversScopes(stored.asked, demand.scope)) {
          const isNew = stored.accessToken !== refused && !isDue(stored)
          const held = isNew ? await hold(place, stored, 'stored') : mayRefresh && (await refreshNow(place, stored, signal))
          if (held) return held
        }
        const scope = scopeOf({ fixed, demanded: demand.scope, named, before: stored?.asked, server, grant })
        return obtainNow(place, scope, signal)
      })
    },
  }
}

interface Scopes {
  readonly fixed: string | undefined
  readonly demanded: string | undefined
  readonly named: string | undefined
  readonly before: string | undefined
  readonly server: Place['server']
  readonly grant: Grant
}

/**
 * The scopes to ask for: what the server demands, else what it names, with what was asked for before.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-selection-strategy
 */
function scopeOf({ fixed, demanded, named, before, server, grant }: Scopes): string | undefined {
  const scope = joinScopes(before, fixed, demanded ?? (fixed === undefined ? named : undefined))
  const isOffline = grant.offline && server.scopes_supported?.includes('offline_access')
  return scope !== undefined && isOffline ? joinScopes(scope, 'offline_access') : scope
}
