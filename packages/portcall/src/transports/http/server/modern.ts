import { type AbortListener, LazyAbort } from '../../../../../util/src/abort.ts'
import { createTurns } from '../../../../../util/src/turns.ts'
import { ErrorCode, internalError } from '../../../jsonrpc/errors.ts'
import type { Auth, ExchangeContext, HttpInfo } from '../../../jsonrpc/exchange.ts'
import { type Notification, type Request, type Response, stringifyMessage, stringifyResult } from '../../../jsonrpc/message.ts'
import { isUnavailable, retryData } from '../../../jsonrpc/retryable.ts'
import { ProtocolErrorCode, unsupportedProtocolVersion } from '../../../protocol/errors.ts'
import { readRequestMeta } from '../../../protocol/meta.ts'
import { MODERN_VERSIONS } from '../../../protocol/revisions.ts'
import { Header, JSON_HEADERS } from '../common/headers.ts'
import { encodeMessage } from '../common/sse-encode.ts'
import type { Abortable, HttpEndpoint, LongLivedStream } from './endpoint.ts'
import { createHeaderValidator, headerMismatchError, readSingleHeader } from './header-validation.ts'
import { httpError, sendInsufficientScope } from './http-error.ts'
import { watchTokenExpiry } from './token-expiry.ts'
import type { EventSink, HttpContext } from './types.ts'

/** Serves the modern era: requests are independent of each other, and a client that disconnects cancels its request. */
export interface ModernHandler {
  /** Answers a request, or returns the stream that it opened. @throws RpcError, HttpError if the request itself is invalid. */
  serve(request: Request, context: HttpContext): Promise<void> | LongLivedStream
}

/** Creates the handler for requests of the modern era. */
export function createModernHandler(endpoint: HttpEndpoint): ModernHandler {
  const { methodOf, limits } = endpoint
  const validateHeaders = createHeaderValidator(methodOf, true)
  const turns = createTurns({ limit: limits.maxSubscriptions, maxOwned: limits.maxPrincipalSubscriptions })

  /** Does not wait for the end of the stream: everything on the stack would stay in memory for as long as it is open. */
  const subscribe = (message: Request, context: HttpContext): LongLivedStream => {
    if (!context.accepts.events) throw httpError(406, 'Not acceptable: this method responds with text/event-stream')
    const owner = context.auth?.principal
    if (turns.begin({}, owner) !== true) throw httpError(429, 'Too many subscriptions')
    const call = new ModernCall(endpoint, context)
    const expiry = watchTokenExpiry(context.auth, () => call.expire())
    const end = (): void => {
      turns.end(owner)
      expiry?.cancel()
    }
    return { closed: answer(message, call).then(end, end) }
  }

  return {
    serve(message, context) {
      // The conformance suite expects the version to be compared first. The core checks whether it is supported.
      const version = readSingleHeader(context, Header.protocolVersion)
      if (version !== undefined && !MODERN_VERSIONS.includes(version) && message.params?._meta === undefined)
        throw unsupportedProtocolVersion(version, MODERN_VERSIONS)
      if (version === undefined || version !== readRequestMeta(message.params).protocolVersion)
        throw headerMismatchError(Header.protocolVersion, version)
      validateHeaders(message, context)
      if (methodOf(message.method)?.longLived) return subscribe(message, context)
      const call = new ModernCall(endpoint, context)
      context.onSlow?.(() => call.openStream())
      return answer(message, call)
    },
  }
}

async function answer(message: Request, call: ModernCall): Promise<void> {
  const { endpoint } = call
  const entry = endpoint.running.add(call)
  try {
    call.respond(await endpoint.exchange(message, call))
  } catch (error) {
    if (call.disconnected || call.endExpired()) return
    call.respond(internalError(endpoint.onError(error)).response(message.id))
  } finally {
    entry.remove()
  }
}

