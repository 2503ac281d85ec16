import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import type { Exchange, ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Notification, type Request, type Response } from '../jsonrpc/message.ts'
import { withMeta } from '../protocol/meta.ts'
import type { Revision } from '../protocol/revisions.ts'
import { without } from './plan.ts'
import { renderNotification } from './render.ts'

const MAX_ROUNDS = 32

/** What a legacy session adds to a request on its way to the core. */
export interface Forwarded {
  readonly envelope: JsonObject
  readonly context: ExchangeContext
  readonly revision: Revision
}

/** Calls the core as a client of the newest revision would, as often as it has questions. */
export async function forward(core: Exchange, request: Request, { envelope, context, revision }: Forwarded): Promise<Response> {
  const translated = new Translated(context, revision)
  const params = translatedParams(request.params, envelope)
  const { id, method } = request
  let response = await core({ jsonrpc: '2.0', id, method, params }, translated)
  for (let round = 0; isSuccess(response) && response.result.resultType === 'input_required'; round++) {
    if (round === MAX_ROUNDS) throw new RpcError(ErrorCode.internalError, `The call asked in more than ${MAX_ROUNDS} rounds`)
    const { inputRequests, requestState } = response.result
    const { askAll } = await import('./asks.ts')
    const inputResponses = await askAll(inputRequests, context, revision)
    response = await core({ jsonrpc: '2.0', id, method, params: { ...params, inputResponses, requestState } }, translated)
  }
  return response
}

/** The params with the envelope, and without what only the newest revision means by them. */
function translatedParams(given: JsonObject = {}, envelope: JsonObject): JsonObject {
  const { _meta } = given
  return without(withMeta(given, isObject(_meta) ? { ..._meta, ...envelope } : envelope), FOREIGN_PARAMS)
}

const FOREIGN_PARAMS: readonly string[] = ['inputResponses', 'requestState']

/** The context of a request on its way to the core: what the core tells is rendered on its way back. */
class Translated implements ExchangeContext {
  #context: ExchangeContext
  #revision: Revision

  constructor(context: ExchangeContext, revision: Revision) {
    this.#context = context
    this.#revision = revision
  }

  get signal(): AbortSignal {
    return this.#context.signal
  }
  get http(): ExchangeContext['http'] {
    return this.#context.http
  }
  get auth(): ExchangeContext['auth'] {
    return this.#context.auth
  }
  get release(): ExchangeContext['release'] {
    return this.#context.release
  }

  notify(notification: Notification): void | Promise<void> {
    const rendered = renderNotification(notification, this.#revision)
    if (rendered) return this.#context.notify(rendered)
  }
}
