import type { KeyValueStore } from '../../../stores/store.ts'
import type { DpopKeys } from '../dpop/keys.ts'
import type { AuthFetch, DpopSigner, GrantContext, GrantType } from '../types.ts'
import type { ResourceBinding, StoredTokens, TokenStore } from './token-store.ts'

/** Tokens that this process can use. */
export interface ActiveTokens {
  readonly binding: ResourceBinding
  readonly tokens: StoredTokens
  /** How this process got them. */
  readonly source: 'stored' | 'refreshed' | 'obtained'
  readonly dpop: DpopSigner | undefined
}

/** The grant, the store and the limits with which the tokens of one endpoint are obtained. */
export interface TokenManagerOptions {
  readonly endpoint: URL
  readonly grant: GrantType
  readonly store: KeyValueStore
  readonly tokenStore: TokenStore
  readonly fetch: AuthFetch
  readonly checkBrowserUrl: (url: string) => URL
  /** Scopes that are always requested. */
  readonly scope: string | undefined
  /** Allows requests for `offline_access`, in addition to what `scope` contains. */
  readonly offlineAccess: boolean
  /** How long before their expiry tokens are refreshed, in milliseconds. */
  readonly refreshAheadMs: number
  /** Requires tokens that are bound to a key. */
  readonly requireDpop: boolean
  readonly dpopKeys: DpopKeys
}

/** Returns what a grant needs, without scopes. */
export type ContextOf = (binding: ResourceBinding, dpop: DpopSigner | undefined, signal: AbortSignal) => GrantContext
