/**
 * The encoding of stream events in logs. A log entry has the number of its first event and then the events, one per line. The numbers reveal
 * entries that were appended twice because the first attempt seemed to fail. A position in a stream has the form `writer-number-logPosition`:
 * the index of the writer, the number of the event, and the position in the log of that writer after which to continue.
 */
import { type LogEntry, UnknownPositionError } from '../../../../stores/log.ts'

/** A position in a stream. */
export interface StreamCursor {
  /** The index of the writer. */
  readonly writer: number
  /** The number of the last event that was read, or 0. */
  readonly number: number
  /** The position in the log after which to continue. Empty for the start of the log. */
  readonly logPosition: string
}

/** The events after a position, and whether the stream has ended. */
export interface StreamRead {
  readonly events: readonly LogEntry[]
  readonly isEnded: boolean
}

/** The entry that marks the end of a stream. */
export const END = 'end'

const CURSOR = /^(\d+)-(\d+)-(.*)$/

export function encodeEntry(firstNumber: number, events: readonly string[]): string {
  return `${firstNumber}\n${events.join('\n')}`
}

export function encodeCursor({ writer, number, logPosition }: StreamCursor): string {
  return `${writer}-${number}-${logPosition}`
}

/** @throws UnknownPositionError if the text is not a position. */
export function decodeCursor(text: string): StreamCursor {
  const [, writer, number, logPosition] = CURSOR.exec(text) ?? []
  if (logPosition === undefined) throw new UnknownPositionError()
  return { writer: Number(writer), number: Number(number), logPosition }
}

/**
 * Decodes the entries of a log after a cursor, up to and including the entry at `upTo`. Default: all.
 *
 * @throws UnknownPositionError if events are missing.
 */
export function decodeEntries(entries: readonly LogEntry[], cursor: StreamCursor, upTo?: string): StreamRead {
  const events: LogEntry[] = []
  const { writer } = cursor
  let { number, logPosition } = cursor
  if (number > 0 && logPosition === '' && entries.length === 0) throw new UnknownPositionError()
  for (const { position, data } of entries) {
    if (data === END) return { events, isEnded: true }
    const [firstNumber, ...texts] = data.split('\n')
    const known = number + 1 - Number(firstNumber)
    if (known < 0) throw new UnknownPositionError()
    for (let at = known; at < texts.length; at++) {
      const isLast = at === texts.length - 1
      events.push({
        position: encodeCursor({ writer, number: ++number, logPosition: isLast ? position : logPosition }),
        data: texts[at] ?? '',
      })
    }
    logPosition = position
    if (position === upTo) break
  }
  return { events, isEnded: false }
}

/** Decodes all events of a log, which may have been trimmed at the start. */
export function decodeLog(entries: readonly LogEntry[]): string[] {
  const [oldest] = entries
  const firstNumber = Number(oldest?.data.split('\n')[0])
  const cursor = { writer: 0, number: Number.isNaN(firstNumber) ? 0 : firstNumber - 1, logPosition: '-' }
  return decodeEntries(entries, cursor).events.map(({ data }) => data)
}
