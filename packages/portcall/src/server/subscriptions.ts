import { whenGivenUp } from '../jsonrpc/exchange.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { invalidParams } from '../protocol/errors.ts'
import { MetaKey, withMeta } from '../protocol/meta.ts'
import { LIST_CHANGES, LISTS, type ListChange } from '../protocol/methods.ts'
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
  /** Whether this server tells of the changes of a list. */
  readonly tells: (list: ListChange) => boolean
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

type Resolve = (result: JsonObject) => void

/** One open request. There may be very many, and most are told nothing for a long time. */
class Listener {
  readonly filter: SubscriptionFilter
  /** What it has missed while its reader lagged behind. */
  waiting: Map<string, Change> | undefined
  blocked = false
  #call: CallContext
  #resolve: Resolve

  constructor(call: CallContext, filter: SubscriptionFilter, resolve: Resolve) {
    this.filter = filter
    this.#call = call
    this.#resolve = resolve
  }

  end(): void {
    this.#resolve({ _meta: taggedBy(this.#call) })
  }

  send(change: Change): void | Promise<void> {
    if ('list' in change) return this.#notify(LIST_CHANGES[change.list], {})
    if ('updated' in change) return this.#notify('notifications/resources/updated', { uri: change.updated })
    return this.#notify(change.method, change.params)
  }

  #notify(method: string, params: JsonObject): void | Promise<void> {
    const call = this.#call
    return call.notify(method, withMeta(params, { ...(isObject(params._meta) ? params._meta : undefined), ...taggedBy(call) }))
  }
}

export function createSubscriptions({ bus, tells, permit, filters, onError }: SubscriptionsOptions): Subscriptions {
  const listeners = new Set<Listener>()
  let closed = false

  const deliver = (listener: Listener, change: Change): void => {
    if (listener.blocked) return wait(listener, change)
    const full = listener.send(change)
    if (!full) return
    listener.blocked = true
    void full.then(() => {
      listener.blocked = false
      const late = listener.waiting?.values() ?? []
      listener.waiting = undefined
      for (const missed of late) deliver(listener, missed)
    })
  }

  const onMessage = (message: string): void => {
    const change = JSON.parse(message) as Change
    for (const listener of listeners) if (wants(listener, change)) deliver(listener, change)
  }

  const bond = createBond(bus, onMessage, onError)

  /** Opens a subscription, which is resolved at its end. */
  const open = async (call: CallContext, resolve: Resolve): Promise<void> => {
    const asked = call.request.params?.notifications
    if (!isObject(asked)) throw invalidParams('notifications has to be an object')
    const filter: SubscriptionFilter = {}
    for (const list of LISTS) if (asked[list] === true && tells(list)) filter[list] = true
    const uris = readUris(asked.resourceSubscriptions)
    const honoured = uris.length > 0 ? await permit(uris, call) : uris
    if (honoured.length > 0) filter.resourceSubscriptions = [...honoured]
    if (filters.size > 0) Object.assign(filter, await honourMore(filters, asked, call))
    await bond.attach()
    void call.notify('notifications/subscriptions/acknowledged', { _meta: taggedBy(call), notifications: filter })
    const listener = new Listener(call, filter, resolve)
    if (closed) return listener.end()
    listeners.add(listener)
    whenGivenUp(call.context, () => {
      listeners.delete(listener)
      listener.end()
    })
  }

  return {
    get size() {
      return listeners.size
    },
    publish(change) {
      bond.publish(JSON.stringify(change))
    },
    listen: (call) => new Promise((resolve, reject) => void open(call, resolve).catch(reject)),
    close() {
      closed = true
      for (const listener of listeners) listener.end()
      listeners.clear()
      bond.detach()
    },
  }
}

function readUris(asked: unknown): readonly string[] {
  const uris = asked ?? []
  if (!Array.isArray(uris) || uris.length > MAX_URIS)
    throw invalidParams(`resourceSubscriptions has to be an array of at most ${MAX_URIS} URIs`)
  return uris.filter((uri) => typeof uri === 'string')
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

/** What tells a client which of its requests a message belongs to. */
function taggedBy({ requestId }: CallContext): JsonObject {
  return { [MetaKey.subscriptionId]: requestId }
}

/**
 * Keeps a change for a reader who lags behind, each once. When too many different ones wait, each stands for all of the collection that
 * was subscribed to.
 */
function wait(listener: Listener, change: Change): void {
  const { resourceSubscriptions: uris = [] } = listener.filter
  const waiting = (listener.waiting ??= new Map())
  waiting.set(placeOf(change), change)
  if (waiting.size <= MAX_WAITING) return
  const all = [...waiting.values()]
  waiting.clear()
  for (const one of all) {
    const meant = 'updated' in one ? { updated: uris.find((uri) => covers(uri, one.updated)) ?? one.updated } : one
    waiting.set(placeOf(meant), meant)
  }
}

/** Of two changes with the same place the later one says enough. */
function placeOf(change: Change): string {
  return JSON.stringify('key' in change ? [change.key, change.subject] : change)
}

/** A resource is meant by its own URI and by that of a collection which it lies in. */
function wants({ filter }: Listener, change: Change): boolean {
  if ('list' in change) return filter[change.list] === true
  if ('key' in change) return hears(filter[change.key], change.subject)
  return filter.resourceSubscriptions?.some((uri) => covers(uri, change.updated)) === true
}

function hears(honoured: unknown, subject: string): boolean {
  return honoured === true || (Array.isArray(honoured) && honoured.includes(subject))
}

function covers(collection: string, uri: string): boolean {
  return uri === collection || uri.startsWith(collection.endsWith('/') ? collection : `${collection}/`)
}
