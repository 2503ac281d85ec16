import { isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import { invalidParams } from '../../../protocol/errors.ts'
import type { SubscribeEventsResult } from '../../../protocol/events.ts'
import type { Call } from '../../../server/call.ts'
import type { EventSender } from '../../delivery/sender.ts'
import { isWebhookSecret } from '../../signature.ts'
import { type FeedPosition, readCursor } from '../cursor.ts'
import { type CreateEventError, unknownSubscription } from '../errors.ts'
import type { EventTypeEntry } from '../event-types.ts'
import type { EventsProfile } from '../profile.ts'
import type { EventReader } from '../reader.ts'
import { readAmount, readStart, type Selector, type Start } from '../selection.ts'
import type { WebhookLimits } from './limits.ts'
import type { ProveEndpoint } from './proof.ts'
import { type DeliveryState, deliveryStatus, resumed, type SubscriptionRecord, storedAuth, watermarkOf } from './record.ts'
import type { ExceededSubscriptionLimit, SubscriptionRef, SubscriptionStore } from './subscription-store.ts'

export interface SubscribeOptions {
  readonly selector: Selector
  readonly reader: EventReader
  readonly createError: CreateEventError
  readonly subscriptions: SubscriptionStore
  readonly sender: Pick<EventSender, 'problemOf'>
  readonly prove: ProveEndpoint
  readonly limits: WebhookLimits
  readonly allowEndless: boolean
  readonly profile: Pick<EventsProfile, 'unknownSubscription'>
  /** Tells the processes of the service that a subscription is new or has changed. */
  readonly announce: (ref: SubscriptionRef) => Promise<void>
  readonly now: () => number
}

type Handler = (params: JsonObject, call: Call) => Promise<object>

/** Creates the handlers of `events/subscribe` and `events/unsubscribe`. */
export function createSubscribeHandlers(options: SubscribeOptions): { subscribe: Handler; unsubscribe: Handler } {
  const { selector, createError, subscriptions, limits, prove, announce, now } = options
  return {
    async subscribe(params, call): Promise<SubscribeEventsResult> {
      const auth = requirePrincipal(call, createError)
      const start = readStart(params)
      const { url, secret } = readEndpoint(params, options)
      const expiresAt = readExpiry(params.ttlMs, options)
      const { type, args } = await selector.select(params, call, 'webhook')
      const key = { principal: auth.principal, url, name: type.name, args }
      const ref = await subscriptions.refOf(key)
      const id = ref.slice(ref.indexOf('/') + 1)
      const before = await subscriptions.read(ref)
      if (!before) requireRoom(await subscriptions.limitOf(ref), options)
      const previous = previousSecret(before, secret, now() + limits.secretOverlapMs)
      await prove({ principal: auth.principal, url, secrets: secret, subscriptionId: id, isEndless: expiresAt === null })
      const record: SubscriptionRecord = {
        ...key,
        id,
        version: type.version,
        auth: storedAuth(auth),
        secret,
        ...(previous && { previous }),
        expiresAt,
      }
      const position = await openSubscription({ ref, record, type, start, isNew: !before }, options)
      requireRoom(await subscriptions.write(ref, record, !before), options)
      await announce(ref)
      return { id, refreshBefore: expiresAt === null ? null : new Date(expiresAt).toISOString(), ...position }
    },

    async unsubscribe(params, call) {
      const { principal } = requirePrincipal(call, createError)
      const { name, args } = selector.read(params)
      const { url } = readDelivery(params, createError)
      const ref = await subscriptions.refOf({ principal, url, name, args })
      if (!(await subscriptions.read(ref))) return unknownSubscription(options.profile, createError)
      await subscriptions.remove(ref)
      await announce(ref)
      return {}
    },
  }
}

/** @throws RpcError `ResourceExhausted` if a limit is exceeded. */
function requireRoom(limit: ExceededSubscriptionLimit | undefined, { createError, limits }: SubscribeOptions): void {
  if (limit) throw createError('ResourceExhausted', 'Too many subscriptions to events', { limit, max: limits[limit] })
}

function requirePrincipal({ auth }: Call, createError: CreateEventError): NonNullable<Call['auth']> {
  if (!auth) throw createError('Forbidden', 'Webhooks are only for authenticated callers')
  return auth
}

function readDelivery({ delivery }: JsonObject, createError: CreateEventError): { url: string; secret: unknown } {
  if (!isObject(delivery)) throw invalidParams('delivery must be an object')
  const { mode = 'webhook', url, secret } = delivery
  if (mode !== 'webhook')
    throw createError('Unsupported', 'Only webhooks can be subscribed to', { feature: 'deliveryMode', value: mode })
  if (typeof url !== 'string') throw invalidParams('delivery.url must be a string')
  return { url, secret }
}

function readEndpoint(params: JsonObject, { sender, createError }: SubscribeOptions): { url: string; secret: string } {
  const { url, secret } = readDelivery(params, createError)
  const problem = sender.problemOf(url)
  if (problem !== undefined) throw invalidParams(`delivery.url: ${problem}`)
  if (!isWebhookSecret(secret)) throw invalidParams('delivery.secret must be whsec_ and the base64 of 24 to 64 bytes')
  return { url, secret }
}

/** Returns when a subscription ends: a wish is granted as far as the limits allow. */
function readExpiry(ttlMs: unknown, { limits, allowEndless, now }: SubscribeOptions): number | null {
  if (ttlMs === null && allowEndless) return null
  const wanted = ttlMs === null ? limits.maxTtlMs : (readAmount('ttlMs', ttlMs) ?? limits.ttlMs)
  return now() + Math.min(limits.maxTtlMs, Math.max(limits.minTtlMs, Math.floor(wanted)))
}

/** Returns the secret that a new one replaces. */
function previousSecret(before: SubscriptionRecord | undefined, secret: string, until: number): SubscriptionRecord['previous'] {
  if (!before) return undefined
  return before.secret === secret ? before.previous : { secret: before.secret, until }
}

interface OpenedSubscription {
  readonly ref: SubscriptionRef
  readonly record: SubscriptionRecord
  readonly type: EventTypeEntry
  readonly start: Start
  readonly isNew: boolean
}

type OpenResult = Pick<SubscribeEventsResult, 'cursor' | 'truncated' | 'deliveryStatus'>

/** Sets where a subscription begins, or resumes one. */
async function openSubscription(opened: OpenedSubscription, options: SubscribeOptions): Promise<OpenResult> {
  const { ref, record, type, start, isNew } = opened
  const { subscriptions, reader, now } = options
  const before = isNew ? undefined : await subscriptions.readState(ref)
  const from = before && (await keepsPosition(before, type, start)) ? undefined : await reader.open(type, start)
  const after = await subscriptions.changeState(ref, record.expiresAt, (state) => {
    if (before && state) return resumed(state, from?.from)
    return from && { from: from.from, generation: 0 }
  })
  const position = after ? watermarkOf(after) : from?.from
  return {
    cursor: position ? reader.cursorOf(type, position) : null,
    truncated: from?.isTruncated ?? false,
    ...(before && { deliveryStatus: deliveryStatus(before, now()) }),
  }
}

/** Reports whether a refresh leaves the position where it is: unless the cursor is ahead, or the subscription was suspended. */
async function keepsPosition(state: DeliveryState, type: EventTypeEntry, { cursor }: Start): Promise<boolean> {
  if (cursor === null || !type.hasReplay) return true
  if (state.isSuspended) return false
  const wanted = readCursor(cursor)
  return !wanted || !(await isAhead(type, state.from, wanted))
}

async function isAhead(type: EventTypeEntry, from: FeedPosition, { side, position }: FeedPosition): Promise<boolean> {
  const { entries, isTruncated } = await type.feed.read(from)
  const index = isTruncated ? -1 : entries.findIndex((entry) => entry.position === position)
  return side === 'after' ? index >= 0 : index > 0
}
