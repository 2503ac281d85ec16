import { isLargerThan } from '../../../../util/src/bytes.ts'
import { randomId } from '../../../../util/src/random.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { InvalidOutputError } from '../../server/errors.ts'
import type { Announcements } from '../../stores/announcements.ts'
import type { EmitOptions } from './definition.ts'
import type { EventTypeEntry } from './event-types.ts'
import type { StoredEvent } from './feed.ts'
import type { EventLimits } from './limits.ts'

export interface EmitterOptions {
  readonly announcements: Pick<Announcements, 'announce'>
  readonly limits: Pick<EventLimits, 'maxEventBytes'>
  readonly now: () => number
}

/** Stores an event and announces it. Resolves to its id. */
export type Emit = (type: EventTypeEntry, data: unknown, options?: EmitOptions) => Promise<string>

/** An id becomes a part of the signed text of a delivery, and of a header. */
const EVENT_ID = /^[\w:/@+=~-]{1,128}$/

export function createEmit({ announcements, limits, now }: EmitterOptions): Emit {
  return async (type, data, { eventId = randomId(), principal, timestamp, meta } = {}) => {
    if (!EVENT_ID.test(eventId))
      throw new TypeError(`eventId must have 1 to 128 letters, digits, "_", "-", ":", "/", "@", "+", "=" or "~": ${eventId}`)
    const event: StoredEvent = {
      id: eventId,
      at: timestamp?.getTime() ?? now(),
      data: await parseData(type, data),
      ...(principal !== undefined && { principal }),
      ...(meta && { meta }),
    }
    if (!Number.isFinite(event.at)) throw new TypeError('timestamp must be a valid date')
    if (isLargerThan(JSON.stringify(event), limits.maxEventBytes))
      throw new RangeError(
        `The event ${eventId} of ${type.name} has more than ${limits.maxEventBytes} bytes (maxEventBytes): send an id, and let clients read the rest with a tool`,
      )
    await type.feed.append(event)
    await announcements.announce(type.feed.key)
    return eventId
  }
}

async function parseData({ name, payload }: EventTypeEntry, data: unknown): Promise<JsonObject> {
  const parsed = await payload.parse(data)
  if (!parsed.issues && isObject(parsed.value)) return parsed.value
  throw new InvalidOutputError(`The data of an event does not match the payload of ${name}`, parsed.issues)
}
