import type { Channel } from '../../jsonrpc/channel.ts'
import { DROPPABLE } from '../../protocol/methods.ts'

/**
 * How much may wait here for a client that does not read before notifications are not added to it any more. With what pipes hold, and
 * readers ahead of who reads, that is some 4 MiB between a handler and its client.
 */
const MAX_UNREAD_BYTES = (4096 - 256) * 1024

/**
 * Bounds what handlers can pile up who do not wait for a client that does not read: progress and log messages are dropped then, and
 * sending any other notification fails. Answers and questions always go out.
 */
export function boundedChannel(channel: Channel): Channel {
  return {
    send(message) {
      const isNotification = !Array.isArray(message) && 'method' in message && !('id' in message)
      if (!isNotification || (channel.bufferedBytes ?? 0) <= MAX_UNREAD_BYTES) return channel.send(message)
      if (!DROPPABLE.has(message.method)) throw new Error('The client does not read what it is sent')
    },
    receive: (onReceived, onClose) => channel.receive(onReceived, onClose),
    close: () => channel.close(),
  }
}
