import type { ChannelInput, UnreadableInput } from '../../jsonrpc/channel.ts'
import { exceedsDepth, type Message, type ParseJson, stringifyMessage } from '../../jsonrpc/message.ts'
import { createExcerpt, trimCr } from './excerpt.ts'
import { type AsciiDecoder, createUtf8Decoder } from './utf8.ts'

/** Shortens a JSON text until it nests no deeper than `maxDepth`, or returns `undefined`. */
export type DepthShortener = (text: string, maxDepth: number) => string | undefined

/** How the lines of a peer are read. */
export interface LineReadingOptions {
  /**
   * How many bytes of the start and of the end of an unreadable line are reported. With it, a line that is too long is reported at its end.
   * Default: none.
   */
  excerptBytes?: number
  /** Returns whether the start of a line says enough. Such a line is reported as soon as it is too long. Default: none does. */
  isSufficient?: (head: string) => boolean
  /** Called for a line that has 512 MiB and no end. */
  onEndless?: () => void
  /** Shortens a text that nests too deeply; returns `undefined` if it cannot. Default: such texts are reported. */
  shortenDeep?: DepthShortener
  /** Parses the JSON of a line. Default: `JSON.parse`. */
  parseJson?: ParseJson | undefined
}

export interface LineReaderOptions extends LineReadingOptions {
  /** Maximum length of a line. Longer ones are skipped and reported once. Default: 4 MiB. */
  maxBytes?: number | undefined
  /** Maximum nesting depth. Deeper values are reported instead of parsed. Default: 128. */
  maxDepth?: number | undefined
  /** Decodes ASCII faster than `TextDecoder`, on platforms where that is possible. */
  decodeAscii?: AsciiDecoder
  onReceived: (received: ChannelInput) => void
}

/** Splits bytes into lines and parses each line as JSON. */
export interface LineReader {
  /** Adds bytes. The caller may reuse the chunk afterwards. */
  push(chunk: Uint8Array): void
  /** Parses the rest as the last line. */
  end(): void
}

const LF = 10
const CR = 13
const MAX_BYTES = 4 * 1024 * 1024
const MAX_DEPTH = 128
const ENDLESS_BYTES = 512 * 1024 * 1024

/**
 * Creates a reader of newline-delimited JSON. Time is linear in the number of bytes, whatever the chunks; memory is little more than twice
 * `maxBytes`. Lines end with `\n` or `\r\n`; blank ones are skipped. Invalid UTF-8 is a syntax error.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export function createLineReader(options: LineReaderOptions): LineReader {
  const { maxBytes = MAX_BYTES, maxDepth = MAX_DEPTH, excerptBytes, shortenDeep, decodeAscii, onReceived } = options
  const { isSufficient, onEndless, parseJson = JSON.parse } = options
  /** One more byte for the CR. */
  const bufferBytes = maxBytes + 1
  const excerpt = excerptBytes === undefined ? undefined : createExcerpt(excerptBytes)
  const decoder = createUtf8Decoder(decodeAscii)
  const encoder = new TextEncoder()
  /** The bytes received of a line that arrives in several chunks. */
  let length = 0
  let lastByte: number | undefined
  let isReported = false

  const report = (unreadable: UnreadableInput['unreadable'], line?: Uint8Array): void => {
    if (line) excerpt?.push(line)
    onReceived({ unreadable, ...excerpt?.finish() })
  }
  const append = (chunk: Uint8Array): void => {
    const isSkipped = length > bufferBytes
    length += chunk.length
    lastByte = chunk.at(-1) ?? lastByte
    excerpt?.push(chunk)
    if (length <= bufferBytes) return decoder.push(chunk)
    if (isSkipped) return void (length > ENDLESS_BYTES && onEndless?.())
    decoder.finish()
    isReported = !excerpt || (isSufficient?.(excerpt.head()) ?? false)
    if (isReported) report('size')
  }
  const finishLine = (chunk: Uint8Array): void => {
    append(chunk)
    const bytes = length
    const text = decoder.finish()
    length = 0
    if (bytes > bufferBytes) return isReported ? excerpt?.clear() : report('size')
    if (bytes > maxBytes && lastByte !== CR) return report('size')
    if (text === undefined) return report('syntax')
    excerpt?.clear()
    readText(text)
  }
  const readLine = (bytes: Uint8Array): void => {
    const line = trimCr(bytes)
    if (line.length > maxBytes) return report('size', bytes)
    const text = decoder.decode(line)
    if (text === undefined) report('syntax', bytes)
    else readText(text, bytes)
  }
  const parse = (text: string): ChannelInput | undefined =>
    parseText(exceedsDepth(text, maxDepth) ? shortenDeep?.(text, maxDepth) : text, parseJson)
  const deliver = (received: ChannelInput | undefined, text: string, line?: Uint8Array): void => {
    if (received && 'unreadable' in received) report(received.unreadable, excerpt && (line ?? encoder.encode(text)))
    else if (received) onReceived(received)
  }
  const readText = (text: string, line?: Uint8Array): void => deliver(parse(text), text, line)
  /**
   * Reads complete lines. They are decoded together if no single one can be too long, and all parsed before the first is delivered, which is
   * faster than taking turns.
   */
  const readLines = (bytes: Uint8Array): void => {
    const text = bytes.length <= maxBytes ? decoder.decode(bytes) : undefined
    if (text === undefined) return forEachLine(bytes, LF, (start, end) => readLine(bytes.subarray(start, end)))
    const lines: string[] = []
    forEachLine(text, '\n', (start, end) => lines.push(text.slice(start, end)))
    const parsed = lines.map(parse)
    for (const [at, line] of lines.entries()) deliver(parsed[at], line)
  }

  return {
    push(chunk) {
      const first = length > 0 ? chunk.indexOf(LF) : -1
      if (first >= 0) finishLine(chunk.subarray(0, first))
      else if (length > 0) return append(chunk)
      const rest = chunk.lastIndexOf(LF) + 1
      if (rest > first + 1) readLines(chunk.subarray(first + 1, rest))
      if (rest < chunk.length) append(chunk.subarray(rest))
    },
    end() {
      finishLine(new Uint8Array(0))
    },
  }
}

/** Bytes or text. */
interface Sequence<T> {
  readonly length: number
  indexOf(item: T, from: number): number
}

/** Calls `onLine` with the start and end of each line. The last line must end with a line break, too. */
function forEachLine<T>(sequence: Sequence<T>, newline: T, onLine: (start: number, end: number) => void): void {
  for (let start = 0; start < sequence.length; ) {
    const end = sequence.indexOf(newline, start)
    onLine(start, end)
    start = end + 1
  }
}

/** Parses a line; `undefined` stands for one that nests too deeply. Returns undefined for a blank one. */
function parseText(text: string | undefined, parseJson: ParseJson): ChannelInput | undefined {
  if (text === undefined) return { unreadable: 'depth' }
  try {
    return { value: parseJson(text) }
  } catch {
    return text.trim() === '' ? undefined : { unreadable: 'syntax' }
  }
}

/** Encodes a message as one line. JSON contains no line breaks. */
export function encodeLine(message: Message | Message[]): string {
  return `${stringifyMessage(message)}\n`
}
