import { onAbort } from '../../../util/src/abort.ts'
import { describe } from '../../../util/src/describe.ts'
import type { JsonForm } from '../../../util/src/json-value.ts'
import type { Auth, ExchangeContext } from '../jsonrpc/exchange.ts'
import { type JsonObject, notification, type Request, type RequestId } from '../jsonrpc/message.ts'
import type { CreateMessageParams, CreateMessageResult, Root } from '../protocol/input-types.ts'
import { isLoggingLevel, type RequestMeta, severityOf } from '../protocol/meta.ts'
import { type ClientCapabilities, type Implementation, LOGGING_LEVELS, type LoggingLevel } from '../protocol/types.ts'
import type { Infer, NoRawShape, Schema } from '../schema/standard.ts'
import { createMessage, elicitForm, elicitUrl, listRoots } from './input-requests/input-requests.ts'
import { createSealedStateStore } from './input-requests/lazy-sealed-state.ts'
import type { RequestStateStore, SealedStateOptions } from './input-requests/request-state.ts'
import { createRoundTrips, type RoundTrips } from './input-requests/round-trips.ts'

/** The options of an input request. */
export interface InputRequestOptions {
  /**
   * Identifies the input request within the call. Set it where the order of input requests may change from one run of the handler to the
   * next. Default: the kind of the request and a counter, such as `elicit-1`.
   */
  key?: string
}

/** The W3C trace context of a request. */
export interface TraceContext {
  /** Identifies the trace and its current span. */
  readonly traceparent?: string
  /** Data of tracing systems. */
  readonly tracestate?: string
  /** Application data that is passed along with the trace. */
  readonly baggage?: string
}

/** The context of a handler: the request it answers, and the ways to interact with the client meanwhile. */
export interface Call {
  /** The JSON-RPC request. */
  readonly request: Request
  /** The method of the request, such as `tools/call`. */
  readonly method: string
  /** The id of the request. */
  readonly requestId: RequestId
  /** Aborted when the client cancels the request, when the connection of a modern HTTP request closes, and when a tool times out. */
  readonly signal: AbortSignal
  /** The client's description of itself. It is not authenticated: display it, but do not base security decisions on it. */
  readonly client: {
    /** The name and version of the client. Absent if the client does not send them. */
    readonly info?: Implementation | undefined
    /** The capabilities of the client, such as `elicitation`. A capability is supported if its member is present. */
    readonly capabilities: ClientCapabilities
  }
  /** The authenticated caller. Absent without authentication. */
  readonly auth?: Auth | undefined
  /** The request's `_meta`, including the keys of extensions. */
  readonly meta: JsonObject
  /** The trace that the client continues with this request. */
  readonly trace: TraceContext
  /** Returns a header of the HTTP request by its lower-case name. */
  header(name: string): string | undefined

  /**
   * Reports progress if the client sent a `progressToken`. `progress` must increase with each report. Await the result to apply backpressure.
   */
  progress(progress: number, total?: number, message?: string): void | Promise<void>
  /** Sends a log message if the client requested messages of this level. Await the result to apply backpressure. */
  log(level: LoggingLevel, data: unknown, logger?: string): void | Promise<void>
  /** Sends a notification that belongs to this request. Await the result to apply backpressure. */
  notify(method: string, params?: JsonObject): void | Promise<void>

  /**
   * Asks the user to fill in a form. The handler is suspended here and runs again from the start when the response arrives.
   *
   * @throws ElicitationDeclinedError when the user declines or cancels; RpcError -32021 when the client does not support forms.
   */
  elicit<const S extends Schema>(message: string, schema: S & NoRawShape<S>, options?: InputRequestOptions): Promise<Infer<S>>
  /**
   * Asks the user to open a URL. Resolves when the user agrees to, not when the interaction on the page is complete.
   *
   * @throws ElicitationDeclinedError when the user declines or cancels; RpcError -32021 when the client does not support it.
   */
  elicitUrl(message: string, url: string, options?: InputRequestOptions): Promise<void>
  /** Requests a message from the client's model. @throws RpcError -32021 when the client does not support sampling. */
  sample(params: CreateMessageParams, options?: InputRequestOptions): Promise<CreateMessageResult>
  /** Requests the client's roots. @throws RpcError -32021 when the client does not support roots. */
  roots(options?: InputRequestOptions): Promise<Root[]>
  /**
   * Runs a side effect once, even if the handler runs several times. Each run gets the result as JSON: `undefined` is `null`, a `Date` is a
   * string. Each step of a call has another name.
   *
   * A client may send the `requestState` of an earlier round trip again. If a step has run since, the effect does not run.
   *
   * @throws RpcError -32602 when the request state was used before; see `ServerOptions.singleUseRequestState`. TypeError when the result is not JSON,
   * such as a `bigint`, or when the run has another step with this name.
   */
  step<T>(name: string, effect: () => T | Promise<T>): Promise<JsonForm<T>>
  /** Closes the response stream; the client reconnects after `retryDelayMs`. Does nothing if the transport does not support it. */
  closeStream(retryDelayMs: number): void
}

/** A request that a server received. */
export interface ReceivedRequest {
  readonly request: Request
  readonly context: ExchangeContext
  readonly requestMeta: RequestMeta
}

