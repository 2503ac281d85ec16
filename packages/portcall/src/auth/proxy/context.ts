import { namespaceStore } from '../../stores/namespace.ts'
import { createDefaultStore } from '../../stores/open-store.ts'
import { sealerKeys } from '../../stores/sealing/key-ring.ts'
import { createSealer, type Sealer } from '../../stores/sealing/seal.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import { type ProtectedResource, parseResource, parseSecureUrl } from '../server/resource.ts'
import { createProxyClients, type ProxyClients } from './clients.ts'
import { createGrants, type Grants } from './grants.ts'
import { type OAuthProxyOptions, PROXY_LIFETIMES, type ProxyLifetimes } from './options.ts'
import { createTokenRefresher, type TokenRefresher } from './token-refresher.ts'
import { createUpstream, type UpstreamClient } from './upstream.ts'

/** The context that the endpoints of one proxy share. */
export interface ProxyContext {
  readonly options: OAuthProxyOptions
  readonly resource: ProtectedResource
  /** The issuer identifier of the proxy: the origin of the resource. */
  readonly issuer: string
  readonly scopes: readonly string[]
  readonly lifetimes: ProxyLifetimes
  readonly store: KeyValueStore
  readonly sealer: Sealer
  readonly clients: ProxyClients
  readonly grants: Grants
  readonly upstream: UpstreamClient
  readonly tokenRefresher: TokenRefresher
  readonly now: () => number
}

/** The paths of the endpoints. Clients of 2025-03-26 use them without discovery. */
export const PATHS = {
  metadata: '/.well-known/oauth-authorization-server',
  authorize: '/authorize',
  callback: '/authorize/callback',
  token: '/token',
  register: '/register',
  revoke: '/revoke',
} as const

/** @throws TypeError for an invalid resource or endpoint URL. */
export function createProxyContext(options: OAuthProxyOptions): ProxyContext {
  const resource = parseResource(options.resource)
  const { authorizationEndpoint, revocationEndpoint } = options.upstream
  parseSecureUrl('upstream.authorizationEndpoint', authorizationEndpoint)
  if (revocationEndpoint !== undefined) parseSecureUrl('upstream.revocationEndpoint', revocationEndpoint)
  const { now = Date.now, store: sharedStore = createDefaultStore({ now }), scopes = [], sealingKeys: keys } = options
  const issuer = resource.origin
  // Tokens of one resource are unknown to the proxy of another one, even if both share a store.
  const store = namespaceStore(sharedStore, `${resource.uri} `)
  const lifetimes = lifetimesOf(options)
  const sealer = createSealer({ now, ...sealerKeys(keys) })
  const upstream = createUpstream(options, issuer + PATHS.callback, now)
  const grants = createGrants({ store, sealer, upstream, lifetimes, now })
  const tokenRefresher = createTokenRefresher({ grants, upstream, store, now })
  const clients = createProxyClients({ ...options, sealer, issuer, now, clientTtlMs: lifetimes.clientTtlMs })
  return { options, resource, issuer, scopes, lifetimes, store, sealer, clients, grants, upstream, tokenRefresher, now }
}

function lifetimesOf(options: OAuthProxyOptions): ProxyLifetimes {
  const { accessTokenTtlMs, grantTtlMs, signInTtlMs, codeTtlMs, clientTtlMs } = { ...PROXY_LIFETIMES, ...options }
  return { accessTokenTtlMs, grantTtlMs, signInTtlMs, codeTtlMs, clientTtlMs }
}

/** Removes an entry from a store and returns its value. Of several concurrent callers, only one receives the value. */
export async function getAndDelete(store: KeyValueStore, key: string): Promise<string | undefined> {
  const value = await store.get(key)
  return value !== undefined && (await store.compareAndSet(key, { expected: value, value: undefined })) ? value : undefined
}
