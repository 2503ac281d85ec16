import type { Lease } from '../../../stores/lease.ts'
import type { EventTypeEntry } from '../event-types.ts'
import type { KnownPosition } from './known-position.ts'
import type { SubscriptionRecord } from './record.ts'
import type { SubscriptionRef } from './subscription-store.ts'

/** A subscription whose lease this process holds. */
export interface LeasedSubscription {
  readonly ref: SubscriptionRef
  readonly type: EventTypeEntry
  /** Identifies this process in the state. */
  readonly run: string
  /** How far this process knows that there is nothing to deliver. */
  readonly position: KnownPosition
  readonly lease: Pick<Lease, 'whenHeld'>
  /** Reads the subscription, unless it was read just before. */
  readRecord(): Promise<SubscriptionRecord | undefined>
  /** Aborted when the lease is lost, and when the worker stops. */
  readonly signal: AbortSignal
}
