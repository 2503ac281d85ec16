/** The subscriptions whose deliveries a webhook accepts. */

import { sha256 } from '../../../../util/src/digest.ts'
import { randomId } from '../../../../util/src/random.ts'
import { isString } from '../../../../util/src/strings.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { parseObject } from '../../jsonrpc/parse-object.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { RegisteredSubscription, WebhookListener, WebhookRegistration } from './types.ts'

/** A subscription as stored. */
export interface StoredSubscription {
  readonly secret: string
  readonly name: string
  readonly arguments: JsonObject
  /** Finds the listener, in the process that registered it. */
  readonly key: string
  /** The name of this process, if deliveries can be forwarded to it. */
  readonly process?: string
}

/** The subscriptions of an id. Servers choose the ids: one may name that of a subscription at another server. */
interface SubscriptionsOfId {
  /** Those that may be meant, the latest first. The signature decides. */
  readonly known: readonly StoredSubscription[]
  /** There were some, and all have ended. */
  readonly hasEnded: boolean
}

export interface WebhookRegistry {
  register(registration: WebhookRegistration): Promise<RegisteredSubscription>
  find(subscriptionId: string): Promise<SubscriptionsOfId>
  /** Returns the subscriptions that have no id yet. */
  pending(): Promise<StoredSubscription[]>
  /** Gives the id to a pending subscription. */
  bind(subscriptionId: string, subscription: StoredSubscription): Promise<void>
  /** Forgets a subscription of an id. */
  end(subscriptionId: string, subscription: Pick<StoredSubscription, 'key'>): Promise<void>
  listenerOf(subscription: Pick<StoredSubscription, 'key'>): WebhookListener | undefined
}

const PENDING_TTL_MS = 600_000
const ENDED_TTL_MS = 86_400_000
/** Deliveries that were on the way when the subscription expired are accepted for as long. */
const EXPIRY_MARGIN_MS = 900_000
const MAX_PENDING = 100
const MAX_WITH_SAME_ID = 100
const ENDED = '{"ended":true}'

/** A subscription with an id, and its end in milliseconds since 1970; `null` for never. */
interface ConfirmedSubscription extends StoredSubscription {
  readonly expiresAt: number | null
}

export interface WebhookRegistryOptions {
  /** The encrypted store. */
  readonly store: KeyValueStore
  readonly now: () => number
  /** Returns the name of this process, if others can forward deliveries to it. */
  readonly join: (() => Promise<string>) | undefined
}

export function createWebhookRegistry({ store, now, join }: WebhookRegistryOptions): WebhookRegistry {
  const listeners = new Map<string, WebhookListener>()
  const keyOf = async (subscriptionId: string): Promise<string> => `subscription/${await sha256(subscriptionId)}`
  const pendingKey = (key: string): string => `pending/${key}`
  const read = async (storeKey: string): Promise<StoredSubscription | undefined> =>
    readStored(parseObject(await store.get(storeKey)) ?? {})
  /** Changes the subscriptions of an id: those that are left over are the first ones. */
  const change = async (
    subscriptionId: string,
    next: (before: readonly ConfirmedSubscription[]) => readonly ConfirmedSubscription[],
  ): Promise<void> => {
    const storeKey = await keyOf(subscriptionId)
    for (;;) {
      const expected = await store.get(storeKey)
      const after = next(readConfirmed(expected, now())).slice(0, MAX_WITH_SAME_ID)
      const value = after.length > 0 ? JSON.stringify({ subscriptions: after }) : ENDED
      if (await store.compareAndSet(storeKey, { expected, value, ...ttlOf(after, now()) })) return
    }
  }
  const add = (subscriptionId: string, subscription: ConfirmedSubscription): Promise<void> =>
    change(subscriptionId, (before) => {
      const { key, secret } = subscription
      // After a restart, the same subscription is registered again.
      return [subscription, ...before.filter((one) => one.key !== key && one.secret !== secret)]
    })

  const registry: WebhookRegistry = {
    async register({ secret, name, arguments: args, listener }) {
      const key = randomId()
      const process = listener && (await join?.())
      const stored = { secret, name, arguments: args, key, ...(process !== undefined && { process }) }
      let id: string | undefined
      if (listener) listeners.set(key, listener)
      await store.set(pendingKey(key), JSON.stringify(stored), { ttlMs: PENDING_TTL_MS })
      return {
        async confirm(subscriptionId, expiresAt) {
          const end = expiresAt === null ? null : Math.max(now(), expiresAt) + EXPIRY_MARGIN_MS
          await add(subscriptionId, { ...stored, expiresAt: end })
          await store.delete(pendingKey(key))
          if (id !== undefined && id !== subscriptionId) await registry.end(id, stored)
          id = subscriptionId
        },
        detach: () => void listeners.delete(key),
        async end() {
          listeners.delete(key)
          await store.delete(pendingKey(key))
          if (id !== undefined) await registry.end(id, stored)
        },
      }
    },
    async find(subscriptionId) {
      const text = await store.get(await keyOf(subscriptionId))
      return { known: readConfirmed(text, now()), hasEnded: text === ENDED }
    },
    async pending() {
      const keys = await store.list('pending/', { limit: MAX_PENDING })
      return (await Promise.all(keys.map(read))).filter((stored) => stored !== undefined)
    },
    bind: (subscriptionId, subscription) => add(subscriptionId, { ...subscription, expiresAt: now() + PENDING_TTL_MS }),
    end: (subscriptionId, { key }) => change(subscriptionId, (before) => before.filter((one) => one.key !== key)),
    listenerOf: ({ key }) => listeners.get(key),
  }
  return registry
}

/** Returns how long the subscriptions of an id are kept. */
function ttlOf(subscriptions: readonly ConfirmedSubscription[], now: number): { ttlMs?: number } {
  if (subscriptions.length === 0) return { ttlMs: ENDED_TTL_MS }
  const ends = subscriptions.map(({ expiresAt }) => expiresAt ?? Infinity)
  const ttlMs = Math.max(...ends) - now
  return ttlMs === Infinity ? {} : { ttlMs }
}

/** Returns the subscriptions that have not expired. */
function readConfirmed(text: string | undefined, now: number): ConfirmedSubscription[] {
  const { subscriptions } = parseObject(text) ?? {}
  if (!Array.isArray(subscriptions)) return []
  return subscriptions.flatMap((one: unknown) => {
    const stored = isObject(one) ? readStored(one) : undefined
    const expiresAt = isObject(one) && typeof one.expiresAt === 'number' ? one.expiresAt : null
    return stored && (expiresAt === null || now < expiresAt) ? [{ ...stored, expiresAt }] : []
  })
}

function readStored({ secret, name, arguments: args, key, process }: JsonObject): StoredSubscription | undefined {
  return isString(secret) && isString(name) && isObject(args) && isString(key)
    ? { secret, name, arguments: args, key, ...(isString(process) && { process }) }
    : undefined
}
