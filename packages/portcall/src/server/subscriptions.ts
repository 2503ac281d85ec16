import { onAbort } from '../../../util/src/abort.ts'
import type { Awaitable } from '../../../util/src/awaitable.ts'
import { normalUri } from '../../../util/src/normal-uri.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { invalidParams } from '../protocol/errors.ts'
import { MetaKey, withMeta } from '../protocol/meta.ts'
import { LIST_CHANGE_KEYS, LIST_CHANGES, type ListChange } from '../protocol/methods.ts'
import type { SubscriptionFilter } from '../protocol/types.ts'
import type { Bus } from '../stores/bus.ts'
import type { Call, CallContext } from './call.ts'

/** A notification that an extension sends to subscribers. */
export interface ExtensionNotification {
  /** The filter key that subscribes to it. */
  readonly key: string
  /** The subject of the notification. A slow subscriber may receive only the latest notification about a subject. */
  readonly subject: string
  /** The method of the notification. */
  readonly method: string
  /** The params of the notification. */
  readonly params: JsonObject
}

/** A change to notify subscribers of: a list, a resource, or what an extension publishes. */
export type PublishedChange = { list: ListChange } | { updated: string } | ExtensionNotification

/**
 * Returns which part of the value of a filter key the server accepts: `true` for all, a list of subjects, or `undefined` for nothing.
 *
 * @throws RpcError to reject the subscription.
 */
export type FilterHandler = (value: unknown, call: Call) => Awaitable<true | readonly string[] | undefined>

/** The open `subscriptions/listen` requests of a server. */
export interface ServerSubscriptions {
  /** Notifies the subscribers of all processes that share the bus. */
  publish(change: PublishedChange): void
  /** Handles `subscriptions/listen`. Settles when the request is cancelled or the server closes. */
  listen(call: CallContext): Promise<JsonObject>
  /** Ends all subscriptions with a result. */
  close(): void
}

export interface ServerSubscriptionsOptions {
  readonly bus: Bus
  /** Returns whether the server sends notifications when a list changes. */
  readonly announces: (list: ListChange) => boolean
  /** Returns the URIs that a caller may subscribe to. @throws RpcError -32600 when scopes are missing. */
  readonly subscribableUris: (uris: readonly string[], call: CallContext) => Promise<readonly string[]>
  /** The handlers of filter keys that extensions define. */
  readonly filterHandlers: ReadonlyMap<string, FilterHandler>
  /** Receives errors of the bus. If publishing fails, the subscribers of this process are notified anyway. */
  readonly onError: (error: unknown) => void
}

const TOPIC = 'changes'
const MAX_URIS = 1024
/** Maximum number of changes queued for a slow subscriber. */
const MAX_QUEUED = 2048

type Resolve = (result: JsonObject) => void

/** An open `subscriptions/listen` request. A class, because there may be very many. */
class Subscriber {
  readonly filter: SubscriptionFilter
  /** The URIs of the filter in normal form. */
  readonly #normalUris: readonly string[]
  /** Changes that wait for the output buffer to drain, by subject. */
  queue: Map<string, PublishedChange> | undefined
  isBlocked = false
  #call: CallContext
  #resolve: Resolve

  constructor(call: CallContext, filter: SubscriptionFilter, resolve: Resolve) {
    this.filter = filter
    this.#normalUris = (filter.resourceSubscriptions ?? []).map(normalUri)
    this.#call = call
    this.#resolve = resolve
  }

  end(): void {
    this.#resolve({ _meta: subscriptionMeta(this.#call) })
  }

