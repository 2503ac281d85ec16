import { resultOf } from '../../jsonrpc/errors.ts'
import { deriveContext, type Exchange, type ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'

/** Sends a request about a task or a list on behalf of another request, whose context it uses. @throws RpcError */
export type SubrequestSender = (method: string, params: JsonObject, context: ExchangeContext) => Promise<JsonObject>

export function createSubrequestSender(exchange: Exchange): SubrequestSender {
  const withoutNotifications = { notify: () => {} }
  return async (method, params, context) => {
    const request = { jsonrpc: '2.0' as const, id: method, method, params }
    const response = await exchange(request, deriveContext(context, withoutNotifications))
    return resultOf(response, method)
  }
}
