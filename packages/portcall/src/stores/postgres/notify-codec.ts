/*
 * The payloads of notifications. A payload is `=` and a message, or `#` and the id of a message in a table, where messages are stored that
 * are too long for a notification. A message consists of a prefix that is unique, because PostgreSQL drops repeated notifications of a
 * transaction; the length of the topic; the topic; and the text. A heartbeat is the prefix alone: a process sends it to itself to check that
 * it still receives notifications.
 */
import { randomId } from '../../../../util/src/random.ts'
import { decodeText, encodeText } from './text-encoding.ts'

export interface NotifyCodecOptions {
  /** Fetches a message from the table. */
  fetch(id: number): Promise<unknown>
  onMessage(topic: string, message: string): void
  /** Called when a heartbeat of this process was received. */
  onHeartbeat(): void
}

/** Encodes the messages of a bus as notifications of one channel, and decodes them. */
export interface NotifyCodec {
  encode(topic: string, message: string): string
  encodeHeartbeat(): string
  /** Decodes a payload and calls the listeners, in the order of the calls. */
  receive(payload: string): void
}

const MAX_PENDING = 10_000
const MESSAGE_HEAD = /^[^:]*:(\d+):/

export function createNotifyCodec({ fetch, onMessage, onHeartbeat }: NotifyCodecOptions): NotifyCodec {
  const processId = randomId(9)
  let sent = 0
  /** Settles when all pending payloads are processed; `undefined` if there are none. */
  let lastPending: Promise<void> | undefined
  let pending = 0

  const process = (text: unknown): void => {
    if (typeof text !== 'string') return
    const [head, length] = MESSAGE_HEAD.exec(text) ?? []
    if (head !== undefined) {
      const topicEnd = head.length + Number(length)
      onMessage(decodeText(text.slice(head.length, topicEnd)), decodeText(text.slice(topicEnd)))
    } else if (text.startsWith(processId)) onHeartbeat()
  }
  const enqueue = (payload: string): void => {
    if (pending >= MAX_PENDING) return
    pending++
    const next = async (): Promise<void> =>
      process(payload.startsWith('=') ? payload.slice(1) : await fetch(Number(payload.slice(1))))
    const own = (lastPending ?? Promise.resolve())
      .then(next)
      .catch(() => {})
      .finally(() => {
        pending--
        if (lastPending === own) lastPending = undefined
      })
    lastPending = own
  }

  return {
    encode(topic, message) {
      const encodedTopic = encodeText(topic)
      return `${processId}${++sent}:${encodedTopic.length}:${encodedTopic}${encodeText(message)}`
    },
    encodeHeartbeat: () => `${processId}${++sent}`,
    receive(payload) {
      if (payload.startsWith('=') && !lastPending) process(payload.slice(1))
      else enqueue(payload)
    },
  }
}