  /** Returns a change that the filter accepts, with the URI in the spelling of the subscription; `undefined` for others. */
  accepted(change: PublishedChange, normal: string): PublishedChange | undefined {
    if (!('updated' in change)) return matches(this.filter, change) ? change : undefined
    const { resourceSubscriptions: uris = [] } = this.filter
    if (uris.some((uri) => covers(uri, change.updated))) return change
    const at = this.#normalUris.findIndex((uri) => covers(uri, normal))
    const subscribed = uris[at]
    return subscribed === undefined ? undefined : { updated: subscribed + normal.slice(this.#normalUris[at]?.length) }
  }

  send(change: PublishedChange): void | Promise<void> {
    if ('list' in change) return this.#notify(LIST_CHANGES[change.list], {})
    if ('updated' in change) return this.#notify('notifications/resources/updated', { uri: change.updated })
    return this.#notify(change.method, change.params)
  }

  #notify(method: string, params: JsonObject): void | Promise<void> {
    const meta = { ...(isObject(params._meta) ? params._meta : undefined), ...subscriptionMeta(this.#call) }
    return this.#call.notify(method, withMeta(params, meta))
  }
}

export function createServerSubscriptions(options: ServerSubscriptionsOptions): ServerSubscriptions {
  const subscribers = new Set<Subscriber>()
  let isClosed = false

  const deliver = (subscriber: Subscriber, change: PublishedChange): void => {
    if (subscriber.isBlocked) return enqueue(subscriber, change)
    const drained = subscriber.send(change)
    if (!drained) return
    subscriber.isBlocked = true
    void drained.then(() => {
      subscriber.isBlocked = false
      const queued = subscriber.queue?.values() ?? []
      subscriber.queue = undefined
      for (const missed of queued) deliver(subscriber, missed)
    })
  }

  const connection = createBusConnection(options, (message) => {
    const change = JSON.parse(message) as PublishedChange
    const normal = 'updated' in change ? normalUri(change.updated) : ''
    for (const subscriber of subscribers) {
      const accepted = subscriber.accepted(change, normal)
      if (accepted) deliver(subscriber, accepted)
    }
  })

  /** Acknowledges a subscription and adds it. `resolve` is called when it ends. */
  const open = async (call: CallContext, resolve: Resolve): Promise<void> => {
    const filter = await acceptFilter(call, options)
    await connection.subscribe()
    void call.notify('notifications/subscriptions/acknowledged', { _meta: subscriptionMeta(call), notifications: filter })
    const subscriber = new Subscriber(call, filter, resolve)
    if (isClosed) return subscriber.end()
    subscribers.add(subscriber)
    onAbort(call.context, () => {
      subscribers.delete(subscriber)
      subscriber.end()
    })
  }

  return {
    publish: (change) => connection.publish(JSON.stringify(change)),
    listen: (call) => new Promise((resolve, reject) => void open(call, resolve).catch(reject)),
    close() {
      isClosed = true
      for (const subscriber of subscribers) subscriber.end()
      subscribers.clear()
      connection.close()
    },
  }
}

/** Returns the part of the requested filter that the server accepts. @throws RpcError when the filter is invalid or not permitted. */
async function acceptFilter(call: CallContext, options: ServerSubscriptionsOptions): Promise<SubscriptionFilter> {
  const { announces, subscribableUris, filterHandlers } = options
  const requested = call.request.params?.notifications
  if (!isObject(requested)) throw invalidParams('notifications must be an object')
  const filter: SubscriptionFilter = {}
  for (const list of LIST_CHANGE_KEYS) if (requested[list] === true && announces(list)) filter[list] = true
  const uris = readUris(requested.resourceSubscriptions)
  const accepted = uris.length > 0 ? await subscribableUris(uris, call) : uris
  if (accepted.length > 0) filter.resourceSubscriptions = [...accepted]
  for (const [key, handle] of filterHandlers) {
    const value = requested[key] === undefined ? undefined : await handle(requested[key], call)
    if (value === true || (value && value.length > 0)) filter[key] = value
  }
  return filter
}

function readUris(value: unknown): readonly string[] {
  const uris = value ?? []
  if (!Array.isArray(uris) || uris.length > MAX_URIS)
    throw invalidParams(`resourceSubscriptions must be an array of at most ${MAX_URIS} URIs`)
  return uris.filter((uri) => typeof uri === 'string')
}

/** The connection of this process to the bus. */
interface BusConnection {
  /** Publishes a message. If the bus fails, the message is delivered to this process only. */
  publish(message: string): void
  /** Subscribes to the bus unless it has done so already. */
  subscribe(): Promise<unknown>
  close(): void
}

function createBusConnection({ bus, onError }: ServerSubscriptionsOptions, onMessage: (message: string) => void): BusConnection {
  let subscription: Promise<() => void> | undefined
  return {
    publish(message) {
      bus.publish(TOPIC, message).catch((error) => {
        onError(error)
        onMessage(message)
      })
    },
    subscribe() {
      subscription ??= bus.subscribe(TOPIC, onMessage).catch((error) => {
        subscription = undefined
        throw error
      })
      return subscription
    },
    close: () => void subscription?.then((unsubscribe) => unsubscribe(), onError),
  }
}

/** Returns the `_meta` that ties a message to its `subscriptions/listen` request. */
function subscriptionMeta({ requestId }: CallContext): JsonObject {
  return { [MetaKey.subscriptionId]: requestId }
}

/**
 * Queues a change for a slow subscriber. A later change about the same subject replaces an earlier one. If too many changes are queued,
 * updates of resources are merged into one update per subscribed collection.
 */
function enqueue(subscriber: Subscriber, change: PublishedChange): void {
  const { resourceSubscriptions: uris = [] } = subscriber.filter
  const queue = (subscriber.queue ??= new Map())
  queue.set(subjectOf(change), change)
  if (queue.size <= MAX_QUEUED) return
  const queued = [...queue.values()]
  queue.clear()
  for (const one of queued) {
    const merged = 'updated' in one ? { updated: uris.find((uri) => covers(uri, one.updated)) ?? one.updated } : one
    queue.set(subjectOf(merged), merged)
  }
}

function subjectOf(change: PublishedChange): string {
  return JSON.stringify('key' in change ? [change.key, change.subject] : change)
}

function matches(filter: SubscriptionFilter, change: Exclude<PublishedChange, { updated: string }>): boolean {
  if ('list' in change) return filter[change.list] === true
  const accepted = filter[change.key]
  return accepted === true || (Array.isArray(accepted) && accepted.includes(change.subject))
}

/** Returns whether a subscription to a URI covers a resource: the resource itself, or one below it. */
function covers(subscribed: string, uri: string): boolean {
  return uri === subscribed || uri.startsWith(subscribed.endsWith('/') ? subscribed : `${subscribed}/`)
}
