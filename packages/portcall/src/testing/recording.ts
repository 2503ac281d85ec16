import type { Received } from '../jsonrpc/channel.ts'
import { isObject, type Message, type RequestId } from '../jsonrpc/message.ts'

/**
 * One line of a recording, seen from the side that was recorded. `for` names the request that a notification or question of an
 * Exchange belongs to.
 */
export interface Entry {
  /** Milliseconds since the recording began. */
  readonly time: number
  readonly direction: 'sent' | 'received'
  readonly message?: Message | Message[]
  readonly for?: RequestId
  /** Bytes that were no message. */
  readonly unreadable?: string
  /** The other end is gone (`received`), or this end was closed (`sent`). */
  readonly closed?: true
}

/** What was recorded: NDJSON, one entry a line. */
export interface Recording {
  readonly lines: readonly string[]
  /** All of it, as a file holds it. */
  text(): string
}

/** An entry before it has a time. */
export type Event = Omit<Entry, 'time'>

/** The event that something received is. */
export function receivedEvent(received: Received): Event {
  if ('unreadable' in received) return { direction: 'received', unreadable: received.unreadable }
  return { direction: 'received', message: received.value as Message }
}

/** Reads a recording back. @throws SyntaxError that names the line. */
export function readRecording(recording: Recording | string): Entry[] {
  const lines = typeof recording === 'string' ? recording.split('\n') : recording.lines
  return lines.flatMap((line, at) => (line.trim() === '' ? [] : [readEntry(line, at + 1)]))
}

function readEntry(line: string, number: number): Entry {
  const entry = attempt(line)
  if (isObject(entry) && (entry.direction === 'sent' || entry.direction === 'received')) return entry as unknown as Entry
  throw new SyntaxError(`Line ${number} is not one of a recording`)
}

function attempt(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
