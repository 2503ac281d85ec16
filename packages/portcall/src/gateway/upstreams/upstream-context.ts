import { type AbortListener, onAbort } from '../../../../util/src/abort.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { Notification } from '../../jsonrpc/message.ts'

/**
 * The context of a request to a server. It passes on the caller's cancellation and identity, and the notifications of the server. Headers and
 * tokens of the caller's HTTP request are not passed on.
 */
export class UpstreamContext implements ExchangeContext {
  readonly auth: ExchangeContext['auth']
  readonly handling: ExchangeContext['handling']
  readonly onError: ExchangeContext['onError']
  readonly outgoing: ExchangeContext['outgoing']
  readonly #context: ExchangeContext

  constructor(context: ExchangeContext, headers?: Readonly<Record<string, string>>) {
    this.#context = context
    this.auth = context.auth
    this.handling = context.handling
    this.onError = context.onError
    this.outgoing = headers && { headers }
  }

  /** May be created on first read. */
  get signal(): AbortSignal {
    return this.#context.signal
  }

  onAbort(listener: AbortListener): () => void {
    return onAbort(this.#context, listener)
  }

  /** Transports call it without the context. */
  readonly notify = (notification: Notification): void | Promise<void> => this.#context.notify(notification)
}
