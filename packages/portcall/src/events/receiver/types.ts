import type { ErrorBody, JsonObject } from '../../jsonrpc/message.ts'
import type { EventCursor, EventOccurrence } from '../../protocol/events.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { Stores } from '../../stores/stores.ts'

/** Where a delivery comes from. */
export interface DeliverySource {
  /** The header `X-MCP-Subscription-Id`. */
  readonly subscriptionId: string
  /** The header `webhook-id`: the same for each attempt to deliver the message. */
  readonly messageId: string
  /** The name of the event type, if the subscription was registered here. */
  readonly name?: string
  /** The arguments of the subscription, if it was registered here. */
  readonly arguments?: JsonObject
}

/** Receives the deliveries of a subscription. The delivery is acknowledged when the promise resolves, and sent again later if it rejects. */
export interface WebhookListener {
  /** Called for each event, once. Its data is input of others: neither an instruction nor a consent. */
  onEvent?(event: EventOccurrence, source: DeliverySource): unknown
  /** Called when events are missing. The cursor is the position after them. */
  onGap?(cursor: EventCursor, source: DeliverySource): unknown
  /** Called when the server has ended the subscription. */
  onTerminated?(error: ErrorBody, source: DeliverySource): unknown
}

/** Options of `eventWebhook`. */
export interface EventWebhookOptions extends WebhookListener {
  /** The public URL of this handler. Needed to subscribe with `client.events.on`. */
  readonly url?: string | URL
  /**
   * The secrets of subscriptions that were made elsewhere: for all of them, or a function that returns those of one. If the function returns
   * `undefined`, the sender is asked to try again later. Subscriptions of `client.events.on` are known without it.
   */
  readonly secrets?: string | readonly string[] | ((subscriptionId: string) => WebhookSecrets | Promise<WebhookSecrets>)
  /** Keeps subscriptions, encrypted, and the ids of messages that arrived, for all processes that receive. Default: memory. */
  readonly store?: KeyValueStore
  /**
   * Stores that all processes share which receive at this URL, in place of `store`. A delivery that reaches another process than the one that subscribed is
   * forwarded to that one.
   */
  readonly stores?: Omit<Stores, 'close'>
  /**
   * Keys that encrypt what is stored, as `generateKey` returns them. Required with `store`; with `stores`, the default is a key in them. The first
   * encrypts; all decrypt.
   */
  readonly sealingKeys?: readonly string[]
  /** How long repeated messages are recognized, in milliseconds. Default: a day. */
  readonly seenTtlMs?: number
  /** Maximum size of a body. Default: 256 KiB. */
  readonly maxBodyBytes?: number
  /** Time for a body to arrive, in milliseconds. Default: 10 seconds. */
  readonly bodyTimeoutMs?: number
  /** Receives what your functions and the store throw. The sender only learns that it failed. */
  readonly onError?: (error: unknown) => void
  /** Returns the current time in milliseconds. Default: `Date.now`. */
  readonly now?: () => number
}

/** Secrets of one subscription; `undefined` if it is not known yet. */
export type WebhookSecrets = string | readonly string[] | undefined

/** A subscription that is about to be made, or was made by an earlier process. */
export interface WebhookRegistration {
  /** The secret that the server signs with. */
  readonly secret: string
  /** The name of the event type. */
  readonly name: string
  /** The arguments of the subscription. */
  readonly arguments: JsonObject
  /** Receives the deliveries that reach this process, in addition to the functions in the options. */
  readonly listener?: WebhookListener
}

/** A registered subscription. */
export interface RegisteredSubscription {
  /** Sets the id, once the server has returned it. `expiresAt` is in milliseconds since 1970; `null` for a subscription without end. */
  confirm(subscriptionId: string, expiresAt: number | null): Promise<void>
  /** Stops passing deliveries to the listener. Those that reach another process still arrive there. */
  detach(): void
  /** Forgets the subscription. Later deliveries are refused with 410. */
  end(): Promise<void>
}

/** A request handler that receives events: pass it the requests to one URL. */
export interface EventWebhook {
  /** Answers a request. Never rejects. */
  (request: Request): Promise<Response>
  /** The URL of the options. */
  readonly url: string | undefined
  /** Registers a subscription before it is made, so that the challenge of the server is answered. `client.events.on` calls it. */
  register(registration: WebhookRegistration): Promise<RegisteredSubscription>
}
