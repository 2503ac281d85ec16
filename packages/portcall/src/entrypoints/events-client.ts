/** The Events extension for those who receive events: the client, the handler of webhooks, and their signatures. @module */

export { EventSubscriptionError, type EventSubscriptionErrorReason } from '../events/client/errors.ts'
export { events } from '../events/client/extension.ts'
export type {
  ClientEvents,
  ClientEventsOptions,
  EventHandler,
  EventOptions,
  EventStateStore,
  EventSubscription,
  EventSubscriptionStatus,
  SavedEventState,
  SavedWebhook,
} from '../events/client/types.ts'
export type {
  DeliverySource,
  EventWebhook,
  EventWebhookOptions,
  RegisteredSubscription,
  WebhookListener,
  WebhookRegistration,
  WebhookSecrets,
} from '../events/receiver/types.ts'
export { eventWebhook } from '../events/receiver/webhook.ts'
export {
  checkSignature,
  createWebhookSecret,
  isWebhookSecret,
  type SignatureCheck,
  type SignatureCheckOptions,
  type SignatureHeaders,
  signWebhook,
  type WebhookMessage,
} from '../events/signature.ts'
export type { EventCursor, EventDeliveryMode, EventDeliveryStatus, EventOccurrence, EventType } from '../protocol/events.ts'
