import { isObject, type JsonObject, type Notification, notification } from '../../jsonrpc/message.ts'
import { invalidParams } from '../../protocol/errors.ts'
import { requireExtension } from '../../protocol/extensions.ts'
import { TASKS_EXTENSION } from '../../protocol/tasks.ts'
import { LIST_CHANGE_KEYS, LIST_CHANGES, type ListChange } from '../../protocol/methods.ts'
import { onAbort } from '../../util/abort.ts'
import type { Caller } from '../caller.ts'
import type { CallerRequest } from '../calls/forward-call.ts'
import type { Policies } from '../policies.ts'
import type { ItemKind } from '../policy.ts'
import type { Router, RoutingTable } from '../routes/router.ts'
import type { TaskIds } from '../routes/task-ids.ts'
import { KINDS } from '../upstreams/kinds.ts'
import type { Upstream } from '../upstreams/upstream.ts'
import type { Filter } from './filters.ts'
import { Subscriber } from './subscriber.ts'
import { createUpstreamListener, type Interest, type UpstreamListener } from './upstream-listener.ts'

/** The open `subscriptions/listen` requests of a gateway. */
export interface Subscriptions {
  readonly size: number
  /** Answers `subscriptions/listen`. Settles when the request is cancelled or the gateway closes. */
  listen(call: CallerRequest): Promise<JsonObject>
  /** Reports that lists of the gateway have changed: one kind, or all. */
  changed(kind: ItemKind | undefined): void
  /** Adapts all subscriptions to the current servers. */
  reattach(): void
  /** Ends all subscriptions with a result. */
  close(): void
}

export interface SubscriptionsOptions {
  readonly table: () => RoutingTable
  readonly router: Router
  readonly policies: Policies
  readonly taskIds: TaskIds
}

/** What a caller subscribes to on one server, and how the gateway exposes it. */
interface Wanted {
  filter: { [key: string]: unknown }
  readonly exposedUris: Map<string, string>
  readonly exposedTasks: Map<string, string>
}

