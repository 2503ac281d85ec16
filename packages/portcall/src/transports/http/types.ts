import type { HttpInfo } from '../../jsonrpc/exchange.ts'
import type { FlatHeaders } from './headers.ts'

/** A body as it was read: text, or a value that somebody before us has parsed. */
export type Body = { readonly text: string } | { readonly parsed: unknown }

/** One HTTP request, whatever carries it. */
export interface HttpRequest extends HttpInfo {
  readonly method: string
  /** The request target as it came: path and query, or a whole URL. */
  readonly target: string
  /** A header by its name in any case, several values joined with `, `. May be called detached. */
  readonly header: (name: string) => string | undefined
  /** All headers, names in lower case. */
  headers(): Iterable<[name: string, value: string]>
  /** How often a header was sent, as far as the carrier can tell. */
  headerCount(name: string): number
  /** Reads the body. @throws HttpError 400, 408 or 413. */
  readBody(): Body | Promise<Body>
  /** The caller went away before the answer was complete. */
  readonly gone: boolean
  /** Calls back when the caller goes away before the answer is complete; at once when it has. */
  onGone(listener: () => void): void
}

/** Where the answer to one HTTP request goes. */
export interface HttpReply {
  /** Sends the whole answer in one piece. */
  send(status: number, headers: FlatHeaders, body?: string): void
  /** Sends the head and the first piece of a stream. */
  open(status: number, headers: FlatHeaders, first?: string): EventSink
}

/** The open end of a stream. Everything is silently dropped once it is closed. */
export interface EventSink {
  readonly closed: boolean
  /** Bytes, roughly, that the reader has not taken yet. */
  readonly bufferedBytes: number
  /** Set while the reader lags behind; resolves when it has caught up or the stream is closed. */
  readonly lag: Promise<void> | undefined
  /** Sends text; returns `lag`. */
  write(text: string): void | Promise<void>
  /** Sends a comment that keeps the connection alive, and watches a reader that has not taken what went before. */
  keepAlive(comment: string): void
  /** Ends the stream after what was written. */
  end(): void
  /** Cuts the connection. */
  cut(): void
  /** Calls back once, when the stream is closed by either side. */
  onClose(listener: () => void): void
}

/** One endpoint: the same for all carriers. */
export interface HttpHandler {
  /** Answers one request; never rejects. */
  handle(request: HttpRequest, reply: HttpReply): Promise<void>
  /**
   * Stops serving: new requests get 503, streams without a running request end, running requests may finish within `drainMs`, then they
   * are given up.
   */
  close(drainMs?: number): Promise<void>
}
