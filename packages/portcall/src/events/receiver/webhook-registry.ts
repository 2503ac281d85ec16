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

/** The state of an id. `unknown` is the state of subscriptions whose result has not arrived yet, too. */
type SubscriptionState = StoredSubscription | 'ended' | 'unknown'

export interface WebhookRegistry {
  register(registration: WebhookRegistration): Promise<RegisteredSubscription>
  find(subscriptionId: string): Promise<SubscriptionState>
  /** Returns the subscriptions that have no id yet. */
  pending(): Promise<StoredSubscription[]>
  /** Gives the id to a pending subscription. */
  bind(subscriptionId: string, subscription: StoredSubscription): Promise<void>
  /** Forgets the subscription of an id. */
  end(subscriptionId: string): Promise<void>
  listenerOf(subscription: Pick<StoredSubscription, 'key'>): WebhookListener | undefined
}

const PENDING_TTL_MS = 600_000
const ENDED_TTL_MS = 86_400_000
/** Deliveries that were on the way when the subscription expired are accepted for as long. */
const EXPIRY_MARGIN_MS = 900_000
const MAX_PENDING = 100
const ENDED = '{"ended":true}'

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
  const read = async (storeKey: string): Promise<StoredSubscription | undefined> => readStored(await store.get(storeKey))

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
          const ttlMs = expiresAt === null ? undefined : Math.max(0, expiresAt - now()) + EXPIRY_MARGIN_MS
          await store.set(await keyOf(subscriptionId), JSON.stringify(stored), { ...(ttlMs !== undefined && { ttlMs }) })
          await store.delete(pendingKey(key))
          if (id !== undefined && id !== subscriptionId) await registry.end(id)
          id = subscriptionId
        },
        detach: () => void listeners.delete(key),
        async end() {
          listeners.delete(key)
          await store.delete(pendingKey(key))
          if (id !== undefined) await registry.end(id)
        },
      }
    },
    async find(subscriptionId) {
      const text = await store.get(await keyOf(subscriptionId))
      return text === ENDED ? 'ended' : (readStored(text) ?? 'unknown')
    },
    async pending() {
      const keys = await store.list('pending/', { limit: MAX_PENDING })
      return (await Promise.all(keys.map(read))).filter((stored) => stored !== undefined)
    },
    async bind(subscriptionId, subscription) {
      await store.set(await keyOf(subscriptionId), JSON.stringify(subscription), { ttlMs: PENDING_TTL_MS })
    },
    async end(subscriptionId) {
      await store.set(await keyOf(subscriptionId), ENDED, { ttlMs: ENDED_TTL_MS })
    },
    listenerOf: ({ key }) => listeners.get(key),
  }
  return registry
}

function readStored(text: string | undefined): StoredSubscription | undefined {
  const { secret, name, arguments: args, key, process } = parseObject(text) ?? {}
  return isString(secret) && isString(name) && isObject(args) && isString(key)
    ? { secret, name, arguments: args, key, ...(isString(process) && { process }) }
    : undefined
}
