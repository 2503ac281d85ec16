import type { Channel } from '../../jsonrpc/channel.ts'
import type { Exchange } from '../../jsonrpc/exchange.ts'
import { type Notification, notification, type Request, type RequestId } from '../../jsonrpc/message.ts'
import { createPeer, type Peer, type PeerLimits } from '../../jsonrpc/peer.ts'
import { isModern } from '../../legacy/negotiate.ts'
import { createLegacySession } from '../../legacy/session.ts'
import { type MethodOf, methodOf as methodOfCore } from '../../protocol/methods.ts'
import { boundedChannel } from './bounded.ts'

/** How a channel is served. */
export interface ServeChannelOptions {
  readonly limits?: Partial<PeerLimits>
  /** Called once, when the channel has ended; by default it gives up the requests that would stay open for ever. */
  readonly onEnd?: () => void
  /** Called once, when after that all answers are out. */
  readonly onClose?: () => void
}

/** What can be served: a server, or anything else that has an Exchange. */
export interface Served {
  readonly exchange: Exchange
  /** What is known of its methods. Default: what the protocol has. */
  readonly methodOf?: MethodOf
  /** Hears of what went wrong and is no caller's fault. */
  readonly report?: (error: unknown) => void
}

/**
 * Serves a server over a channel, in both eras at once: a request with an envelope goes to the core as it is, all others
 * belong to the one legacy session that a channel can have.
 */
export function serveChannel(
  { exchange: core, methodOf = methodOfCore, report }: Served,
  channel: Channel,
  { limits, onEnd, onClose }: ServeChannelOptions = {},
): Peer {
  const session = createLegacySession({ core, notify: (change) => peer.notify(change) })
  const open = new Set<RequestId>()
  const isLongLived = ({ method }: Request): boolean => methodOf(method)?.longLived === true

  const giveUpOpen = (): void => {
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
    ...(report && { onError: report }),
    batches: () => session.revision.batches,
    onAbandoned: (requestId) => void peer.notify(notification('notifications/cancelled', { requestId })),
    onEnd: onEnd ?? giveUpOpen,
    onClose: () => {
      session.close()
      onClose?.()
    },
    ...(limits && { limits }),
  })
  return peer
}
