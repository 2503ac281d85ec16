import { isObject, type JsonObject, type RequestId } from '../jsonrpc/message.ts'
import { invalidParams } from '../protocol/errors.ts'
import { MetaKey, withMeta } from '../protocol/meta.ts'
import { LIST_CHANGES, type ListChange } from '../protocol/methods.ts'
import type { SubscriptionFilter } from '../protocol/types.ts'
import type { Bus } from '../stores/bus.ts'
import type { CallContext } from './call.ts'
import type { Awaitable } from './define.ts'
import type { ExtensionNotice } from './notice.ts'

/** Something that changed: a whole list, one resource, or what an extension tells of. */
export type Change = { list: ListChange } | { updated: string } | ExtensionNotice

/** Gives what is honoured of the value of a key of a filter: true, or the subjects of interest; else nothing. @throws RpcError */
export type Admit = (asked: unknown, call: CallContext) => Awaitable<true | readonly string[] | undefined>

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
  /** More keys of the filter. */
  readonly filters: ReadonlyMap<string, Admit>
  /** Hears that the bus did not take a change; those who listen here are told all the same. */
  readonly onError: (error: unknown) => void
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

export function createSubscriptions({ bus, lists, permit, filters, onError }: SubscriptionsOptions): Subscriptions {
  const listeners = new Set<Listener>()
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

  const bond = createBond(bus, onMessage, onError)

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
    if (honoured.length > 0) filter.resourceSubscriptions = [...honoured]
    return filters.size > 0 ? { ...filter, ...(await honourMore(filters, asked, call)) } : filter
  }

  return {
    get size() {
      return listeners.size
    },
    publish(change) {
      bond.publish(JSON.stringify(change))
    },
    async listen(call) {
      const asked = call.request.params?.notifications
      if (!isObject(asked)) throw invalidParams('notifications has to be an object')
      const filter = await honour(asked, call)
      await bond.attach()
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
      bond.detach()
    },
  }
}

/** What is honoured of the keys that extensions have added. */
async function honourMore(
  filters: ReadonlyMap<string, Admit>,
  asked: SubscriptionFilter,
  call: CallContext,
): Promise<JsonObject> {
  const honoured: JsonObject = {}
  for (const [key, admit] of filters) {
    const admitted = asked[key] === undefined ? undefined : await admit(asked[key], call)
    if (admitted === true || (admitted && admitted.length > 0)) honoured[key] = admitted
  }
  return honoured
}

/** The tie of this process to the bus; from the first listener on it hears what all publish. */
interface Bond {
  /** Publishes to all; when the bus does not take it, at least to those who listen here. */
  publish(message: string): void
  attach(): Promise<unknown>
  detach(): void
}

function createBond(bus: Bus, onMessage: (message: string) => void, onError: (error: unknown) => void): Bond {
  let attached: Promise<() => void> | undefined
  return {
    publish(message) {
      bus.publish(TOPIC, message).catch((error) => {
        onError(error)
        onMessage(message)
      })
    },
    attach() {
      attached ??= bus.subscribe(TOPIC, onMessage).catch((error) => {
        attached = undefined
        throw error
      })
      return attached
    },
    detach: () => void attached?.then((detach) => detach(), onError),
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
    send(change) {
      if ('list' in change) return call.notify(LIST_CHANGES[change.list], tagged(id, {}))
      if ('updated' in change) return call.notify('notifications/resources/updated', tagged(id, { uri: change.updated }))
      return call.notify(change.method, tagged(id, change.params))
    },
  }
}

function tagged(id: RequestId, params: JsonObject): JsonObject {
  return withMeta(params, { ...(isObject(params._meta) ? params._meta : undefined), [MetaKey.subscriptionId]: id })
}

/**
 * Keeps a change for a reader who lags behind, each once. When too many different ones wait, each stands for all of the collection that
 * was subscribed to.
 */
function wait({ waiting, uris }: Listener, change: Change): void {
  waiting.set(placeOf(change), change)
  if (waiting.size <= MAX_WAITING) return
  const all = [...waiting.values()]
  waiting.clear()
  for (const one of all) {
    const meant = 'updated' in one ? { updated: [...uris].find((uri) => covers(uri, one.updated)) ?? one.updated } : one
    waiting.set(placeOf(meant), meant)
  }
}

/** Of two changes with the same place the later one says enough. */
function placeOf(change: Change): string {
  return JSON.stringify('key' in change ? [change.key, change.subject] : change)
}

/** A resource is meant by its own URI and by that of a collection which it lies in. */
function wants({ filter, uris }: Listener, change: Change): boolean {
  if ('list' in change) return filter[change.list] === true
  if ('key' in change) return hears(filter[change.key], change.subject)
  if (uris.has(change.updated)) return true
  for (const uri of uris) if (covers(uri, change.updated)) return true
  return false
}

function hears(honoured: unknown, subject: string): boolean {
  return honoured === true || (Array.isArray(honoured) && honoured.includes(subject))
}

function covers(collection: string, uri: string): boolean {
  return uri === collection || uri.startsWith(collection.endsWith('/') ? collection : `${collection}/`)
}
