/** Types shared by the files of this folder. */
import type { Auth } from '../../jsonrpc/exchange.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { OnRequest } from '../../protocol/http.ts'

/** Accepts tokens whatever server they were issued for. Any other server that receives a token of the same issuer can then use it here. */
export const insecureAnyAudience: unique symbol = Symbol('insecureAnyAudience')

/** An access token as verified by a `Verifier`. */
export interface VerifiedToken {
  /** The issuer of the token. */
  readonly issuer: string
  /** The resources that the token was issued for. */
  readonly audience: readonly string[]
  /** The user, or the client if the token is its own (RFC 9068, section 2.2). Without it, the token is refused unless it has a `username`. */
  readonly subject?: string | undefined
  /** The name of the user who authorized the token (RFC 7662, section 2.2). It identifies the caller if there is no `subject`. */
  readonly username?: string | undefined
  /** The client that the token was issued to. */
  readonly clientId?: string | undefined
  /** The granted scopes. */
  readonly scopes: readonly string[]
  /** When the token expires, in seconds since 1970. */
  readonly expiresAt?: number | undefined
  /** The JWK thumbprint of the key that the token is bound to (RFC 9449). Such a token is accepted with a proof only. */
  readonly keyThumbprint?: string | undefined
  /** All claims of the token. */
  readonly claims?: JsonObject
}

/** Verifies access tokens. `protect` checks issuer, audience and expiry of the result once more. */
export interface Verifier {
  /**
   * Verifies a token. Returns `undefined` for a token that it does not know.
   *
   * @throws InvalidTokenError for a token that is known and invalid, VerifierUnavailableError if it cannot verify tokens at the moment.
   */
  verify(token: string): Promise<VerifiedToken | undefined>
  /** The issuers whose tokens it verifies. Default: the `authorizationServers`. */
  readonly issuers?: readonly string[]
  /** The accepted audiences, one of which a token must have. Default: the resource. */
  readonly audience?: readonly string[] | typeof insecureAnyAudience
  /**
   * Lets tokens without a subject belong to the client itself, as a token for client credentials does. Set it only if the issuer names the
   * user in every token that a user has authorized: all users of a client would otherwise be one caller. Default: false, they are refused.
   */
  readonly clientTokens?: boolean
  /** Responds to requests at other paths, for a verifier that also issues tokens. */
  readonly onRequest?: OnRequest
}

/** The response to a request that is not authorized. */
export interface AuthErrorResponse {
  readonly status: 400 | 401 | 403 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly message: string
}

/** The caller, as handlers find it at `call.auth`. It does not contain the token, which was issued for this server and must not leave it. */
export interface TokenAuth extends Auth {
  /** The granted scopes. */
  readonly scopes: readonly string[]
  /** The issuer of the token. */
  readonly issuer: string
  /** The user, or the client if the token is its own. */
  readonly subject?: string
  /** The name of the user, from introspection. */
  readonly username?: string
  /** The client that the token was issued to. */
  readonly clientId?: string
  /** When the token expires, in seconds since 1970. */
  readonly expiresAt?: number
  /** All claims of the token. */
  readonly claims?: JsonObject
}
