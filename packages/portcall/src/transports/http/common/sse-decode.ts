/**
 * Decoder for server-sent events.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
import { InvalidResponseError } from '../../../jsonrpc/errors.ts'
import type { SseEvent } from './sse-encode.ts'

/** A received event. An event without data, or with empty data, is not delivered: it only sets `id` or `retry`. */
export interface ReceivedSseEvent extends SseEvent {
  /** Set if a part of the event is not UTF-8. */
  readonly isMalformed?: true
}

/** Splits bytes into events. */
export interface SseDecoder {
  /** True if the stream contained a comment, which suggests that the server sends heartbeats. */
  readonly hasComments: boolean
  /**
   * Decodes a chunk, which the caller may reuse afterwards, and returns the events that are complete. Text after the last blank line of a
   * stream is not an event.
   *
   * @throws InvalidResponseError if an event exceeds the maximum size.
   */
  push(chunk: Uint8Array): readonly ReceivedSseEvent[]
}

const LF = 10
const CR = 13
const COLON = 58
const BOM = '\ufeff'
const IDLE_BYTES = 16 * 1024

/** Creates the decoder of one stream. Time is linear in the number of bytes, whatever the chunks; memory is at most twice `maxBytes`. */
export function createSseDecoder(maxBytes: number): SseDecoder {
  const lines = new LineBuffer(maxBytes)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let event: MutableEvent = {}
  let size = 0
  let hasComments = false
  let isFirst = true

  const onLine = (line: Uint8Array, complete: ReceivedSseEvent[]): void => {
    if (line.length === 0) {
      if (size > 0) complete.push(event)
      event = {}
      size = 0
    } else if (line[0] === COLON) hasComments = true
    else {
      size += line.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      setField(event, decode(line))
    }
    isFirst = false
  }
  const decode = (line: Uint8Array): string => {
    try {
      const text = decoder.decode(line)
      return isFirst && text.startsWith(BOM) ? text.slice(1) : text
    } catch {
      event.isMalformed = true
      return ''
    }
  }

  return {
    get hasComments() {
      return hasComments
    },
    push(chunk) {
      const complete: ReceivedSseEvent[] = []
      lines.push(chunk, (line) => onLine(line, complete))
      return complete
    },
  }
}

interface MutableEvent {
  event?: string
  id?: string
  retry?: number
  data?: string
  isMalformed?: true
}

function setField(event: MutableEvent, line: string): void {
  const colon = line.indexOf(':')
  const name = colon < 0 ? line : line.slice(0, colon)
  const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
  if (name === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`
  else if (name === 'event') event.event = value
  else if (name === 'id' && !value.includes('\0')) event.id = value
  else if (name === 'retry' && /^\d{1,15}$/.test(value)) event.retry = Number(value)
}

/** Splits bytes into lines, which end with LF, CR or CRLF. */
class LineBuffer {
  #maxBytes: number
  #buffer = new Uint8Array(0)
  #length = 0
  #afterCr = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  push(chunk: Uint8Array, onLine: (line: Uint8Array) => void): void {
    let start = this.#afterCr && chunk[0] === LF ? 1 : 0
    let lf = find(chunk, LF, start)
    let cr = find(chunk, CR, start)
    for (let end = Math.min(lf, cr); end < Infinity; end = Math.min(lf, cr)) {
      onLine(this.#finish(chunk.subarray(start, end)))
      start = end === cr && chunk[end + 1] === LF ? end + 2 : end + 1
      if (lf < start) lf = find(chunk, LF, start)
      if (cr < start) cr = find(chunk, CR, start)
    }
    if (start < chunk.length) this.#append(chunk.subarray(start))
    if (chunk.length > 0) this.#afterCr = chunk.at(-1) === CR
  }

  #finish(piece: Uint8Array): Uint8Array {
    if (this.#length === 0) return piece
    this.#append(piece)
    const line = this.#buffer.subarray(0, this.#length)
    this.#length = 0
    if (this.#buffer.length > IDLE_BYTES) this.#buffer = new Uint8Array(0)
    return line
  }

  #append(piece: Uint8Array): void {
    const needed = this.#length + piece.length
    if (needed > this.#maxBytes) throw tooLarge(this.#maxBytes)
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#buffer.length))
      larger.set(this.#buffer.subarray(0, this.#length))
      this.#buffer = larger
    }
    this.#buffer.set(piece, this.#length)
    this.#length = needed
  }
}

function find(chunk: Uint8Array, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from)
  return at < 0 ? Infinity : at
}

function tooLarge(maxBytes: number): InvalidResponseError {
  return new InvalidResponseError(`An event of the stream exceeds ${maxBytes} bytes`)
}
