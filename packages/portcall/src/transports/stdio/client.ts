import type { Channel, Received } from '../../jsonrpc/channel.ts'
import { ConnectionLost, closedHere } from '../../jsonrpc/errors.ts'
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
import { failUnreadable, type Noise, noiseOf } from '../../jsonrpc/noise.ts'
import { createOutgoing, type OutgoingOptions } from '../../jsonrpc/outgoing.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { type MethodOf, methodOf as methodOfCore } from '../../protocol/methods.ts'
import { createReports } from '../../protocol/reports.ts'

/** How a server is spoken to over a channel. */
export interface ChannelExchangeOptions extends OutgoingOptions {
  /** Hears of what comes and is no answer and no notification: junk on stdout, requests, which servers of this era do not make. */
  readonly onNoise?: (noise: Noise) => void
  /** What is known of each method. Default: what the protocol has. */
  readonly methodOf?: MethodOf
}

/** A server at the other end of a channel. */
export interface ChannelExchange {
  readonly exchange: Exchange
  /** Calls back once, when the channel has ended; at once when it has already. */
  onClose(listener: (reason: Error) => void): void
  close(): Promise<void>
}

/** Who listens: the id that its request has for its sender, and the way there. */
interface Listener extends Pick<ExchangeContext, 'notify'> {
  readonly id: RequestId
}

/**
 * Makes an Exchange of the newest revision out of a channel. Ids on the channel are its own; a request that is given up is cancelled
 * there. Rejects with `ConnectionLost` when the channel ends first, with `UnreadableAnswer` when an answer was too large or malformed;
 * the channel then lives on.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export function createChannelExchange(channel: Channel, options: ChannelExchangeOptions = {}): ChannelExchange {
  const { onNoise, methodOf = methodOfCore, ...ids } = options
  const outgoing = createOutgoing(ids)
  const reports = createReports()
  const listeners = new Map<RequestId, Listener>()
  const closing: Array<(reason: Error) => void> = []
  let ended: Error | undefined

  const send = (request: Request, listener: Listener): void => {
    if (ended) throw ended
    if (methodOf(request.method)?.longLived) listeners.set(request.id, listener)
    void channel.send(request)
  }
  const cancel = (requestId: RequestId): void => void channel.send(notification('notifications/cancelled', { requestId }))
  const exchange: Exchange = ({ id, method, params }, context) => {
    const { notify } = context
    const report = reports.enter(params, notify)
    const answer = outgoing.ask(method, report.params, {
      caller: context,
      send: (request) => send(request, { id, notify }),
      onAbort: cancel,
      onOver(sent) {
        report.leave()
        listeners.delete(sent)
      },
    })
    return answer.then((response) => renamed(response, id))
  }

  const tell = (told: Notification): void => {
    const { method, params = {} } = told
    if (method === 'notifications/cancelled') return endListener(params.requestId as RequestId)
    const listener = listeners.get(subscriptionOf(params) as RequestId)
    if (listener) return void listener.notify({ ...told, params: tagged(params, listener.id) })
    reports.deliver(told)
  }
  const endListener = (id: RequestId): void => {
    if (listeners.has(id)) outgoing.drop(id, new ConnectionLost('The server has ended the subscription'))
  }
  const take = (value: unknown): void => {
    const received = classify(value)
    if (received.kind === 'response') outgoing.settle(received.message)
    else if (received.kind === 'notification') tell(received.message)
    else refuse({ value })
  }
  const refuse = (received: Received): void => {
    if (!failUnreadable(received, outgoing)) onNoise?.(noiseOf(received))
  }

  channel.receive(
    (received) => {
      if ('unreadable' in received) return refuse(received)
      for (const value of Array.isArray(received.value) ? received.value : [received.value]) take(value)
    },
    (reason = new ConnectionLost()) => {
      ended ??= reason
      outgoing.fail(ended)
      for (const listener of closing.splice(0)) listener(ended)
    },
  )
  return {
    exchange,
    onClose: (listener) => void (ended ? listener(ended) : closing.push(listener)),
    close() {
      ended ??= closedHere()
      return channel.close()
    },
  }
}

function subscriptionOf({ _meta }: JsonObject): unknown {
  return isObject(_meta) ? _meta[MetaKey.subscriptionId] : undefined
}

/** Says of which subscription a notification or a result is, in the sender's own id. */
function tagged(body: JsonObject, id: RequestId): JsonObject {
  return { ...body, _meta: { ...(isObject(body._meta) ? body._meta : undefined), [MetaKey.subscriptionId]: id } }
}

function renamed(response: Response, id: RequestId): Response {
  if (!isSuccess(response)) return { ...response, id }
  const { result } = response
  return success(id, subscriptionOf(result) === undefined ? result : tagged(result, id))
}
