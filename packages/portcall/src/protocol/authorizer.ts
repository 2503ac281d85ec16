/** HTTP headers by lower-case name. */
export type AuthorizedHeaders = Readonly<Record<string, string>>

/** An HTTP request to be authorized. */
export interface AuthorizedRequest {
  /** The HTTP method. */
  readonly method: string
  /** The URL of the request. */
  readonly url: URL
  /** Aborted when the request is cancelled. */
  readonly signal?: AbortSignal | undefined
}

/** The head of an HTTP response. */
export interface AuthorizedResponse {
  /** The HTTP status. */
  readonly status: number
  /** Returns a header by its lower-case name. Multiple values are joined with `, `. */
  header(name: string): string | undefined
}

/**
 * Adds authorization to the requests to one endpoint. It is all that transports know of authorization. Its headers are sent to the origin of
 * the endpoint only.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export interface Authorizer {
  /** Returns the authorization headers of a request. Called for each request; an error fails the request. */
  headers(request: AuthorizedRequest): AuthorizedHeaders | Promise<AuthorizedHeaders>
  /**
   * Called with the head of each response. Returns whether to send the request again with new headers, which is possible if the server did not
   * process it. An error fails the request.
   */
  onResponse(response: AuthorizedResponse, sent: AuthorizedSend): boolean | Promise<boolean>
}

/** A request that was sent. */
export interface AuthorizedSend extends AuthorizedRequest {
  /** All headers of the request, including those of the protocol. */
  readonly headers: AuthorizedHeaders
  /** How often the request was sent again before. */
  readonly retries: number
}

/** Creates authorizers for endpoints. Pass it to `connect(url, { auth })`. */
export interface AuthProvider {
  /** Creates the authorizer for the requests to an endpoint. */
  authorizer(endpoint: URL): Authorizer
}

/** Reports whether authorization failed. Errors are recognized by their code, because most programs never load the class `AuthError`. */
export function isAuthError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'AUTH_FAILED'
}
