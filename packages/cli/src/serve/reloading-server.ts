/**
 * A server whose implementation can be replaced while clients stay connected. Subscriptions continue on the new implementation; because
 * anything may have changed, their clients are notified of every change that they subscribed to.
 */

import type { ServerLike } from 'portcall'
import type { ChannelExchange, Exchange, ExchangeContext } from 'portcall/client'
import {
  isObject,
  type JsonObject,
  type Notification,
  notification,
  type RequestId,
  type Response,
  success,
} from 'portcall/jsonrpc'

export interface ReloadingServer extends ServerLike {
  /** Starts a new implementation. The old one finishes its calls. Rejects if the new one does not start; the old one then stays. */
  reload(): Promise<void>
}

export interface ReloadingServerOptions {
  readonly start: () => Promise<ChannelExchange>
  readonly onError: (error: unknown) => void
  /** Time for the calls of the old implementation to finish, in milliseconds. Default: 5000. */
  readonly drainTimeoutMs?: number
}

const DRAIN_TIMEOUT_MS = 5000

/** One implementation. */
interface Implementation {
  readonly connection: ChannelExchange
  /** Aborted when the implementation has been replaced. */
  readonly replaced: AbortController
  calls: number
}

/** Creates a server. Requests wait until the first implementation has started. */
export function createReloadingServer(options: ReloadingServerOptions): ReloadingServer {
  const { start, onError, drainTimeoutMs = DRAIN_TIMEOUT_MS } = options
  let resolveFirst = (_first: Implementation): void => {}
  let current = new Promise<Implementation>((resolve) => {
    resolveFirst = resolve
  })
  const closing = new AbortController()

  const retire = ({ connection, replaced, calls }: Implementation): void => {
    replaced.abort()
    const close = (): void => void connection.close()
    if (calls === 0) close()
    else setTimeout(close, drainTimeoutMs).unref()
  }
  const call: Exchange = async (request, context) => {
    const implementation = await current
    implementation.calls++
    try {
      return await implementation.connection.exchange(request, context)
    } finally {
      if (--implementation.calls === 0 && implementation.replaced.signal.aborted) void implementation.connection.close()
    }
  }
  const listen: Exchange = async (request, context) => {
    for (let isRepeated = false; ; isRepeated = true) {
      const { connection, replaced } = await current
      const signal = AbortSignal.any([context.signal, replaced.signal, closing.signal])
      const notify = isRepeated ? notifyOfAllChanges(context) : (message: Notification) => context.notify(message)
      const response = await connection.exchange(request, { signal, notify }).catch((error: unknown) => {
        if (context.signal.aborted || !(replaced.signal.aborted || closing.signal.aborted)) throw error
      })
      if (response || closing.signal.aborted) return response ?? endOfSubscription(request.id)
    }
  }
  return {
    exchange: (request, context) => (request.method === 'subscriptions/listen' ? listen : call)(request, context),
    reportError: onError,
    close: () => closing.abort(),
    async reload() {
      const implementation: Implementation = { connection: await start(), replaced: new AbortController(), calls: 0 }
      const previous = current
      current = Promise.resolve(implementation)
      resolveFirst(implementation)
      const old = await previous
      if (old !== implementation) retire(old)
    },
  }
}

/** Returns the result of a subscription that the server has ended. */
function endOfSubscription(id: RequestId): Response {
  return success(id, { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': id } })
}

/** Forwards notifications. An acknowledgement becomes a notification for every kind of change in the filter. */
function notifyOfAllChanges(context: ExchangeContext): (message: Notification) => void {
  return (message) => {
    const isAcknowledgement = message.method === 'notifications/subscriptions/acknowledged'
    for (const each of isAcknowledgement ? allChanges(message.params ?? {}) : [message]) void context.notify(each)
  }
}

const LIST_NOTIFICATIONS: { readonly [list: string]: string } = {
  toolsListChanged: 'notifications/tools/list_changed',
  promptsListChanged: 'notifications/prompts/list_changed',
  resourcesListChanged: 'notifications/resources/list_changed',
}

function allChanges({ notifications: filter, _meta }: JsonObject): Notification[] {
  if (!isObject(filter)) return []
  const lists = Object.entries(LIST_NOTIFICATIONS).filter(([list]) => filter[list] === true)
  const uris = Array.isArray(filter.resourceSubscriptions) ? filter.resourceSubscriptions : []
  return [
    ...lists.map(([, method]) => notification(method, { _meta })),
    ...uris.map((uri) => notification('notifications/resources/updated', { uri, _meta })),
  ]
}
