import type { AppCallOptions, AppClient } from '../../../../portcall/src/apps/host/types.ts'
import type { JsonObject } from '../../schema/schema.ts'
import { CommandError, send } from '../../state/api.ts'
import type { CallToolResult, OperationRequest, OperationState, Tool } from '../../state/protocol.ts'
import { inventoryOf } from '../../state/store.ts'

/** Long enough for people who answer questions. */
const WAIT_MS = 600_000

/** The connection of a view to its server: operations of the inspector, which are in the timeline like all others. */
export function createViewClient(serverId: string): AppClient {
  const operate = async (request: OperationRequest, { signal, meta }: AppCallOptions = {}): Promise<JsonObject> => {
    const { operationId } = await send('operate', { serverId, request, options: { fromView: true, ...(meta && { meta }) } })
    const cancel = (): void => void send('cancel-operation', { operationId }).catch(() => {})
    if (signal?.aborted) cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      return await endOf(operationId)
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }
  return {
    tools: () => ({ toArray: async () => [...((inventoryOf(serverId, 'tools')?.items ?? []) as readonly Tool[])] }),
    callTool: async (name, args = {}, options) =>
      (await operate({ type: 'call-tool', name, arguments: args }, options)) as unknown as CallToolResult,
    request: (method, params = {}, options) => operate({ type: 'request', method, params }, options),
  }
}

/** Resolves to the result of a call, when it has one. Rejects if it fails or is cancelled. */
export const resultOf = (operation: OperationState): Promise<CallToolResult> =>
  (operation.status === 'running'
    ? endOf(operation.id)
    : Promise.resolve(operation).then(outcomeOf)) as Promise<unknown> as Promise<CallToolResult>

async function endOf(operationId: string): Promise<JsonObject> {
  const { operation } = await send('wait-operation', { operationId, timeoutMs: WAIT_MS })
  return outcomeOf(operation)
}

function outcomeOf({ status, result, failure }: OperationState): JsonObject {
  if (result) return result
  const error = failure ?? {
    code: 'FAILED',
    message: status === 'cancelled' ? 'The request was cancelled' : 'There is no response yet',
  }
  const { rpcCode } = error
  throw Object.assign(new CommandError(error), rpcCode === undefined ? {} : { code: rpcCode })
}
