/** Types shared by the files of this folder. */
import type { KeyValueStore } from '../../stores/store.ts'

/** A request to an OAuth endpoint. */
export interface AuthRequest {
  /** The HTTP method. Default: GET. */
  readonly method?: string
  /** Additional request headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** The request body. `URLSearchParams` are sent as a form. */
  readonly body?: string | URLSearchParams | null
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends a request to an OAuth endpoint within the address policy: https except on loopback, no private addresses that a server names, limited
 * size and time. Resolves when the body has arrived. Returns redirects of a POST as responses.
 *
 * @throws AuthError `address_refused` or `unreachable`; the reason of the signal.
 */
export type AuthFetch = (url: string | URL, init?: AuthRequest) => Promise<Response>

/** The metadata of an authorization server (RFC 8414, or OpenID Connect Discovery), as far as the library uses it. */
export interface AuthorizationServer {
  /** The issuer identifier, a URL. */
  readonly issuer: string
  /** The URL where users sign in and consent. */
  readonly authorization_endpoint?: string
  /** The URL that issues tokens. */
  readonly token_endpoint?: string
  /** The URL for dynamic client registration (RFC 7591). */
  readonly registration_endpoint?: string
  /** The URL that starts a device authorization (RFC 8628). */
  readonly device_authorization_endpoint?: string
  /** The URL that revokes tokens (RFC 7009). */
  readonly revocation_endpoint?: string
  /** The scopes that clients may request. */
  readonly scopes_supported?: string[]
  /** The supported grant types. Default: `authorization_code` and `implicit`. */
  readonly grant_types_supported?: string[]
  /** The client authentication methods of the token endpoint. Default: `client_secret_basic`. */
  readonly token_endpoint_auth_methods_supported?: string[]
  /** The signature algorithms of client assertions. */
  readonly token_endpoint_auth_signing_alg_values_supported?: string[]
  /** The supported PKCE methods (RFC 7636). `S256` is required. */
  readonly code_challenge_methods_supported?: string[]
  /** True if the URL of a client ID metadata document is accepted as a client ID. */
  readonly client_id_metadata_document_supported?: boolean
  /** True if authorization responses contain `iss` (RFC 9207). */
  readonly authorization_response_iss_parameter_supported?: boolean
  /** The signature algorithms of DPoP proofs (RFC 9449). */
  readonly dpop_signing_alg_values_supported?: string[]
}

/** How a client authenticates at the token endpoint. */
export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** The key with which a client signs assertions: a key object, a JWK, or PKCS#8 in PEM. */
export type ClientKey = CryptoKey | Readonly<JsonWebKey> | string

/** An OAuth client and its credentials. */
export interface ClientIdentity {
  /** The client ID, as registered. */
  readonly clientId: string
  /** The client secret, for `client_secret_basic` and `client_secret_post`. */
  readonly clientSecret?: string
  /** The private key that signs client assertions, for `private_key_jwt`. */
  readonly privateKey?: ClientKey
  /** The algorithm of `privateKey`. Default: that of the key, else ES256. */
  readonly algorithm?: string
  /** How the client authenticates at the token endpoint. Default: the strongest method that the server supports and for which there is a secret or a key, otherwise `none`. A secret is sent in the way that the server lists first. */
  readonly authentication?: ClientAuthMethod
}

/** The response of a token endpoint. */
export interface TokenSet {
  /** The access token. */
  readonly accessToken: string
  /** `dpop` for a token that is bound to a key (RFC 9449), otherwise `bearer`. */
  readonly tokenType: 'bearer' | 'dpop'
  /** When the access token expires, in milliseconds since 1970. Absent if the server did not specify it. */
  readonly expiresAt?: number
  /** The refresh token, if the server issued one. */
  readonly refreshToken?: string
  /** The granted scopes, separated by spaces. Absent if the server did not specify them. */
  readonly scope?: string
  /** The client that the tokens were issued to, if it was registered dynamically. Only this client can refresh them. */
  readonly client?: ClientIdentity
}

/** The request that a DPoP proof is for (RFC 9449). */
export interface ProofRequest {
  /** The HTTP method. */
  readonly method: string
  /** The URL of the request. */
  readonly url: URL
  /** The access token of the request. Absent at a token endpoint. */
  readonly accessToken?: string
}

/** A response that may contain a DPoP nonce. */
export interface NonceResponse {
  /** The URL of the request. */
  readonly url: URL
  /** Its `DPoP-Nonce`. */
  readonly nonce: string | undefined
  /** The proof of the request. */
  readonly proof: string | undefined
}

/** Signs proofs that this client holds the key that its tokens are bound to (RFC 9449). */
export interface DpopSigner {
  /** The key as stored with the tokens: the private key, or only the public key to recognize it by. */
  readonly storedKey: JsonWebKey
  /** Creates the value of the `DPoP` header for one request, with the last nonce of the origin. */
  createProof(request: ProofRequest): Promise<string>
  /** Stores the nonce of a response. Returns whether the proof lacked it, so that the request can be retried with a new proof. */
  recordNonce(response: NonceResponse): boolean
}

/** The context in which a grant obtains tokens. */
export interface GrantContext {
  /** The URL of the MCP endpoint. */
  readonly endpoint: URL
  /** The metadata of the authorization server, whose issuer has been verified. */
  readonly server: AuthorizationServer
  /** The `resource` parameter, exactly as it has to be sent (RFC 8707). */
  readonly resource: string
  /** The scopes to request, separated by spaces. Absent if the parameter is to be omitted. */
  readonly scope: string | undefined
  /** The scopes that the metadata of the resource lists, separated by spaces. A new client is registered for them too. */
  readonly resourceScope?: string | undefined
  /** Stores registrations and tokens. */
  readonly store: KeyValueStore
  /** Sends requests to the authorization server, within the address policy. */
  readonly fetch: AuthFetch
  /** Checks a URL that is to be opened in a browser. @throws AuthError `address_refused`. */
  checkBrowserUrl(url: string): URL
  /** Present if tokens are to be bound to a key. */
  readonly dpop: DpopSigner | undefined
  /** Aborted when no caller waits for the tokens any more. */
  readonly signal: AbortSignal
}

/** The context of a request to a token endpoint. */
export type TokenContext = Pick<GrantContext, 'server' | 'resource' | 'fetch' | 'dpop' | 'signal'>

/** An OAuth grant type. `createAuthProvider` adds discovery, storage, refresh and step-up. */
export interface GrantType {
  /** Identifies the grant in the keys of the store. Include the client id if a program uses the same grant with several clients. */
  readonly name: string
  /** Requests `offline_access` from authorization servers that support it, to receive a refresh token. */
  readonly offlineAccess?: boolean
  /** Obtains tokens without user interaction. New tokens are then obtained before the old ones expire, even without a refresh token. */
  readonly silent?: boolean
  /** Chooses one of several authorization servers. Default: the first. @throws AuthError. */
  chooseIssuer?(issuers: readonly string[]): string
  /** Obtains tokens. @throws AuthError. */
  obtain(context: GrantContext): Promise<TokenSet>
  /** Returns the client that the tokens were issued to, which is needed to refresh them. */
  client(context: GrantContext, tokens: TokenSet): Promise<ClientIdentity | undefined>
  /** Called when the authorization server does not know a client any more. Forgets it if it was registered dynamically. */
  forget?(context: GrantContext, client: ClientIdentity): Promise<void>
}
