import { type AbortListener, type AbortSource, LazyAbort } from '../../../util/src/abort.ts'
import { BriefMap } from '../../../util/src/linked-set.ts'
import { ErrorCode, internalError, RpcError } from './errors.ts'
import type { Exchange, ExchangeContext } from './exchange.ts'
import type { Notification, Request, RequestId, Response } from './message.ts'

/** The context of a request that its sender can cancel. */
export interface AbortableContext extends ExchangeContext {
  readonly aborted: boolean
  /** Aborts the request. Nothing may be sent for it afterwards. Only the first call has an effect. */
  abort(reason: unknown): void
}

/** The requests of one peer that are being answered. */
export interface IncomingRequests {
  readonly size: number
  /**
   * Answers a request. Resolves to `undefined` if it was cancelled meanwhile, because then nothing may be sent. Refuses a request whose id
   * is in use with -32600, without affecting the first one, and a request beyond the limits with -32603.
   */
  handle(request: Request, context: AbortableContext): Promise<Response | undefined>
  /** Cancels a request. Returns whether there is one with this id. */
  cancel(id: unknown, reason?: unknown): boolean
  cancelAll(reason?: unknown): void
}

export interface IncomingLimits {
  /** Requests answered concurrently. Default: no limit. */
  maxInFlight: number
  /** Requests queued while `maxInFlight` are being answered. Further requests are refused. Default: 0. */
  maxQueued: number
  /** Requests that stay open until one side ends them. They do not count towards `maxInFlight`. Default: no limit. */
  maxLongLived: number
}

export interface IncomingRequestsOptions extends Partial<IncomingLimits> {
  /** Reports whether a request stays open until one side ends it. */
  readonly isLongLived?: (request: Request) => boolean
  /** Receives the exceptions of the Exchange. May return a reference for the client. */
  readonly onError?: ((error: unknown) => unknown) | undefined
}

const ID_IN_USE = new RpcError(ErrorCode.invalidRequest, 'Invalid request: this id is already in use')
const OVERLOADED = new RpcError(ErrorCode.internalError, 'Too many requests are in progress: try again later')
const TOO_MANY_SUBSCRIPTIONS = new RpcError(ErrorCode.internalError, 'Too many subscriptions are open')

/**
 * Tracks the requests of one peer while an Exchange answers them: ids in use, concurrency limits, cancellation. Without limits every
 * request is answered immediately.
 */
export function createIncomingRequests(exchange: Exchange, options: IncomingRequestsOptions = {}): IncomingRequests {
  return new RequestTracker(exchange, options)
}

/** A class because there is one instance for each session. */
class RequestTracker implements IncomingRequests {
  readonly #exchange: Exchange
  readonly #options: IncomingRequestsOptions
  readonly #contexts = new BriefMap<RequestId, AbortableContext>()
  #queue: Array<() => void> | undefined
  #active = 0
  #longLived = 0

  constructor(exchange: Exchange, options: IncomingRequestsOptions) {
    this.#exchange = exchange
    this.#options = options
  }

  get size(): number {
    return this.#contexts.size
  }

  async handle(request: Request, context: AbortableContext): Promise<Response | undefined> {
    const { isLongLived, maxInFlight = Infinity } = this.#options
    const isLong = isLongLived?.(request) === true
    const refusal = this.#refuse(request, isLong)
    if (refusal) return refusal.response(request.id)
    const { id } = request
    this.#contexts.set(id, context)
    if (!isLong && this.#active >= maxInFlight) await new Promise<void>((start) => void (this.#queue ??= []).push(start))
    if (isLong) this.#longLived++
    else this.#active++
    try {
      const response = context.aborted ? undefined : await this.#exchange(request, context)
      return context.aborted ? undefined : response
    } catch (error) {
      return context.aborted ? undefined : internalError(this.#options.onError?.(error)).response(id)
    } finally {
      this.#finish(id, isLong)
    }
  }

  cancel(id: unknown, reason?: unknown): boolean {
    const context = this.#contexts.get(id as RequestId)
    context?.abort(reason ?? new DOMException('The request was cancelled', 'AbortError'))
    return context !== undefined
  }

  cancelAll(reason?: unknown): void {
    for (const [id] of [...this.#contexts]) this.cancel(id, reason)
  }

  #refuse({ id }: Request, isLong: boolean): RpcError | undefined {
    const { maxInFlight = Infinity, maxLongLived = Infinity, maxQueued = 0 } = this.#options
    if (this.#contexts.get(id)) return ID_IN_USE
    if (isLong) return this.#longLived >= maxLongLived ? TOO_MANY_SUBSCRIPTIONS : undefined
    return this.size - this.#longLived >= maxInFlight + maxQueued ? OVERLOADED : undefined
  }

  #finish(id: RequestId, isLong: boolean): void {
    this.#contexts.delete(id)
    if (isLong) this.#longLived--
    else {
      this.#active--
      this.#queue?.shift()?.()
    }
  }
}

/** Sends messages to the peer whose request is being answered. */
export interface RequestSender {
  notify(notification: Notification): void | Promise<void>
  /** Absent if the peer does not accept requests. */
  readonly request?: (method: string, params: Request['params'], abortSource: AbortSource) => Promise<Response>
}

/** The context of a request on a connection that carries messages in both directions. */
export class PeerRequestContext implements AbortableContext {
  readonly #sender: RequestSender
  /** Created when it is needed: most requests are neither aborted nor watched. */
  #abort: LazyAbort | undefined

  constructor(sender: RequestSender) {
    this.#sender = sender
  }

  get aborted(): boolean {
    return this.#abort?.aborted ?? false
  }
  get signal(): AbortSignal {
    return (this.#abort ??= new LazyAbort()).signal
  }
  get ask(): ExchangeContext['ask'] {
    const { request } = this.#sender
    return request && ((method, params) => request(method, params, this))
  }

  onAbort(listener: AbortListener): () => void {
    return (this.#abort ??= new LazyAbort()).onAbort(listener)
  }

  abort(reason: unknown): void {
    ;(this.#abort ??= new LazyAbort()).abort(reason)
  }

  notify(notification: Notification): void | Promise<void> {
    if (!this.aborted) return this.#sender.notify(notification)
  }
}
