import type { AuthorizationFaults } from './faults.ts'

/** A JWK set ([RFC 7517 §5](https://www.rfc-editor.org/rfc/rfc7517#section-5)). */
export interface KeySet {
  /** The keys, as JWKs. */
  readonly keys: readonly JsonWebKey[]
}

/** The metadata of a client ([RFC 7591 §2](https://www.rfc-editor.org/rfc/rfc7591#section-2)). */
export interface ClientMetadata {
  /** The client ID. */
  readonly client_id: string
  /** The client secret. Absent for public clients. */
  readonly client_secret?: string
  /** The allowed redirect URIs. */
  readonly redirect_uris?: readonly string[]
  /** The method that the client must use. Default: `client_secret_basic` or `client_secret_post` with a secret, otherwise `none`. */
  readonly token_endpoint_auth_method?: string
  /** The grant types that the client may use. Default: all. */
  readonly grant_types?: readonly string[]
  /** The type of application: `web` or `native`. It is returned to the client, and has no other effect. */
  readonly application_type?: string
  /** The keys for `private_key_jwt`. */
  readonly jwks?: KeySet
  /** The client's ID at other authorization servers, by issuer. Identity assertions for these servers contain it. */
  readonly known_as?: Readonly<Record<string, string>>
  readonly [member: string]: unknown
}

/** A request for the consent of the user. */
export interface UserDecisionRequest {
  /** The client that requests access. */
  readonly client: ClientMetadata
  /** The requested scopes. */
  readonly scopes: readonly string[]
  /** The resources that the client requests access to. */
  readonly resources: readonly string[]
  /** The way by which the request arrived: a browser redirect or a device code. */
  readonly via: 'redirect' | 'device'
}

/** The decision of the user: consent, or an error. */
export type UserDecision =
  | {
      /** Identifies the user: the `sub` of the tokens. */
      readonly subject: string
      /** The granted scopes. Default: those requested. */
      readonly scopes?: readonly string[]
    }
  | {
      /** The OAuth error code, such as `access_denied`. */
      readonly error: string
    }

/** How long tokens and codes are valid. */
export interface TokenLifetimes {
  /** The lifetime of an access token, in milliseconds. Default: 300,000. */
  readonly accessTokenTtlMs: number
  /** The lifetime of a refresh token, in milliseconds. Default: 86,400,000. */
  readonly refreshTokenTtlMs: number
  /** The lifetime of an authorization code. Default: 1 minute. */
  readonly codeTtlMs: number
  /** The lifetime of a device code, in milliseconds. Default: 600,000. */
  readonly deviceCodeTtlMs: number
  /** The minimum interval between two token requests with a device code. Default: 5 seconds. */
  readonly pollIntervalMs: number
}

/** Another issuer whose assertions are accepted. */
export interface TrustedIssuer {
  /** The issuer identifier. */
  readonly issuer: string
  /** The keys that verify its assertions, or a function that returns them. */
  readonly keys: KeySet | (() => KeySet | Promise<KeySet>)
}

/**
 * Where metadata is served. `oauth`: [RFC 8414 §3](https://www.rfc-editor.org/rfc/rfc8414#section-3). `openid`: the same, with
 * `openid-configuration`. `openid-appended`: after the path of the issuer, as in OpenID Connect Discovery. Or any other path.
 */
export type MetadataLocation = 'oauth' | 'openid' | 'openid-appended' | `/${string}`

/** Options of `authorizationServer`. */
export interface AuthorizationServerOptions extends Partial<TokenLifetimes> {
  /** The path of the issuer, for example `/tenant`. Default: none. */
  readonly path?: string
  /** The port to listen on. Default: a free port. */
  readonly port?: number
  /** The format of access tokens: JWTs ([RFC 9068](https://www.rfc-editor.org/rfc/rfc9068)) or opaque strings. Default: `jwt`. */
  readonly tokenFormat?: 'jwt' | 'opaque'
  /** The signature algorithm. Default: `ES256`. */
  readonly algorithm?: string
  /** The registered clients. */
  readonly clients?: readonly ClientMetadata[]
  /** The supported scopes. If `offline_access` is one of them, only clients that request it receive refresh tokens. Default: any. */
  readonly scopes?: readonly string[]
  /** The resources that tokens are issued for. Default: any. */
  readonly resources?: readonly string[]
  /** Decides on behalf of the user. Default: consents, as the user `user`. */
  readonly decide?: (request: UserDecisionRequest) => UserDecision | Promise<UserDecision>
  /** True if refresh tokens are single-use. Reuse then revokes all tokens of the same consent. Default: true. */
  readonly rotateRefreshTokens?: boolean
  /** Other issuers whose tokens are accepted for the JWT bearer grant and for token exchange. */
  readonly trustedIssuers?: readonly TrustedIssuer[]
  /** Allows dynamic client registration. Default: true. */
  readonly dynamicRegistration?: boolean
  /** Returns a client ID metadata document. Default: fetches it. `false`: metadata documents are not supported. */
  readonly metadataDocuments?: ((url: string) => unknown) | false
  /** Where the server publishes its metadata. Default: `oauth` and `openid-appended`. */
  readonly metadataLocations?: readonly MetadataLocation[]
  /** The demands of the server on DPoP. */
  readonly dpop?: {
    /** True if access tokens must be bound to a key. Default: false. */
    readonly required?: boolean
    /** True if proofs must contain a nonce. Default: false. */
    readonly nonces?: boolean
  }
  /** Faults from the start. `setFaults` replaces them. */
  readonly faults?: AuthorizationFaults
  /** Returns the current time, in milliseconds since 1970. */
  readonly now?: () => number
}

export const DEFAULT_LIFETIMES: TokenLifetimes = {
  accessTokenTtlMs: 300_000,
  refreshTokenTtlMs: 86_400_000,
  codeTtlMs: 60_000,
  deviceCodeTtlMs: 600_000,
  pollIntervalMs: 5000,
}
