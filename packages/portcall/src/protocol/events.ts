/**
 * The Events extension on the wire (SEP-3415): methods, types and errors.
 * https://modelcontextprotocol.io/extensions/events/overview
 */
import { ErrorCode } from '../jsonrpc/errors.ts'
import { type ErrorBody, isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { Meta } from './types.ts'

/** The id of the extension. */
export const EVENTS_EXTENSION = 'io.modelcontextprotocol/events'

/** The capability of the design sketch before the extension, which some clients look for beside those of the protocol. */
export const EVENTS_CAPABILITY = 'events'

/** The requests of the extension. */
export const EventMethod = {
  list: 'events/list',
  poll: 'events/poll',
  stream: 'events/stream',
  subscribe: 'events/subscribe',
  unsubscribe: 'events/unsubscribe',
} as const

/** The notifications of the extension. All but `listChanged` belong to a stream. */
export const EventNotification = {
  listChanged: 'notifications/events/list_changed',
  active: 'notifications/events/active',
  event: 'notifications/events/event',
  heartbeat: 'notifications/events/heartbeat',
  error: 'notifications/events/error',
  terminated: 'notifications/events/terminated',
} as const

/** The key of the filter of `subscriptions/listen` that asks for `EventNotification.listChanged`. */
export const EVENTS_LIST_CHANGED_FILTER = 'eventsListChanged'

/** The header of a delivery that names the subscription. */
export const SUBSCRIPTION_ID_HEADER = 'X-MCP-Subscription-Id'

/** Maximum size of the body of a delivery. */
export const MAX_DELIVERY_BYTES: number = 256 * 1024

/** A way to receive events: by asking for them, on an open stream, or by HTTP requests to a URL. */
export type EventDeliveryMode = 'poll' | 'push' | 'webhook'

/** The modes, in the order in which servers list them. */
export const EVENT_DELIVERY_MODES: readonly EventDeliveryMode[] = ['poll', 'push', 'webhook']

/** A type of events that a server offers: an entry of `events/list`. */
export interface EventType {
  /** The name, such as `order.created`. */
  name: string
  /** The meaning of the event, for models and users. */
  description: string
  /** The ways to receive events of this type, at least one. */
  delivery: EventDeliveryMode[]
  /** JSON Schema of the arguments of a subscription. */
  inputSchema: JsonObject
  /** JSON Schema of `data`. */
  payloadSchema: JsonObject
  /** Metadata by key. */
  _meta?: Meta
}

/** The position of a subscriber in the events of a subscription. Opaque; `null` stands for "from now on". */
export type EventCursor = string | null

/** An event. */
export interface EventOccurrence {
  /** Identifies the event; it is the same in all modes and all repetitions. */
  eventId: string
  /** The name of the event type. */
  name: string
  /** When it happened, in ISO 8601. */
  timestamp: string
  /** The content of the event, as the `payloadSchema` of the type describes it. */
  data: JsonObject
  /** The position after this event. Only in streams and deliveries. */
  cursor?: EventCursor
  /** Metadata by key. */
  _meta?: Meta
}

/** The params of `events/list`. */
export interface ListEventsParams {
  /** The cursor of the previous page. */
  cursor?: string
}

/** The result of `events/list`. */
export interface ListEventsResult {
  /** The event types of this page. */
  events: EventType[]
  /** The cursor of the next page. Absent from the last one. */
  nextCursor?: string
}

/** The selection of events that a poll, a stream or a subscription receives. */
export interface EventSelection {
  /** The name of the event type. */
  name: string
  /** The arguments, as the `inputSchema` of the type describes them. Absent means `{}`. */
  arguments?: JsonObject
}

/** The position at which events begin. */
export interface EventStart extends EventSelection {
  /** Events after this position. Absent means `null`. */
  cursor?: EventCursor
  /** Maximum age of replayed events, in milliseconds. */
  maxAgeMs?: number
}

/** The params of `events/poll`. */
export interface PollEventsParams extends EventStart {
  /** Maximum number of events in the result. */
  maxEvents?: number
}

/** The result of `events/poll`. */
export interface PollEventsResult {
  /** The events, oldest first. */
  events: EventOccurrence[]
  /** The position after these events. */
  cursor: EventCursor
  /** True if events between the cursor of the request and these events are missing. */
  truncated: boolean
  /** True if there are more events now. */
  hasMore: boolean
  /** How long to wait before the next poll, in milliseconds. */
  nextPollMs: number
}

/** The params of `events/stream`. */
export type StreamEventsParams = EventStart

/** The endpoint of a webhook. */
export interface WebhookDelivery {
  /** The way of delivery. */
  mode?: 'webhook'
  /** The URL that receives the events. */
  url: string
  /** The secret that signs them: `whsec_` and base64 of 24 to 64 bytes. */
  secret: string
}

/** The params of `events/subscribe`. */
export interface SubscribeEventsParams extends EventStart {
  /** Where the events go. */
  delivery: WebhookDelivery
  /** How long the subscription should last without a refresh, in milliseconds; `null` asks for one without end. Absent: the server decides. */
  ttlMs?: number | null
}

/** Categories of failures of an endpoint. */
export const ENDPOINT_ERRORS = ['connection_refused', 'timeout', 'tls_error', 'http_4xx', 'http_5xx', 'challenge_failed'] as const

/** A category of failures of an endpoint. */
export type EndpointError = (typeof ENDPOINT_ERRORS)[number]

/** How the deliveries of a subscription went. */
export interface EventDeliveryStatus {
  /** False if deliveries had been suspended until this refresh. */
  active: boolean
  /** When an event was last accepted, in ISO 8601. */
  lastDeliveryAt: string | null
  /** Why the last attempt failed. */
  lastError: EndpointError | null
  /** Since when all attempts have failed, in ISO 8601. */
  failedSince?: string
  /** True if the server slows deliveries down. */
  throttled?: boolean
  /** When it tries again, in milliseconds from now. */
  retryAfterMs?: number
}

/** The result of `events/subscribe`. */
export interface SubscribeEventsResult {
  /** Names the subscription in deliveries. */
  id: string
  /** When the subscription ends unless it is refreshed, in ISO 8601; `null` for one without end. */
  refreshBefore: string | null
  /** The position at which deliveries begin. */
  cursor: EventCursor
  /** True if events between the cursor of the request and this position are missing. */
  truncated: boolean
  /** How deliveries went so far. */
  deliveryStatus?: EventDeliveryStatus
}

/** The params of `events/unsubscribe`. */
export interface UnsubscribeEventsParams extends EventSelection {
  /** The endpoint of the subscription. */
  delivery: Pick<WebhookDelivery, 'mode' | 'url'>
}

/** The params of `EventNotification.active` and `EventNotification.heartbeat`: the position of the stream. */
export interface EventPosition {
  /** The position of the stream. */
  cursor: EventCursor
  /** Metadata by key: the id of the stream. */
  _meta?: Meta
}

/** The params of `EventNotification.active`. */
export interface ActiveEventsParams extends EventPosition {
  /** True if events before this position are missing. */
  truncated: boolean
}

/** The params of `EventNotification.error` and `EventNotification.terminated`. */
export interface EventErrorParams {
  /** The reason. */
  error: ErrorBody
  /** Metadata by key: the id of the stream. */
  _meta?: Meta
}

/** The body of a delivery that is not an event. */
export type EventEnvelope =
  | {
      /** Asks the endpoint to answer with the challenge. */
      type: 'verification'
      /** The text to answer with. */
      challenge: string
    }
  | {
      /** Says that events are missing. */
      type: 'gap'
      /** The position after them. */
      cursor: EventCursor
    }
  | {
      /** Says that the subscription has ended. */
      type: 'terminated'
      /** The reason. */
      error: ErrorBody
    }

/** The errors of the extension. */
export type EventErrorName =
  | 'InvalidParams'
  | 'NotFound'
  | 'Forbidden'
  | 'ResourceExhausted'
  | 'Unsupported'
  | 'CallbackEndpointError'

/** A set of error numbers: of the SEP, or of the design sketch before it, which some products use. */
export type EventErrorProfile = 'spec' | 'sketch'

/** The numbers of the errors. The numbers of the SEP were provisional when this was written. */
export const EVENT_ERROR_CODES: { readonly [profile in EventErrorProfile]: { readonly [name in EventErrorName]: number } } = {
  spec: {
    InvalidParams: ErrorCode.invalidParams,
    NotFound: -32023,
    Forbidden: -32024,
    ResourceExhausted: -32025,
    Unsupported: -32026,
    CallbackEndpointError: -32027,
  },
  sketch: {
    InvalidParams: ErrorCode.invalidParams,
    NotFound: -32011,
    Forbidden: -32012,
    ResourceExhausted: -32013,
    Unsupported: -32014,
    CallbackEndpointError: -32015,
  },
}

/** The `data` of each error. */
export interface EventErrorData {
  /** The params are invalid. */
  InvalidParams: unknown
  /** The event type or the subscription does not exist. */
  NotFound: {
    /** The missing thing. */
    kind?: 'event' | 'subscription'
  }
  /** The caller may not receive these events. */
  Forbidden: unknown
  /** A limit is reached. */
  ResourceExhausted: {
    /** The name of the limit. */
    limit: string
    /** Its value. */
    max?: number
  }
  /** The server does not support a part of the request. */
  Unsupported: {
    /** The thing that is not supported, such as `deliveryMode`. */
    feature: string
    /** The value that is not supported. */
    value?: unknown
    /** The reason. */
    reason?: string
  }
  /** The endpoint does not answer as it should. */
  CallbackEndpointError: {
    /** The category of the failure. */
    reason: EndpointError
  }
}

/** Returns the name of an error of the extension, by the numbers of all profiles; `undefined` for other errors. */
export function eventErrorName({ code }: Pick<ErrorBody, 'code'>): EventErrorName | undefined {
  const all = Object.values(EVENT_ERROR_CODES).flatMap((codes) => Object.entries(codes))
  return all.find(([, known]) => known === code)?.[0] as EventErrorName | undefined
}

/** Returns the reason that a `CallbackEndpointError` names, if it is one that this library knows. */
export function endpointErrorOf({ data }: Pick<ErrorBody, 'data'>): EndpointError | undefined {
  const reason = isObject(data) ? data.reason : undefined
  return ENDPOINT_ERRORS.find((known) => known === reason)
}

/** The errors after which another request of the same kind makes no sense. */
const FINAL_ERRORS: readonly (EventErrorName | undefined)[] = ['InvalidParams', 'NotFound', 'Forbidden', 'Unsupported']

/** Reports whether an error of a server does not pass. Errors that are not known may pass. */
export function isFinalEventError(error: Pick<ErrorBody, 'code'>): boolean {
  const codes: readonly number[] = [ErrorCode.methodNotFound, ErrorCode.invalidRequest, ErrorCode.parseError]
  return codes.includes(error.code) || FINAL_ERRORS.includes(eventErrorName(error))
}
