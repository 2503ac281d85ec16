import type { Auth, HttpInfo } from '../../jsonrpc/exchange.ts'
import type { Log } from '../../stores/log.ts'
import type { GuardOptions } from './guard.ts'
import type { HttpLimits } from './limits.ts'

/** Header names and values in turn: `['content-type', 'application/json']`. */
export type FlatHeaders = readonly string[]

/** A body as it was read: text, or a value that somebody before us has parsed. */
export type Body = { readonly text: string } | { readonly parsed: unknown }

/** One HTTP request, whatever carries it. */
export interface HttpRequest extends HttpInfo {
  readonly method: string
  /** The request target as it came: path and query, or a whole URL. */
  readonly target: string
  /** A header by its name in any case, several values joined with `, `. May be called detached. */
  readonly header: (name: string) => string | undefined
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

/** What an `authenticate` hook gets to see: everything that is known before the body is read. */
export interface Credentials extends HttpInfo {
  readonly method: string
  readonly target: string
}

/** Tells who is calling; throws `HttpError` to refuse (401, 403). What a caller leaves behind belongs to its `principal`. */
export type Authenticate = (credentials: Credentials) => Auth | undefined | Promise<Auth | undefined>

/** How one HTTP endpoint behaves; each limit is an option too. */
export interface HttpOptions extends Partial<HttpLimits>, GuardOptions {
  /** The one path that is served; others are answered with 404. Without it, all are the endpoint. */
  readonly path?: string
  /**
   * How clients of the legacy revisions are served: with sessions (they can be asked things, and resume streams), without any memory, or
   * not at all. Default: sessions.
   */
  readonly legacy?: 'sessions' | 'stateless' | 'off'
  readonly authenticate?: Authenticate
  /** Where events rest for resumption; `null` for no resumption. Default: in memory. */
  readonly log?: Log | null
  /** Gets what went wrong inside; callers only ever see "Internal error". */
  readonly onError?: (error: unknown) => void
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
