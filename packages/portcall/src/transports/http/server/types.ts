import type { SharedBody } from '../../../../../util/src/memo.ts'
import type { Auth } from '../../../jsonrpc/exchange.ts'
import type { ClassifiedMessage } from '../../../jsonrpc/message.ts'
import type { HookRequest, RequestBody } from '../../../protocol/http.ts'
import type { EndpointSizes } from '../../../protocol/metrics.ts'
import type { FlatHeaders } from '../common/headers.ts'
import type { AcceptedTypes } from '../common/media-types.ts'
import type { HttpLimits } from './limits.ts'

/** An HTTP request, independent of the runtime. */
export interface HttpRequest extends HookRequest {
  /** The `Host` header. Undefined if it is missing or was sent more than once. */
  readonly host: string | undefined
  /** Returns a header by its name in any case; several values are joined with `, `. May be called detached. */
  readonly header: (name: string) => string | undefined
  /** The body, if it arrived together with the head. Otherwise, call `readBody`. */
  readonly body: RequestBody | undefined
  /** Returns all headers, with names in lower case. */
  headers(): Iterable<[name: string, value: string]>
  /** True if the client disconnected before the response was complete. */
  readonly disconnected: boolean
  /** Calls `listener` when the client disconnects before the response is complete; at once if it already has. */
  onDisconnect(listener: () => void): void
  /**
   * Calls `listener` when the request has run for a while. Defined where a disconnect is noticed only on an open stream: a response that takes
   * longer should be one.
   */
  readonly onSlow?: ((listener: () => void) => void) | undefined
}

/** Sends the response to an HTTP request. Only the first response counts. */
export interface HttpReply {
  /** The authenticated caller. */
  readonly auth?: Auth | undefined
  /** Sends the complete response. */
  send(status: number, headers: FlatHeaders, body?: string | SharedBody): void
  /** Sends the head of a stream and its first text. */
  open(status: number, headers: FlatHeaders, first?: string): EventSink
}

/** An HTTP request and its reply. The endpoint sets the mutable members while it admits the request. */
export interface HttpContext extends HttpRequest, HttpReply {
  /** The response formats that the client accepts. Default: all. */
  accepts: AcceptedTypes
  /** The authenticated caller. */
  auth: Auth | undefined
  /** Headers that are added to every response, such as those of CORS. */
  commonHeaders: FlatHeaders
}

/** The writable end of an event stream. Writes to a closed stream are ignored. */
export interface EventSink {
  readonly closed: boolean
  /** The approximate number of bytes that the reader has not taken yet. */
  readonly bufferedBytes: number
  /** Set while the buffer is full. Resolves when it has drained or the stream is closed. */
  readonly drained: Promise<void> | undefined
  /** Sends text. Returns `drained`. */
  write(text: string): void | Promise<void>
  /** Sends a comment unless earlier output is still buffered; in that case it starts the write timeout. */
  sendHeartbeat(comment: string): void
  /** Ends the stream after the buffered output. */
  end(): void
  /** Closes the connection at once. */
  destroy(): void
  /** Calls `listener` once when either side closes the stream. */
  onClose(listener: () => void): void
}

/** An HTTP endpoint, independent of the runtime. */
export interface HttpHandler {
  readonly limits: HttpLimits
  /** Returns the current sizes, for metrics. */
  sizes(): EndpointSizes
  /** Answers a request. Never rejects. */
  handle(context: HttpContext): Promise<void>
  /**
   * Stops the endpoint. New requests get 503 and streams without a running request end. Running requests may finish within
   * `drainTimeoutMs`; after that they are aborted.
   */
  close(drainTimeoutMs?: number): Promise<void>
}

/** A classified message that is valid. */
export type ValidMessage = Exclude<ClassifiedMessage, { kind: 'invalid' }>

/** Serves the legacy revisions: those that begin with a handshake. */
export interface LegacyHandler {
  /** Handles one message. @throws HttpError, RpcError if the request itself is invalid. */
  post(received: ValidMessage, context: HttpContext): Promise<void> | void
  /** Handles a batch of messages. */
  batch(values: readonly unknown[], context: HttpContext): Promise<void>
  /** Opens or resumes a stream. */
  get(context: HttpContext): Promise<void> | void
  /** Ends the session. */
  delete(context: HttpContext): Promise<void> | void
  /** The number of sessions in this process. */
  sessionCount(): number
  /** Ends the streams that no running request needs. */
  drain(): void
  /** Closes all sessions and streams. */
  close(): Promise<void> | void
}
