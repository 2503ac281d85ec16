import { onAbort } from '../../../../../util/src/abort.ts'
import { randomId } from '../../../../../util/src/random.ts'
import { unref } from '../../../../../util/src/timers.ts'
import { takeLease } from '../../../stores/lease.ts'
import type { KeyValueStore } from '../../../stores/store.ts'
import type { EventSubscriber } from '../definition.ts'
import type { EventTypeEntry } from '../event-types.ts'
import type { KnownPosition } from './known-position.ts'
import type { LeasedSubscription } from './leased-subscription.ts'
import type { SubscriptionRecord } from './record.ts'
import { type SubscriptionRef, type SubscriptionStore, subscriptionLeaseKey } from './subscription-store.ts'

/** A subscription that this process knows. */
export interface KnownSubscription {
  readonly ref: SubscriptionRef
  /** The name of the event type, when it was read. */
  name?: string
  running?: Promise<void>
  /** True if there may be something new since the running delivery looked. */
  mustRepeat?: boolean
  /** Ends the wait for the next event. */
  onWake?: () => void
  /** When to look again, by `performance.now()`, because another process delivers, or the next attempt is later. */
  notBefore?: number
  timer?: ReturnType<typeof setTimeout>
  /** An event has arrived that is probably for it: it is checked before others. */
  isUrgent?: boolean
  /** How far this process knows that there is nothing to deliver. */
  readonly position: KnownPosition
  /** Who receives the events, once it was read. */
  reads?: { readonly record: SubscriptionRecord; readonly subscriber: EventSubscriber; readonly type: EventTypeEntry } | undefined
  cached?: { readonly record: SubscriptionRecord | undefined; readonly at: number }
}

/** A process that has delivered everything keeps the lease for this long, for the next event. */
const LINGER_MS = 1000
/** How long a subscription that was read is used. A change is announced, but announcements may be lost. */
const RECORD_TTL_MS = 1000

/** Reads a subscription, unless it was read just before. One that has not changed stays the same object. */
export async function readKnown(
  one: KnownSubscription,
  subscriptions: Pick<SubscriptionStore, 'read'>,
): Promise<SubscriptionRecord | undefined> {
  const { cached } = one
  if (cached && performance.now() - cached.at < RECORD_TTL_MS) return cached.record
  const record = await subscriptions.read(one.ref)
  const isSame = cached !== undefined && JSON.stringify(cached.record) === JSON.stringify(record)
  one.cached = { record: isSame ? cached.record : record, at: performance.now() }
  if (record) one.name = record.name
  return one.cached.record
}

export interface WithLeaseOptions {
  readonly store: KeyValueStore
  readonly leaseTtlMs: number
  readonly subscriptions: Pick<SubscriptionStore, 'read'>
  readonly stopping: AbortSignal
}

/** Runs a function while this process holds the lease of a subscription. Resolves to false if another process holds it. */
export async function withLease(
  one: KnownSubscription,
  { store, leaseTtlMs, subscriptions, stopping }: WithLeaseOptions,
  run: (leased: Omit<LeasedSubscription, 'type'>) => Promise<void>,
): Promise<boolean> {
  const { ref } = one
  const lease = await takeLease({ store, key: subscriptionLeaseKey(ref), leaseTtlMs })
  if (!lease) return false
  try {
    const signal = AbortSignal.any([lease.signal, stopping])
    await run({ ref, run: randomId(), position: one.position, lease, signal, readRecord: () => readKnown(one, subscriptions) })
    return true
  } finally {
    await lease.release()
  }
}

/** Waits for a while for the next event. Resolves to whether there may be one. */
export function isWoken(one: KnownSubscription, signal: AbortSignal): Promise<boolean> {
  if (one.mustRepeat) return Promise.resolve(true)
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const finish = (woken: boolean): void => {
      clearTimeout(timer)
      unsubscribe()
      delete one.onWake
      resolve(woken)
    }
    const timer = unref(setTimeout(finish, LINGER_MS, false))
    const unsubscribe = onAbort(signal, () => finish(false))
    one.onWake = () => finish(true)
  })
}
