import type { AuthorizationFaults } from './faults.ts'

/** A JWK set ([RFC 7517 §5](https://www.rfc-editor.org/rfc/rfc7517#section-5)). */
export interface KeySet {
  readonly keys: readonly JsonWebKey[]
}

/** What is known of a client, in the words of [RFC 7591 §2](https://www.rfc-editor.org/rfc/rfc7591#section-2). */
export interface ClientMetadata {
  readonly client_id: string
  readonly client_secret?: string
  readonly redirect_uris?: readonly string[]
  /** Default: `client_secret_basic` and `client_secret_post` when there is a secret, else `none`. */
  readonly token_endpoint_auth_method?: string
  /** Default: all. */
  readonly grant_types?: readonly string[]
  readonly application_type?: string
  /** Where the keys for `private_key_jwt` are. */
  readonly jwks?: KeySet
  /** What the client is called at other authorization servers, by issuer: what identity assertions for them name it. */
  readonly known_as?: Readonly<Record<string, string>>
  readonly [member: string]: unknown
}

/** What a client asks the user for. */
export interface ConsentRequest {
  readonly client: ClientMetadata
  readonly scope: string
  readonly resources: readonly string[]
  /** How it was asked: in a browser, or with a code from a device. */
  readonly by: 'redirect' | 'device'
}

/** What the user says: who they are, and perhaps less than what was asked; or that they do not want to. */
export type Decision = { readonly subject: string; readonly scope?: string } | { readonly error: string }

/** Seconds. */
export interface Lifetimes {
  /** Default: 300. */
  readonly access: number
  /** Default: a day. */
  readonly refresh: number
  /** Default: 60. */
  readonly code: number
  /** Default: 600. */
  readonly device: number
  /** Between two questions of a device. Default: 5. */
  readonly interval: number
}

/** Whose assertions are taken for good. */
export interface TrustedIssuer {
  readonly issuer: string
  readonly keys: KeySet | (() => KeySet | Promise<KeySet>)
}

/**
 * Where metadata is served. `oauth`: [RFC 8414 §3](https://www.rfc-editor.org/rfc/rfc8414#section-3); `openid`: the same with
 * `openid-configuration`; `openid-appended`: behind the issuer's path, as OpenID Connect Discovery has it; or a path.
 */
export type MetadataPlace = 'oauth' | 'openid' | 'openid-appended' | `/${string}`

/** What an authorization server for tests supports, and what its user says. Lifetimes are seconds. */
export interface AuthorizationServerOptions {
  /** The path of the issuer, such as `/tenant`. Default: none. */
  readonly path?: string
  /** Default: one that is free. */
  readonly port?: number
  /** What access tokens are: signed, as [RFC 9068](https://www.rfc-editor.org/rfc/rfc9068) says, or texts that mean nothing. Default: `jwt`. */
  readonly tokens?: 'jwt' | 'opaque'
  /** How tokens are signed. Default: `ES256`. */
  readonly algorithm?: string
  /** Clients that are known from the start. */
  readonly clients?: readonly ClientMetadata[]
  /** The scopes that can be had; with `offline_access` among them, refresh tokens are only for who asks for it. Default: any. */
  readonly scopes?: readonly string[]
  /** The resources that tokens can be had for. Default: any. */
  readonly resources?: readonly string[]
  /** The user. Default: says yes to everything, and is called `user`. */
  readonly decide?: (request: ConsentRequest) => Decision | Promise<Decision>
  readonly lifetimes?: Partial<Lifetimes>
  /** Whether a refresh token is good for one use; one that comes again ends all that came from the same consent. Default: yes. */
  readonly rotation?: boolean
  /** Issuers besides itself whose assertions and tokens are good for `jwt-bearer` and token exchange. */
  readonly trusted?: readonly TrustedIssuer[]
  /** Whether anybody may register. Default: yes. */
  readonly registration?: boolean
  /** Gets a client id metadata document. Default: fetches it from https or from this machine. `false`: such clients are unknown. */
  readonly documents?: ((url: string) => unknown) | false
  /** Default: `oauth` and `openid-appended`. */
  readonly metadata?: readonly MetadataPlace[]
  /** Whether tokens have to be bound to a key, and proofs have to carry a nonce. Default: neither. */
  readonly dpop?: { readonly required?: boolean; readonly nonces?: boolean }
  readonly faults?: AuthorizationFaults
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

export const LIFETIMES: Lifetimes = { access: 300, refresh: 86_400, code: 60, device: 600, interval: 5 }
