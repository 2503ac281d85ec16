/**
 * Server-sent events, the writing half.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

import { encode } from '../../jsonrpc/kept.ts'
import type { Message } from '../../jsonrpc/message.ts'

/** One event. */
export interface ServerEvent {
  /** Absent for the default, `message`. */
  readonly event?: string | undefined
  /** Printable ASCII. */
  readonly id?: string | undefined
  /** Milliseconds until a reader that was cut off comes back. */
  readonly retry?: number | undefined
  /** Any text. Absent: the event only sets `id` or `retry`. */
  readonly data?: string | undefined
}

/** A comment without content: readers skip it, and whatever lies between sees that the connection is in use. */
export const KEEP_ALIVE = ':\n\n'

const LINE_END = /\r\n|\r|\n/

/** Writes one event. Line ends in `data` become several `data` lines, which a reader joins with a line feed. */
export function encodeEvent({ event, id, retry, data }: ServerEvent): string {
  const head =
    (event ? `event: ${event}\n` : '') +
    (id === undefined ? '' : `id: ${id}\n`) +
    (retry === undefined ? '' : `retry: ${retry}\n`)
  if (data === undefined) return `${head}\n`
  return data.includes('\n') || data.includes('\r')
    ? `${head}data: ${data.split(LINE_END).join('\ndata: ')}\n\n`
    : `${head}data: ${data}\n\n`
}

/** Writes a message as an event. JSON has no raw line ends, so this is one line whatever the message says. */
export function encodeMessage(message: Message | Message[], event?: string): string {
  return event ? `event: ${event}\ndata: ${encode(message)}\n\n` : `data: ${encode(message)}\n\n`
}
