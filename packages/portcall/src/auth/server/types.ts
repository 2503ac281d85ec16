/** What those have in common who protect a server: the words that all files of this folder share. */
import type { Auth, HttpInfo } from '../../jsonrpc/exchange.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'

/** Takes tokens whatever server they were issued for: anybody who gets a token of the same issuer in hand can call with it. */
export const insecureAnyAudience: unique symbol = Symbol('insecureAnyAudience')

/** What a verifier has found out about an access token. */
export interface Token {
  /** Who issued it. */
  readonly issuer: string
  /** Whom it was issued for. */
  readonly audience: readonly string[]
  /** Who acts. A token has it or a `clientId`, or both. */
  readonly subject?: string | undefined
  /** The client that it was issued to. */
  readonly clientId?: string | undefined
  readonly scopes: readonly string[]
  /** Seconds since 1970. */
  readonly expiresAt?: number | undefined
  /** The thumbprint of the key that it is bound to (RFC 9449); it is worth nothing without a proof. */
  readonly boundKey?: string | undefined
  /** All that was said about it. */
  readonly claims?: JsonObject
}

/** Tells what an access token stands for. Issuer, audience and expiry of what it says are checked once more by `protect`. */
export interface Verifier {
  /**
   * Verifies a token; nothing for one that it does not know.
   *
   * @throws TokenRefused for a token that is known and bad, VerifierUnavailable when it cannot tell now.
   */
  verify(token: string): Promise<Token | undefined>
  /** The issuers that it speaks for. Default: the `authorizationServers`. */
  readonly issuers?: readonly string[]
  /** What has to be in the audience, one of them. Default: the resource. */
  readonly audience?: readonly string[] | typeof insecureAnyAudience
  /** Answers beside the endpoint, for a verifier that issues tokens too. */
  readonly beside?: (request: ResourceRequest) => Page | undefined | Promise<Page | undefined>
}

/** A request as far as it is known before its body is read. */
export interface ResourceRequest extends HttpInfo {
  readonly method: string
  /** Path and query, or a whole URL. */
  readonly target: string
  headerCount(name: string): number
  readBody():
    | { readonly text: string }
    | { readonly parsed: unknown }
    | Promise<{ readonly text: string } | { readonly parsed: unknown }>
}

/** A request that has to show who is calling. */
export type GuardedRequest = Omit<ResourceRequest, 'readBody'>

/** A whole answer that is not of the protocol. */
export interface Page {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Why a request may not pass, and what tells its sender so. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly message: string
}

/** Who is calling, as handlers find it at `call.auth`. The token itself is not in it: it was issued for this server and is nobody else's. */
export interface TokenAuth extends Auth {
  readonly scopes: readonly string[]
  readonly issuer: string
  readonly subject?: string
  readonly clientId?: string
  /** Seconds since 1970. */
  readonly expiresAt?: number
  readonly claims?: JsonObject
}
