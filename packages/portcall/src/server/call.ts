import type { Auth, ExchangeContext } from '../jsonrpc/exchange.ts'
import { type JsonObject, notification, type Request, type RequestId } from '../jsonrpc/message.ts'
import type { Envelope } from '../protocol/meta.ts'
import {
  type ClientCapabilities,
  type CreateMessageParams,
  type CreateMessageResult,
  type Implementation,
  LOGGING_LEVELS,
  type LoggingLevel,
  type Root,
} from '../protocol/types.ts'
import type { Infer, Schema } from '../schema/standard.ts'
import { askForm, askRoots, askSample, askUrl } from './asks.ts'
import { createSealed, type Keeper, type SealedOptions } from './keeper.ts'
import { createRounds, type Rounds } from './rounds.ts'

/** Options of every question to the client. */
export interface AskOptions {
  /** Names the question; by default its kind and its turn in the call. Give one where the order of questions may change. */
  key?: string
}

/** The W3C trace context that came with a request. */
export interface Trace {
  readonly traceparent?: string
  readonly tracestate?: string
  readonly baggage?: string
}

/** What a handler knows about the request it serves, and what it can do while it runs. */
export interface Call {
  /** The request itself, plain JSON. */
  readonly request: Request
  readonly method: string
  readonly requestId: RequestId
  /** Aborted when the caller gives up, when the connection of a modern HTTP call ends, and when the tool's time is up. */
  readonly signal: AbortSignal
  /** Who asks, as it says itself: for display, never for security. */
  readonly client: { readonly info?: Implementation | undefined; readonly capabilities: ClientCapabilities }
  readonly auth?: Auth | undefined
  /** The request's `_meta`, with the keys of extensions. */
  readonly meta: JsonObject
  readonly trace: Trace
  /** Reads a header of the carrying HTTP request, by its lower-case name. */
  header(name: string): string | undefined

  /** Tells how far the work is; does nothing unless the caller asked for it. `progress` has to grow. Awaiting it slows down to the reader. */
  progress(progress: number, total?: number, message?: string): void | Promise<void>
  /** Sends a log message, when the caller asked for messages of this level. */
  log(level: LoggingLevel, data: unknown, logger?: string): void | Promise<void>
  /** Sends a notification about this request. */
  notify(method: string, params?: JsonObject): void | Promise<void>

  /**
   * Asks the user to fill in a form. When the answer is not there yet, the handler is left here and run again from the top with it.
   *
   * @throws Declined when the user says no; RpcError -32021 when the client cannot show forms.
   */
  elicit<const S extends Schema>(message: string, schema: S, options?: AskOptions): Promise<Infer<S>>
  /** Asks the user to open a URL; resolves when the user agreed to, not when the visit is over. */
  elicitUrl(message: string, url: string, options?: AskOptions): Promise<void>
  /** Asks the client's model. */
  sample(params: CreateMessageParams, options?: AskOptions): Promise<CreateMessageResult>
  /** Asks for the folders that the client works on. */
  roots(options?: AskOptions): Promise<Root[]>
  /** Runs a side effect once, however often the call is run again, and remembers its result, which has to be JSON. */
  step<T>(name: string, effect: () => T | Promise<T>): Promise<T>
  /** Lets the caller hang up and come back for the answer after `retryMs`; does nothing where that is not possible. */
  release(retryMs: number): void
}

/** A request as it came in. */
export interface Incoming {
  readonly request: Request
  readonly context: ExchangeContext
  readonly envelope: Envelope
}

/** What all calls of a server have in common. */
export interface CallOptions extends SealedOptions {
  readonly maxRounds: number
}

/** The one implementation of `Call`: one object a request, everything else on demand. */
export class CallContext implements Call {
  readonly request: Request
  readonly context: ExchangeContext
  readonly envelope: Envelope
  /** Whether nobody waits for it: it is run for an extension, which keeps its state. */
  readonly detached: boolean
  #options: CallOptions
  #keeper: Keeper | undefined
  #rounds: Rounds | undefined
  #deadline: AbortController | undefined
  #reported = -Infinity

