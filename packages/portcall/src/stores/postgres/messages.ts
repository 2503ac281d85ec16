/*
 * A notification is `=` and a message, or `#` and the number under which a longer message rests in a table. A message is who says it with a
 * number that makes it differ from all others, since PostgreSQL drops what is said twice in a transaction; the length of the topic; the
 * topic; and what is said. A sign is a message without the rest: what a process says to itself, to know that it still hears.
 */
import { randomId } from '../seal.ts'
import { fromKept, toKept } from './text.ts'

export interface MessagesOptions {
  /** Gets a message that rests in the table. */
  fetch(number: number): Promise<unknown>
  onMessage(topic: string, message: string): void
  /** The sign of this process was heard. */
  onSign(): void
}

/** What goes over the one channel of a bus. */
export interface Messages {
  write(topic: string, message: string): string
  sign(): string
  /** Takes what was heard, in order. */
  read(payload: string): void
}

const MAX_WAITING = 10_000
const MESSAGE = /^[^:]*:(\d+):/

export function createMessages({ fetch, onMessage, onSign }: MessagesOptions): Messages {
  const self = randomId(9)
  let said = 0
  /** The message that is fetched, and all that came after it. */
  let last: Promise<void> | undefined
  let waiting = 0

  const take = (text: unknown): void => {
    if (typeof text !== 'string') return
    const [head, length] = MESSAGE.exec(text) ?? []
    if (head !== undefined) {
      const split = head.length + Number(length)
      onMessage(fromKept(text.slice(head.length, split)), fromKept(text.slice(split)))
    } else if (text.startsWith(self)) onSign()
  }
  const queue = (payload: string): void => {
    if (waiting >= MAX_WAITING) return
    waiting++
    const turn = async (): Promise<void> =>
      take(payload.startsWith('=') ? payload.slice(1) : await fetch(Number(payload.slice(1))))
    const mine = (last ?? Promise.resolve())
      .then(turn)
      .catch(() => {})
      .finally(() => {
        waiting--
        if (last === mine) last = undefined
      })
    last = mine
  }

  return {
    write(topic, message) {
      const kept = toKept(topic)
      return `${self}${++said}:${kept.length}:${kept}${toKept(message)}`
    },
    sign: () => `${self}${++said}`,
    read(payload) {
      if (payload.startsWith('=') && !last) take(payload.slice(1))
      else queue(payload)
    },
  }
}
