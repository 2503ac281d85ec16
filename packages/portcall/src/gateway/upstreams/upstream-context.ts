import { type AbortListener, onAbort } from '../../../../util/src/abort.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { Notification, Request } from '../../jsonrpc/message.ts'
import { isUnwantedLog } from '../../protocol/notification-router.ts'

/**
 * The context of a request to a server. It passes on the caller's cancellation and identity, and the notifications of the server, but no log
 * messages that the request has not asked for. Headers and tokens of the caller's HTTP request are not passed on.
 */
export class UpstreamContext implements ExchangeContext {
  readonly auth: ExchangeContext['auth']
  readonly handling: ExchangeContext['handling']
  readonly onError: ExchangeContext['onError']
  readonly outgoing: ExchangeContext['outgoing']
  readonly #context: ExchangeContext
  readonly #request: Request

  constructor(context: ExchangeContext, request: Request, headers?: Readonly<Record<string, string>>) {
    this.#context = context
    this.#request = request
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
  readonly notify = (notification: Notification): void | Promise<void> =>
    isUnwantedLog(notification, this.#request.params) ? undefined : this.#context.notify(notification)
}
