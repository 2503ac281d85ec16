import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import {
  isObject,
  type JsonObject,
  type Notification,
  notification,
  type Request,
  type RequestId,
  type Response,
} from '../../jsonrpc/message.ts'
import { invalidParams } from '../../protocol/errors.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { LIST_CAPABILITIES, LIST_CHANGE_KEYS, LIST_CHANGES } from '../../protocol/methods.ts'
import type { ServerCapabilities, SubscriptionFilter } from '../../protocol/types.ts'
import { createResourceSubscriptions } from './resource-subscriptions.ts'

const RESOURCE_UPDATED = 'notifications/resources/updated'

/** The subscriptions of a client of the newest revision on a legacy server. */
export interface ClientSubscriptions {
  /** Serves `subscriptions/listen`. It rejects when it is aborted or the connection ends, and never resolves. */
  listen(request: Request, context: ExchangeContext): Promise<Response>
  /** Delivers a change to the listeners that subscribed to it. Returns whether the notification was a change. */
  deliver(notification: Notification): boolean
  /** Reports everything that is subscribed to as changed, because notifications may have been lost. */
  deliverAll(): void
  /** Ends all listeners. */
  close(reason: Error): void
}

export interface ClientSubscriptionsOptions {
  readonly serverCapabilities: ServerCapabilities
  readonly request: (method: string, params: JsonObject) => Promise<Response>
}

interface Listener {
  readonly accepted: SubscriptionFilter
  readonly uris: readonly string[]
  /** Rejects when the listener has ended. */
  readonly ended: Promise<never>
  send(method: string, params?: JsonObject): void
  end(reason: unknown): void
}

export function createClientSubscriptions({ serverCapabilities, request }: ClientSubscriptionsOptions): ClientSubscriptions {
  const listeners = new Set<Listener>()
  const resources = createResourceSubscriptions(request)
  let closeReason: Error | undefined

  /** Subscribes to the resources of a filter. Returns the part of the filter that the server supports. */
  const accept = async (filter: JsonObject): Promise<SubscriptionFilter> => {
    const accepted: SubscriptionFilter = {}
    for (const list of LIST_CHANGE_KEYS)
      if (filter[list] === true && serverCapabilities[LIST_CAPABILITIES[list]]?.listChanged) accepted[list] = true
    const wanted: unknown[] =
      serverCapabilities.resources?.subscribe && Array.isArray(filter.resourceSubscriptions) ? filter.resourceSubscriptions : []
    const uris = [...new Set(wanted.filter((uri) => typeof uri === 'string'))]
    const acceptedUris = await resources.add(uris)
    return acceptedUris.length > 0 ? { ...accepted, resourceSubscriptions: acceptedUris } : accepted
  }

  return {
    async listen({ id, params = {} }, { signal, notify }) {
      if (!isObject(params.notifications)) throw invalidParams('notifications must be an object')
      const accepted = await accept(params.notifications)
      const listener = createListener(accepted, id, notify)
      const abort = (): void => listener.end(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      listeners.add(listener)
      try {
        if (closeReason ?? signal.aborted) throw closeReason ?? signal.reason
        listener.send('notifications/subscriptions/acknowledged', { notifications: accepted })
        return await listener.ended
      } finally {
        signal.removeEventListener('abort', abort)
        listeners.delete(listener)
        for (const uri of listener.uris) resources.remove(uri)
      }
    },
    deliver({ method, params }) {
      const changed = LIST_CHANGE_KEYS.find((list) => LIST_CHANGES[list] === method)
      if (changed === undefined && method !== RESOURCE_UPDATED) return false
      for (const listener of listeners)
        if (changed ? listener.accepted[changed] : includesResource(listener.uris, params?.uri)) listener.send(method, params)
      return true
    },
    deliverAll() {
      for (const { accepted, uris, send } of listeners) {
        for (const list of LIST_CHANGE_KEYS) if (accepted[list]) send(LIST_CHANGES[list])
        for (const uri of uris) send(RESOURCE_UPDATED, { uri })
      }
    },
    close(reason) {
      closeReason ??= reason
      for (const listener of listeners) listener.end(reason)
    },
  }
}

function createListener(accepted: SubscriptionFilter, id: RequestId, notify: ExchangeContext['notify']): Listener {
  let end!: (reason: unknown) => void
  const ended = new Promise<never>((_, reject) => {
    end = reject
  })
  ended.catch(() => {})
  return {
    accepted,
    uris: accepted.resourceSubscriptions ?? [],
    ended,
    end,
    send(method, params) {
      const meta = isObject(params?._meta) ? params._meta : undefined
      void notify(notification(method, { ...params, _meta: { ...meta, [MetaKey.subscriptionId]: id } }))
    },
  }
}

/** Reports whether an updated resource is one of `uris`, or a sub-resource of one: servers may report either. */
function includesResource(uris: readonly string[], updated: unknown): boolean {
  if (typeof updated !== 'string') return false
  return uris.some(
    (uri) => updated === uri || (updated.startsWith(uri) && (/[/?#]$/.test(uri) || /^[/?#]/.test(updated.slice(uri.length)))),
  )
}
