import { delay } from '../../../../util/src/timers.ts'
import type { Notification } from '../../jsonrpc/message.ts'

export interface OutboxOptions {
  /** Sends a message to the host. Settles when the host has room for more. @throws if the host does not read. */
  readonly notify: (message: Notification) => void | Promise<void>
  readonly maxPerMinute: number
  /** Aborted when the host has left. */
  readonly signal: AbortSignal
}

/** The messages to a host, one after another. None is dropped: those beyond the rate, and those that the host does not read, wait. */
export interface Outbox {
  /** Sends the message that the function creates from its number. Resolves when it is on its way. @throws the reason of the signal. */
  send(create: (seq: number) => Notification): Promise<void>
}

const MINUTE_MS = 60_000
const RETRY_DELAY_MS = 500

export function createOutbox({ notify, maxPerMinute, signal }: OutboxOptions): Outbox {
  let tail: Promise<unknown> = Promise.resolve()
  let seq = 0
  /** When the last messages were sent, the oldest first. */
  const times: number[] = []
  const untilAllowed = async (): Promise<void> => {
    const oldest = times.length < maxPerMinute ? undefined : times.shift()
    const waitMs = oldest === undefined ? 0 : oldest + MINUTE_MS - performance.now()
    if (waitMs > 0) await delay(waitMs, signal)
    times.push(performance.now())
  }
  const sendNow = async (message: Notification): Promise<void> => {
    for (;;) {
      signal.throwIfAborted()
      try {
        return await notify(message)
      } catch {
        await delay(RETRY_DELAY_MS, signal)
      }
    }
  }
  return {
    send(create) {
      const sent = tail.then(async () => {
        await untilAllowed()
        await sendNow(create(++seq))
      })
      tail = sent.catch(() => {})
      return sent
    },
  }
}
