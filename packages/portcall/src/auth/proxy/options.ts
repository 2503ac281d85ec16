import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import type { HookRequest } from '../../protocol/http.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { IssuerFetchOptions } from '../server/issuer-fetch.ts'

/** The identity provider, and the registration of the proxy with it. */
export interface Upstream {
  /** The issuer identifier. An authorization response with another one is refused. */
  readonly issuer?: string
  /** The URL where users sign in. */
  readonly authorizationEndpoint: string
  /** The URL that issues tokens. */
  readonly tokenEndpoint: string
  /**
   * The URL that revokes tokens (RFC 7009). When a grant ends, because the client signs out or a token was stolen, the tokens of the identity
   * provider are revoked there. Default: they remain valid at the identity provider until they expire.
   */
  readonly revocationEndpoint?: string
  /** The client that all users sign in with. Its redirect URI is `/authorize/callback` at the origin of the resource. */
  readonly clientId: string
  /** The secret of the client. Default: none, for a public client. */
  readonly clientSecret?: string
  /** How the secret is sent: in the `Authorization` header or in the form. Default: `'basic'`. */
  readonly authentication?: 'basic' | 'post'
  /** The scopes to request. */
  readonly scopes?: readonly string[]
  /** Additional parameters of the authorization request, such as `access_type`. */
  readonly parameters?: Readonly<Record<string, string>>
}

/** The tokens that the identity provider issued. They never leave the server. */
export interface UpstreamTokens {
  /** The access token. */
  readonly accessToken: string
  /** The ID token (OpenID Connect), if there is one. */
  readonly idToken?: string
  /** The refresh token, if there is one. */
  readonly refreshToken?: string
  /** When the access token expires, in milliseconds since 1970. */
  readonly expiresAt?: number
  /** The granted scopes, if the identity provider returned them. */
  readonly scopes?: readonly string[]
}

/** The user that has signed in. */
export interface Identity {
  /** A stable id that is never reassigned to another user. */
  readonly subject: string
  /** The scopes that the user may have. Default: all. */
  readonly scopes?: readonly string[]
}

/** How a client authenticates at the token and revocation endpoints. `none` is for public clients, which have no credentials. */
export type ProxyClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** A client that you register by hand. Users consent to it as to any other client. */
export interface ProxyClientRegistration {
  /** The client ID. It starts with neither `https://` nor `dcr.`. */
  readonly clientId: string
  /** The name on the consent page. */
  readonly name: string
  /** The redirect URIs: URLs with https, or with http on loopback. */
  readonly redirectUris: readonly string[]
  /** The client secret, for `client_secret_basic` and `client_secret_post`. */
  readonly clientSecret?: string
  /** The public keys of the client, for `private_key_jwt`. */
  readonly keys?: {
    /** The keys, as JSON Web Keys. */
    readonly keys: readonly JsonWebKey[]
  }
  /** How the client authenticates. Default: `private_key_jwt` with `keys`, `client_secret_basic` with `clientSecret`, otherwise `none`. */
  readonly authentication?: ProxyClientAuthMethod
}

/** How client ID metadata documents are fetched. Anyone can make the proxy fetch one, so the fetches are limited. */
export interface MetadataDocumentOptions {
  /** The ports other than 443 that documents may be fetched from. Default: none. */
  readonly ports?: readonly number[]
  /** How many documents are fetched from one host in a minute. Default: 30. */
  readonly maxHostFetches?: number
  /** How many documents are fetched in a minute on request of one IP address, or of one /64 network of IPv6. Default: 30. */
  readonly maxRequesterFetches?: number
  /**
   * Returns the IP address of the sender of a request, or `undefined` if it is unknown. Behind a reverse proxy, read the header that your proxy
   * sets. Default: the address of the connection, where the runtime reveals it.
   */
  readonly requesterAddress?: (request: HookRequest) => string | undefined
}

/** The default limits of `MetadataDocumentOptions`. */
export const METADATA_DOCUMENT_LIMITS = { maxHostFetches: 30, maxRequesterFetches: 30 } as const

