import { ErrorCode, RpcError } from './errors.ts'
import type { Exchange, ExchangeContext } from './exchange.ts'
import type { Notification, Request, RequestId, Response } from './message.ts'

/** What a carrier adds to the context of a request: everything but the signal, which belongs to the register. */
export interface Carried extends Omit<ExchangeContext, 'signal' | 'ask'> {
  /** Asks the caller; the signal tells when its own request was given up. */
  readonly ask?: ((method: string, params: Request['params'], signal: AbortSignal) => Promise<Response>) | undefined
}

/** The requests of one peer that are being answered. */
export interface Incoming {
  readonly size: number
  /**
   * Answers a request. Resolves to nothing when it was cancelled meanwhile, for then nothing may be sent. A request whose id is
   * in use is refused with -32600 and leaves the first one alone.
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
  readonly ask: ExchangeContext['ask']
  readonly release: ExchangeContext['release']
  readonly mirror: ExchangeContext['mirror']
  readonly http: ExchangeContext['http']
  readonly auth: ExchangeContext['auth']
  cancelled = false
  #carried: Carried
  #controller: AbortController | undefined
  #reason: unknown

  constructor(carried: Carried) {
    this.#carried = carried
    const { ask } = carried
    this.ask = ask && ((method, params) => ask(method, params, this.signal))
    this.release = carried.release
    this.mirror = carried.mirror
    this.http = carried.http
    this.auth = carried.auth
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
  }
}

/** Keeps the requests that an Exchange is answering for one peer: ids in use, cancellation, the end. */
export function createIncoming(exchange: Exchange): Incoming {
  const running = new Map<RequestId, Running>()
  const waiters: Array<() => void> = []

  const settle = (id: RequestId): void => {
    running.delete(id)
    if (running.size === 0) for (const wake of waiters.splice(0)) wake()
  }

  return {
    get size() {
      return running.size
    },
    async handle(request, carried) {
      const { id } = request
      if (running.has(id)) return new RpcError(ErrorCode.invalidRequest, 'Invalid request: this id is in use').response(id)
      const context = new Running(carried)
      running.set(id, context)
      try {
        const response = await exchange(request, context)
        return context.cancelled ? undefined : response
      } catch {
        return context.cancelled ? undefined : new RpcError(ErrorCode.internalError, 'Internal error').response(id)
      } finally {
        settle(id)
      }
    },
    cancel(id, reason) {
      const context = running.get(id as RequestId)
      context?.cancel(reason ?? new DOMException('The request was cancelled', 'AbortError'))
      return context !== undefined
    },
    cancelAll(reason) {
      for (const id of [...running.keys()]) this.cancel(id, reason)
    },
    idle: () => (running.size === 0 ? Promise.resolve() : new Promise((wake) => void waiters.push(wake))),
  }
}
