import type { Channel, Received } from '../jsonrpc/channel.ts'

/** One channel that two speakers use after one another: the one that tried the newest revision, and the one that fell back. */
export interface Relay {
  /** A view of the channel; the one before hears nothing from now on. */
  view(): Channel
}

export function createRelay(channel: Channel): Relay {
  let deliver: (received: Received) => void = () => {}
  let end: (reason?: Error) => void = () => {}
  let started = false
  let ended: { reason: Error | undefined } | undefined

  return {
    view: () => ({
      ...channel,
      send: (message) => channel.send(message),
      close: () => channel.close(),
      receive(onReceived, onClose) {
        deliver = onReceived
        end = onClose
        if (ended) return queueMicrotask(() => onClose(ended?.reason))
        if (started) return
        started = true
        channel.receive(
          (received) => deliver(received),
          (reason) => {
            ended = { reason }
            end(reason)
          },
        )
      },
    }),
  }
}