const MAX_SUBJECTS = 1024
const KIND_OF_CHANGE = new Map(
  Object.values(KINDS).map(({ kind, change }) => [LIST_CHANGES[change] as string, [kind, change] as const]),
)

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { table, router, policies, taskIds } = options
  const subscribers = new Set<Subscriber>()
  const listeners = new Map<string, UpstreamListener>()
  let isClosed = false

  const listenerOf = (upstream: Upstream, caller: Caller): UpstreamListener => {
    const rights = upstream.needsIdentity ? caller.key : JSON.stringify(caller.capabilities)
    const key = JSON.stringify([upstream.id, rights])
    const known = listeners.get(key)
    if (known) return known
    const created: UpstreamListener = createUpstreamListener({
      upstream,
      meta: caller.sharedMeta,
      auth: caller.auth,
      onUnused: () => {
        if (listeners.get(key) === created) listeners.delete(key)
      },
    })
    listeners.set(key, created)
    return created
  }
  /** Returns what to subscribe to on each server. */
  const route = async ({ context, caller }: CallerRequest, requested: JsonObject): Promise<Map<Upstream, Wanted>> => {
    const { upstreams, byName, single } = table()
    const lists = Object.fromEntries(LIST_CHANGE_KEYS.filter((key) => requested[key] === true).map((key) => [key, true]))
    const others = single ? otherKeys(requested) : {}
    const wanted = new Map(
      upstreams.map((upstream): [Upstream, Wanted] => [
        upstream,
        { filter: { ...lists, ...others }, exposedUris: new Map(), exposedTasks: new Map() },
      ]),
    )
    await Promise.all(
      readSubjects(requested, 'resourceSubscriptions').map(async (uri) => {
        const found = await router.findResource(uri, caller)
        if (!found || (await isDenied(found))) return
        wanted.get(found.upstream)?.exposedUris.set(found.name, uri)
      }),
    )
    for (const taskId of readSubjects(requested, 'taskIds')) {
      const task = await taskIds.resolve(taskId, context).catch(() => undefined)
      const upstream = task && byName.get(task.server)
      if (task && upstream) wanted.get(upstream)?.exposedTasks.set(task.taskId, taskId)
    }
    for (const { filter, exposedUris, exposedTasks } of wanted.values()) {
      if (exposedUris.size > 0) filter.resourceSubscriptions = [...exposedUris.keys()]
      if (exposedTasks.size > 0) filter.taskIds = [...exposedTasks.keys()]
    }
    return wanted

    async function isDenied(found: NonNullable<Awaited<ReturnType<Router['findResource']>>>): Promise<boolean> {
      if (policies.isEmpty) return false
      const { server, kind, name, definition } = found
      const { signal } = context
      const decision = await policies.decide({ server, kind, name, definition, method: 'resources/subscribe', caller, signal })
      return decision !== 'allow'
    }
  }
  /** Subscribes to one server. Returns the accepted part, as the gateway exposes it, and a function that unsubscribes. */
  const attach = async (subscriber: Subscriber, upstream: Upstream, wanted: Wanted): Promise<Filter> => {
    const interest: Interest = {
      filter: wanted.filter as Filter,
      onNotification: (message) => onNotification(subscriber, message, { upstream, wanted }),
    }
    const listener = listenerOf(upstream, subscriber.caller)
    subscriber.addCleanup(upstream.id, () => listener.remove(interest))
    const accepted = await listener.add(interest)
    const uris = accepted.resourceSubscriptions?.map((uri) => wanted.exposedUris.get(uri) ?? uri)
    const tasks = Array.isArray(accepted.taskIds)
      ? accepted.taskIds.map((id) => wanted.exposedTasks.get(String(id)) ?? id)
      : undefined
    return { ...accepted, ...(uris && { resourceSubscriptions: uris }), ...(tasks && { taskIds: tasks }) }
  }
  const onNotification = (
    subscriber: Subscriber,
    message: Notification,
    { upstream, wanted }: { readonly upstream: Upstream; readonly wanted: Wanted },
  ): void => {
    const { method, params = {} } = message
    const [kind, change] = KIND_OF_CHANGE.get(method) ?? []
    if (kind && change) {
      upstream.catalogue.invalidate(kind)
      if (kind === 'resource' || kind === 'template') invalidateResources(upstream)
      if (subscriber.lists.has(change)) subscriber.send(method, message)
      return
    }
    const exposed = exposeNotification(method, params, wanted)
    if (exposed) subscriber.send(JSON.stringify([method, exposed.uri ?? exposed.taskId]), { ...message, params: exposed })
  }
  const open = async (call: CallerRequest, subscriber: Subscriber): Promise<void> => {
    const requested = call.request.params?.notifications
    if (!isObject(requested)) throw invalidParams('notifications must be an object')
    if (requested.taskIds !== undefined) requireExtension(TASKS_EXTENSION, call.caller.capabilities)
    for (const list of LIST_CHANGE_KEYS) if (requested[list] === true) subscriber.lists.add(list)
    const wanted = await route(call, requested)
    const needed = [...wanted].filter(([, { filter }]) => Object.keys(filter).length > 0)
    const parts = await Promise.all(needed.map(([upstream, want]) => attach(subscriber, upstream, want)))
    subscriber.acknowledge(acknowledgedFilter(subscriber.lists, parts))
  }

  return {
    get size() {
      return subscribers.size
    },
    listen(call) {
      return new Promise((resolve, reject) => {
        const subscriber = new Subscriber(call, resolve)
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
      const changes = kind ? [KINDS[kind].change] : LIST_CHANGE_KEYS
      for (const subscriber of subscribers)
        for (const change of changes)
          if (subscriber.lists.has(change)) subscriber.send(LIST_CHANGES[change], notification(LIST_CHANGES[change]))
    },
    reattach() {
      const { upstreams } = table()
      const ids = new Set(upstreams.map(({ id }) => id))
      for (const subscriber of subscribers) {
        subscriber.keepOnly(ids)
        const filter = Object.fromEntries([...subscriber.lists].map((list) => [list, true]))
        for (const upstream of upstreams)
          if (!subscriber.isAttached(upstream.id) && subscriber.lists.size > 0)
            void attach(subscriber, upstream, { filter, exposedUris: new Map(), exposedTasks: new Map() })
      }
    },
    close() {
      isClosed = true
      for (const subscriber of subscribers) subscriber.end()
      subscribers.clear()
      for (const listener of listeners.values()) listener.close()
      listeners.clear()
    },
  }
}

function invalidateResources({ catalogue }: Upstream): void {
  catalogue.invalidate('resource')
  catalogue.invalidate('template')
}

const KNOWN_KEYS: ReadonlySet<string> = new Set([...LIST_CHANGE_KEYS, 'resourceSubscriptions', 'taskIds'])

/** Returns the keys of a filter that extensions define. */
function otherKeys(requested: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(requested).filter(([key]) => !KNOWN_KEYS.has(key)))
}

function readSubjects(requested: JsonObject, key: string): string[] {
  const subjects = requested[key] ?? []
  if (!Array.isArray(subjects) || subjects.length > MAX_SUBJECTS)
    throw invalidParams(`${key} must be an array of at most ${MAX_SUBJECTS} strings`)
  return [...new Set(subjects.filter((subject) => typeof subject === 'string'))]
}

/** Returns what the gateway acknowledges: it reports list changes itself, and the rest as far as the servers accepted it. */
function acknowledgedFilter(lists: ReadonlySet<ListChange>, parts: readonly Filter[]): Filter {
  const accepted: { [key: string]: unknown } = Object.fromEntries([...lists].map((list) => [list, true]))
  for (const part of parts)
    for (const [key, value] of Object.entries(part))
      if (Array.isArray(value) && value.length > 0)
        accepted[key] = [...((accepted[key] as unknown[] | undefined) ?? []), ...value]
      else if (value === true && !KNOWN_KEYS.has(key)) accepted[key] = true
  return accepted as Filter
}

/** Returns the params of a notification as the gateway exposes them, or `undefined` if the subscriber did not ask for it. */
function exposeNotification(
  method: string,
  params: JsonObject,
  { exposedUris, exposedTasks, filter }: Wanted,
): JsonObject | undefined {
  if (method === 'notifications/resources/updated') {
    const updated = String(params.uri)
    const base = exposedUris.has(updated) ? updated : [...exposedUris.keys()].find((uri) => covers(uri, updated))
    return base === undefined ? undefined : { ...params, uri: (exposedUris.get(base) ?? base) + updated.slice(base.length) }
  }
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
