/**
 * Server-sent events, the reading half.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
import { UnreadableAnswer } from '../../jsonrpc/errors.ts'
import type { ServerEvent } from './sse.ts'

/** An event as it came. What has no `data`, or empty data, is not for delivery: it only sets `id` or `retry`. */
export interface ReceivedEvent extends ServerEvent {
  /** Some of it is not UTF-8. */
  readonly unreadable?: true
}

/** Cuts bytes into events. */
export interface EventReader {
  /** Whether a comment has come: the server keeps this stream alive. */
  readonly keptAlive: boolean
  /**
   * Takes bytes in, which may be used again afterwards, and returns the events that are complete now. What follows the last blank line
   * of a stream is no event.
   *
   * @throws UnreadableAnswer when an event has more than the most bytes.
   */
  push(chunk: Uint8Array): readonly ReceivedEvent[]
}

const LINE_FEED = 10
const RETURN = 13
const COLON = 58
const BYTE_ORDER_MARK = '\ufeff'
const IDLE_BYTES = 16 * 1024

/** Makes a reader of one stream. Time is linear in the number of bytes, however they are cut; memory is at most twice `maxBytes`. */
export function createEventReader(maxBytes: number): EventReader {
  const lines = new LineBuffer(maxBytes)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let draft: Draft = {}
  let size = 0
  let keptAlive = false
  let isFirst = true

  const takeLine = (line: Uint8Array, complete: ReceivedEvent[]): void => {
    if (line.length === 0) {
      if (size > 0) complete.push(draft)
      draft = {}
      size = 0
    } else if (line[0] === COLON) keptAlive = true
    else {
      size += line.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      takeField(draft, decode(line))
    }
    isFirst = false
  }
  const decode = (line: Uint8Array): string => {
    try {
      const text = decoder.decode(line)
      return isFirst && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
    } catch {
      draft.unreadable = true
      return ''
    }
  }

  return {
    get keptAlive() {
      return keptAlive
    },
    push(chunk) {
      const complete: ReceivedEvent[] = []
      lines.push(chunk, (line) => takeLine(line, complete))
      return complete
    },
  }
}

interface Draft {
  event?: string
  id?: string
  retry?: number
  data?: string
  unreadable?: true
}

function takeField(draft: Draft, line: string): void {
  const colon = line.indexOf(':')
  const name = colon < 0 ? line : line.slice(0, colon)
  const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
  if (name === 'data') draft.data = draft.data === undefined ? value : `${draft.data}\n${value}`
  else if (name === 'event') draft.event = value
  else if (name === 'id' && !value.includes('\0')) draft.id = value
  else if (name === 'retry' && /^\d+$/.test(value)) draft.retry = Number(value)
}

/** Cuts bytes into lines, which end with a line feed, a return, or both. */
class LineBuffer {
  #maxBytes: number
  #kept = new Uint8Array(0)
  #length = 0
  #afterReturn = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  push(chunk: Uint8Array, onLine: (line: Uint8Array) => void): void {
    let start = this.#afterReturn && chunk[0] === LINE_FEED ? 1 : 0
    let feed = find(chunk, LINE_FEED, start)
    let turn = find(chunk, RETURN, start)
    for (let end = Math.min(feed, turn); end < Infinity; end = Math.min(feed, turn)) {
      onLine(this.#finish(chunk.subarray(start, end)))
      start = end === turn && chunk[end + 1] === LINE_FEED ? end + 2 : end + 1
      if (feed < start) feed = find(chunk, LINE_FEED, start)
      if (turn < start) turn = find(chunk, RETURN, start)
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start))
    if (chunk.length > 0) this.#afterReturn = chunk.at(-1) === RETURN
  }

  #finish(piece: Uint8Array): Uint8Array {
    if (this.#length === 0) return piece
    this.#keep(piece)
    const line = this.#kept.subarray(0, this.#length)
    this.#length = 0
    if (this.#kept.length > IDLE_BYTES) this.#kept = new Uint8Array(0)
    return line
  }

  #keep(piece: Uint8Array): void {
    const room = this.#length + piece.length
    if (room > this.#maxBytes) throw tooLarge(this.#maxBytes)
    if (room > this.#kept.length) {
      const more = new Uint8Array(Math.max(room, 2 * this.#kept.length))
      more.set(this.#kept.subarray(0, this.#length))
      this.#kept = more
    }
    this.#kept.set(piece, this.#length)
    this.#length = room
  }
}

function find(chunk: Uint8Array, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from)
  return at < 0 ? Infinity : at
}

function tooLarge(maxBytes: number): UnreadableAnswer {
  return new UnreadableAnswer(`An event of the stream has more than ${maxBytes} bytes`)
}
