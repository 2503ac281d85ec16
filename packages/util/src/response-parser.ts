import { Buffer } from 'node:buffer'

/** The head of a response. */
export interface ReceivedHead {
  readonly status: number
  readonly headers: HeaderLines
}

/** Receives the parts of responses. */
export interface ResponseHandler {
  onHead(head: ReceivedHead): void
  /** The chunk is only valid during the call. */
  onData(chunk: Buffer): void
  /** The response is complete. `isReusable`: the connection may carry another request. */
  onEnd(isReusable: boolean): void
}

/** The size of heads and trailers that Node accepts by default. */
const MAX_HEAD_BYTES = 16 * 1024
const MAX_CHUNK_LINE_BYTES = 1024
const HEAD_END = '\r\n\r\n'
const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: [\t\x20-\x7e\x80-\xff]*)?(?=\r\n|$)/
const HEADER_LINES = /^(?:\r\n[!#$%&'*+\-.^_`|~\dA-Za-z]+:[\t\x20-\x7e\x80-\xff]*)*$/
const CHUNK_LINE = /^([\da-fA-F]{1,8})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/
const DIGITS = /^\d{1,15}$/
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i
const KEEP_ALIVE = /(?:^|,)[ \t]*keep-alive[ \t]*(?:,|$)/i
/** Responses that never have a body. */
const BODILESS = new Set([204, 304])
const EMPTY = Buffer.alloc(0)

type State = 'head' | 'length' | 'chunk-line' | 'chunk' | 'chunk-end' | 'trailers' | 'until-close' | 'idle'

/** A head, and what it says about the response. */
interface Head extends ReceivedHead {
  /** The state of the parser at the start of the body. */
  readonly body: State
  readonly length: number
  readonly isReusable: boolean
}

/** @throws Error if the text is not the head of a response, or if its framing is ambiguous. */
function parseHead(text: string): Head {
  const [line, minor, code] = STATUS_LINE.exec(text) ?? []
  if (line === undefined) throw invalid('its first line is not that of HTTP/1.1')
  const status = Number(code)
  const headers = new HeaderLines(text.slice(line.length))
  if (status === 101) throw invalid('it switches protocols')
  const length = headers.get('content-length')
  const encoding = headers.get('transfer-encoding')
  const connection = headers.get('connection') ?? ''
  if (length !== undefined && (encoding !== undefined || !DIGITS.test(length))) throw invalid('its length is ambiguous')
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') throw invalid('its transfer encoding is unknown')
  return {
    status,
    headers,
    length: Number(length ?? 0),
    isReusable: minor === '1' ? !CLOSE.test(connection) : KEEP_ALIVE.test(connection),
    body: BODILESS.has(status) || length === '0' ? 'idle' : encoding ? 'chunk-line' : length ? 'length' : 'until-close',
  }
}

/** Parses the responses on one connection, strictly: what HTTP/1.1 does not allow is an error. Interim responses are skipped. */
export class ResponseParser {
  readonly #handler: ResponseHandler
  #state: State = 'idle'
  /** The bytes of an incomplete head or line. */
  #rest: Buffer = EMPTY
  #remaining = 0
  /** The head of the last response, and its text. The next one often is the same. */
  #head: Head | undefined
  #headText = ''

  constructor(handler: ResponseHandler) {
    this.#handler = handler
  }

  /** Expects the response to the next request. */
  start(): void {
    this.#state = 'head'
  }

  /** Parses bytes, which are not used afterwards. @throws Error for bytes that are not a response, or that no request has asked for. */
  push(chunk: Buffer): void {
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    this.#rest = EMPTY
    while (bytes.length > 0) {
      const used = this.#step(bytes)
      if (used === 0) {
        this.#rest = Buffer.from(bytes)
        return
      }
      bytes = used === bytes.length ? EMPTY : bytes.subarray(used)
    }
  }

  /** The connection has ended. @throws Error if the response is incomplete. */
  end(): void {
    if (this.#state !== 'until-close') throw new Error('The connection was closed')
    this.#finish()
  }

  /** Consumes a part of the bytes, and returns its length; 0 if more bytes are needed. */
  #step(bytes: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes)
      case 'chunk-line':
        return this.#readChunkLine(bytes)
      case 'chunk-end':
        return this.#readChunkEnd(bytes)
      case 'trailers':
        return this.#readTrailers(bytes)
      case 'length':
      case 'chunk':
        return this.#readData(bytes)
      case 'until-close':
        this.#handler.onData(bytes)
        return bytes.length
      default:
        throw new Error('The server sent data that no request has asked for')
    }
  }

  #readHead(bytes: Buffer): number {
    const end = bytes.indexOf(HEAD_END)
    if (end > MAX_HEAD_BYTES || (end < 0 && bytes.length > MAX_HEAD_BYTES)) throw invalid('its head is too large')
    if (end < 0) return 0
    const text = bytes.toString('latin1', 0, end)
    const head = this.#head && text === this.#headText ? this.#head : parseHead(text)
    this.#head = head
    this.#headText = text
    if (head.status >= 200) this.#startBody(head)
    return end + HEAD_END.length
  }

  #startBody(head: Head): void {
    this.#state = head.body
    this.#remaining = head.length
    this.#handler.onHead(head)
    if (head.body === 'idle' || (head.body === 'length' && head.length === 0)) this.#finish()
  }

  #readData(bytes: Buffer): number {
    const used = Math.min(bytes.length, this.#remaining)
    this.#remaining -= used
    this.#handler.onData(used === bytes.length ? bytes : bytes.subarray(0, used))
    if (this.#remaining > 0) return used
    if (this.#state === 'chunk') this.#state = 'chunk-end'
    else this.#finish()
    return used
  }

  #readChunkLine(bytes: Buffer): number {
    const end = bytes.indexOf('\r\n')
    if (end > MAX_CHUNK_LINE_BYTES || (end < 0 && bytes.length > MAX_CHUNK_LINE_BYTES)) throw invalid('a chunk has no size')
    if (end < 0) return 0
    const size = CHUNK_LINE.exec(bytes.toString('latin1', 0, end))?.[1]
    if (size === undefined) throw invalid('a chunk has no size')
    this.#remaining = Number.parseInt(size, 16)
    this.#state = this.#remaining > 0 ? 'chunk' : 'trailers'
    return end + 2
  }

  #readChunkEnd(bytes: Buffer): number {
    if (bytes.length < 2) return 0
    if (bytes[0] !== 0x0d || bytes[1] !== 0x0a) throw invalid('a chunk has another size')
    this.#state = 'chunk-line'
    return 2
  }

  /** Ignores trailers. They end with an empty line. */
  #readTrailers(bytes: Buffer): number {
    if (bytes.length >= 2 && bytes[0] === 0x0d && bytes[1] === 0x0a) {
      this.#finish()
      return 2
    }
    const end = bytes.indexOf(HEAD_END)
    if (end > MAX_HEAD_BYTES || (end < 0 && bytes.length > MAX_HEAD_BYTES)) throw invalid('its trailers are too large')
    if (end < 0) return 0
    new HeaderLines(`\r\n${bytes.toString('latin1', 0, end)}`)
    this.#finish()
    return end + HEAD_END.length
  }

  #finish(): void {
    const isReusable = this.#head?.isReusable === true && this.#state !== 'until-close'
    this.#state = 'idle'
    this.#handler.onEnd(isReusable)
  }
}

/** The headers of a response. Most are never read, so a value is looked up when it is needed. */
export class HeaderLines {
  readonly #text: string
  readonly #lowerCase: string

  /** @param text the lines, each with the line break before it. @throws Error if one is not a header. */
  constructor(text: string) {
    if (!HEADER_LINES.test(text)) throw invalid('it has an invalid header')
    this.#text = text
    this.#lowerCase = text.toLowerCase()
  }

  /** Returns the value of a header by its lower-case name; several values are joined with `, `. */
  get(name: string): string | undefined {
    const start = `\r\n${name}:`
    let joined: string | undefined
    for (let at = this.#lowerCase.indexOf(start); at >= 0; at = this.#lowerCase.indexOf(start, at + 1)) {
      const end = this.#text.indexOf('\r\n', at + 2)
      const value = this.#text.slice(at + start.length, end < 0 ? undefined : end).trim()
      joined = joined === undefined ? value : `${joined}, ${value}`
    }
    return joined
  }
}

const invalid = (reason: string): Error => new Error(`The response is not valid HTTP: ${reason}`)
