import { onAbort } from '../../../../util/src/abort.ts'
import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import { isObject, type JsonObject, type Notification, notification } from '../../jsonrpc/message.ts'
import { invalidParams } from '../../protocol/errors.ts'
import { EVENTS_LIST_CHANGED_FILTER } from '../../protocol/events.ts'
import { requireExtension } from '../../protocol/extensions.ts'
import { TASKS_EXTENSION } from '../../protocol/tasks.ts'
import type { CallerRequest } from '../calls/item-call.ts'
import { mayOfferEvents } from '../lists/known-servers.ts'
import { Caller } from '../policy/caller.ts'
import type { CombinedPolicies } from '../policy/combine.ts'
import { GATEWAY_KINDS, GATEWAY_LIST_CHANGE_KEYS, GATEWAY_LIST_CHANGES, type GatewayListChange } from '../policy/item-kinds.ts'
import type { GatewayItemKind } from '../policy/types.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'
import type { Filter } from './filters.ts'
import { createListenerPool } from './listener-pool.ts'
import { isCoreKey, otherKeys, type RoutedFilter, routeSubscription, type SubscriptionRouting } from './route-subscription.ts'
import type { SubjectNotification } from './subject-notification.ts'
import { GatewaySubscriber } from './subscriber.ts'
import type { SubscriberFilter } from './upstream-listener.ts'

/** The open `subscriptions/listen` requests of a gateway. */
export interface Subscriptions {
  readonly size: number
  /** Answers `subscriptions/listen`. Settles when the request is cancelled or the gateway closes. */
  listen(call: CallerRequest): Promise<JsonObject>
  /** Reports that lists of the gateway have changed: one kind, or all. */
  changed(kind: GatewayItemKind | undefined): void
  /** Resubscribes to a server, and reports missed changes since `unavailableSince`, in milliseconds since 1970. */
  recover(upstream: GatewayUpstream, unavailableSince: number | undefined): void
  /** Adapts all subscriptions to the current servers and policies. */
  reattach(): void
  /** Ends all subscriptions with a result. */
  close(): void
}

export interface SubscriptionsOptions extends SubscriptionRouting {
  /** Returns the current policies. */
  readonly policies: () => CombinedPolicies
}

const KIND_OF_CHANGE = new Map(
  Object.values(GATEWAY_KINDS).map(({ kind, change }) => [GATEWAY_LIST_CHANGES[change], [kind, change] as const]),
)

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { registry, policies } = options
  const subscribers = new Set<GatewaySubscriber>()
  const listeners = createListenerPool(policies)
  let isClosed = false

  /** Subscribes to one server. Returns the accepted part, as the gateway exposes it, and a function that unsubscribes. */
  const attach = async (subscriber: GatewaySubscriber, upstream: GatewayUpstream, routed: RoutedFilter): Promise<Filter> => {
    const filter: SubscriberFilter = {
      filter: routed.filter as Filter,
      onNotification: (message) => passOn(message, { subscriber, upstream, routed }),
    }
    const listener = listeners.get(upstream, subscriber.call.caller)
    const adding = listener.add(filter)
    subscriber.addCleanup(upstream.id, () => listener.remove(filter))
    const accepted = await adding
    const uris = accepted.resourceSubscriptions?.map((uri) => routed.exposedUris.get(uri) ?? uri)
    const tasks = Array.isArray(accepted.taskIds)
      ? accepted.taskIds.map((id) => routed.exposedTasks.get(String(id)) ?? id)
      : undefined
    return { ...accepted, ...withoutUndefined({ resourceSubscriptions: uris, taskIds: tasks }) }
  }
  const open = async (call: CallerRequest, subscriber: GatewaySubscriber): Promise<void> => {
    const requested = call.request.params?.notifications
    if (!isObject(requested)) throw invalidParams('notifications must be an object')
    if (requested.taskIds !== undefined) requireExtension(TASKS_EXTENSION, call.caller.capabilities)
    for (const list of GATEWAY_LIST_CHANGE_KEYS) if (requested[list] === true && isOffered(list, call)) subscriber.lists.add(list)
    const parts = await subscriber.changes.run(() => attachAll(subscriber, call))
    subscriber.acknowledge(acknowledgedFilter(subscriber.lists, parts))
  }
  /** Changes of the list of events are reported only to clients that may know the extension. */
  const isOffered = (list: GatewayListChange, { caller }: CallerRequest): boolean =>
    list !== EVENTS_LIST_CHANGED_FILTER || mayOfferEvents(registry.table.upstreams, caller)
  /** Subscribes to all servers that the request concerns, in place of earlier subscriptions. Returns the accepted parts. */
  const attachAll = async (subscriber: GatewaySubscriber, call: CallerRequest): Promise<Filter[]> => {
    const routed = await routeSubscription(call, call.request.params?.notifications as JsonObject, options)
    const needed = [...routed].filter(([, { filter }]) => Object.keys(filter).length > 0)
    subscriber.keepOnly(new Set(needed.map(([{ id }]) => id)))
    return Promise.all(needed.map(([upstream, want]) => attach(subscriber, upstream, want)))
  }
  const reattachOne = (subscriber: GatewaySubscriber): void => {
    if (subscriber.isOutdated) return
    subscriber.isOutdated = true
    const run = async (): Promise<void> => {
      subscriber.isOutdated = false
      const { request, context } = subscriber.call
      await attachAll(subscriber, { request, context, caller: new Caller(request, context, policies()) })
    }
    // A subscription that can no longer be routed ends with its request.
    subscriber.changes.run(run).catch(() => {})
  }

  return {
    get size() {
      return subscribers.size
    },
    listen(call) {
      return new Promise((resolve, reject) => {
        const subscriber = new GatewaySubscriber(call, resolve)
        const end = (): void => {
          subscribers.delete(subscriber)
          subscriber.end()
        }
        subscribers.add(subscriber)
        onAbort(call.context, end)
        open(call, subscriber).then(
          () => isClosed && end(),
          (error: unknown) => {
            reject(error)
            end()
          },
        )
      })
    },
    changed(kind) {
      const changes = kind ? [GATEWAY_KINDS[kind].change] : GATEWAY_LIST_CHANGE_KEYS
      for (const subscriber of subscribers)
        for (const change of changes) subscriber.sendChange(change, notification(GATEWAY_LIST_CHANGES[change]))
    },
    recover: (upstream, unavailableSince) => listeners.recover(upstream, unavailableSince),
    reattach() {
      const ids = new Set(registry.table.upstreams.map(({ id }) => id))
      for (const subscriber of subscribers) {
        subscriber.keepOnly(ids)
        reattachOne(subscriber)
      }
    },
    close() {
      isClosed = true
      for (const subscriber of subscribers) subscriber.end()
      subscribers.clear()
      listeners.close()
    },
  }
}

