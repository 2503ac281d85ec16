import { sha256 } from '../../../../../util/src/digest.ts'
import { ownerKey } from '../../../stores/owned-keys.ts'
import type { KeyValueStore } from '../../../stores/store.ts'
import { type DeliveryState, type SubscriptionKey, type SubscriptionRecord, subscriptionId } from './record.ts'

/** Identifies a subscription in the store: its owner and its id. */
export type SubscriptionRef = `${string}/${string}`

/** The limit of subscriptions that is exceeded. */
export type ExceededSubscriptionLimit = 'maxSubscriptions' | 'maxPrincipalSubscriptions'

/** Stores subscriptions, how far they are delivered, and which endpoints want deliveries. */
export interface SubscriptionStore {
  refOf(key: SubscriptionKey): Promise<SubscriptionRef>
  read(ref: SubscriptionRef): Promise<SubscriptionRecord | undefined>
  /** Resolves to the limit that one more subscription of the owner would exceed. */
  limitOf(ref: SubscriptionRef): Promise<ExceededSubscriptionLimit | undefined>
  /** Writes a subscription. Resolves to the limit that a new one exceeds; then nothing is stored. */
  write(ref: SubscriptionRef, record: SubscriptionRecord, isNew: boolean): Promise<ExceededSubscriptionLimit | undefined>
  /** Removes a subscription. */
  remove(ref: SubscriptionRef): Promise<void>
  readState(ref: SubscriptionRef): Promise<DeliveryState | undefined>
  /**
   * Replaces the state by `change(state)`; `undefined` leaves it. Calls `change` again after a concurrent change. Resolves to the new state, or to
   * `undefined` if nothing was written.
   */
  changeState(
    ref: SubscriptionRef,
    expiresAt: number | null,
    change: (state: DeliveryState | undefined) => DeliveryState | undefined,
  ): Promise<DeliveryState | undefined>
  /** Resolves to a page of all subscriptions. */
  list(after: SubscriptionRef | undefined, limit: number): Promise<SubscriptionRef[]>
  /** Reports whether a principal has proved that an endpoint wants deliveries. */
  hasProof(principal: string, url: string): Promise<boolean>
  /** Remembers the proof; for ever without a time. */
  saveProof(principal: string, url: string, ttlMs: number | undefined): Promise<void>
}

export interface SubscriptionStoreOptions {
  readonly store: KeyValueStore
  /** The same store, with encrypted values. */
  readonly sealedStore: KeyValueStore
  readonly limits: { readonly [limit in ExceededSubscriptionLimit]: number }
  readonly now: () => number
}

const RECORD = 'events/subscription/'
const STATE = 'events/state/'
const PROOF = 'events/proof/'
/** Entries stay longer than the subscription lasts: clocks of processes differ. */
const MAX_CLOCK_SKEW_MS = 60_000

/** Returns the key of the lease that a process holds while it delivers the events of a subscription. */
export function subscriptionLeaseKey(ref: SubscriptionRef): string {
  return `events/lease/${ref}`
}

export function createSubscriptionStore({ store, sealedStore, limits, now }: SubscriptionStoreOptions): SubscriptionStore {
  const ttlOf = (expiresAt: number | null): { ttlMs?: number } =>
    expiresAt === null ? {} : { ttlMs: Math.max(1, expiresAt + MAX_CLOCK_SKEW_MS - now()) }
  const exceededLimit = async (ref: SubscriptionRef, more: number): Promise<ExceededSubscriptionLimit | undefined> => {
    if ((await store.count(RECORD)) + more > limits.maxSubscriptions) return 'maxSubscriptions'
    const owner = ref.slice(0, ref.indexOf('/') + 1)
    return (await store.count(RECORD + owner)) + more > limits.maxPrincipalSubscriptions ? 'maxPrincipalSubscriptions' : undefined
  }
  const proofKey = async (principal: string, url: string): Promise<string> =>
    `${PROOF}${await ownerKey(principal)}/${await sha256(url)}`
  const remove = async (ref: SubscriptionRef): Promise<void> => {
    await store.delete(RECORD + ref)
    await store.delete(STATE + ref)
  }

  return {
    refOf: async (key) => `${await ownerKey(key.principal)}/${await subscriptionId(key)}`,
    async read(ref) {
      const text = await sealedStore.get(RECORD + ref)
      const record = text === undefined ? undefined : (JSON.parse(text) as SubscriptionRecord)
      return record && (record.expiresAt === null || now() < record.expiresAt) ? record : undefined
    },
    limitOf: (ref) => exceededLimit(ref, 1),
    async write(ref, record, isNew) {
      await sealedStore.set(RECORD + ref, JSON.stringify(record), ttlOf(record.expiresAt))
      const limit = isNew ? await exceededLimit(ref, 0) : undefined
      if (limit) await remove(ref)
      return limit
    },
    remove,
    async readState(ref) {
      const text = await store.get(STATE + ref)
      return text === undefined ? undefined : (JSON.parse(text) as DeliveryState)
    },
    async changeState(ref, expiresAt, change) {
      for (;;) {
        const expected = await store.get(STATE + ref)
        const after = change(expected === undefined ? undefined : (JSON.parse(expected) as DeliveryState))
        if (!after) return undefined
        const value = JSON.stringify(after)
        if (await store.compareAndSet(STATE + ref, { expected, value, ...ttlOf(expiresAt) })) return after
      }
    },
    async list(after, limit) {
      const keys = await store.list(RECORD, { limit, ...(after !== undefined && { after: RECORD + after }) })
      return keys.map((key) => key.slice(RECORD.length) as SubscriptionRef)
    },
    hasProof: async (principal, url) => (await store.get(await proofKey(principal, url))) !== undefined,
    saveProof: async (principal, url, ttlMs) =>
      store.set(await proofKey(principal, url), '1', ttlMs === undefined ? {} : { ttlMs }),
  }
}
