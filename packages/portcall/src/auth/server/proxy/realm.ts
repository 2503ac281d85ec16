import type { Sealer } from '../../../stores/seal.ts'
import type { Store } from '../../../stores/store.ts'
import type { Resource } from '../resource.ts'
import type { Clients } from './clients.ts'
import type { Grants } from './grants.ts'
import type { Keeper } from './keeper.ts'
import type { OAuthProxyOptions, ProxyLifetimes } from './options.ts'
import type { UpstreamClient } from './upstream.ts'

/** What all endpoints of one proxy share. */
export interface Realm {
  readonly options: OAuthProxyOptions
  readonly resource: Resource
  /** The proxy, as an authorization server: the origin of the resource. */
  readonly issuer: string
  readonly scopes: readonly string[]
  readonly lifetimes: ProxyLifetimes
  readonly store: Store
  readonly sealer: Sealer
  readonly clients: Clients
  readonly grants: Grants
  readonly upstream: UpstreamClient
  readonly keeper: Keeper
  readonly now: () => number
}

/** Where the endpoints are. Clients of 2025-03-26 look there without asking. */
export const PATHS = {
  metadata: '/.well-known/oauth-authorization-server',
  authorize: '/authorize',
  callback: '/authorize/callback',
  token: '/token',
  register: '/register',
  revoke: '/revoke',
} as const

/** Takes an entry out of a store, for one taker only. */
export async function take(store: Store, key: string): Promise<string | undefined> {
  const value = await store.get(key)
  return value !== undefined && (await store.swap(key, { expected: value, value: undefined })) ? value : undefined
}
