import { detachParts, isImmutable } from '../../../util/src/memo.ts'
import type { Handling } from './handling.ts'
import type { Notification, Request, Response } from './message.ts'

/** The authenticated caller of a request. */
export interface Auth {
  /** Identifies the caller. Sessions, tasks and stored state belong to their principal. */
  readonly principal: string
  /** The scopes that the caller has. Default: none. */
  readonly scopes?: readonly string[]
  /** When the authorization expires, in seconds since 1970. Streams that wait for events end then. Default: never. */
  readonly expiresAt?: number
  /** Further facts about the caller, such as the claims of its token. */
  readonly [claim: string]: unknown
}

/** The HTTP request that carried a message, as far as handlers may read it. */
export interface HttpInfo {
  /** Returns a request header by its lower-case name. Multiple values are joined with `, `. */
  header(name: string): string | undefined
  /** The request target as received: a path with an optional query, or an absolute URL. Absent if the transport does not reveal it. */
  readonly target?: string
  /** The IP address of the client, or of the proxy in front of the server. Absent where the runtime does not report it. */
  readonly remoteAddress?: string | undefined
  /** The TCP port of the other end of the connection. Absent where the runtime does not report it. */
  readonly remotePort?: number | undefined
  /** The version of HTTP on this connection, such as `1.1` or `2`. Absent where the runtime does not report it. */
  readonly httpVersion?: string
}

/** How a server is reached. */
export interface ServerDescription {
  /** How messages are transported. */
  readonly transport: 'http' | 'stdio' | 'memory'
  /** The URL of the server. Absent on other transports than HTTP. */
  readonly url?: URL
}

/** The connection on which a client sends a request. */
export interface ConnectionInfo extends ServerDescription {
  /** The version of HTTP, such as `1.1`. Absent on other transports, and where the runtime does not report it. */
  readonly httpVersion?: string | undefined
  /** The negotiated protocol version. Empty until the connection is open. */
  readonly protocolVersion: string
  /** The session. Absent until the connection is open, and on connections without a session. */
  readonly session?: ConnectionSession
}

/** The session of a connection, as the client sees it. */
export interface ConnectionSession {
  /** The id of the HTTP session. */
  readonly id: string | undefined
  /** When it was opened, by `performance.now()`. */
  readonly openedAt: number
  /** Calls the listener once when the session has ended, immediately if it already has. There is no error if the client closed it. */
  onEnd(listener: (error: unknown) => void): void
}

/** The context of a request: cancellation, notifications, authorization and transport information. */
export interface ExchangeContext {
  /** Aborted when the caller cancels the request or disconnects. It is created on first read, so read it only when you need it. */
  readonly signal: AbortSignal
  /**
   * Calls the listener once with the reason when the request is aborted, immediately if it already is. Returns a function that
   * unsubscribes. Cheaper than a listener on `signal`.
   */
  readonly onAbort?: ((listener: (reason: unknown) => void) => () => void) | undefined
  /**
   * Sends a notification that belongs to this request. Returns nothing while the peer keeps up, and otherwise a promise that resolves when
   * the output buffer has drained.
   */
  notify(notification: Notification): void | Promise<void>
  /** Sends a request to the caller and resolves to its response. Absent if the caller does not accept requests. */
  readonly ask?: ((method: string, params?: Request['params']) => Promise<Response>) | undefined
  /**
   * Closes the stream on which the caller awaits the response. The caller reconnects after `retryDelayMs`. Absent if the transport does not
   * support it.
   */
  readonly closeStream?: ((retryDelayMs: number) => void) | undefined
  /** Reads a header that repeats a part of the request. Absent if the transport has no such headers. */
  readonly readParamHeader?: ((header: string) => string | undefined) | undefined
  /** The HTTP request. Absent on other transports. */
  readonly http?: HttpInfo | undefined
  /** The authenticated caller. Absent if the caller is not authenticated. */
  readonly auth?: Auth | undefined
  /** Receives the exception behind an internal error of this request, and the reference that the response contains. For tests. */
  readonly onError?: ((error: unknown, reference: string) => void) | undefined
  /** The connection of the client that sends the request. Absent on servers. */
  readonly connection?: ConnectionInfo | undefined
  /** How far the request has come. Present if middleware asks for it; pass it on with `deriveContext`. */
  readonly handling?: Handling | undefined
  /** Additions to an outgoing request: more HTTP headers, on transports that have headers. */
  readonly outgoing?:
    | {
        /** The headers to add, by name. */
        readonly headers?: Readonly<Record<string, string>>
      }
    | undefined
}

/**
 * Answers one request. A server is an Exchange, a client calls one, and a transport turns bytes into calls of one.
 *
 * Resolves to the response, also to an error response. Rejects if there is no response: the connection was lost or the request aborted.
 */
export type Exchange = (request: Request, context: ExchangeContext) => Promise<Response>

/** Wraps an Exchange. The first middleware of a list is the outermost. */
export type Middleware = (request: Request, context: ExchangeContext, next: Exchange) => Promise<Response>

/** Returns an Exchange that runs the middleware around `exchange`, or `exchange` itself if there is no middleware. */
export function applyMiddleware(exchange: Exchange, middleware: readonly Middleware[]): Exchange {
  return middleware.reduceRight<Exchange>((next, layer) => (request, context) => layer(request, context, next), exchange)
}

/** Returns an Exchange whose results the caller may change: results that are shared between requests are copied. */
export function copySharedResults(exchange: Exchange): Exchange {
  return (request, context) => exchange(request, context).then(copyShared)
}

function copyShared(response: Response): Response {
  if (!('result' in response)) return response
  const result = detachParts(response.result)
  return isImmutable(result) || result !== response.result ? { ...response, result: { ...result } } : response
}

/**
 * Returns a context with some members replaced. Use it instead of spreading a context: members may be getters that create their value on
 * first read.
 */
export function deriveContext(context: ExchangeContext, overrides: Partial<ExchangeContext>): ExchangeContext {
  return {
    get signal() {
      return overrides.signal ?? context.signal
    },
    onAbort: overrides.signal ? overrides.onAbort : context.onAbort?.bind(context),
    notify: overrides.notify ?? ((notification) => context.notify(notification)),
    ask: 'ask' in overrides ? overrides.ask : context.ask,
    closeStream: 'closeStream' in overrides ? overrides.closeStream : context.closeStream,
    readParamHeader: 'readParamHeader' in overrides ? overrides.readParamHeader : context.readParamHeader,
    http: 'http' in overrides ? overrides.http : context.http,
    auth: 'auth' in overrides ? overrides.auth : context.auth,
    onError: overrides.onError ?? context.onError,
    connection: 'connection' in overrides ? overrides.connection : context.connection,
    handling: 'handling' in overrides ? overrides.handling : context.handling,
    outgoing: 'outgoing' in overrides ? overrides.outgoing : context.outgoing,
  }
}
