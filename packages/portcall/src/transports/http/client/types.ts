/** One HTTP request, ready to be sent. */
export interface HttpFetchInit {
  /** The HTTP method, in upper case. */
  readonly method: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The body, sent as UTF-8. Absent: none. */
  readonly body?: string | undefined
  /** Asks for a compressed response: it may be large, and none of it is needed before the end. Default: false. */
  readonly compress?: boolean | undefined
  /** Time allowed to establish a connection, in milliseconds; ignored by platforms that cannot observe it. */
  readonly connectTimeoutMs: number
}

/** The head of a response, and its body as a stream. */
export interface HttpFetchResponse {
  /** The HTTP status. */
  readonly status: number
  /** Returns a header by its lower-case name, multiple values joined with `, `. */
  header(name: string): string | undefined
  /** Returns all headers, with lower-case names. Absent on platforms that cannot list them. */
  headers?(): Readonly<Record<string, string>>
  /** The decoded body: without its content codings. Can be iterated once. Throws when the connection breaks or the transfer is cancelled. */
  readonly body: AsyncIterable<Uint8Array>
  /** Returns the whole body if all of it has arrived already. Absent on platforms that cannot tell. */
  readBuffered?(): Uint8Array | undefined
}

/** A request in flight. */
export interface HttpTransfer {
  /** Resolves when the head of the response has arrived. */
  readonly response: Promise<HttpFetchResponse>
  /** Aborts the request or the rest of the response by closing the connection. Does nothing after the end of the response. */
  cancel(): void
}

/**
 * Sends HTTP requests: all that a client needs from its platform. Does not follow redirects, does not store cookies and does not retry.
 */
export interface HttpFetch {
  (url: URL, init: HttpFetchInit): HttpTransfer
  /** The version of HTTP that it uses, such as `1.1`. Default: unknown. */
  readonly httpVersion?: string
  /** Closes idle connections. */
  close(): void
}

/** The arguments of the option `fetch` of a client. All of them are valid for `fetch` of the platform. */
export interface CustomFetchInit extends Omit<HttpFetchInit, 'body' | 'compress'> {
  /** The body, sent as UTF-8. Absent: none. */
  readonly body?: string
  /** Aborts the request, or the rest of the response. */
  readonly signal: AbortSignal
  /** Redirects are returned, not followed. */
  readonly redirect: 'manual'
}

/** A response of `fetch` of the platform, as far as it is read. */
export interface FetchResponse {
  /** The HTTP status. */
  readonly status: number
  /** The headers, by their names in any case. */
  readonly headers: {
    /** Returns the value of a header; `null` if it was not sent. */
    get(name: string): string | null
  }
  /** A `ReadableStream` or another async iterable of bytes, or nothing. */
  readonly body?: unknown
}

/**
 * Sends the HTTP requests of a client: `fetch` of the platform, undici or node-fetch, a function around one of them, or an `HttpFetch`.
 */
export interface CustomFetch {
  (url: URL, init: CustomFetchInit): HttpTransfer | FetchResponse | Promise<FetchResponse>
  /** Closes idle connections. */
  close?(): void
}
