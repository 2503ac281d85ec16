import { RpcError } from '../jsonrpc/errors.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { isSuccess, type JsonObject } from '../jsonrpc/message.ts'
import { MetaKey } from '../protocol/meta.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import type { Forwarding } from './forward.ts'

/** Asks the core about a task, as a client that knows the extension. @throws RpcError */
export type AskCore = (method: string, params: JsonObject, context?: Partial<ExchangeContext>) => Promise<JsonObject>

/** Makes what asks the core on behalf of a session. The caller's own `_meta` stays out of it: here only the id counts. */
export function createAskCore({ core, context, envelope }: Forwarding): AskCore {
  const capabilities = envelope[MetaKey.clientCapabilities] as JsonObject
  const declared = { ...capabilities, extensions: { [TASKS_EXTENSION]: {} } }
  const _meta = { ...envelope, [MetaKey.clientCapabilities]: declared }
  return async (method, params, given) => {
    const { signal, auth, http } = context
    const request = { jsonrpc: '2.0' as const, id: `task-${method}`, method, params: { ...params, _meta } }
    const response = await core(request, { signal, auth, http, notify: () => {}, ...given })
    if (!isSuccess(response)) throw new RpcError(response.error.code, response.error.message, response.error.data)
    return response.result
  }
}
