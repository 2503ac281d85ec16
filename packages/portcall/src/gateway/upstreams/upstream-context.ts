import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { Notification } from '../../jsonrpc/message.ts'
import { type AbortListener, onAbort } from '../../util/abort.ts'

/**
 * The context of a request to a server. It passes on the caller's cancellation and identity, and the notifications of the server. Headers and
 * tokens of the caller's HTTP request are not passed on.
 */
export class UpstreamContext implements ExchangeContext {
  readonly outgoing: ExchangeContext['outgoing']
  readonly #context: ExchangeContext

  constructor(context: ExchangeContext, headers?: Readonly<Record<string, string>>) {
    this.#context = context
    this.outgoing = headers && { headers }
  }

  get signal(): AbortSignal {
    return this.#context.signal
  }

  get auth(): ExchangeContext['auth'] {
    return this.#context.auth
  }

  get handling(): ExchangeContext['handling'] {
    return this.#context.handling
  }

  get onError(): ExchangeContext['onError'] {
    return this.#context.onError
  }

  onAbort(listener: AbortListener): () => void {
    return onAbort(this.#context, listener)
  }

  /** Transports call it without the context. */
  readonly notify = (notification: Notification): void | Promise<void> => this.#context.notify(notification)
}
