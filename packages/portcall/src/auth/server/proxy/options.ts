import type { Store } from '../../../stores/store.ts'
import type { OutsideOptions } from '../outside.ts'

/** The identity provider, and what it knows of us. */
export interface Upstream {
  /** Its issuer. An answer that names another one is refused. */
  readonly issuer?: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  /** The one client that all users sign in with there. Its redirect URI is `/authorize/callback` at the origin of the resource. */
  readonly clientId: string
  readonly clientSecret?: string
  /** How the secret travels. Default: `'basic'`. */
  readonly authentication?: 'basic' | 'post'
  /** What is asked for there. */
  readonly scopes?: readonly string[]
  /** More parameters of the authorization request, such as `access_type`. */
  readonly parameters?: Readonly<Record<string, string>>
}

/** What the identity provider has issued. It stays here. */
export interface UpstreamTokens {
  readonly accessToken: string
  readonly idToken?: string
  readonly refreshToken?: string
  /** Milliseconds since 1970. */
  readonly expiresAt?: number
  readonly scope?: string
}

/** Who has signed in. */
export interface Identity {
  /** Never given to somebody else. */
  readonly subject: string
  /** The scopes that the user may have. Default: all. */
  readonly scopes?: readonly string[]
}

/** Milliseconds. */
export interface ProxyLifetimes {
  /** Of access tokens; never longer than those of the identity provider. Default: 1 h. */
  readonly accessMs: number
  /** Until a user has to sign in again. Default: 30 days. */
  readonly grantMs: number
  /** From the consent until the user comes back. Default: 10 min. */
  readonly loginMs: number
  /** Of authorization codes. Default: 1 min. */
  readonly codeMs: number
  /** Of client ids that were registered. Default: a year. */
  readonly clientMs: number
}

/** How an OAuth proxy stands between MCP clients and an identity provider. */
export interface OAuthProxyOptions extends OutsideOptions, Partial<ProxyLifetimes> {
  /** The URL of the server that is protected; the proxy is at its origin. */
  readonly resource: string
  readonly upstream: Upstream
  /** Tells who has signed in, by the tokens of the identity provider. */
  readonly identify: (tokens: UpstreamTokens) => Identity | Promise<Identity>
  /** The scopes of this server that clients may ask for. */
  readonly scopes?: readonly string[]
  /** What users know the server as. Default: its host. */
  readonly name?: string
  /** Where codes and grants rest; what is secret in them is hashed or sealed. Default: in memory. */
  readonly store?: Store
  /** Seal tokens of the identity provider and ids of clients; see `generateKey`. Default: a random key of this process. */
  readonly keys?: readonly string[]
  /** Whether clients may register themselves. Default: yes. */
  readonly registration?: boolean
  /** Whether clients may be known by the address of a document. Default: yes. */
  readonly documents?: boolean
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** The lifetimes that hold when nothing else is said. */
export const PROXY_LIFETIMES: ProxyLifetimes = {
  accessMs: 60 * MINUTE,
  grantMs: 30 * DAY,
  loginMs: 10 * MINUTE,
  codeMs: MINUTE,
  clientMs: 365 * DAY,
}
