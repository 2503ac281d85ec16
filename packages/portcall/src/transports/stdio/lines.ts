import type { Received, Unreadable } from '../../jsonrpc/channel.ts'
import { exceedsDepth } from '../../jsonrpc/depth.ts'
import { encode } from '../../jsonrpc/kept.ts'
import type { Message } from '../../jsonrpc/message.ts'
import { createExcerpt, withoutReturn } from './excerpt.ts'
import { createUtf8Reader, type ReadAscii } from './utf8.ts'

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
  /** For platforms that have something faster than a decoder. */
  readAscii?: ReadAscii
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
const MAX_BYTES = 4 * 1024 * 1024
const MAX_DEPTH = 128

/**
 * Makes a reader of newline-delimited JSON. Time is linear in the number of bytes, however they are cut; memory is little more
 * than twice `maxBytes`. Lines end with `\n` or `\r\n`, blank ones are skipped. UTF-8 is read strictly; bytes that are none are
 * a syntax error.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export function createLineReader(options: LineReaderOptions): LineReader {
  const { maxBytes = MAX_BYTES, maxDepth = MAX_DEPTH, excerptBytes, readAscii, onReceived } = options
  /** One more for the return before the newline. */
  const keptBytes = maxBytes + 1
  const excerpt = excerptBytes === undefined ? undefined : createExcerpt(excerptBytes)
  const utf8 = createUtf8Reader(readAscii)
  const encoder = new TextEncoder()
  /** How much has come of a line that comes in pieces. */
  let length = 0

  const refuse = (unreadable: Unreadable['unreadable'], line?: Uint8Array): void => {
    if (line) excerpt?.push(line)
    onReceived({ unreadable, ...excerpt?.take() })
  }
  const keep = (piece: Uint8Array): void => {
    const skipped = length > keptBytes
    length += piece.length
    excerpt?.push(piece)
    if (length <= keptBytes) return utf8.push(piece)
    if (skipped) return
    utf8.take()
    if (!excerpt) refuse('size')
  }
  const finish = (piece: Uint8Array): void => {
    keep(piece)
    const bytes = length
    const text = utf8.take()
    length = 0
    if (bytes > keptBytes) return excerpt && refuse('size')
    if (text === undefined) return refuse('syntax')
    if (bytes > maxBytes && !text.endsWith('\r')) return refuse('size')
    excerpt?.clear()
    readText(text)
  }
  const readLine = (bytes: Uint8Array): void => {
    const line = withoutReturn(bytes)
    if (line.length > maxBytes) return refuse('size', line)
    const text = utf8.read(line)
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
    const text = bytes.length <= maxBytes ? utf8.read(bytes) : undefined
    if (text === undefined) return forEachLine(bytes, NEWLINE, (start, end) => readLine(bytes.subarray(start, end)))
    forEachLine(text, '\n', (start, end) => readText(text.slice(start, end)))
  }

  return {
    push(chunk) {
      const first = length > 0 ? chunk.indexOf(NEWLINE) : -1
      if (first >= 0) finish(chunk.subarray(0, first))
      else if (length > 0) return keep(chunk)
      const rest = chunk.lastIndexOf(NEWLINE) + 1
      if (rest > first + 1) readLines(chunk.subarray(first + 1, rest))
      if (rest < chunk.length) keep(chunk.subarray(rest))
    },
    end() {
      finish(new Uint8Array(0))
    },
  }
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
