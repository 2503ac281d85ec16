/** One HTTP request, ready to go out. */
export interface Outbound {
  readonly method: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** A connection has to be there by then, in milliseconds, where the carrier can tell. */
  readonly connectMs: number
}

/** The head of an answer, and its body as it comes. */
export interface HttpAnswer {
  readonly status: number
  /** A header by its name in lower case, several values joined with `, `. */
  header(name: string): string | undefined
  /** Can be read once. Fails when the connection breaks or the transfer is cancelled. */
  readonly body: AsyncIterable<Uint8Array>
  /** Reads the whole body at once, when it has come to its end already; for carriers that can tell. */
  whole?(): Uint8Array | undefined
}

/** A request on its way. */
export interface Transfer {
  /** Resolves when the head has come. */
  readonly answer: Promise<HttpAnswer>
  /** Gives the request, or what is left of the answer, up: the connection is closed. Does nothing after the end. */
  cancel(): void
}

/**
 * Sends HTTP requests: the one thing that a client needs from its platform. Redirects are answers like any other, cookies are not kept, and
 * nothing is asked twice.
 */
export interface HttpFetch {
  (url: URL, outbound: Outbound): Transfer
  /** Closes connections that are kept for later. */
  close(): void
}
