import type { Channel } from '../../jsonrpc/channel.ts'

/** The faults of one direction of a channel. The functions receive the message and its index, starting at 0. */
export interface MessageFaults {
  /** Reports whether the message is dropped. */
  readonly drop?: (message: unknown, index: number) => boolean
  /** Delays messages. Their order is preserved, so a message may also delay the ones after it. */
  readonly delayMs?: number | ((message: unknown, index: number) => number)
  /** Reports whether the message is delivered twice. */
  readonly duplicate?: (message: unknown, index: number) => boolean
  /** Closes the channel in place of the message with this index. */
  readonly closeAt?: number
}

/** The faults of a channel, as seen from the side that uses it. */
export interface ChannelFaults {
  /** Faults of the messages that this side sends. */
  readonly sent?: MessageFaults
  /** Faults of the messages that this side receives. */
  readonly received?: MessageFaults
  /** The timer for delays. Default: the global `setTimeout`. */
  readonly setTimeout?: (callback: () => void, ms: number) => unknown
}

/** Returns a channel with faults. Use it in place of the original one. */
export function faultyChannel(channel: Channel, faults: ChannelFaults): Channel {
  const timer = faults.setTimeout ?? ((callback, ms) => setTimeout(callback, ms))
  let onEnd: ((reason?: Error) => void) | undefined
  const end = (reason?: Error): void => {
    onEnd?.(reason)
    onEnd = undefined
  }
  const close = (): void => {
    void channel.close()
    end()
  }
  const send = createDirection(faults.sent ?? {}, { timer, close })
  const receive = createDirection(faults.received ?? {}, { timer, close })
  return {
    send: (message) => send(message, () => channel.send(message)),
    receive(onReceived, onClose) {
      onEnd = onClose
      const deliver = (input: Parameters<typeof onReceived>[0]): void => {
        if (onEnd) onReceived(input)
      }
      channel.receive((input) => void receive('value' in input ? input.value : input, () => deliver(input)), end)
    },
    close: () => channel.close(),
  }
}

/** Applies the faults of a direction to a message. `pass` delivers it. */
type Direction = (message: unknown, pass: () => void | Promise<void>) => void | Promise<void>

interface DirectionOptions {
  readonly timer: NonNullable<ChannelFaults['setTimeout']>
  close(): void
}

function createDirection(
  { drop, delayMs = 0, duplicate, closeAt = Infinity }: MessageFaults,
  { timer, close }: DirectionOptions,
): Direction {
  let count = 0
  let previous: Promise<void> | undefined

  const passLater = (ms: number, pass: () => void | Promise<void>): Promise<void> => {
    const elapsed = new Promise<void>((resolve) => void timer(resolve, ms))
    previous = Promise.all([previous, elapsed]).then(pass)
    return previous
  }
  return (message, pass) => {
    const index = count++
    if (index >= closeAt) return index === closeAt ? close() : undefined
    if (drop?.(message, index)) return undefined
    const ms = typeof delayMs === 'function' ? delayMs(message, index) : delayMs
    if (duplicate?.(message, index)) void (previous || ms > 0 ? passLater(ms, pass) : pass())
    return previous || ms > 0 ? passLater(ms, pass) : pass()
  }
}
