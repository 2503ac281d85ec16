import { stringifyMessage } from '../../../jsonrpc/message.ts'
/**
 * Encoder for server-sent events.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

import type { Message } from '../../../jsonrpc/message.ts'

/** A server-sent event. */
export interface SseEvent {
  /** Default: `message`. */
  readonly event?: string | undefined
  /** Printable ASCII. */
  readonly id?: string | undefined
  /** The reconnection delay in milliseconds. */
  readonly retry?: number | undefined
  /** Any text. Without it, the event only sets `id` or `retry`. */
  readonly data?: string | undefined
}

/** An empty comment. Readers ignore it; it shows intermediaries that the connection is in use. */
export const HEARTBEAT = ':\n\n'

const LINE_BREAK = /\r\n|\r|\n/

/** Encodes an event. Each line of `data` becomes a `data` line; the reader joins them with line feeds. */
export function encodeEvent({ event, id, retry, data }: SseEvent): string {
  const head =
    (event ? `event: ${event}\n` : '') +
    (id === undefined ? '' : `id: ${id}\n`) +
    (retry === undefined ? '' : `retry: ${retry}\n`)
  if (data === undefined) return `${head}\n`
  return data.includes('\n') || data.includes('\r')
    ? `${head}data: ${data.split(LINE_BREAK).join('\ndata: ')}\n\n`
    : `${head}data: ${data}\n\n`
}

/** Encodes a message as an event. JSON contains no line breaks, so the data is always a single line. */
export function encodeMessage(message: Message | Message[], event?: string): string {
  return event ? `event: ${event}\ndata: ${stringifyMessage(message)}\n\n` : `data: ${stringifyMessage(message)}\n\n`
}
