/** How a call has failed, such as `HTTP 503`, `error -32602`, `tool error` or `ECONNRESET`; undefined if it succeeded. */
export type CallFailure = string | undefined

/** Makes one call at a time: a connection over HTTP, or a place among the calls in flight over stdio. */
export interface Lane {
  /** Makes a call. Never rejects. */
  call(): Promise<CallFailure>
  /** Ends the call in flight, whose failure does not matter any more, and releases the connection. */
  close(): void
}

/** The failure of a call that took too long. */
export const TIMEOUT = 'timeout'
