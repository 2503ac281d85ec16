import type { Channel, ChannelInput } from '../jsonrpc/channel.ts'

/** Hands one channel from the connection that probes for the newest revision to the one that falls back to an older revision. */
export interface ChannelHandoff {
  /** Returns a view of the channel. Earlier views receive nothing from now on. */
  view(): Channel
}

export function createChannelHandoff(channel: Channel): ChannelHandoff {
  let deliver: (received: ChannelInput) => void = () => {}
  let close: (reason?: Error) => void = () => {}
  let started = false
  let closed: { reason: Error | undefined } | undefined

  return {
    view: () => ({
      ...channel,
      send: (message) => channel.send(message),
      close: () => channel.close(),
      receive(onReceived, onClose) {
        deliver = onReceived
        close = onClose
        if (closed) return queueMicrotask(() => onClose(closed?.reason))
        if (started) return
        started = true
        channel.receive(
          (received) => deliver(received),
          (reason) => {
            closed = { reason }
            close(reason)
          },
        )
      },
    }),
  }
}
