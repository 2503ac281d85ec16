import type { Exchange, ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isSuccess, type Request, type Response, success } from '../../jsonrpc/message.ts'
import { type MarkedMeta, RAW_ANSWER } from '../policy/raw-answer.ts'

/** A request of the gateway itself whose answer is replaced or recorded. */
export interface RawRequest {
  readonly request: Request
  readonly meta: MarkedMeta
}

/** Replaces the answer of a server, or records it. `send` sends the request to the server. */
export async function answerRaw({ request, meta }: RawRequest, context: ExchangeContext, send: Exchange): Promise<Response> {
  const { [RAW_ANSWER]: raw, ...sent } = meta
  if (raw?.result) return success(request.id, raw.result)
  const response = await send({ ...request, params: { ...request.params, _meta: sent } }, context)
  if (isSuccess(response)) raw?.onResult?.(response.result, request.params?.cursor)
  return response
}
