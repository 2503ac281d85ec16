import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import type { Exchange, ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Notification, type Request, type Response } from '../jsonrpc/message.ts'
import { withMeta } from '../protocol/meta.ts'
import type { Revision } from '../protocol/revisions.ts'
import { without } from './plan.ts'
import { renderNotification } from './render.ts'

const MAX_ROUNDS = 32

/** What a legacy session adds to a request on its way to the core. */
export interface Forwarding {
  readonly core: Exchange
  readonly envelope: JsonObject
  readonly context: ExchangeContext
  readonly revision: Revision
}

/** A request as a client of the newest revision would put it to the core. What the core tells meanwhile is rendered on its way back. */
export class Forwarded implements ExchangeContext {
  readonly request: Request
  #forwarding: Forwarding

  constructor({ id, method, params }: Request, forwarding: Forwarding) {
    this.request = { jsonrpc: '2.0', id, method, params: translatedParams(params, forwarding.envelope) }
    this.#forwarding = forwarding
  }

  get signal(): AbortSignal {
    return this.#forwarding.context.signal
  }
  get http(): ExchangeContext['http'] {
    return this.#forwarding.context.http
  }
  get auth(): ExchangeContext['auth'] {
    return this.#forwarding.context.auth
  }
  get release(): ExchangeContext['release'] {
    return this.#forwarding.context.release
  }

  notify(notification: Notification): void | Promise<void> {
    const { context, revision } = this.#forwarding
    const rendered = renderNotification(notification, revision)
    if (rendered) return context.notify(rendered)
  }

  /** Puts what the core asks to the client, if it asks, and calls the core again with the answers. */
  settle(response: Response, round = 0): Response | Promise<Response> {
    if (!isSuccess(response) || response.result.resultType !== 'input_required') return response
    if (round === MAX_ROUNDS) throw new RpcError(ErrorCode.internalError, `The call asked in more than ${MAX_ROUNDS} rounds`)
    return this.#ask(response.result, round)
  }

  async #ask({ inputRequests, requestState }: JsonObject, round: number): Promise<Response> {
    const { core, context, revision } = this.#forwarding
    const { askAll } = await import('./asks.ts')
    const inputResponses = await askAll(inputRequests, context, revision)
    const params = { ...this.request.params, inputResponses, requestState }
    return this.settle(await core({ ...this.request, params }, this), round + 1)
  }
}

/** The params with the envelope, and without what only the newest revision means by them. */
function translatedParams(given: JsonObject = {}, envelope: JsonObject): JsonObject {
  const { _meta } = given
  return without(withMeta(given, isObject(_meta) ? { ..._meta, ...envelope } : envelope), FOREIGN_PARAMS)
}

const FOREIGN_PARAMS: readonly string[] = ['inputResponses', 'requestState']
