import type { Message } from './message.ts'

/** Input that is not a JSON value, or one beyond the limits. */
export interface UnreadableInput {
  /** It is no JSON, exceeds the size limit, or is nested too deeply. */
  readonly unreadable: 'syntax' | 'size' | 'depth'
  /** The start of the text, if the channel retains it. */
  readonly head?: string
  /** The end of the text, if the channel retains it. */
  readonly tail?: string
}

/** An input of a channel: a parsed JSON value, or the report of unreadable input. */
export type ChannelInput =
  | {
      /** The parsed JSON. It need not be a valid message. */
      value: unknown
    }
  | UnreadableInput

/** A bidirectional pipe of messages, such as stdio, a socket or an in-memory pair. */
export interface Channel {
  /**
   * Sends a message, after all earlier ones. Returns nothing while the peer keeps up, and otherwise a promise that resolves when the output
   * buffer has drained. Does nothing once the channel is closed.
   */
  send(message: Message | Message[]): void | Promise<void>
  /**
   * Starts delivery. Call it once. `onClose` is called once, after the last delivery, with a reason if more is known than that the channel
   * has closed.
   */
  receive(onInput: (input: ChannelInput) => void, onClose: (reason?: Error) => void): void
  /** The size of the output buffer in bytes, if known. */
  readonly bufferedBytes?: number
  /** Closes both directions, after sending what is in the output buffer. */
  close(): Promise<void>
}

/** Creates two connected in-memory channels. Messages are copied, as on a wire, and delivered in a later microtask. */
export function channelPair(): [Channel, Channel] {
  const left = createEnd()
  const right = createEnd()
  left.connect(right)
  right.connect(left)
  return [left.channel, right.channel]
}

interface ChannelEnd {
  channel: Channel
  connect(other: ChannelEnd): void
  deliver(text: string): void
  close(): void
}

type Event = { text: string } | 'close'

function createEnd(): ChannelEnd {
  let other: ChannelEnd | undefined
  let isClosed = false
  let handle: ((event: Event) => void) | undefined
  const undelivered: Event[] = []

  const emit = (event: Event): void => {
    if (isClosed) return
    isClosed = event === 'close'
    if (handle) queueMicrotask(() => handle?.(event))
    else undelivered.push(event)
  }
  return {
    connect(end) {
      other = end
    },
    deliver: (text) => emit({ text }),
    close: () => emit('close'),
    channel: {
      send(message) {
        if (!isClosed) other?.deliver(JSON.stringify(message))
      },
      receive(onInput, onClose) {
        handle = (event) => (event === 'close' ? onClose() : onInput({ value: JSON.parse(event.text) }))
        for (const event of undelivered.splice(0)) queueMicrotask(() => handle?.(event))
      },
      async close() {
        emit('close')
        other?.close()
      },
    },
  }
}
