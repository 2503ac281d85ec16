/** Why a client could not get, or would not use, an access token. */
export type AuthFault =
  /** An address is neither https nor loopback, or must not be asked on the word of a server. */
  | 'address_refused'
  /** An endpoint could not be reached, or answered with more, later or something else than it may. */
  | 'unreachable'
  /** No authorization server was found, or its metadata cannot be used. */
  | 'discovery_failed'
  /** The metadata of the server is for another resource. */
  | 'resource_mismatch'
  /** Metadata or a response names another issuer than it was asked from. */
  | 'issuer_mismatch'
  /** The authorization server does not say that it supports PKCE with S256. */
  | 'pkce_unsupported'
  /** There is no client id for this authorization server, and none could be had. */
  | 'registration_failed'
  /** An authorization response belongs to no attempt of this client. */
  | 'state_mismatch'
  /** The user, or the authorization server, said no. */
  | 'denied'
  /** The token endpoint answered with an error. */
  | 'token_refused'
  /** Nobody has finished signing in. */
  | 'timed_out'
  /** More scopes were asked for again and again, or tokens were refused right after they were issued. */
  | 'retries_exhausted'

/** What an OAuth endpoint said about its refusal. */
export interface OAuthRefusal {
  readonly error: string
  readonly description?: string | undefined
}

/** What is known about a failure besides its message. */
export interface AuthErrorOptions extends ErrorOptions {
  readonly refusal?: OAuthRefusal | undefined
}

/** Thrown when a client cannot be authorized. Its message holds no secrets; `fault` tells what went wrong. */
export class AuthError extends Error {
  override readonly name = 'AuthError'
  readonly code = 'AUTH_FAILED'
  readonly retryable = false
  readonly fault: AuthFault
  /** The error code that an OAuth endpoint has given, and its text, where it is safe to show. */
  readonly refusal?: OAuthRefusal

  constructor(fault: AuthFault, message: string, { refusal, ...options }: AuthErrorOptions = {}) {
    super(message, options)
    this.fault = fault
    if (refusal) this.refusal = refusal
  }
}
