import { isObject } from '../schema/schema.ts'
import { send } from './api.ts'
import type { OperationRequest } from './protocol.ts'
import { inventoryOf, store } from './store.ts'

/** The subject of a completion: a prompt or a resource template. */
export type Reference = (OperationRequest & { type: 'complete' })['ref']

const COMPLETION_TIMEOUT_MS = 5000

/**
 * Asks a server for suggestions for an argument. Empty where it has none, does not declare completion, or does not respond in time.
 */
export async function complete(
  serverId: string,
  { ref, name, value, context }: { ref: Reference; name: string; value: string; context: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (!store.servers.value.get(serverId)?.capabilities?.completions) return []
  const request: OperationRequest = {
    type: 'complete',
    ref,
    argument: { name, value },
    ...(Object.keys(context).length > 0 && { context }),
  }
  const { operationId } = await send('operate', { serverId, request }, signal)
  const { operation } = await send('wait-operation', { operationId, timeoutMs: COMPLETION_TIMEOUT_MS }, signal)
  const values = isObject(operation.result) ? operation.result['values'] : undefined
  return Array.isArray(values) ? values.filter((one): one is string => typeof one === 'string') : []
}

/** Reports whether a server offers a list, so that an empty one means something. */
export const offers = (serverId: string, kind: 'tools' | 'resources' | 'templates' | 'prompts'): boolean =>
  (inventoryOf(serverId, kind)?.items.length ?? 0) > 0
