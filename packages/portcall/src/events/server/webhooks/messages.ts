import { sha256Hex } from '../../../../../util/src/digest.ts'
import { randomId } from '../../../../../util/src/random.ts'
import type { ErrorBody } from '../../../jsonrpc/message.ts'
import type { EventCursor, EventEnvelope, EventOccurrence } from '../../../protocol/events.ts'
import type { EventsProfile } from '../profile.ts'

/** A message for an endpoint. */
export interface OutgoingMessage {
  readonly messageId: string
  readonly body: string
}

const ID_LENGTH = 32

/** Returns the message of an event. All attempts have the same id. */
export async function eventMessage(
  subscriptionId: string,
  event: EventOccurrence & { cursor: EventCursor },
  { webhookId }: Pick<EventsProfile, 'webhookId'>,
): Promise<OutgoingMessage> {
  const { eventId } = event
  const digest = async (): Promise<string> => (await sha256Hex(`${subscriptionId} ${eventId}`)).slice(0, ID_LENGTH)
  return { messageId: webhookId === 'event' ? eventId : `msg_${await digest()}`, body: JSON.stringify(event) }
}

/** Returns a new id for an envelope. */
export function envelopeId(type: EventEnvelope['type']): string {
  return `msg_${type}_${randomId()}`
}

/** Returns the message that says that events are missing. */
export function gapMessage(messageId: string, cursor: EventCursor): OutgoingMessage {
  return { messageId, body: JSON.stringify({ type: 'gap', cursor } satisfies EventEnvelope) }
}

/** Returns the message that says that the subscription has ended. */
export function terminatedMessage(error: ErrorBody): OutgoingMessage {
  return { messageId: envelopeId('terminated'), body: JSON.stringify({ type: 'terminated', error } satisfies EventEnvelope) }
}
