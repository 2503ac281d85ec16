import { Buffer } from 'node:buffer'

/** A complete HTTP response. */
export interface RawResponse {
  readonly status: number
  /** True if the body consists of server-sent events. */
  readonly isStream: boolean
  /** True if the server closes the connection. */
  readonly isLast: boolean
  readonly body: Buffer
}

const HEAD_END = '\r\n\r\n'
const STATUS = /^HTTP\/1\.[01] (\d{3})/
const LENGTH = /\r\ncontent-length: *(\d+)/i
const CHUNKED = /\r\ntransfer-encoding: *chunked/i
const STREAM = /\r\ncontent-type: *text\/event-stream/i
const CLOSE = /\r\nconnection: *close/i
const NO_LENGTH = -1

/** Reads the responses of one connection, one after the other, as a client that knows its server may. */
export class ResponseReader {
  #chunks: Buffer[] = []
  #size = 0
  #head: string | undefined
  #bodyStart = 0
  #length = NO_LENGTH

  /** Adds bytes. Returns the response once it is complete. @throws Error for something that is not HTTP. */
  push(chunk: Buffer): RawResponse | undefined {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#head === undefined && !this.#readHead()) return undefined
    if (this.#length !== NO_LENGTH) return this.#size - this.#bodyStart < this.#length ? undefined : this.#take(this.#length)
    const isChunked = CHUNKED.test(this.#head ?? '')
    return isChunked && this.#endsWith(HEAD_END) ? this.#takeChunked() : undefined
  }

  /** Returns the response that the end of the connection completes. */
  end(): RawResponse | undefined {
    const isOpen = this.#head !== undefined && this.#length === NO_LENGTH && !CHUNKED.test(this.#head)
    return isOpen ? this.#take(this.#size - this.#bodyStart) : undefined
  }

  #readHead(): boolean {
    const bytes = this.#join()
    const end = bytes.indexOf(HEAD_END)
    if (end < 0) return false
    const head = bytes.toString('latin1', 0, end)
    if (!STATUS.test(head)) throw new Error('This is not an HTTP response')
    this.#head = head
    this.#bodyStart = end + HEAD_END.length
    this.#length = Number(LENGTH.exec(head)?.[1] ?? NO_LENGTH)
    return true
  }

  #join(): Buffer {
    const [first] = this.#chunks
    if (first && this.#chunks.length === 1) return first
    const joined = Buffer.concat(this.#chunks)
    this.#chunks = [joined]
    return joined
  }

  #endsWith(text: string): boolean {
    return this.#join().subarray(-text.length).toString('latin1') === text
  }

  #takeChunked(): RawResponse | undefined {
    const bytes = this.#join()
    const parts: Buffer[] = []
    for (let at = this.#bodyStart; ; ) {
      const lineEnd = bytes.indexOf('\r\n', at)
      const size = lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
      if (Number.isNaN(size)) return undefined
      if (size === 0) return this.#finish(Buffer.concat(parts))
      parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
      at = lineEnd + 2 + size + 2
    }
  }

  #take(length: number): RawResponse {
    return this.#finish(this.#join().subarray(this.#bodyStart, this.#bodyStart + length))
  }

  #finish(body: Buffer): RawResponse {
    const head = this.#head ?? ''
    this.#chunks = []
    this.#size = 0
    this.#head = undefined
    return { status: Number(STATUS.exec(head)?.[1]), isStream: STREAM.test(head), isLast: CLOSE.test(head), body }
  }
}
