import { isObject, type JsonObject, type RequestId } from '../jsonrpc/message.ts'
import { invalidParams } from '../protocol/errors.ts'
import { MetaKey } from '../protocol/meta.ts'
import { LIST_CHANGES, type ListChange } from '../protocol/methods.ts'
import type { SubscriptionFilter } from '../protocol/types.ts'
import type { Bus } from '../stores/bus.ts'
import type { CallContext } from './call.ts'

/** Something that changed: a whole list, or one resource. */
export type Change = { list: ListChange } | { updated: string }

/** Who wants to hear of changes, over all open `subscriptions/listen` requests. */
export interface Subscriptions {
  readonly size: number
  /** Tells all listeners, on all nodes that share the bus. */
  publish(change: Change): void
  /** Serves one `subscriptions/listen` until it is cancelled or the server closes. */
  listen(call: CallContext): Promise<JsonObject>
  /** Ends all of them with a result. */
  close(): void
}

export interface SubscriptionsOptions {
  readonly bus: Bus
  /** The list changes that this server tells of. */
  readonly lists: () => readonly ListChange[]
  /** The URIs of resources that a caller may hear of. @throws RpcError when scopes are lacking. */
  readonly permit: (uris: readonly string[], call: CallContext) => Promise<readonly string[]>
}

const TOPIC = 'changes'
const MAX_URIS = 1024
/** More than that waits for no reader. */
const MAX_WAITING = 2048

interface Listener {
  readonly filter: SubscriptionFilter
  readonly uris: ReadonlySet<string>
  readonly waiting: Map<string, Change>
  blocked: boolean
  send(change: Change): void | Promise<void>
  end(): void
}

export function createSubscriptions({ bus, lists, permit }: SubscriptionsOptions): Subscriptions {
  const listeners = new Set<Listener>()
  let attached: Promise<() => void> | undefined
  let closed = false

  const deliver = (listener: Listener, change: Change): void => {
    if (listener.blocked) return wait(listener, change)
    const full = listener.send(change)
    if (!full) return
    listener.blocked = true
    void full.then(() => {
      listener.blocked = false
      const late = [...listener.waiting.values()]
      listener.waiting.clear()
      for (const missed of late) deliver(listener, missed)
    })
  }

  const onMessage = (message: string): void => {
    const change = JSON.parse(message) as Change
    for (const listener of listeners) if (wants(listener, change)) deliver(listener, change)
  }

  const honour = async (asked: SubscriptionFilter, call: CallContext): Promise<SubscriptionFilter> => {
    const filter: SubscriptionFilter = {}
    for (const list of lists()) if (asked[list] === true) filter[list] = true
    const uris = asked.resourceSubscriptions ?? []
    if (!Array.isArray(uris) || uris.length > MAX_URIS)
      throw invalidParams(`resourceSubscriptions has to be an array of at most ${MAX_URIS} URIs`)
    const honoured = await permit(
      uris.filter((uri) => typeof uri === 'string'),
      call,
    )
    return honoured.length > 0 ? { ...filter, resourceSubscriptions: [...honoured] } : filter
  }

  return {
    get size() {
      return listeners.size
    },
    publish(change) {
      void bus.publish(TOPIC, JSON.stringify(change))
    },
    async listen(call) {
      const asked = call.request.params?.notifications
      if (!isObject(asked)) throw invalidParams('notifications has to be an object')
      const filter = await honour(asked, call)
      await (attached ??= bus.subscribe(TOPIC, onMessage))
      const { id } = call.request
      const _meta = { [MetaKey.subscriptionId]: id }
      void call.notify('notifications/subscriptions/acknowledged', { _meta, notifications: filter })
      await new Promise<void>((end) => {
        const listener = createListener(call, filter, end)
        if (closed || call.context.signal.aborted) return end()
        const leave = (): void => {
          listeners.delete(listener)
          end()
        }
        listeners.add(listener)
        call.context.signal.addEventListener('abort', leave, { once: true })
      })
      return { _meta }
    },
    close() {
      closed = true
      for (const listener of listeners) listener.end()
      listeners.clear()
      void attached?.then((detach) => detach())
    },
  }
}

function createListener(call: CallContext, filter: SubscriptionFilter, end: () => void): Listener {
  const { id } = call.request
  return {
    filter,
    uris: new Set(filter.resourceSubscriptions),
    waiting: new Map(),
    blocked: false,
    end,
    send: (change) =>
      'list' in change
        ? call.notify(LIST_CHANGES[change.list], tagged(id))
        : call.notify('notifications/resources/updated', tagged(id, change.updated)),
  }
}

function tagged(id: RequestId, uri?: string): JsonObject {
  const _meta = { [MetaKey.subscriptionId]: id }
  return uri === undefined ? { _meta } : { _meta, uri }
}

/**
 * Keeps a change for a reader who lags behind, each once. When too many different ones wait, each stands for all of the collection that
 * was subscribed to.
 */
function wait({ waiting, uris }: Listener, change: Change): void {
  waiting.set(JSON.stringify(change), change)
  if (waiting.size <= MAX_WAITING) return
  const all = [...waiting.values()]
  waiting.clear()
  for (const one of all) {
    const meant = 'list' in one ? one : { updated: [...uris].find((uri) => covers(uri, one.updated)) ?? one.updated }
    waiting.set(JSON.stringify(meant), meant)
  }
}

/** A resource is meant by its own URI and by that of a collection which it lies in. */
function wants({ filter, uris }: Listener, change: Change): boolean {
  if ('list' in change) return filter[change.list] === true
  if (uris.has(change.updated)) return true
  for (const uri of uris) if (covers(uri, change.updated)) return true
  return false
}

function covers(collection: string, uri: string): boolean {
  return uri === collection || uri.startsWith(collection.endsWith('/') ? collection : `${collection}/`)
}
