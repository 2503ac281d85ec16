import type { Channel } from '../../jsonrpc/channel.ts'
import { notification } from '../../jsonrpc/message.ts'
import type { OutgoingRequestsOptions } from '../../jsonrpc/outgoing-requests.ts'
import { createPeer, type Peer } from '../../jsonrpc/peer.ts'
import type { UnexpectedMessage } from '../../jsonrpc/unexpected-message.ts'
import type { LegacyConnection } from './connection.ts'

export interface ChannelConnectionOptions extends OutgoingRequestsOptions {
  /** Called for input that is not a valid message. It is not answered. */
  readonly onUnexpectedMessage?: (noise: UnexpectedMessage) => void
}

/** Creates a connection over a channel, such as a child process, a socket or an in-memory pair. */
export function createChannelConnection(
  channel: Channel,
  { onUnexpectedMessage = () => {}, ...ids }: ChannelConnectionOptions = {},
): LegacyConnection {
  let peer: Peer

  return {
    receive({ onRequest, onNotification, onClose }) {
      peer = createPeer(channel, {
        ...ids,
        onUnexpectedMessage,
        exchange: (request, { signal }) => onRequest(request, signal),
        onNotification(message) {
          if (message.method === 'notifications/cancelled') peer.cancel(message.params?.requestId, message.params?.reason)
          else onNotification(message)
        },
        acceptsBatches: () => true,
        limits: { maxBatch: Infinity },
        sendCancellation: (requestId) => void peer.notify(notification('notifications/cancelled', { requestId })),
        onDisconnect(reason) {
          peer.cancelAll(reason)
          onClose(reason)
        },
      })
    },
    request: (method, params, context) => peer.request(method, params, context),
    notify: (message) => peer.notify(message),
    initialized: async () => {},
    close: () => peer.close(),
  }
}
