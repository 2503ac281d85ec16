import type { Received, Unreadable } from '../../jsonrpc/channel.ts'
import { exceedsDepth } from '../../jsonrpc/depth.ts'
import { encode } from '../../jsonrpc/kept.ts'
import type { Message } from '../../jsonrpc/message.ts'
import { createExcerpt } from './excerpt.ts'

export interface LineReaderOptions {
  /** Longer lines are skipped and reported once. Default: 4 MiB. */
  maxBytes?: number
  /** Deeper nested values are reported, not parsed. Default: 128. */
  maxDepth?: number
  /**
   * How many bytes of the beginning and of the end of an unreadable line are told. A line that is too long is then reported at its end.
   * Default: none.
   */
  excerptBytes?: number
  /** Reads bytes that are all ASCII faster than a decoder does, where the platform can; nothing for others. */
  readAscii?: (bytes: Uint8Array) => string | undefined
  onReceived: (received: Received) => void
}

/** Cuts bytes into lines and lines into messages. */
export interface LineReader {
  /** Takes bytes in; the chunk may be used again afterwards. */
  push(chunk: Uint8Array): void
  /** Takes what is left as the last line. */
  end(): void
}

const NEWLINE = 10
const RETURN = 13
const MAX_BYTES = 4 * 1024 * 1024
const MAX_DEPTH = 128
const IDLE_BYTES = 16 * 1024

/**
 * Makes a reader of newline-delimited JSON. Time is linear in the number of bytes, however they are cut; memory is at most
 * twice `maxBytes`. Lines end with `\n` or `\r\n`, blank ones are skipped. UTF-8 is read strictly; bytes that are none are a
 * syntax error.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export function createLineReader(options: LineReaderOptions): LineReader {
  const { maxBytes = MAX_BYTES, maxDepth = MAX_DEPTH, excerptBytes, readAscii, onReceived } = options
  const excerpt = excerptBytes === undefined ? undefined : createExcerpt(excerptBytes)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const encoder = new TextEncoder()
  const decode = (bytes: Uint8Array): string | undefined => readAscii?.(bytes) ?? decodeStrictly(decoder, bytes)
  let kept: Uint8Array = new Uint8Array(0)
  let length = 0
  /** How long the last line was that came in pieces: the next one most likely needs as much room. */
  let usual = 0
  let skipping = false

  const drop = (): void => {
    usual = length
    length = 0
    if (kept.length > IDLE_BYTES) kept = new Uint8Array(0)
  }
  const refuse = (unreadable: Unreadable['unreadable'], line?: Uint8Array): void => {
    if (line) excerpt?.push(line)
    onReceived({ unreadable, ...excerpt?.take() })
  }
  const keep = (piece: Uint8Array): void => {
    if (skipping) return excerpt?.push(piece)
    if (length + piece.length > maxBytes + 1) {
      skipping = true
      excerpt?.push(kept.subarray(0, length))
      excerpt?.push(piece)
      drop()
      return excerpt ? undefined : refuse('size')
    }
    const room = length + piece.length
    if (room > kept.length) kept = enlarge(kept.subarray(0, length), Math.max(room, 2 * kept.length, usual))
    kept.set(piece, length)
    length = room
  }
  const finish = (piece: Uint8Array): void => {
    if (length > 0 || skipping) keep(piece)
    const line = length > 0 ? kept.subarray(0, length) : piece
    const skipped = skipping
    skipping = false
    drop()
    if (!skipped) readLine(line)
    else if (excerpt) refuse('size')
  }
  const readLine = (bytes: Uint8Array): void => {
    const line = bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes
    if (line.length > maxBytes) return refuse('size', line)
    const text = decode(line)
    if (text === undefined) refuse('syntax', line)
    else readText(text)
  }
  const readText = (text: string): void => {
    const received = parseText(text, maxDepth)
    if (received && 'unreadable' in received) refuse(received.unreadable, excerpt && encoder.encode(text))
    else if (received) onReceived(received)
  }
  /** Reads whole lines: all in one piece when each of them is sure to be good enough for that. */
  const readLines = (bytes: Uint8Array): void => {
    const text = bytes.length <= maxBytes ? decode(bytes) : undefined
    if (text === undefined) return forEachLine(bytes, NEWLINE, (start, end) => readLine(bytes.subarray(start, end)))
    forEachLine(text, '\n', (start, end) => readText(text.slice(start, text[end - 1] === '\r' ? end - 1 : end)))
  }

  return {
    push(chunk) {
      const first = length > 0 || skipping ? chunk.indexOf(NEWLINE) : -1
      if (first >= 0) finish(chunk.subarray(0, first))
      else if (length > 0 || skipping) return keep(chunk)
      const rest = chunk.lastIndexOf(NEWLINE) + 1
      if (rest > first + 1) readLines(chunk.subarray(first + 1, rest))
      if (rest < chunk.length) keep(chunk.subarray(rest))
    },
    end() {
      finish(new Uint8Array(0))
    },
  }
}

function enlarge(bytes: Uint8Array, room: number): Uint8Array {
  const larger = new Uint8Array(room)
  larger.set(bytes)
  return larger
}

/** Something with positions: bytes or text. */
interface Sequence<T> {
  readonly length: number
  indexOf(item: T, from: number): number
}

/** Calls with the place of each line; the last one has its end too. */
function forEachLine<T>(sequence: Sequence<T>, newline: T, take: (start: number, end: number) => void): void {
  for (let start = 0; start < sequence.length; ) {
    const end = sequence.indexOf(newline, start)
    take(start, end)
    start = end + 1
  }
}

/** `undefined` for bytes that are no UTF-8. */
function decodeStrictly(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** `undefined` for a blank line. */
function parseText(text: string, maxDepth: number): Received | undefined {
  if (exceedsDepth(text, maxDepth)) return { unreadable: 'depth' }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return text.trim() === '' ? undefined : { unreadable: 'syntax' }
  }
}

/** Writes messages as one line. JSON has no raw newlines, so the line cannot break. */
export function encodeLine(message: Message | Message[]): string {
  return `${encode(message)}\n`
}