/** The options that all calls of a server have in common. */
export interface CallContextOptions extends SealedStateOptions {
  readonly maxRoundTrips: number
}

/** The implementation of `Call`. Everything beyond the request is created on first use. */
export class CallContext implements Call {
  readonly request: Request
  readonly context: ExchangeContext
  readonly requestMeta: RequestMeta
  /** True if an extension runs the call and saves its request state. Tool middleware is skipped then. */
  readonly isDetached: boolean
  /** True if the call may have had an effect: the handler of a tool has started. */
  hasStarted = false
  /** True if the handler was suspended to request input. */
  isSuspended = false
  /** How many requests for input have not settled. */
  pendingInputs = 0
  #options: CallContextOptions
  #stateStore: RequestStateStore | undefined
  #roundTrips: RoundTrips | undefined
  #controller: AbortController | undefined
  #lastProgress = -Infinity

  constructor({ request, context, requestMeta }: ReceivedRequest, options: CallContextOptions, stateStore?: RequestStateStore) {
    this.request = request
    this.context = context
    this.requestMeta = requestMeta
    this.#options = options
    this.#stateStore = stateStore
    this.isDetached = stateStore !== undefined
  }

  get method(): string {
    return this.request.method
  }
  get requestId(): RequestId {
    return this.request.id
  }
  get client(): Call['client'] {
    return { info: this.requestMeta.clientInfo, capabilities: this.requestMeta.clientCapabilities }
  }
  get auth(): Auth | undefined {
    return this.context.auth
  }
  get meta(): JsonObject {
    return this.request.params?._meta as JsonObject
  }
  get trace(): TraceContext {
    return this.meta as TraceContext
  }
  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal
    const controller = (this.#controller = new AbortController())
    onAbort(this.context, (reason) => controller.abort(reason))
    return controller.signal
  }

  header(name: string): string | undefined {
    return this.context.http?.header(name)
  }

  progress(progress: number, total?: number, message?: string): void | Promise<void> {
    if (typeof progress !== 'number')
      throw new TypeError(`call.progress(progress, total): progress must be a number, not ${describe(progress)}`)
    const { progressToken } = this.requestMeta
    if (progressToken === undefined || !Number.isFinite(progress) || progress <= this.#lastProgress) return
    this.#lastProgress = progress
    const params: JsonObject = { progressToken, progress }
    if (Number.isFinite(total)) params.total = total
    if (message !== undefined) params.message = message
    return this.notify('notifications/progress', params)
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void | Promise<void> {
    if (!isLoggingLevel(level)) throw unknownLevel(level)
    const { logLevel } = this.requestMeta
    if (logLevel === undefined || severityOf(level) < severityOf(logLevel)) return
    return this.notify('notifications/message', logger === undefined ? { level, data } : { level, logger, data })
  }

  notify(method: string, params?: JsonObject): void | Promise<void> {
    return this.context.notify(notification(method, params))
  }

  elicit<const S extends Schema>(message: string, schema: S & NoRawShape<S>, options?: InputRequestOptions): Promise<Infer<S>> {
    const input = { message, schema, key: options?.key }
    return this.#track(elicitForm(this.roundTrips, this.requestMeta.clientCapabilities, input) as Promise<Infer<S>>)
  }

  elicitUrl(message: string, url: string, options?: InputRequestOptions): Promise<void> {
    return this.#track(elicitUrl(this.roundTrips, this.requestMeta.clientCapabilities, { message, url, key: options?.key }))
  }

  sample(params: CreateMessageParams, options?: InputRequestOptions): Promise<CreateMessageResult> {
    return this.#track(createMessage(this.roundTrips, this.requestMeta.clientCapabilities, { params, key: options?.key }))
  }

  roots(options?: InputRequestOptions): Promise<Root[]> {
    return this.#track(listRoots(this.roundTrips, this.requestMeta.clientCapabilities, { key: options?.key }))
  }

  step<T>(name: string, effect: () => T | Promise<T>): Promise<JsonForm<T>> {
    return markHandled(this.roundTrips.step(name, effect))
  }

  closeStream(retryDelayMs: number): void {
    this.context.closeStream?.(retryDelayMs)
  }

  get roundTrips(): RoundTrips {
    if (this.#roundTrips) return this.#roundTrips
    const { maxRoundTrips } = this.#options
    const stateStore = this.#stateStore ?? createSealedStateStore(this.request, this.auth?.principal, this.#options)
    const onSuspend = (): void => {
      this.isSuspended = true
    }
    return (this.#roundTrips = createRoundTrips(this.request, { stateStore, maxRoundTrips, onSuspend }))
  }

  /** Counts a request for input until a handler that awaits it would continue. */
  #track<T>(promise: Promise<T>): Promise<T> {
    this.pendingInputs++
    void promise.catch(() => {}).finally(() => this.pendingInputs--)
    return promise
  }

  /** Aborts the handler's signal. */
  abort(reason: Error): void {
    void this.signal
    this.#controller?.abort(reason)
  }
}

/** Marks a promise as handled, so that it is not reported as an unhandled rejection when a handler drops it. */
function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

function unknownLevel(level: unknown): TypeError {
  const hint = level === 'warn' ? '. Use "warning"' : ''
  return new TypeError(`call.log(level, data): level must be one of ${LOGGING_LEVELS.join(', ')}, not ${describe(level)}${hint}`)
}
