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

/** How far the deliveries of a subscription are. Written by the process that delivers, and by a refresh. */
export interface DeliveryState {
  /** The position behind everything that was accepted or given up. */
  readonly from: FeedPosition
  /** Changes when a refresh moves the position. */
  readonly generation: number
  /** Identifies the process that delivers. */
  readonly run?: string
  readonly lastDeliveryAt?: number
  readonly lastError?: EndpointError
  /** Since when all attempts have failed. */
  readonly failedSince?: number
  /** The number of failed attempts for the next message. */
  readonly attempts?: number
  /** When the next attempt may be made. */
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
  const { isSuspended, lastDeliveryAt, lastError = null, failedSince, retryAt } = state
  return {
    active: !isSuspended,
    lastDeliveryAt: lastDeliveryAt === undefined ? null : new Date(lastDeliveryAt).toISOString(),
    lastError,
    ...(failedSince !== undefined && { failedSince: new Date(failedSince).toISOString() }),
    ...(retryAt !== undefined && retryAt > now && !isSuspended && { retryAfterMs: retryAt - now }),
  }
}

/** Returns the state after everything up to a position was accepted or given up. */
export function passed(state: DeliveryState, from: FeedPosition): DeliveryState {
  const { attempts: _, retryAt: __, gapId: ___, ...rest } = state
  return { ...rest, from }
}

/** Returns the state after a message was accepted. */
export function delivered(state: DeliveryState, from: FeedPosition, now: number): DeliveryState {
  const { lastError: _, failedSince: __, ...rest } = passed(state, from)
  return { ...rest, lastDeliveryAt: now }
}

/** Returns the state after a failed attempt. */
export function failed(
  state: DeliveryState,
  reason: EndpointError,
  { retryAt, now }: { retryAt: number; now: number },
): DeliveryState {
  return {
    ...state,
    lastError: reason,
    failedSince: state.failedSince ?? now,
    attempts: (state.attempts ?? 0) + 1,
    retryAt,
  }
}

/** Returns the state after a refresh: deliveries go on, at another position if there is one. */
export function resumed(state: DeliveryState, from: FeedPosition | undefined): DeliveryState {
  const { isSuspended: _, attempts: __, retryAt: ___, failedSince: ____, ...rest } = state
  return from ? { ...passed(rest, from), generation: state.generation + 1 } : rest
}
