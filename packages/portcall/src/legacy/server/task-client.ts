import { resultOf } from '../../jsonrpc/errors.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { TASKS_EXTENSION } from '../../protocol/tasks.ts'
import type { ClientCapabilities } from '../../protocol/types.ts'
import type { LegacyCall } from './upgraded-request.ts'

/** Sends a request about a task to the core, as a client with the tasks extension. @throws RpcError */
export type TaskClient = (method: string, params: JsonObject, context?: Partial<ExchangeContext>) => Promise<JsonObject>

/** Returns request metadata that declares the tasks extension, which clients of older revisions do not declare. */
export function withTasks(requestMeta: JsonObject): JsonObject {
  const capabilities = requestMeta[MetaKey.clientCapabilities] as ClientCapabilities
  const extensions = { ...capabilities.extensions, [TASKS_EXTENSION]: {} }
  return { ...requestMeta, [MetaKey.clientCapabilities]: { ...capabilities, extensions } }
}

/** Creates a task client for a request of a session. It ignores the `_meta` of that request, since only the task ID matters here. */
export function createTaskClient({ core, context, requestMeta }: LegacyCall): TaskClient {
  const _meta = withTasks(requestMeta)
  return async (method, params, overrides) => {
    const { signal, auth, http } = context
    const request = { jsonrpc: '2.0' as const, id: `task-${method}`, method, params: { ...params, _meta } }
    const response = await core(request, { signal, auth, http, notify: () => {}, ...overrides })
    return resultOf(response, method)
  }
}
