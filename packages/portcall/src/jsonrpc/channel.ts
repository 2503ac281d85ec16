import type { Message } from './message.ts'

/** Bytes that could not be read as a JSON value. */
export interface Unreadable {
  readonly unreadable: 'syntax' | 'size' | 'depth'
  /** How they begin and end, where the channel was told to keep that. */
  readonly head?: string
  readonly tail?: string
}

/** What a channel delivers: a parsed JSON value, or bytes that could not be read as one. */
export type Received = { value: unknown } | Unreadable

/** A two-way pipe for messages: stdio, a socket, a pair in memory. */
export interface Channel {
  /**
   * Sends one message, in order with all others. Returns nothing while there is room; when the way out is full, a
   * promise that resolves when it has drained. After the end it does nothing.
   */
  send(message: Message | Message[]): void | Promise<void>
  /**
   * Starts delivery; called once. `onClose` comes once, after the last delivery, with the reason where there is more to say than
   * that it has ended.
   */
  receive(onReceived: (received: Received) => void, onClose: (reason?: Error) => void): void
  /** How much was sent and has not left yet, where that is known. */
  readonly bufferedBytes?: number
  /** Ends both directions; what was sent before goes out first. */
  close(): Promise<void>
}

/** Two channels joined in memory. Messages cross as copies, as they would on a wire, in a later microtask. */
export function channelPair(): [Channel, Channel] {
  const left = createEnd()
  const right = createEnd()
  left.join(right)
  right.join(left)
  return [left.channel, right.channel]
}

interface End {
  channel: Channel
  join(other: End): void
  deliver(text: string): void
  end(): void
}

/** What happens to an end, in order: texts, and at last its close. Nothing is delivered before somebody receives. */
type Event = { text: string } | 'close'

function createEnd(): End {
  let other: End | undefined
  let closed = false
  let handle: ((event: Event) => void) | undefined
  const waiting: Event[] = []

  const happen = (event: Event): void => {
    if (closed) return
    closed = event === 'close'
    if (handle) queueMicrotask(() => handle?.(event))
    else waiting.push(event)
  }
  return {
    join(end) {
      other = end
    },
    deliver: (text) => happen({ text }),
    end: () => happen('close'),
    channel: {
      send(message) {
        if (!closed) other?.deliver(JSON.stringify(message))
      },
      receive(onReceived, onClose) {
        handle = (event) => (event === 'close' ? onClose() : onReceived({ value: JSON.parse(event.text) }))
        for (const event of waiting.splice(0)) queueMicrotask(() => handle?.(event))
      },
      async close() {
        happen('close')
        other?.end()
      },
    },
  }
}
