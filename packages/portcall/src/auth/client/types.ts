/** What those have in common who get access tokens for a client: the words that all files of this folder share. */
import type { Store } from '../../stores/store.ts'

/** A request to an OAuth endpoint. */
export interface AuthRequest {
  /** Default: GET. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | URLSearchParams | null
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends a request to an OAuth endpoint, and guards it: https but for loopback, no private addresses on the word of a server, bounded in size
 * and time. Redirects of a POST are answers like any other; the body of the answer is there when it resolves.
 *
 * @throws AuthError `address_refused` or `unreachable`; the reason of the signal.
 */
export type AuthFetch = (url: string | URL, init?: AuthRequest) => Promise<Response>

/** The metadata of an authorization server (RFC 8414, or OpenID Connect Discovery), as far as it is used here. */
export interface AuthorizationServer {
  readonly issuer: string
  readonly authorization_endpoint?: string
  readonly token_endpoint?: string
  readonly registration_endpoint?: string
  readonly device_authorization_endpoint?: string
  readonly revocation_endpoint?: string
  readonly scopes_supported?: string[]
  readonly grant_types_supported?: string[]
  readonly token_endpoint_auth_methods_supported?: string[]
  readonly token_endpoint_auth_signing_alg_values_supported?: string[]
  readonly code_challenge_methods_supported?: string[]
  readonly client_id_metadata_document_supported?: boolean
  readonly authorization_response_iss_parameter_supported?: boolean
  readonly dpop_signing_alg_values_supported?: string[]
}

/** How a client proves itself at the token endpoint. */
export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** The key of a client that signs assertions: a key object, a JWK, or PKCS#8 in PEM. */
export type ClientKey = CryptoKey | Readonly<JsonWebKey> | string

/** Who asks for a token. */
export interface ClientIdentity {
  readonly clientId: string
  readonly clientSecret?: string
  /** For `private_key_jwt`. */
  readonly privateKey?: ClientKey
  /** The algorithm of `privateKey`. Default: what the key says, else ES256. */
  readonly algorithm?: string
  /** Default: the strongest that the server supports and for which there is a secret or a key; without these, `none`. */
  readonly authentication?: ClientAuthMethod
}

/** What a token endpoint has issued. */
export interface Tokens {
  readonly accessToken: string
  readonly tokenType: 'bearer' | 'dpop'
  /** Milliseconds since 1970; absent when the server has not told. */
  readonly expiresAt?: number
  readonly refreshToken?: string
  /** The scopes that the token has, separated by spaces; absent when the server has not told. */
  readonly scope?: string
  /** The client that they were issued to, when it was registered on the way: whoever refreshes them has to be the same. */
  readonly client?: ClientIdentity
}

/** A request to say who holds the key of a token (RFC 9449). */
export interface ProofRequest {
  readonly method: string
  readonly url: URL
  /** The token that is sent along; absent at a token endpoint. */
  readonly accessToken?: string
}

/** What an answer says about nonces. */
export interface NonceAnswer {
  readonly url: URL
  /** Its `DPoP-Nonce`. */
  readonly nonce: string | undefined
  /** The proof that the request went out with. */
  readonly proof: string | undefined
}

/** Proves with each request that this client holds the key that its tokens are bound to (RFC 9449). */
export interface Dpop {
  /** What is stored beside the tokens that are bound to the key: the private key, or only what it is recognized by. */
  readonly key: JsonWebKey
  /** Makes the value of the `DPoP` header of one request, with the last nonce of the origin that it goes to. */
  proof(request: ProofRequest): Promise<string>
  /** Takes the nonce of an answer; tells whether the proof lacked it, so that the request may be sent again with a new one. */
  heard(answer: NonceAnswer): boolean
}

/** Everything that the way to a token may need. */
export interface GrantContext {
  /** The endpoint of the MCP server. */
  readonly endpoint: URL
  /** Metadata whose issuer has been checked. */
  readonly server: AuthorizationServer
  /** The resource that the token is for, in exactly the form in which it is sent (RFC 8707). */
  readonly resource: string
  /** The scopes to ask for, separated by spaces; absent when none are to be named. */
  readonly scope: string | undefined
  /** Where registrations and tokens rest. */
  readonly store: Store
  readonly fetch: AuthFetch
  /** Checks an address that is to be opened in a browser. @throws AuthError `address_refused`. */
  openable(url: string): URL
  /** Present when tokens are to be bound to a key. */
  readonly dpop: Dpop | undefined
  /** Nobody waits for the token any more. */
  readonly signal: AbortSignal
}

/** What a request to a token endpoint needs of its context. */
export type TokenContext = Pick<GrantContext, 'server' | 'resource' | 'fetch' | 'dpop' | 'signal'>

/** One way to tokens; the flow around it does discovery, storing, refreshing and stepping up. */
export interface Grant {
  /** Names the way, and whose tokens it gets where one program has several, in the keys of the store. */
  readonly name: string
  /** Whether the authorization server is asked for a refresh token where it wants that said. */
  readonly offline?: boolean
  /** Whether nobody is asked when it gets tokens: new ones are then got before the old ones expire, also without a refresh token. */
  readonly silent?: boolean
  /** Chooses one of several authorization servers. Default: the first. @throws AuthError. */
  choose?(issuers: readonly string[]): string
  /** Gets tokens. @throws AuthError. */
  obtain(context: GrantContext): Promise<Tokens>
  /** The client to which tokens of this grant were issued: needed to refresh them. */
  client(context: GrantContext, tokens: Tokens): Promise<ClientIdentity | undefined>
}
