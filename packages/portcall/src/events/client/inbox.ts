import { backoffMs } from '../../../../util/src/backoff.ts'
import { setLru } from '../../../../util/src/lru.ts'
import { isString } from '../../../../util/src/strings.ts'
import { delay } from '../../../../util/src/timers.ts'
import type { EventCursor, EventOccurrence } from '../../protocol/events.ts'

/** An event that arrives for a subscription, or only a position. */
export interface InboxItem {
  readonly event?: EventOccurrence
  /** The position after it. Anything but a text leaves the position as it is. */
  readonly cursor?: unknown
  /** True if events before this position are missing. */
  readonly truncated?: boolean
}

/** Handles what arrives for a subscription, in order. */
export interface Inbox {
  /** The position after the last item that was handled. */
  readonly cursor: EventCursor
  /** True if so many items wait, or so large ones, that no more should be added. */
  readonly isFull: boolean
  /** Adds an item. Resolves when it was handled; never rejects. A handler that throws is called again, and then its error is reported. */
  add(item: InboxItem): Promise<void>
  /** Adds an item whose sender repeats it. @throws what the handler throws; the reason of the signal. */
  take(item: InboxItem): Promise<void>
  /** Resolves when everything that was added has been handled. */
  drained(): Promise<void>
  /** Forgets the position, because the server does not know it. */
  reset(): void
}

/** Where the items of an inbox go. */
export interface InboxOptions {
  readonly cursor: EventCursor
  readonly signal: AbortSignal
  onEvent(event: EventOccurrence): unknown
  onGap(cursor: EventCursor): unknown
  /** Called with each new position. */
  onCursor(cursor: EventCursor): unknown
  /** Called with what the other functions throw. */
  onError(error: unknown): void
}

const MAX_SEEN = 1000
/** So many items may wait for the handler, of so many characters unless it is a single one. */
const MAX_WAITING = 1000
const MAX_WAITING_LENGTH = 4 * 1024 * 1024
const ATTEMPTS = 3
const RETRY_DELAY = { firstMs: 200, maxMs: 2000 }

/** Creates an inbox. Once the signal is aborted, further items are dropped. */
export function createInbox(options: InboxOptions): Inbox {
  const { signal, onError } = options
  const seen = new Map<string, true>()
  let { cursor } = options
  let waiting = 0
  let waitingLength = 0
  let tail: Promise<void> = Promise.resolve()

  const handleEvent = async (event: EventOccurrence, attempts: number): Promise<void> => {
    if (seen.has(event.eventId)) return
    for (let failures = 1; ; failures++) {
      try {
        await options.onEvent(event)
        break
      } catch (error) {
        if (failures >= attempts) throw error
        await delay(backoffMs(failures - 1, RETRY_DELAY), signal)
      }
    }
    setLru(seen, [event.eventId, true], MAX_SEEN)
  }
  const move = async (item: InboxItem): Promise<void> => {
    if (isString(item.cursor) && item.cursor !== cursor) {
      cursor = item.cursor
      await options.onCursor(cursor)
    }
    if (item.truncated) await options.onGap(cursor)
  }
  const report = (error: unknown): void => {
    if (!signal.aborted) onError(error)
  }
  const handle = async (item: InboxItem): Promise<void> => {
    if (signal.aborted) return
    let isHandled = true
    if (item.event)
      await handleEvent(item.event, ATTEMPTS).catch((error: unknown) => {
        isHandled = !signal.aborted
        report(error)
      })
    // The handler may have closed the subscription: its event is handled all the same.
    if (isHandled) await move(item).catch(report)
  }
  const enqueue = (item: InboxItem, task: () => Promise<void>): Promise<void> => {
    const length = waiting > 0 && item.event ? JSON.stringify(item.event).length : 0
    waiting++
    waitingLength += length
    const done = tail.then(task).finally(() => {
      waiting--
      waitingLength -= length
    })
    tail = done.catch(() => {})
    return done
  }

  return {
    get cursor() {
      return cursor
    },
    get isFull() {
      return waiting > MAX_WAITING || waitingLength > MAX_WAITING_LENGTH
    },
    add: (item) => enqueue(item, () => handle(item)),
    take: (item) =>
      enqueue(item, async () => {
        signal.throwIfAborted()
        if (item.event) await handleEvent(item.event, 1)
        await move(item).catch(report)
      }),
    drained: () => tail,
    reset() {
      cursor = null
    },
  }
}
