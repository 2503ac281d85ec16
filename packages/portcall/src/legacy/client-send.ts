import { RpcError } from '../jsonrpc/errors.ts'
import { deriveContext, type Exchange, type ExchangeContext } from '../jsonrpc/exchange.ts'
import { isSuccess, type JsonObject } from '../jsonrpc/message.ts'

/** Sends a request that somebody else's leads to. @throws RpcError */
export type Send = (method: string, params: JsonObject, context: ExchangeContext) => Promise<JsonObject>

export function createSend(exchange: Exchange): Send {
  const quiet = { notify: () => {} }
  return async (method, params, context) => {
    const response = await exchange({ jsonrpc: '2.0', id: method, method, params }, deriveContext(context, quiet))
    if (!isSuccess(response)) throw new RpcError(response.error.code, response.error.message, response.error.data)
    return response.result
  }
}
