import type { Notification } from '../../jsonrpc/message.ts'
import type { EventCursor } from '../../protocol/events.ts'

/** The last messages of a stream of events, and the positions between them. */
export interface Backlog {
  /** The position after the last message; `null` if the server names none. */
  readonly cursor: EventCursor
  /** Adds a message, and the position after it. A message of a server without positions is not kept. */
  add(notification: Notification, cursor: EventCursor): void
  /** Sets another name of the position after the last message. */
  move(cursor: EventCursor): void
  /**
   * Returns the messages after a position, or `undefined` if it is not known. Several messages have the same position while the server repeats an earlier
   * one: then these are the messages after the first of them.
   */
  after(cursor: string): readonly Notification[] | undefined
}

interface KeptMessage {
  readonly notification: Notification | undefined
  readonly size: number
  /** The position after the message, when it arrived and now. */
  first: EventCursor
  last: EventCursor
}

const MAX_MESSAGES = 64
const MAX_LENGTH = 65_536

/** Creates a backlog that begins at a position. */
export function createBacklog(start: EventCursor): Backlog {
  let kept: KeptMessage[] = [{ notification: undefined, size: 0, first: start, last: start }]
  let length = 0
  /** Positions of kept messages that messages before them had, too. */
  let incomplete = new Set<EventCursor>()
  const trim = (): void => {
    while (kept.length > 1 && (kept.length > MAX_MESSAGES || length > MAX_LENGTH)) {
      const [removed, ...rest] = kept
      kept = rest
      // The message itself is before the first position.
      length -= rest[0]?.size ?? 0
      const lost = [...incomplete, removed?.first ?? null, removed?.last ?? null]
      incomplete = new Set(lost.filter((cursor) => cursor !== null && rest.some((one) => isAt(one, cursor))))
    }
  }
  return {
    get cursor() {
      return kept.at(-1)?.last ?? null
    },
    add(notification, cursor) {
      if (cursor === null) {
        kept = [{ notification: undefined, size: 0, first: null, last: null }]
        length = 0
        incomplete.clear()
        return
      }
      const size = JSON.stringify(notification).length
      kept.push({ notification, size, first: cursor, last: cursor })
      length += size
      trim()
    },
    move(cursor) {
      const current = kept.at(-1)
      if (!current || current.last === cursor) return
      current.first ??= cursor
      current.last = cursor
    },
    after(cursor) {
      const at = incomplete.has(cursor) ? -1 : kept.findIndex((one) => isAt(one, cursor))
      if (at === -1) return undefined
      return kept.slice(at + 1).flatMap(({ notification }) => (notification ? [notification] : []))
    },
  }
}

function isAt({ first, last }: KeptMessage, cursor: string): boolean {
  return first === cursor || last === cursor
}
