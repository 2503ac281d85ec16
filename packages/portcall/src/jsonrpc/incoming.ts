import { ErrorCode, RpcError } from './errors.ts'
import type { Caller, Exchange, ExchangeContext } from './exchange.ts'
import type { Notification, Request, RequestId, Response } from './message.ts'

/** What a carrier adds to the context of a request: everything but the signal, which belongs to the register. */
export interface Carried extends Omit<ExchangeContext, 'signal' | 'ask'> {
  /** Asks the caller for as long as it has not given its own request up. */
  readonly ask?: ((method: string, params: Request['params'], caller: Caller) => Promise<Response>) | undefined
  /** Hears that the request was given up. */
  readonly onCancel?: (reason: unknown) => void
}

/** The requests of one peer that are being answered. */
export interface Incoming {
  readonly size: number
  /**
   * Answers a request. Resolves to nothing when it was cancelled meanwhile, for then nothing may be sent. A request whose id is
   * in use is refused with -32600 and leaves the first one alone; one that comes when too many wait, with -32603.
   */
  handle(request: Request, carried: Carried): Promise<Response | undefined>
  /** Gives a request up; unknown ids are ignored. Tells whether there was one. */
  cancel(id: unknown, reason?: unknown): boolean
  /** Gives all requests up. */
  cancelAll(reason?: unknown): void
  /** Resolves when nothing is being answered any more. */
  idle(): Promise<void>
}

class Running implements ExchangeContext {
  cancelled = false
  #carried: Carried
  #controller: AbortController | undefined
  #reason: unknown

  constructor(carried: Carried) {
    this.#carried = carried
  }

  get ask(): ExchangeContext['ask'] {
    const { ask } = this.#carried
    return ask && ((method, params) => ask(method, params, this))
  }
  get release(): ExchangeContext['release'] {
    return this.#carried.release
  }
  get mirror(): ExchangeContext['mirror'] {
    return this.#carried.mirror
  }
  get http(): ExchangeContext['http'] {
    return this.#carried.http
  }
  get auth(): ExchangeContext['auth'] {
    return this.#carried.auth
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.cancelled) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  notify(message: Notification): void | Promise<void> {
    if (!this.cancelled) return this.#carried.notify(message)
  }

  cancel(reason: unknown): void {
    this.cancelled = true
    this.#reason = reason
    this.#controller?.abort(reason)
    this.#carried.onCancel?.(reason)
  }
}

export interface IncomingLimits {
  /** Requests that are answered at the same time. */
  maxInFlight: number
  /** Requests that wait for their turn; what comes then is refused. */
  maxQueued: number
  /** Requests that stay open until one side ends them. They take no turn from the others. */
  maxLongLived: number
}

export interface IncomingOptions extends Partial<IncomingLimits> {
  readonly isLongLived?: (request: Request) => boolean
}

const ID_IN_USE = new RpcError(ErrorCode.invalidRequest, 'Invalid request: this id is in use')
const BUSY = new RpcError(ErrorCode.internalError, 'Too many requests are waiting for an answer: try again later')
const TOO_MANY = new RpcError(ErrorCode.internalError, 'Too many subscriptions are open')
const FAILED = new RpcError(ErrorCode.internalError, 'Internal error')

/**
 * Keeps the requests that an Exchange is answering for one peer: ids in use, turns, cancellation, the end. Without limits every request
 * is answered at once.
 */
export function createIncoming(exchange: Exchange, options: IncomingOptions = {}): Incoming {
  return new Register(exchange, options)
}

const UNLIMITED: IncomingLimits = { maxInFlight: Infinity, maxQueued: 0, maxLongLived: Infinity }

/** There is one for each session, and most sessions are idle. */
class Register implements Incoming {
  readonly #exchange: Exchange
  readonly #options: IncomingLimits & IncomingOptions
  readonly #running = new Map<RequestId, Running>()
  #turns: Array<() => void> | undefined
  #waiters: Array<() => void> | undefined
  #active = 0
  #longLived = 0

  constructor(exchange: Exchange, options: IncomingOptions) {
    this.#exchange = exchange
    this.#options = { ...UNLIMITED, ...options }
  }

  get size(): number {
    return this.#running.size
  }

  async handle(request: Request, carried: Carried): Promise<Response | undefined> {
    const { isLongLived, maxInFlight } = this.#options
    const isLong = isLongLived?.(request) === true
    const refusal = this.#refuse(request, isLong)
    if (refusal) return refusal.response(request.id)
    const { id } = request
    const context = new Running(carried)
    this.#running.set(id, context)
    if (!isLong && this.#active >= maxInFlight) await new Promise<void>((turn) => void (this.#turns ??= []).push(turn))
    if (isLong) this.#longLived++
    else this.#active++
    try {
      const response = context.cancelled ? undefined : await this.#exchange(request, context)
      return context.cancelled ? undefined : response
    } catch {
      return context.cancelled ? undefined : FAILED.response(id)
    } finally {
      this.#leave(id, isLong)
    }
  }

  cancel(id: unknown, reason?: unknown): boolean {
    const context = this.#running.get(id as RequestId)
    context?.cancel(reason ?? new DOMException('The request was cancelled', 'AbortError'))
    return context !== undefined
  }

  cancelAll(reason?: unknown): void {
    for (const id of [...this.#running.keys()]) this.cancel(id, reason)
  }

  idle(): Promise<void> {
    return this.size === 0 ? Promise.resolve() : new Promise((wake) => void (this.#waiters ??= []).push(wake))
  }

  #refuse({ id }: Request, isLong: boolean): RpcError | undefined {
    const { maxInFlight, maxLongLived, maxQueued } = this.#options
    if (this.#running.has(id)) return ID_IN_USE
    if (isLong) return this.#longLived >= maxLongLived ? TOO_MANY : undefined
    return this.size - this.#longLived >= maxInFlight + maxQueued ? BUSY : undefined
  }

  #leave(id: RequestId, isLong: boolean): void {
    this.#running.delete(id)
    if (isLong) this.#longLived--
    else {
      this.#active--
      this.#turns?.shift()?.()
    }
    if (this.size === 0) for (const wake of this.#waiters?.splice(0) ?? []) wake()
  }
}
