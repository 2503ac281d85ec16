import type { Channel } from '../jsonrpc/channel.ts'
import { notification } from '../jsonrpc/message.ts'
import type { Noise } from '../jsonrpc/noise.ts'
import type { OutgoingOptions } from '../jsonrpc/outgoing.ts'
import { createPeer, type Peer } from '../jsonrpc/peer.ts'
import type { LegacyLink } from './link.ts'

export interface ChannelLinkOptions extends OutgoingOptions {
  /** Hears of what comes and is no message: it is not answered. */
  readonly onNoise?: (noise: Noise) => void
}

/** Makes the link to a server at the other end of a channel: a child process, a socket, a pair in memory. */
export function createChannelLink(channel: Channel, { onNoise = () => {}, ...ids }: ChannelLinkOptions = {}): LegacyLink {
  let peer: Peer

  return {
    receive({ onRequest, onNotification, onClose }) {
      peer = createPeer(channel, {
        ...ids,
        onNoise,
        exchange: (request, { signal }) => onRequest(request, signal),
        onNotification(told) {
          if (told.method === 'notifications/cancelled') peer.cancel(told.params?.requestId, told.params?.reason)
          else onNotification(told)
        },
        batches: () => true,
        limits: { maxBatch: Infinity },
        onAbandoned: (requestId) => void peer.notify(notification('notifications/cancelled', { requestId })),
        onEnd(reason) {
          peer.cancelAll(reason)
          onClose(reason)
        },
      })
    },
    ask: (method, params, asker) => peer.ask(method, params, asker),
    notify: (told) => peer.notify(told),
    opened: async () => {},
    close: () => peer.close(),
  }
}
