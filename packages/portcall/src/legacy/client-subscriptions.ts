import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import {
  isObject,
  type JsonObject,
  type Notification,
  notification,
  type Request,
  type RequestId,
  type Response,
} from '../jsonrpc/message.ts'
import { invalidParams } from '../protocol/errors.ts'
import { MetaKey } from '../protocol/meta.ts'
import { LIST_CHANGES, LIST_OWNERS, LISTS } from '../protocol/methods.ts'
import type { ServerCapabilities, SubscriptionFilter } from '../protocol/types.ts'
import { createWatches } from './client-watches.ts'

const UPDATED = 'notifications/resources/updated'

/** What a client of the newest revision listens for, kept up on a server of the legacy era. */
export interface ClientSubscriptions {
  /** Serves one `subscriptions/listen`; it ends with its signal, or with the connection, always by a rejection. */
  listen(request: Request, context: ExchangeContext): Promise<Response>
  /** Brings a change to those who listen for it. Tells whether it was a change. */
  deliver(notification: Notification): boolean
  /** Tells everybody of everything, for anything may have changed unheard. */
  deliverAll(): void
  /** Ends all of them. */
  close(reason: Error): void
}

export interface ClientSubscriptionsOptions {
  readonly capabilities: ServerCapabilities
  readonly ask: (method: string, params: JsonObject) => Promise<Response>
}

interface Listener {
  readonly honoured: SubscriptionFilter
  readonly uris: readonly string[]
  /** Rejects when it is over. */
  readonly ended: Promise<never>
  send(method: string, params?: JsonObject): void
  end(reason: unknown): void
}

export function createClientSubscriptions({ capabilities, ask }: ClientSubscriptionsOptions): ClientSubscriptions {
  const listeners = new Set<Listener>()
  const watches = createWatches(ask)
  let ended: Error | undefined

  const honour = async (asked: JsonObject): Promise<SubscriptionFilter> => {
    const honoured: SubscriptionFilter = {}
    for (const list of LISTS) if (asked[list] === true && capabilities[LIST_OWNERS[list]]?.listChanged) honoured[list] = true
    const wanted: unknown[] =
      capabilities.resources?.subscribe && Array.isArray(asked.resourceSubscriptions) ? asked.resourceSubscriptions : []
    const uris = [...new Set(wanted.filter((uri) => typeof uri === 'string'))]
    const honouredUris = await watches.enter(uris)
    return honouredUris.length > 0 ? { ...honoured, resourceSubscriptions: honouredUris } : honoured
  }

  return {
    async listen({ id, params = {} }, { signal, notify }) {
      if (!isObject(params.notifications)) throw invalidParams('notifications has to be an object')
      const honoured = await honour(params.notifications)
      const listener = createListener(honoured, id, notify)
      const abort = (): void => listener.end(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      listeners.add(listener)
      try {
        if (ended ?? signal.aborted) throw ended ?? signal.reason
        listener.send('notifications/subscriptions/acknowledged', { notifications: honoured })
        return await listener.ended
      } finally {
        signal.removeEventListener('abort', abort)
        listeners.delete(listener)
        for (const uri of listener.uris) watches.leave(uri)
      }
    },
    deliver({ method, params }) {
      const list = LISTS.find((one) => LIST_CHANGES[one] === method)
      if (list === undefined && method !== UPDATED) return false
      for (const listener of listeners)
        if (list ? listener.honoured[list] : covers(listener.uris, params?.uri)) listener.send(method, params)
      return true
    },
    deliverAll() {
      for (const { honoured, uris, send } of listeners) {
        for (const list of LISTS) if (honoured[list]) send(LIST_CHANGES[list])
        for (const uri of uris) send(UPDATED, { uri })
      }
    },
    close(reason) {
      ended ??= reason
      for (const listener of listeners) listener.end(reason)
    },
  }
}

function createListener(honoured: SubscriptionFilter, id: RequestId, notify: ExchangeContext['notify']): Listener {
  let end!: (reason: unknown) => void
  const ended = new Promise<never>((_, reject) => {
    end = reject
  })
  ended.catch(() => {})
  return {
    honoured,
    uris: honoured.resourceSubscriptions ?? [],
    ended,
    end,
    send(method, params) {
      const meta = isObject(params?._meta) ? params._meta : undefined
      void notify(notification(method, { ...params, _meta: { ...meta, [MetaKey.subscriptionId]: id } }))
    },
  }
}

/** A server may tell of a part of what was subscribed to. */
function covers(uris: readonly string[], updated: unknown): boolean {
  if (typeof updated !== 'string') return false
  return uris.some(
    (uri) => updated === uri || (updated.startsWith(uri) && (/[/?#]$/.test(uri) || /^[/?#]/.test(updated.slice(uri.length)))),
  )
}
