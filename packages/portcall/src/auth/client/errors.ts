import { PortcallError } from '../../../../util/src/errors.ts'

/** Why a client could not get an access token, or did not use one. */
export type AuthErrorReason =
  /** A URL uses neither https nor loopback, or a server refers to an address that it must not refer to. */
  | 'address_refused'
  /** An endpoint could not be reached, or its response was too large, too late or malformed. */
  | 'unreachable'
  /** No authorization server was found, or its metadata is not usable. */
  | 'discovery_failed'
  /** The metadata of the server describes another resource. */
  | 'resource_mismatch'
  /** Metadata or an authorization response names another issuer than expected. */
  | 'issuer_mismatch'
  /** The authorization server does not advertise PKCE with S256. */
  | 'pkce_unsupported'
  /** There is no client id for this authorization server, and none could be registered. */
  | 'registration_failed'
  /** An authorization response has an unknown `state`. */
  | 'state_mismatch'
  /** The user or the authorization server denied access. */
  | 'denied'
  /** The token endpoint returned an error. */
  | 'token_refused'
  /** The user did not finish signing in in time. */
  | 'timed_out'
  /** The server kept demanding more scopes, or refused a token that had just been issued. */
  | 'retries_exhausted'

/** An OAuth error response (RFC 6749, section 5.2), sanitized for display. */
export interface OAuthErrorResponse {
  /** The error code, such as `invalid_grant`. */
  readonly error: string
  /** The `error_description` of the server. */
  readonly description?: string | undefined
}

/** The cause of an `AuthError`, and the error response of the authorization server. */
export interface AuthErrorOptions extends ErrorOptions {
  /** The error response of the authorization server, if there was one. */
  readonly response?: OAuthErrorResponse | undefined
  /** The HTTP status of the response, if an endpoint of the authorization server refused a request. */
  readonly status?: number | undefined
}

/** Thrown when a client cannot be authorized. `reason` identifies the cause. The message contains no secrets. */
export class AuthError extends PortcallError {
  override readonly name = 'AuthError'
  readonly code = 'AUTH_FAILED'
  /** A retry does not help. */
  readonly retryable = false
  /** Why the client has no access token. */
  readonly reason: AuthErrorReason
  /** The error response of the OAuth endpoint, if there was one. */
  readonly response?: OAuthErrorResponse
  /** The HTTP status with which an endpoint of the authorization server refused a request. */
  readonly status?: number

  /** `message` is for developers: it must not contain secrets. */
  constructor(reason: AuthErrorReason, message: string, { response, status, ...options }: AuthErrorOptions = {}) {
    super(message, options)
    this.reason = reason
    if (response) this.response = response
    if (status !== undefined) this.status = status
  }
}
