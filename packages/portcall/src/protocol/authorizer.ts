/** HTTP headers by their names in lower case. */
export type SignedHeaders = Readonly<Record<string, string>>

/** One HTTP request of a client, as far as it matters to whoever signs it. */
export interface SignedRequest {
  readonly method: string
  readonly url: URL
  /** Nobody waits for the request any more. */
  readonly signal?: AbortSignal | undefined
}

/** The head of an answer. */
export interface SignedAnswer {
  readonly status: number
  /** A header by its name in lower case, several values joined with `, `. */
  header(name: string): string | undefined
}

/**
 * Signs the requests of a client to one endpoint, and hears how they are answered. Transports call it and know no more of authorization than
 * this; what it returns goes to the origin of the endpoint and to no other.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export interface Authorizer {
  /** The headers that say who asks, made anew for each request. What it throws fails the request. */
  headers(request: SignedRequest): SignedHeaders | Promise<SignedHeaders>
  /**
   * Hears the head of each answer, with the headers that the request went out with. `true`, or a promise of it: the request was not looked
   * at, and is worth sending again with new headers. What it throws fails the request.
   */
  answered(answer: SignedAnswer, sent: SentRequest): boolean | Promise<boolean>
}

/** A request that was answered. */
export interface SentRequest extends SignedRequest {
  /** All that it went out with, the protocol's own included. */
  readonly headers: SignedHeaders
  /** How often it was sent again already. */
  readonly retries: number
}

/** Makes what signs the requests to an endpoint: what `connect(url, { auth })` takes. */
export interface AuthProvider {
  authorizer(endpoint: URL): Authorizer
}