/** Passes on a notification of a server to a subscriber that asked for it. */
function passOn(
  message: Notification,
  { subscriber, upstream, routed }: { subscriber: GatewaySubscriber; upstream: GatewayUpstream; routed: RoutedFilter },
): void {
  const { method, params = {} } = message
  const [kind, change] = KIND_OF_CHANGE.get(method) ?? []
  if (kind && change) {
    if (change === 'resourcesListChanged') invalidateResources(upstream)
    else upstream.catalogue.invalidate(kind)
    subscriber.sendChange(change, message)
    return
  }
  if (method === 'notifications/resources/updated') return passOnUpdate(String(params.uri), { message, subscriber, routed })
  const exposed = exposeNotification(method, params, routed)
  if (exposed) subscriber.send(aboutOne({ ...message, params: exposed }))
}

/** Passes on the update of a resource to a subscriber of it, or of a collection that it belongs to. */
function passOnUpdate(
  updated: string,
  { message, subscriber, routed }: { message: Notification; subscriber: GatewaySubscriber; routed: RoutedFilter },
): void {
  const { exposedUris } = routed
  const base = exposedUris.has(updated) ? updated : [...exposedUris.keys()].find((uri) => covers(uri, updated))
  if (base === undefined) return
  const about = (rest: string): SubjectNotification =>
    aboutOne({ ...message, params: { ...message.params, uri: (exposedUris.get(base) ?? base) + rest } })
  subscriber.send({ ...about(updated.slice(base.length)), collection: about('') })
}

function aboutOne(message: Notification): SubjectNotification {
  const { uri, taskId } = message.params ?? {}
  return { subject: JSON.stringify([message.method, uri ?? taskId]), message }
}

function invalidateResources({ catalogue }: GatewayUpstream): void {
  catalogue.invalidate('resource')
  catalogue.invalidate('template')
}

/** Returns the filter to acknowledge: the list changes, which the gateway reports itself, and the parts that the servers accepted. */
function acknowledgedFilter(lists: ReadonlySet<GatewayListChange>, parts: readonly Filter[]): Filter {
  const accepted: { [key: string]: unknown } = Object.fromEntries([...lists].map((list) => [list, true]))
  for (const part of parts)
    for (const [key, value] of Object.entries(part))
      if (Array.isArray(value) && value.length > 0)
        accepted[key] = [...((accepted[key] as unknown[] | undefined) ?? []), ...value]
      else if (value === true && !isCoreKey(key)) accepted[key] = true
  return accepted as Filter
}

/** Returns the params of a notification as the gateway exposes them, or `undefined` if the subscriber did not ask for it. */
function exposeNotification(method: string, params: JsonObject, { exposedTasks, filter }: RoutedFilter): JsonObject | undefined {
  if (method === 'notifications/tasks') {
    const taskId = exposedTasks.get(String(params.taskId))
    return taskId === undefined ? undefined : { ...params, taskId }
  }
  return Object.keys(otherKeys(filter)).length > 0 ? params : undefined
}

/** Reports whether a subscription to a URI covers another one: servers may report a resource below it. */
function covers(subscribed: string, uri: string): boolean {
  return uri.startsWith(subscribed) && (/[/?#]$/.test(subscribed) || /^[/?#]/.test(uri.slice(subscribed.length)))
}
