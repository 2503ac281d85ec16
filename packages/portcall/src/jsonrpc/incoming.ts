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
  const { maxInFlight = Infinity, maxQueued = 0, maxLongLived = Infinity, isLongLived = () => false } = options
  const running = new Map<RequestId, Running>()
  const turns: Array<() => void> = []
  const waiters: Array<() => void> = []
  let active = 0
  let longLived = 0

  const refuse = (request: Request): RpcError | undefined => {
    if (running.has(request.id)) return ID_IN_USE
    if (isLongLived(request)) return longLived >= maxLongLived ? TOO_MANY : undefined
    return running.size - longLived >= maxInFlight + maxQueued ? BUSY : undefined
  }
  const run = async (request: Request, context: Running): Promise<Response | undefined> => {
    if (context.cancelled) return undefined
    try {
      const response = await exchange(request, context)
      return context.cancelled ? undefined : response
    } catch {
      return context.cancelled ? undefined : FAILED.response(request.id)
    }
  }
  const leave = (id: RequestId, isLong: boolean): void => {
    running.delete(id)
    if (isLong) longLived--
    else {
      active--
      turns.shift()?.()
    }
    if (running.size === 0) for (const wake of waiters.splice(0)) wake()
  }
  const cancel = (id: unknown, reason?: unknown): boolean => {
    const context = running.get(id as RequestId)
    context?.cancel(reason ?? new DOMException('The request was cancelled', 'AbortError'))
    return context !== undefined
  }

  return {
    get size() {
      return running.size
    },
    async handle(request, carried) {
      const refusal = refuse(request)
      if (refusal) return refusal.response(request.id)
      const { id } = request
      const isLong = isLongLived(request)
      const context = new Running(carried)
      running.set(id, context)
      if (!isLong && active >= maxInFlight) await new Promise<void>((turn) => void turns.push(turn))
      if (isLong) longLived++
      else active++
      const response = await run(request, context)
      leave(id, isLong)
      return response
    },
    cancel,
    cancelAll(reason) {
      for (const id of [...running.keys()]) cancel(id, reason)
    },
    idle: () => (running.size === 0 ? Promise.resolve() : new Promise((wake) => void waiters.push(wake))),
  }
}
