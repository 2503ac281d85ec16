/** The Events extension: event types, and how clients receive their events (SEP-3415). @module */
export { type AllowedAddress, insecureHttp, insecurePrivateAddresses } from '../auth/client/http/address-policy.ts'
export type { DeliveryFailure, DeliveryOutcome, VerificationOutcome } from '../events/delivery/outcome.ts'
export { createEventSender, type EventMessage, type EventSender, type EventSenderOptions } from '../events/delivery/sender.ts'

export type {
  EmitOptions,
  EmittedEvent,
  EventArguments,
  EventDefinition,
  EventHooks,
  EventSource,
  EventSubscriber,
} from '../events/server/definition.ts'
export { type EventsOptions, events, type ServerEvents } from '../events/server/extension.ts'
export type { EventLimits } from '../events/server/limits.ts'
export type { EventsProfile, EventsProfileName } from '../events/server/profile.ts'
export type { WebhookLimits } from '../events/server/webhooks/limits.ts'
export type { WebhooksOptions } from '../events/server/webhooks/options.ts'
export {
  type ActiveEventsParams,
  ENDPOINT_ERRORS,
  type EndpointError,
  EVENT_ERROR_CODES,
  type EventCursor,
  type EventDeliveryMode,
  type EventDeliveryStatus,
  type EventEnvelope,
  type EventErrorData,
  type EventErrorName,
  type EventErrorParams,
  type EventErrorProfile,
  type EventOccurrence,
  type EventPosition,
  type EventSelection,
  type EventStart,
  type EventType,
  endpointErrorOf,
  eventErrorName,
  type ListEventsParams,
  type ListEventsResult,
  type PollEventsParams,
  type PollEventsResult,
  type StreamEventsParams,
  type SubscribeEventsParams,
  type SubscribeEventsResult,
  type UnsubscribeEventsParams,
  type WebhookDelivery,
} from '../protocol/events.ts'
