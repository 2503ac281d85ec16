import type { Channel } from '../jsonrpc/channel.ts'

/** What goes wrong in one direction. Functions get the message, and how many came before it. */
export interface MessageFaults {
  /** Never arrives. */
  readonly drop?: (message: unknown, index: number) => boolean
  /** Arrives so many milliseconds later, and what follows never before it. */
  readonly delayMs?: number | ((message: unknown, index: number) => number)
  /** Arrives twice. */
  readonly repeat?: (message: unknown, index: number) => boolean
  /** The channel ends in place of the message with this index. */
  readonly endAt?: number
}

/** What goes wrong in both, as its user sees them, and the timer that delays use. */
export interface ChannelFaults {
  readonly sent?: MessageFaults
  readonly received?: MessageFaults
  readonly setTimeout?: (callback: () => void, ms: number) => unknown
}

/** Makes a channel on which things go wrong. Use what it returns in its place. */
export function faultyChannel(channel: Channel, faults: ChannelFaults): Channel {
  const timer = faults.setTimeout ?? ((callback, ms) => setTimeout(callback, ms))
  let end: ((reason?: Error) => void) | undefined
  const finish = (reason?: Error): void => {
    end?.(reason)
    end = undefined
  }
  const cut = (): void => {
    void channel.close()
    finish()
  }
  const way = { timer, cut }
  const onward = createLine(faults.sent ?? {}, way)
  const back = createLine(faults.received ?? {}, way)
  return {
    send: (message) => onward(message, () => channel.send(message)),
    receive(onReceived, onClose) {
      end = onClose
      const deliver = (received: Parameters<typeof onReceived>[0]): void => {
        if (end) onReceived(received)
      }
      channel.receive((received) => void back('value' in received ? received.value : received, () => deliver(received)), finish)
    },
    close: () => channel.close(),
  }
}

/** One direction: decides what becomes of a message, and passes it on in order. */
type Line = (message: unknown, pass: () => void | Promise<void>) => void | Promise<void>

function createLine(
  { drop, delayMs = 0, repeat, endAt = Infinity }: MessageFaults,
  { timer, cut }: { timer: NonNullable<ChannelFaults['setTimeout']>; cut(): void },
): Line {
  let count = 0
  let before: Promise<void> | undefined

  const later = (ms: number, pass: () => void | Promise<void>): Promise<void> => {
    const due = new Promise<void>((resolve) => void timer(resolve, ms))
    before = Promise.all([before, due]).then(pass)
    return before
  }
  return (message, pass) => {
    const index = count++
    if (index >= endAt) return index === endAt ? cut() : undefined
    if (drop?.(message, index)) return undefined
    const ms = typeof delayMs === 'function' ? delayMs(message, index) : delayMs
    if (repeat?.(message, index)) void (before || ms > 0 ? later(ms, pass) : pass())
    return before || ms > 0 ? later(ms, pass) : pass()
  }
}