  constructor({ request, context, envelope }: Incoming, options: CallOptions, keeper?: Keeper) {
    this.request = request
    this.context = context
    this.envelope = envelope
    this.#options = options
    this.#keeper = keeper
    this.detached = keeper !== undefined
  }

  get method(): string {
    return this.request.method
  }
  get requestId(): RequestId {
    return this.request.id
  }
  get client(): Call['client'] {
    return { info: this.envelope.clientInfo, capabilities: this.envelope.clientCapabilities }
  }
  get auth(): Auth | undefined {
    return this.context.auth
  }
  get meta(): JsonObject {
    return this.request.params?._meta as JsonObject
  }
  get trace(): Trace {
    return this.meta as Trace
  }
  get signal(): AbortSignal {
    if (this.#deadline) return this.#deadline.signal
    const deadline = (this.#deadline = new AbortController())
    const { signal } = this.context
    const abort = (): void => deadline.abort(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    return deadline.signal
  }

  header(name: string): string | undefined {
    return this.context.http?.header(name)
  }

  progress(progress: number, total?: number, message?: string): void | Promise<void> {
    const { progressToken } = this.envelope
    if (progressToken === undefined || !Number.isFinite(progress) || progress <= this.#reported) return
    this.#reported = progress
    const params: JsonObject = { progressToken, progress }
    if (Number.isFinite(total)) params.total = total
    if (message !== undefined) params.message = message
    return this.notify('notifications/progress', params)
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void | Promise<void> {
    const { logLevel } = this.envelope
    if (logLevel === undefined || LOGGING_LEVELS.indexOf(level) < LOGGING_LEVELS.indexOf(logLevel)) return
    return this.notify('notifications/message', logger === undefined ? { level, data } : { level, logger, data })
  }

  notify(method: string, params?: JsonObject): void | Promise<void> {
    return this.context.notify(notification(method, params))
  }

  elicit<const S extends Schema>(message: string, schema: S, options?: AskOptions): Promise<Infer<S>> {
    return handled(
      askForm(this.rounds, this.envelope.clientCapabilities, { message, schema, key: options?.key }) as Promise<Infer<S>>,
    )
  }

  elicitUrl(message: string, url: string, options?: AskOptions): Promise<void> {
    return handled(askUrl(this.rounds, this.envelope.clientCapabilities, { message, url, key: options?.key }))
  }

  sample(params: CreateMessageParams, options?: AskOptions): Promise<CreateMessageResult> {
    return handled(askSample(this.rounds, this.envelope.clientCapabilities, { params, key: options?.key }))
  }

  roots(options?: AskOptions): Promise<Root[]> {
    return handled(askRoots(this.rounds, this.envelope.clientCapabilities, { key: options?.key }))
  }

  step<T>(name: string, effect: () => T | Promise<T>): Promise<T> {
    return handled(this.rounds.step(name, effect))
  }

  release(retryMs: number): void {
    this.context.release?.(retryMs)
  }

  /** The questions and answers of this call, made when the first is asked. */
  get rounds(): Rounds {
    return (this.#rounds ??= createRounds(this.request, { keeper: this.keeper, maxRounds: this.#options.maxRounds }))
  }

  /** Where its state rests between its rounds: with its client, unless it was made with another keeper. */
  get keeper(): Keeper {
    return (this.#keeper ??= createSealed(this.request, this.context.auth?.principal, this.#options))
  }

  /** Tells whether the handler was left because something has to be asked first. */
  get waits(): boolean {
    return this.#rounds !== undefined && this.#rounds.open > 0
  }

  /** Ends the handler's signal, because its time is up. */
  expire(reason: Error): void {
    void this.signal
    this.#deadline?.abort(reason)
  }
}

/** Keeps a promise that a handler may drop from being reported as unhandled. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
