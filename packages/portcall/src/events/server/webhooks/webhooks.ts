import { startSoon } from '../../../../../util/src/timers.ts'
import type { RpcError } from '../../../jsonrpc/errors.ts'
import type { JsonObject } from '../../../jsonrpc/message.ts'
import type { Call } from '../../../server/call.ts'
import type { Announcements } from '../../../stores/announcements.ts'
import type { Bus } from '../../../stores/bus.ts'
import { decorateStore, timeoutDecorator } from '../../../stores/decorate.ts'
import type { Sealer } from '../../../stores/sealing/seal.ts'
import { sealStore } from '../../../stores/sealing/sealed-store.ts'
import type { KeyValueStore } from '../../../stores/store.ts'
import { createEventSender } from '../../delivery/sender.ts'
import type { CreateEventError } from '../errors.ts'
import type { EventTypeEntry, EventTypes } from '../event-types.ts'
import type { EventsProfile } from '../profile.ts'
import type { EventReader } from '../reader.ts'
import type { Selector } from '../selection.ts'
import { WEBHOOK_LIMITS } from './limits.ts'
import type { WebhooksOptions } from './options.ts'
import { createProveEndpoint } from './proof.ts'
import { createSubscribeHandlers } from './subscribe.ts'
import { createSubscriptionStore } from './subscription-store.ts'
import { createDeliveryWorker, type DeliveryWorker } from './worker.ts'

export interface WebhooksParts {
  readonly options: WebhooksOptions
  readonly store: KeyValueStore
  readonly storeTimeoutMs: number
  readonly sealer: Sealer
  readonly bus: Bus
  readonly types: EventTypes
  readonly selector: Selector
  readonly reader: EventReader
  readonly announcements: Announcements
  readonly profile: EventsProfile
  readonly createError: CreateEventError
  readonly onError: (error: unknown) => void
  readonly onWarning: (message: string) => void
  readonly now: () => number
}

/** The subscriptions of webhooks. */
export interface Webhooks {
  /** The handler of `events/subscribe`. */
  subscribe(params: JsonObject, call: Call): Promise<object>
  /** The handler of `events/unsubscribe`. */
  unsubscribe(params: JsonObject, call: Call): Promise<object>
  /** Delivers the events of a type from now on. Returns a function that ends this, and its subscriptions. */
  addType(type: EventTypeEntry): () => void
  /** Stops deliveries in this process. They continue in another one, or after a restart. */
  stop(): Promise<void>
}

export function createWebhooks(parts: WebhooksParts): Webhooks {
  const { options, types, announcements, createError, onError, now } = parts
  const { allow, fetch, isKnown = () => false, allowEndless = false, runWorker = true } = options
  const limits = { ...WEBHOOK_LIMITS, ...options.limits }
  const store = decorateStore(parts.store, timeoutDecorator(parts.storeTimeoutMs))
  const sender = createEventSender({ timeoutMs: limits.timeoutMs, ...(allow && { allow }), ...(fetch && { fetch }) })
  const subscriptions = createSubscriptionStore({ store, sealedStore: sealStore(store, parts.sealer), limits, now })
  const shared = { ...parts, subscriptions, sender, limits }
  const removals = new Map<string, RpcError>()
  const worker = createDeliveryWorker({ ...shared, store, typeOf: types.get, removalOf: (name) => removals.get(name) })
  const prove = createProveEndpoint({ ...shared, isKnown })
  const { announce } = worker
  const handlers = createSubscribeHandlers({ ...shared, prove, allowEndless, announce })
  const watched = createWatchedTypes(announcements, worker)
  const start = (): void => {
    if (!runWorker) return
    watched.start()
    worker.start()
  }
  startSoon(start)

  return {
    subscribe(params, call) {
      start()
      return handlers.subscribe(params, call)
    },
    unsubscribe: handlers.unsubscribe,
    addType({ name, feed, listing }) {
      if (!runWorker || !listing.delivery.includes('webhook')) return () => {}
      removals.delete(name)
      const unwatch = watched.add(name, feed.key)
      return () => {
        unwatch()
        removals.set(name, createError('NotFound', `The event type ${name} was removed`, { kind: 'event' }))
        worker.wake(name)
      }
    },
    stop: () => worker.stop().catch(onError),
  }
}

/** The event types whose events this process delivers. They are watched once it has started: platforms may not allow timers before. */
function createWatchedTypes(announcements: Announcements, worker: Pick<DeliveryWorker, 'wake'>) {
  const types = new Set<{ readonly watch: () => void }>()
  let isStarted = false
  return {
    start() {
      if (isStarted) return
      isStarted = true
      for (const type of types) type.watch()
    },
    /** Adds an event type. Returns a function that removes it. */
    add(name: string, key: string): () => void {
      let unwatch: (() => void) | undefined
      const type = { watch: () => void (unwatch = announcements.watch(key, () => worker.wake(name))) }
      types.add(type)
      if (isStarted) type.watch()
      return () => {
        types.delete(type)
        unwatch?.()
      }
    },
  }
}
