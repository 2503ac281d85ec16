import { parseJson } from '../../../../util/src/parse-json.ts'
import { isString } from '../../../../util/src/strings.ts'
import { type ErrorBody, isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { EventCursor, EventOccurrence } from '../../protocol/events.ts'

/** The content of a delivery. `other`: an envelope of a type that does not exist yet. */
export type WebhookContent =
  | { readonly type: 'event'; readonly event: EventOccurrence }
  | { readonly type: 'verification'; readonly challenge: string }
  | { readonly type: 'gap'; readonly cursor: EventCursor }
  | { readonly type: 'terminated'; readonly error: ErrorBody }
  | { readonly type: 'other' }

const MAX_CHALLENGE_LENGTH = 1024

/** Reads the body of a delivery. Returns `undefined` for what is none. */
export function readContent(bytes: Uint8Array): WebhookContent | undefined {
  const body = parseJson(decode(bytes))
  if (!isObject(body)) return undefined
  if (body.eventId !== undefined) {
    const event = readOccurrence(body)
    return event && { type: 'event', event }
  }
  return isString(body.type) ? readEnvelope(body.type, body) : undefined
}

/** Reads an event. Accepts one without a cursor. Returns `undefined` for what is none. */
export function readOccurrence(value: unknown): EventOccurrence | undefined {
  if (!isObject(value)) return undefined
  const { eventId, name, timestamp, data } = value
  if (!isString(eventId) || eventId === '' || !isString(name) || !isString(timestamp) || !isObject(data)) return undefined
  return { ...value, eventId, name, timestamp, data } as EventOccurrence
}

/** Reads a cursor. Anything but a text counts as `null`, which is the start from now on. */
function readEventCursor(value: unknown): EventCursor {
  return isString(value) ? value : null
}

/** Reads the reason for the end of a subscription. */
export function readError(value: unknown): ErrorBody {
  const { code, message, data } = isObject(value) ? value : ({} as JsonObject)
  const known = {
    code: Number.isInteger(code) ? Number(code) : 0,
    message: isString(message) ? message : 'The subscription has ended',
  }
  return data === undefined ? known : { ...known, data }
}

function readEnvelope(type: string, body: JsonObject): WebhookContent | undefined {
  if (type === 'gap') return { type, cursor: readEventCursor(body.cursor) }
  if (type === 'terminated') return { type, error: readError(body.error) }
  if (type !== 'verification') return { type: 'other' }
  const { challenge } = body
  return isString(challenge) && challenge.length <= MAX_CHALLENGE_LENGTH ? { type, challenge } : undefined
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