/** Lifetimes in milliseconds. */
export interface ProxyLifetimes {
  /** Lifetime of access tokens, limited to that of the identity provider's tokens. Default: 1 hour. */
  readonly accessTokenTtlMs: number
  /** Time after which a user has to sign in again. Default: 30 days. */
  readonly grantTtlMs: number
  /** Time allowed for signing in, from the consent page until the user returns. Default: 10 minutes. */
  readonly signInTtlMs: number
  /** Lifetime of authorization codes. Default: 1 minute. */
  readonly codeTtlMs: number
  /** Lifetime of dynamically registered client ids. Default: 1 year. */
  readonly clientTtlMs: number
}

export interface OAuthProxyOptions extends IssuerFetchOptions, Partial<ProxyLifetimes> {
  /** The URL of the protected server. The endpoints of the proxy are at its origin. */
  readonly resource: string
  /** The identity provider. */
  readonly upstream: Upstream
  /** Returns the user that the identity provider issued the tokens for. */
  readonly identify: (tokens: UpstreamTokens) => Identity | Promise<Identity>
  /** The scopes that clients may request. */
  readonly scopes?: readonly string[]
  /** The name of the server on the consent page. Default: its host. */
  readonly name?: string
  /** Stores authorization codes and grants. Secrets in them are hashed or sealed. Default: in memory; in workers, the store that they share. */
  readonly store?: KeyValueStore
  /** Seal the tokens of the identity provider and the ids of clients; see `generateKey`. Default: a random key of this process or of its workers. */
  readonly sealingKeys?: readonly string[]
  /** Allows dynamic client registration. Default: true. */
  readonly dynamicRegistration?: boolean
  /** Accepts URLs of client ID metadata documents as client ids, and sets how the documents are fetched. Default: true. */
  readonly metadataDocuments?: boolean | MetadataDocumentOptions
  /** Clients that are registered by hand. Default: none. */
  readonly clients?: readonly ProxyClientRegistration[]
  /** Returns the current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number
}

const NAMES: OptionNames<OAuthProxyOptions> = {
  resource: 'text',
  upstream: 'object',
  identify: 'function',
  scopes: 'texts',
  name: 'text',
  store: 'store',
  sealingKeys: 'texts',
  dynamicRegistration: 'boolean',
  metadataDocuments: 1,
  clients: 'array',
  now: 1,
  accessTokenTtlMs: 1,
  grantTtlMs: 1,
  signInTtlMs: 1,
  codeTtlMs: 1,
  clientTtlMs: 1,
  fetch: 1,
  allow: 'array',
}
const UPSTREAM: OptionNames<Upstream> = {
  issuer: 'text',
  authorizationEndpoint: 'url',
  tokenEndpoint: 'url',
  revocationEndpoint: 'url',
  clientId: 'text',
  clientSecret: 'text',
  authentication: ['basic', 'post'],
  scopes: 'texts',
  parameters: 'object',
}
const UPSTREAM_REQUIRED = {
  authorizationEndpoint: 'Pass the URL where users sign in',
  tokenEndpoint: 'Pass the URL that issues tokens',
  clientId: 'Pass the client that the identity provider knows. Is an environment variable not set?',
}
const DOCUMENTS: OptionNames<MetadataDocumentOptions> = {
  ports: 'array',
  maxHostFetches: 1,
  maxRequesterFetches: 1,
  requesterAddress: 'function',
}
const REQUIRED = {
  resource: 'Pass the URL of the protected server',
  upstream: 'Pass the identity provider',
  identify: 'Pass a function that returns the user of the tokens: ({ idTokenClaims }) => …',
}

/** Checks the options of `oauthProxy`. @throws TypeError. */
export function checkProxyOptions(options: OAuthProxyOptions): void {
  checkOptions('oauthProxy()', options, {
    names: NAMES,
    advice: { stores: 'Use "store"', verify: 'Pass it to protect()' },
    required: REQUIRED,
  })
  const { metadataDocuments, upstream } = options
  checkOptions('oauthProxy(): upstream', upstream, {
    names: UPSTREAM,
    advice: { scope: "Use scopes: ['…']" },
    required: UPSTREAM_REQUIRED,
  })
  if (typeof metadataDocuments === 'object')
    checkOptions('oauthProxy(): metadataDocuments', metadataDocuments, { names: DOCUMENTS })
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** The default lifetimes. */
export const PROXY_LIFETIMES: ProxyLifetimes = {
  accessTokenTtlMs: 60 * MINUTE,
  grantTtlMs: 30 * DAY,
  signInTtlMs: 10 * MINUTE,
  codeTtlMs: MINUTE,
  clientTtlMs: 365 * DAY,
}
