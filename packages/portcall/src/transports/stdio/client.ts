import type { Channel, ChannelInput } from '../../jsonrpc/channel.ts'
import { ConnectionLostError, closedLocally } from '../../jsonrpc/errors.ts'
import type { Exchange, ExchangeContext } from '../../jsonrpc/exchange.ts'
import {
  classify,
  isObject,
  isSuccess,
  type JsonObject,
  type Notification,
  notification,
  type Request,
  type RequestId,
  type Response,
  success,
} from '../../jsonrpc/message.ts'
import { createOutgoingRequests, type OutgoingRequestsOptions } from '../../jsonrpc/outgoing-requests.ts'
import { rejectUnreadable, toUnexpectedMessage, type UnexpectedMessage } from '../../jsonrpc/unexpected-message.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { methodOf as coreMethodOf, type MethodLookup } from '../../protocol/methods.ts'
import { createNotificationRouter } from '../../protocol/notification-router.ts'

/** Options of `createChannelExchange`. */
export interface ChannelExchangeOptions extends OutgoingRequestsOptions {
  /** Receives input that is neither a response nor a notification: text on stdout, or requests, which modern servers do not send. */
  readonly onUnexpectedMessage?: (message: UnexpectedMessage) => void
  /** Looks up how a method is routed. Default: the methods of the protocol. */
  readonly methodOf?: MethodLookup
}

/** A server at the other end of a channel. */
export interface ChannelExchange {
  /** Sends requests to the server. */
  readonly exchange: Exchange
  /** Calls `listener` once when the channel has closed; at once if it already has. */
  onClose(listener: (reason: Error) => void): void
  /** Closes the channel. Pending requests fail. */
  close(): Promise<void>
}

/** The request that opened a subscription: its id before it was replaced, and its `notify`. */
interface SubscriptionRequest extends Pick<ExchangeContext, 'notify'> {
  readonly id: RequestId
}

/**
 * Creates an Exchange of the modern era from a channel. It uses its own request ids on the channel, and sends a cancellation for requests that
 * are aborted. Rejects with `ConnectionLostError` if the channel closes before the response, and with `InvalidResponseError` if the response is
 * too large or malformed; the channel then stays open.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export function createChannelExchange(channel: Channel, options: ChannelExchangeOptions = {}): ChannelExchange {
  const { onUnexpectedMessage, methodOf = coreMethodOf, ...ids } = options
  const outgoing = createOutgoingRequests(ids)
  const router = createNotificationRouter()
  const subscriptions = new Map<RequestId, SubscriptionRequest>()
  const closeListeners: Array<(reason: Error) => void> = []
  let ended: Error | undefined

  const send = (request: Request, subscription: SubscriptionRequest): void => {
    if (ended) throw ended
    if (methodOf(request.method)?.longLived) subscriptions.set(request.id, subscription)
    void channel.send(request)
  }
  const cancel = (requestId: RequestId): void => void channel.send(notification('notifications/cancelled', { requestId }))
  const exchange: Exchange = ({ id, method, params }, context) => {
    const { notify } = context
    const route = router.register(params, notify, context)
    const response = outgoing.request(method, route.params, {
      abortSource: context,
      send: (request) => send(request, { id, notify }),
      sendCancellation: cancel,
      onSettled(sent) {
        route.unregister()
        subscriptions.delete(sent)
      },
    })
    return response.then((received) => withOriginalIds(received, id))
  }

  const onNotification = (message: Notification): void => {
    const { method, params = {} } = message
    if (method === 'notifications/cancelled') return endSubscription(params.requestId as RequestId)
    const subscription = subscriptions.get(subscriptionOf(params) as RequestId)
    if (subscription) return void subscription.notify({ ...message, params: withSubscriptionId(params, subscription.id) })
    router.route(message)
  }
  const endSubscription = (id: RequestId): void => {
    if (subscriptions.has(id)) outgoing.reject(id, new ConnectionLostError('The server ended the subscription'))
  }
  const onMessage = (value: unknown): void => {
    const received = classify(value)
    if (received.kind === 'response') outgoing.settle(received.message)
    else if (received.kind === 'notification') onNotification(received.message)
    else onUnexpectedInput({ value })
  }
  const onUnexpectedInput = (received: ChannelInput): void => {
    if (!rejectUnreadable(received, outgoing)) onUnexpectedMessage?.(toUnexpectedMessage(received))
  }

  channel.receive(
    (received) => {
      if ('unreadable' in received) return onUnexpectedInput(received)
      for (const value of Array.isArray(received.value) ? received.value : [received.value]) onMessage(value)
    },
    (reason = new ConnectionLostError()) => {
      ended ??= reason
      outgoing.rejectAll(ended)
      for (const listener of closeListeners.splice(0)) listener(ended)
    },
  )
  return {
    exchange,
    onClose: (listener) => void (ended ? listener(ended) : closeListeners.push(listener)),
    close() {
      ended ??= closedLocally()
      return channel.close()
    },
  }
}

function subscriptionOf({ _meta }: JsonObject): unknown {
  return isObject(_meta) ? _meta[MetaKey.subscriptionId] : undefined
}

/** Returns params or a result with another subscription id. */
function withSubscriptionId(body: JsonObject, id: RequestId): JsonObject {
  return { ...body, _meta: { ...(isObject(body._meta) ? body._meta : undefined), [MetaKey.subscriptionId]: id } }
}

/** Replaces the id of a response, and its subscription id, by those that the caller used. */
function withOriginalIds(response: Response, id: RequestId): Response {
  if (!isSuccess(response)) return { ...response, id }
  const { result } = response
  return success(id, subscriptionOf(result) === undefined ? result : withSubscriptionId(result, id))
}