/** A request and its response: JSON, or an event stream as soon as a notification precedes the response. */
class ModernCall implements ExchangeContext, Abortable {
  readonly http: HttpInfo
  readonly auth: Auth | undefined
  readonly endpoint: HttpEndpoint
  #context: HttpContext
  #sink: EventSink | undefined
  #isAnswered = false
  #abort: LazyAbort | undefined
  #isWatching = false
  #isExpired = false

  constructor(endpoint: HttpEndpoint, context: HttpContext) {
    this.http = context
    this.auth = context.auth
    this.endpoint = endpoint
    this.#context = context
  }

  get disconnected(): boolean {
    return this.#context.disconnected
  }

  get signal(): AbortSignal {
    return this.#watch().signal
  }

  onAbort(listener: AbortListener): () => void {
    return this.#watch().onAbort(listener)
  }

  abort(reason: unknown): void {
    this.#abort ??= new LazyAbort()
    this.#abort.abort(reason)
  }

  /** Aborts the call because the token of the caller has expired. */
  expire(): void {
    this.#isExpired = true
    this.abort(new DOMException('The token has expired', 'AbortError'))
  }

  /** Ends the stream of an expired call without a response, after which clients try again. Returns false for any other call. */
  endExpired(): boolean {
    if (this.#isExpired) (this.#sink ??= this.endpoint.streams.open(this.#context)).end()
    return this.#isExpired
  }

  /** From now on, a client that disconnects aborts the call. */
  #watch(): LazyAbort {
    this.#abort ??= new LazyAbort()
    if (!this.#isWatching) {
      this.#isWatching = true
      this.#context.onDisconnect(() => this.abort(new DOMException('The client disconnected', 'AbortError')))
    }
    return this.#abort
  }

  get readParamHeader(): (header: string) => string | undefined {
    return (header) => readSingleHeader(this.#context, header)
  }

  notify(notification: Notification): void | Promise<void> {
    const context = this.#context
    if (this.#isAnswered || context.disconnected || !context.accepts.events) return
    const text = encodeMessage(notification)
    if (this.#sink) return this.endpoint.streams.send(this.#sink, notification, text)
    this.#sink = this.endpoint.streams.open(context, text)
  }

  /** Opens the event stream before there is anything to send. */
  openStream(): void {
    const context = this.#context
    if (this.#sink || this.#isAnswered || context.disconnected || !context.accepts.events) return
    this.#sink = this.endpoint.streams.open(context)
  }

  /** Sends the response. */
  respond(response: Response): void {
    const context = this.#context
    this.#isAnswered = true
    if (!this.#sink && 'error' in response && sendInsufficientScope(response, context, this.endpoint)) return
    if (!this.#sink && context.accepts.json) {
      const isPassing = 'error' in response && isUnavailable(response)
      const status = isPassing ? 503 : 'error' in response ? errorStatus(response.error.code) : 200
      const body = 'error' in response ? stringifyMessage(response) : stringifyResult(response)
      context.send(status, isPassing ? UNAVAILABLE_HEADERS : JSON_HEADERS, body)
      return
    }
    const text = encodeMessage(response)
    if (this.#sink) void this.endpoint.streams.send(this.#sink, response, text)
    else this.#sink = this.endpoint.streams.open(context, text)
    this.#sink.end()
  }
}

const UNAVAILABLE_HEADERS = [...JSON_HEADERS, Header.retryAfter, String(retryData().retryAfterMs / 1000)]

const BAD_REQUEST_CODES = new Set<number>([
  ErrorCode.parseError,
  ErrorCode.invalidRequest,
  ProtocolErrorCode.headerMismatch,
  ProtocolErrorCode.missingClientCapability,
  ProtocolErrorCode.unsupportedProtocolVersion,
])

/**
 * Returns the HTTP status of a JSON-RPC error: 4xx if the request itself is invalid, 200 for errors of a handler. In the legacy era every
 * response has status 200, because its clients read the status as the state of the connection or session.
 */
function errorStatus(code: number): number {
  if (code === ErrorCode.methodNotFound) return 404
  return BAD_REQUEST_CODES.has(code) ? 400 : 200
}
