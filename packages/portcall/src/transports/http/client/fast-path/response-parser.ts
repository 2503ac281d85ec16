import { Buffer } from 'node:buffer'

/** The head of a response. */
export interface ReceivedHead {
  readonly status: number
  /** By lower-case name; several values of a name are joined with `, `. */
  readonly headers: ReadonlyMap<string, string>
}

/** Receives the parts of responses. */
export interface ResponseHandler {
  onHead(head: ReceivedHead): void
  onData(chunk: Buffer): void
  /** The response is complete. `isReusable`: the connection may carry another request. */
  onEnd(isReusable: boolean): void
}

/** The size of heads and trailers that Node accepts by default. */
const MAX_HEAD_BYTES = 16 * 1024
const MAX_CHUNK_LINE_BYTES = 1024
const HEAD_END = '\r\n\r\n'
const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: [\t\x20-\x7e\x80-\xff]*)?(?:\r\n|$)/
const HEADER_LINE = /([!#$%&'*+\-.^_`|~\dA-Za-z]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)(?:\r\n|$)/y
const CHUNK_LINE = /^([\da-fA-F]{1,8})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/
const DIGITS = /^\d{1,15}$/
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i
const KEEP_ALIVE = /(?:^|,)[ \t]*keep-alive[ \t]*(?:,|$)/i
/** Responses that never have a body. */
const BODILESS = new Set([204, 304])
const EMPTY = Buffer.alloc(0)

type State = 'head' | 'length' | 'chunk-line' | 'chunk' | 'chunk-end' | 'trailers' | 'until-close' | 'idle'

/** Parses the responses on one connection, strictly: what HTTP/1.1 does not allow is an error. Interim responses are skipped. */
export class ResponseParser {
  readonly #handler: ResponseHandler
  #state: State = 'idle'
  /** The bytes of an incomplete head or line. */
  #rest: Buffer = EMPTY
  #remaining = 0
  #isReusable = false

  constructor(handler: ResponseHandler) {
    this.#handler = handler
  }

  /** Expects the response to the next request. */
  start(): void {
    this.#state = 'head'
  }

  /** Parses bytes. @throws Error for bytes that are not a response, or that no request has asked for. */
  push(chunk: Buffer): void {
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    this.#rest = EMPTY
    while (bytes.length > 0) {
      const used = this.#step(bytes)
      if (used === 0) {
        this.#rest = bytes
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
    const [line, minor = '', code = ''] = STATUS_LINE.exec(text) ?? []
    if (line === undefined) throw invalid('its first line is not that of HTTP/1.1')
    const status = Number(code)
    const headers = parseHeaders(text, line.length)
    if (status >= 200) this.#startBody({ status, headers }, minor === '1')
    else if (status === 101) throw invalid('it switches protocols')
    return end + HEAD_END.length
  }

  #startBody(head: ReceivedHead, isHttp11: boolean): void {
    const { headers, status } = head
    const length = headers.get('content-length')
    const encoding = headers.get('transfer-encoding')
    const connection = headers.get('connection') ?? ''
    if (length !== undefined && (encoding !== undefined || !DIGITS.test(length))) throw invalid('its length is ambiguous')
    if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') throw invalid('its transfer encoding is unknown')
    this.#isReusable = isHttp11 ? !CLOSE.test(connection) : KEEP_ALIVE.test(connection)
    this.#remaining = Number(length ?? 0)
    if (BODILESS.has(status) || length === '0') this.#state = 'idle'
    else this.#state = encoding !== undefined ? 'chunk-line' : length !== undefined ? 'length' : 'until-close'
    this.#handler.onHead(head)
    if (this.#state === 'idle' || (this.#state === 'length' && this.#remaining === 0)) this.#finish()
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
    parseHeaders(bytes.toString('latin1', 0, end), 0)
    this.#finish()
    return end + HEAD_END.length
  }

  #finish(): void {
    const isReusable = this.#isReusable && this.#state !== 'until-close'
    this.#state = 'idle'
    this.#handler.onEnd(isReusable)
  }
}

/** Parses header lines from a position on. @throws Error. */
function parseHeaders(text: string, start: number): Map<string, string> {
  const headers = new Map<string, string>()
  for (let at = start; at < text.length; at = HEADER_LINE.lastIndex) {
    HEADER_LINE.lastIndex = at
    const match = HEADER_LINE.exec(text)
    if (!match) throw invalid('it has an invalid header')
    const name = (match[1] ?? '').toLowerCase()
    const value = (match[2] ?? '').trimEnd()
    const earlier = headers.get(name)
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`)
  }
  return headers
}

const invalid = (reason: string): Error => new Error(`The response is not valid HTTP: ${reason}`)
