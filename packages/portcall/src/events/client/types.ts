import type { List } from '../../client/lists.ts'
import type { CallOptions } from '../../client/options.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { EventCursor, EventDeliveryMode, EventDeliveryStatus, EventOccurrence, EventType } from '../../protocol/events.ts'
import type { EventWebhook } from '../receiver/types.ts'

/** The state of a subscription, as it is kept over restarts. It may contain a secret. */
export interface SavedEventState {
  /** The position after the last event that was handled. */
  readonly cursor: EventCursor
  /** The webhook subscription, if it is one. */
  readonly webhook?: SavedWebhook
}

/** A webhook subscription, as it is kept over restarts. */
export interface SavedWebhook {
  /** The id that the server derived. */
  readonly id: string
  /** The secret that signs the deliveries. Keep it where you keep other secrets. */
  readonly secret: string
  /** When it ends unless it is refreshed, in ISO 8601; `null` for one without end. */
  readonly refreshBefore: string | null
}

/** Keeps the state of subscriptions, so that a later process continues where this one stopped. */
export interface EventStateStore {
  /** Returns what was saved under the key. The key is a text with the name and the arguments of the subscription. */
  load(key: string): SavedEventState | undefined | Promise<SavedEventState | undefined>
  /** Saves a state. */
  save(key: string, state: SavedEventState): void | Promise<void>
}

/** Options of the client's events extension. */
export interface ClientEventsOptions {
  /** Keeps the positions of all subscriptions. Default: they are lost when the process ends. */
  readonly state?: EventStateStore
  /** Receives deliveries for all subscriptions that can use webhooks. Default: none, and the client streams or polls. */
  readonly webhook?: EventWebhook
  /** The shortest pause between two polls, whatever the server says, in milliseconds. Default: 1000. */
  readonly minPollDelayMs?: number
  /** How long a stream may be silent before it is opened again, in milliseconds. Default: 65,000, a little more than two heartbeats. */
  readonly silenceTimeoutMs?: number
}

/** Options of `client.events.on`. */
export interface EventOptions {
  /** The delivery mode to use. Default: the first of `webhook`, if there is a receiver, `push` and `poll` that the event type has. */
  readonly mode?: EventDeliveryMode
  /** Receives the deliveries of this subscription. Default: that of the extension. */
  readonly webhook?: EventWebhook
  /** Keeps the position of this subscription. Default: that of the extension. */
  readonly state?: EventStateStore
  /** The position to start at, unless one was saved. Default: from now on. */
  readonly cursor?: EventCursor
  /** Maximum age of events that are replayed, in milliseconds. Default: any. */
  readonly maxAgeMs?: number
  /** Maximum number of events in one poll. Default: the server decides. */
  readonly maxEvents?: number
  /** How long a webhook subscription should last without a refresh, in milliseconds; `null` asks for one without end. Default: the server decides. */
  readonly ttlMs?: number | null
  /** Closes the subscription. */
  readonly signal?: AbortSignal
  /** Called when events are missing. Read the state again with the tools of the server if it matters. */
  readonly onGap?: (cursor: EventCursor) => unknown
  /** Called with errors that the subscription survives: of the connection, of the server, and of your handler. Default: warnings of the client. */
  readonly onError?: (error: unknown) => void
  /** Called when the server has reported how deliveries to the webhook went. */
  readonly onDeliveryStatus?: (status: EventDeliveryStatus) => void
}

/**
 * Handles an event. Events of a subscription are handled one after another. The data of an event is input of others, as results of tools are:
 * neither an instruction nor a consent.
 */
export type EventHandler = (event: EventOccurrence, subscription: EventSubscription) => unknown

/** The state of a subscription: `retrying` while the server or the connection is away. */
export type EventSubscriptionStatus = 'pending' | 'active' | 'retrying' | 'closed' | 'terminated'

/** A subscription to events. */
export interface EventSubscription extends AsyncDisposable {
  /** The name of the event type. */
  readonly name: string
  /** The arguments. */
  readonly arguments: JsonObject
  /** The delivery mode. */
  readonly mode: EventDeliveryMode
  /** The current state. */
  readonly status: EventSubscriptionStatus
  /** The position after the last event that was handled. */
  readonly cursor: EventCursor
  /** Resolves when the subscription was closed, and what it has handled is saved. @throws EventSubscriptionError when the server has ended it; any error that cannot pass. */
  readonly ended: Promise<void>
  /** Ends the subscription, also on the server. Resolves when the running handler has ended. Never rejects. */
  close(): Promise<void>
}

/** The events of a client's server: `client.events`. */
export interface ClientEvents {
  /** Lists the event types of the server. @throws ExtensionUnsupportedError, during iteration, when the server has no events. */
  list(options?: CallOptions): List<EventType>
  /**
   * Subscribes to events. Resolves when the subscription is active. It lasts until it is closed: the client opens lost streams again at the last
   * position, polls, and refreshes webhook subscriptions. An event may arrive more than once across restarts; its `eventId` stays the same.
   * If the handler throws, it is called again, three times in all; then `onError` is called, and the subscription goes on. A webhook delivery
   * that was not handled is sent again by the server instead.
   *
   * @throws ExtensionUnsupportedError; EventSubscriptionError; RpcError when the server refuses.
   */
  on(name: string, args: JsonObject, handler: EventHandler, options?: EventOptions): Promise<EventSubscription>
  /** Calls the listener when the list of event types has changed. Returns a function that stops it. */
  onListChanged(listener: () => void): () => void
  /** Returns the open subscriptions. */
  subscriptions(): readonly EventSubscription[]
  /** Closes all subscriptions, also on the server. */
  closeAll(): Promise<void>
}
