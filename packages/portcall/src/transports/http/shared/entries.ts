/**
 * How the events of a stream are written into logs. An entry is one number and the texts of some events, a line each: the number is that
 * of the first, and tells apart what was written twice because its first writing seemed to have failed. A position in a stream is
 * `writer-number-place`: which of its writers wrote the event, its number, and the place in that writer's log from where to read on.
 */
import { type LogEntry, UnknownPosition } from '../../../stores/log.ts'

/** Where a reader stands in a stream. */
export interface Cursor {
  readonly writer: number
  /** Of the event that was read last; 0 before the first. */
  readonly number: number
  /** Where the log is read on from; empty for its beginning. */
  readonly place: string
}

/** What comes after a position, and whether nothing more will. */
export interface Reading {
  readonly entries: readonly LogEntry[]
  readonly ended: boolean
}

/** The entry that says that nothing more will come. */
export const END = 'end'

const POSITION = /^(\d+)-(\d+)-(.*)$/

export function encodeEntry(first: number, events: readonly string[]): string {
  return `${first}\n${events.join('\n')}`
}

export function encodePosition({ writer, number, place }: Cursor): string {
  return `${writer}-${number}-${place}`
}

/** @throws UnknownPosition when it is none. */
export function readPosition(text: string): Cursor {
  const [, writer, number, place] = POSITION.exec(text) ?? []
  if (place === undefined) throw new UnknownPosition()
  return { writer: Number(writer), number: Number(number), place }
}

/**
 * The events in what a log gave for a cursor, up to the entry at `upTo` or the last one.
 *
 * @throws UnknownPosition when events are missing in between.
 */
export function decodeEntries(entries: readonly LogEntry[], cursor: Cursor, upTo?: string): Reading {
  const events: LogEntry[] = []
  const { writer } = cursor
  let { number, place } = cursor
  if (number > 0 && place === '' && entries.length === 0) throw new UnknownPosition()
  for (const { position, data } of entries) {
    if (data === END) return { entries: events, ended: true }
    const [first, ...texts] = data.split('\n')
    const skipped = number + 1 - Number(first)
    if (skipped < 0) throw new UnknownPosition()
    for (let at = skipped; at < texts.length; at++) {
      const isLast = at === texts.length - 1
      events.push({
        position: encodePosition({ writer, number: ++number, place: isLast ? position : place }),
        data: texts[at] ?? '',
      })
    }
    place = position
    if (position === upTo) break
  }
  return { entries: events, ended: false }
}

/** All events of a log that are still there, in order, wherever it begins now. */
export function decodeAll(entries: readonly LogEntry[]): string[] {
  const [oldest] = entries
  const first = Number(oldest?.data.split('\n')[0])
  const cursor = { writer: 0, number: Number.isNaN(first) ? 0 : first - 1, place: '-' }
  return decodeEntries(entries, cursor).entries.map(({ data }) => data)
}
