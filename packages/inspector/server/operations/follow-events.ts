import type { EventDeliveryMode, EventOccurrence } from 'portcall/events/client'
import type { JsonObject } from 'portcall/jsonrpc'
import type { ReceivedWebhook } from '../events/webhook-receiver.ts'
import type { OperationRequest } from '../protocol/operations.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import type { OperationContext } from './context.ts'

/** The webhooks of the operations that run. */
const webhooks = new WeakMap<AbortSignal, ReceivedWebhook>()
/** The signals of the operations that follow events, by id. */
const following = new Map<string, AbortSignal>()

/** Subscribes to events until the operation is cancelled. Each delivery is an update. */
export async function followEvents(
  { name, arguments: args, mode, cursor }: Extract<OperationRequest, { type: 'event-subscribe' }>,
  context: OperationContext,
): Promise<object> {
  const { server, signal, update, receiver, id } = context
  const { events } = server.connection.client
  if (!events) throw new InspectorCommandError('INVALID_PARAMS', 'Events are not declared', 'Turn on events in the settings.')
  const updates: { time: number; value: JsonObject }[] = []
  const add = (value: JsonObject): void => {
    updates.push({ time: Date.now(), value })
    update({ updates: updates.slice(-100) })
  }
  const received = mode === 'webhook' ? await receiver.open(add) : undefined
  if (received) webhooks.set(signal, received)
  following.set(id, signal)
  try {
    const subscription = await events.on(name, args, (event, { cursor: position }) => received ?? add(shown(event, position)), {
      mode: mode as EventDeliveryMode,
      signal,
      ...(cursor !== undefined && { cursor }),
      ...(received && { webhook: received.webhook }),
      onGap: (position) => received ?? add({ kind: 'gap', cursor: position }),
      onError: (error) => add({ kind: 'error', message: String(error instanceof Error ? error.message : error) }),
      onDeliveryStatus: (status) => add({ kind: 'status', ...status }),
    })
    const result = { mode: subscription.mode, cursor: subscription.cursor, ...(received && { url: received.webhook.url ?? '' }) }
    update({ result })
    await subscription.ended
    signal.throwIfAborted()
    return result
  } finally {
    following.delete(id)
    received?.close()
  }
}

function shown({ eventId, timestamp, data, cursor }: EventOccurrence, position: string | null): JsonObject {
  return { kind: 'event', eventId, timestamp, cursor: cursor ?? position, data }
}

/** Sends a delivery to the receiver again. */
export async function replayDelivery({
  operationId,
  messageId,
}: Extract<OperationRequest, { type: 'event-replay' }>): Promise<object> {
  const signal = following.get(operationId)
  const received = signal && webhooks.get(signal)
  if (!received) throw new InspectorCommandError('NOT_FOUND', 'This subscription has ended, and its deliveries with it')
  await received.replay(messageId)
  return {}
}
