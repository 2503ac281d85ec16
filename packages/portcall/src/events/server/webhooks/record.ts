import { canonicalJson } from '../../../../../util/src/canonical-json.ts'
import { sha256Hex } from '../../../../../util/src/digest.ts'
import type { Auth } from '../../../jsonrpc/exchange.ts'
import type { JsonObject } from '../../../jsonrpc/message.ts'
import type { EndpointError, EventDeliveryStatus } from '../../../protocol/events.ts'
import type { FeedPosition } from '../cursor.ts'

/** The members that identify a subscription. None of them can change. */
export interface SubscriptionKey {
  readonly principal: string
  readonly url: string
  readonly name: string
  readonly args: JsonObject
}

/** A subscription, as the client made it. It is stored encrypted. */
export interface SubscriptionRecord extends SubscriptionKey {
  readonly id: string
  /** The version of the event type. */
  readonly version: number
  readonly auth: Auth
  readonly secret: string
  /** The secret before, with which deliveries are signed too until a time. */
  readonly previous?: { readonly secret: string; readonly until: number }
  /** When it ends, in milliseconds since 1970; `null` for never. */
  readonly expiresAt: number | null
}

/** An event that was not accepted, and is sent again on its own. */
export interface HeldEvent {
  /** The position of its entry in the feed. */
  readonly position: string
  /** The number of failed attempts. */
  readonly attempts: number
  /** When the next attempt may be made. */
  readonly retryAt: number
}

/** How far the deliveries of a subscription are. Written by the process that delivers, and by a refresh. */
export interface DeliveryState {
  /** The position behind everything that was accepted, given up or held. */
  readonly from: FeedPosition
  /** The events before it that are sent again, in the order of the feed. */
  readonly held?: readonly HeldEvent[]
  /** Changes when a refresh moves the position. */
  readonly generation: number
  /** Identifies the process that delivers. */
  readonly run?: string
  readonly lastDeliveryAt?: number
  readonly lastError?: EndpointError
  /** Since when all attempts have failed. */
  readonly failedSince?: number
  /** The number of failed attempts to deliver the gap message. */
  readonly attempts?: number
  /** When the next message may be sent: the endpoint asks to wait, or did not accept the gap message. */
  readonly retryAt?: number
  /** The id of the gap message that must be delivered first. */
  readonly gapId?: string
  readonly isSuspended?: true
}

const ID_LENGTH = 32

/** Returns the id of a subscription. It is the same after a refresh and a restart, and grants nothing. */
export async function subscriptionId({ principal, url, name, args }: SubscriptionKey): Promise<string> {
  return `sub_${(await sha256Hex(canonicalJson({ arguments: args, name, principal, url }))).slice(0, ID_LENGTH)}`
}

/** Returns the authorization without what JSON cannot express. */
export function storedAuth(auth: Auth): Auth {
  try {
    return JSON.parse(JSON.stringify(auth)) as Auth
  } catch {
    const { principal, scopes } = auth
    return { principal, ...(scopes && { scopes }) }
  }
}

/** Returns the secrets that sign a delivery now. */
export function secretsOf({ secret, previous }: SubscriptionRecord, now: number): string[] {
  return previous && now < previous.until ? [secret, previous.secret] : [secret]
}

/** Describes the deliveries until a refresh. */
export function deliveryStatus(state: DeliveryState, now: number): EventDeliveryStatus {
  const { isSuspended, lastDeliveryAt, lastError = null, failedSince, retryAt = nextRetryAt(state) } = state
  return {
    active: !isSuspended,
    lastDeliveryAt: lastDeliveryAt === undefined ? null : new Date(lastDeliveryAt).toISOString(),
    lastError,
    ...(failedSince !== undefined && { failedSince: new Date(failedSince).toISOString() }),
    ...(retryAt < Infinity && retryAt > now && !isSuspended && { retryAfterMs: retryAt - now }),
  }
}

/** Returns when the next of the events that are held may be sent again; `Infinity` if none is. */
export function nextRetryAt({ held = [] }: Pick<DeliveryState, 'held'>): number {
  return Math.min(...held.map(({ retryAt }) => retryAt))
}

/** Returns the position behind everything that was accepted or given up. */
export function watermarkOf({ from, held: [oldest] = [] }: Pick<DeliveryState, 'from' | 'held'>): FeedPosition {
  return oldest ? { side: 'before', position: oldest.position } : from
}

/** Returns the state in which the deliveries go on at a position. */
export function passed(state: DeliveryState, from: FeedPosition): DeliveryState {
  const { attempts: _, retryAt: __, gapId: ___, ...rest } = state
  return { ...rest, from }
}

/** Returns the state after a message was accepted. */
export function delivered(state: DeliveryState, now: number): DeliveryState {
  const { lastError: _, failedSince: __, retryAt: ___, ...rest } = state
  return { ...rest, lastDeliveryAt: now }
}

/** Returns the state after a failed attempt. */
export function failed(state: DeliveryState, reason: EndpointError, now: number): DeliveryState {
  return { ...state, lastError: reason, failedSince: state.failedSince ?? now }
}

/** Returns the state in which an event is held: after the others, or in its place among them. */
export function holding(state: DeliveryState, event: HeldEvent): DeliveryState {
  const { held = [] } = state
  const isKnown = held.some(({ position }) => position === event.position)
  return { ...state, held: isKnown ? held.map((one) => (one.position === event.position ? event : one)) : [...held, event] }
}

/** Returns the state in which an event is not held any more. */
export function released(state: DeliveryState, position: string): DeliveryState {
  const { held = [], ...rest } = state
  const others = held.filter((one) => one.position !== position)
  return others.length > 0 ? { ...rest, held: others } : rest
}

/** Returns the state after a refresh: deliveries go on, at another position if there is one. */
export function resumed(state: DeliveryState, from: FeedPosition | undefined): DeliveryState {
  const { isSuspended: _, attempts: __, retryAt: ___, failedSince: ____, held, ...rest } = state
  if (from) return { ...passed(rest, from), generation: state.generation + 1 }
  return held ? { ...rest, held: held.map(({ position }) => ({ position, attempts: 0, retryAt: 0 })) } : rest
}
