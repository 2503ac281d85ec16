import type { Channel } from '../../jsonrpc/channel.ts'
import type { Exchange } from '../../jsonrpc/exchange.ts'
import { type Notification, notification, type Request, type RequestId } from '../../jsonrpc/message.ts'
import { createPeer, type Peer, type PeerLimits } from '../../jsonrpc/peer.ts'
import { LegacySession } from '../../legacy/server/session.ts'
import { isModern } from '../../protocol/meta.ts'
import { methodOf as coreMethodOf, DROPPABLE_NOTIFICATIONS, type MethodLookup } from '../../protocol/methods.ts'

/** Options of `serveChannel`. */
export interface ServeChannelOptions {
  /** Limits on sizes, counts and times. */
  readonly limits?: Partial<PeerLimits>
  /** Called once when the channel has ended. Default: cancels long-lived requests, which would never end by themselves. */
  readonly onEnd?: () => void
  /** Called once after that, when all responses have been sent. */
  readonly onClose?: () => void
}

/** A server, or anything else with an Exchange. */
export interface ServableExchange {
  readonly exchange: Exchange
  /** Looks up how a method is routed. Default: the methods of the protocol. */
  readonly methodOf?: MethodLookup
  /** Receives internal errors. May return a reference for the client. */
  readonly reportError?: (error: unknown) => unknown
}

/**
 * Serves a server over a channel, in both eras at once: requests with an envelope go to the core, all others belong to the legacy session
 * of the channel.
 */
export function serveChannel(
  { exchange: core, methodOf = coreMethodOf, reportError }: ServableExchange,
  channel: Channel,
  { limits, onEnd, onClose }: ServeChannelOptions = {},
): Peer {
  const session = new LegacySession({ core, notify: (change) => peer.notify(change) })
  const open = new Set<RequestId>()
  const isLongLived = ({ method }: Request): boolean => methodOf(method)?.longLived === true

  const cancelOpen = (): void => {
    for (const id of open) peer.cancel(id)
  }
  const exchange: Exchange = (request, context) => {
    if (isModern(request)) {
      if (!isLongLived(request)) return core(request, context)
      open.add(request.id)
      return core(request, context).finally(() => open.delete(request.id))
    }
    if (request.method !== 'initialize') session.listen()
    return session.exchange(request, context)
  }
  const onNotification = ({ method, params }: Notification): void => {
    if (method === 'notifications/cancelled') return void peer.cancel(params?.requestId, params?.reason)
    if (method === 'notifications/initialized') session.listen()
  }

  const peer = createPeer(boundedChannel(channel), {
    exchange,
    onNotification,
    isLongLived,
    ...(reportError && { onError: reportError }),
    acceptsBatches: () => session.revision.batches,
    sendCancellation: (requestId) => void peer.notify(notification('notifications/cancelled', { requestId })),
    onDisconnect: onEnd ?? cancelOpen,
    onClose: () => {
      session.close()
      onClose?.()
    },
    ...(limits && { limits }),
  })
  return peer
}

/**
 * Buffered bytes from which on notifications are not sent any more. Together with the buffers of pipes and readers, a client that does not
 * read causes at most about 4 MiB of buffered data.
 */
const MAX_BUFFERED_BYTES = (4096 - 256) * 1024

/**
 * Limits the memory that handlers can fill if they do not wait for a slow client: progress and log messages are dropped, and sending any
 * other notification fails. Responses and requests are always sent.
 */
function boundedChannel(channel: Channel): Channel {
  return {
    send(message) {
      const isNotification = !Array.isArray(message) && 'method' in message && !('id' in message)
      if (!isNotification || (channel.bufferedBytes ?? 0) <= MAX_BUFFERED_BYTES) return channel.send(message)
      if (!DROPPABLE_NOTIFICATIONS.has(message.method)) throw new Error('The client does not read its messages')
    },
    receive: (onReceived, onClose) => channel.receive(onReceived, onClose),
    close: () => channel.close(),
  }
}
