import { Buffer } from 'node:buffer'
import { connect, type Socket } from 'node:net'
import {
  type HeaderLines,
  type ReceivedHead,
  type ResponseHandler,
  ResponseParser,
} from '../../../../../../util/src/response-parser.ts'
import type { PendingWrite, WriteBatcher } from '../../common/write-batcher.ts'
import { decodeResponse } from '../decoded-response.ts'
import type { HttpFetchResponse } from '../types.ts'

/** The host and port of a server. */
export interface HttpAddress {
  readonly host: string
  readonly port: number
  /** Identifies the address. */
  readonly key: string
}

/** The events of a connection. */
export interface HttpConnectionEvents {
  /** The response is complete, and the connection may carry another request within `reuseMs`. */
  onIdle(connection: HttpConnection, reuseMs: number): void
  onClose(connection: HttpConnection): void
}

/** The options that all connections of a client share. */
export interface HttpConnectionOptions {
  readonly events: HttpConnectionEvents
  readonly batcher: WriteBatcher
}

/** The body is not read further while more than this is buffered. */
const MAX_BUFFERED_BYTES = 64 * 1024
/** A server closes an idle connection after the time in this header. Less of it is used, because the request needs time to arrive. */
const KEEP_ALIVE_TIMEOUT = /(?:^|[ ,])timeout=(\d+)/i
const KEEP_ALIVE_MARGIN_MS = 1000
const KEEP_ALIVE_PROBE_MS = 1000
const EMPTY = Buffer.alloc(0)
/** The buffer of what a socket has received, until it is parsed. All sockets share it, because a buffer for each read costs more than the parsing. */
const RECEIVED = Buffer.alloc(64 * 1024)
const DONE = { done: true, value: undefined } as const

/** A connection that carries one request at a time. */
export class HttpConnection implements ResponseHandler, PendingWrite {
  readonly address: HttpAddress
  /** When the idle connection has to be closed. */
  idleUntil = 0
  readonly #socket: Socket
  readonly #parser = new ResponseParser(this)
  readonly #events: HttpConnectionEvents
  readonly #batcher: WriteBatcher
  #exchange: SocketTransfer | undefined
  /** The request, until it is written. */
  #request: { readonly head: string; readonly body: string } | undefined
  /** The head of the last response, and how long the connection may be idle by its `Keep-Alive` header. */
  #head: ReceivedHead | undefined
  #reuseMs = Number.POSITIVE_INFINITY

  constructor(address: HttpAddress, { events, batcher }: HttpConnectionOptions, connectTimeoutMs: number) {
    this.address = address
    this.#events = events
    this.#batcher = batcher
    const { host, port } = address
    const socket = connect({
      host,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
      onread: { buffer: RECEIVED, callback: (size) => this.#receive(RECEIVED.subarray(0, size)) },
    })
    this.#socket = socket
    const timer = setTimeout(() => socket.destroy(new Error(`No connection within ${connectTimeoutMs} ms`)), connectTimeoutMs)
    const stopTimer = (): void => clearTimeout(timer)
    socket.once('connect', stopTimer).once('close', stopTimer)
    socket.on('end', () => this.#end())
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => {
      this.#fail(new Error('The connection was closed'))
      this.#events.onClose(this)
    })
  }

  /** True if the idle connection can carry another request. A socket that was destroyed emits `close` only later. */
  get isReusable(): boolean {
    return this.#socket.writable && this.idleUntil > performance.now()
  }

  /** Sends a request at the end of this turn of the event loop. The connection must not carry another one. */
  send(exchange: SocketTransfer, head: string, body: string): void {
    this.#exchange = exchange
    this.#request = { head, body }
    this.#parser.start()
    this.#socket.ref()
    this.#batcher.add(this)
  }

  write(): void {
    const socket = this.#socket
    const request = this.#request
    this.#request = undefined
    if (!request || !socket.writable) return
    const { head, body } = request
    const text = head + body
    if (Buffer.byteLength(text) === text.length) socket.write(text, 'latin1')
    else {
      socket.cork()
      socket.write(head, 'latin1')
      socket.write(body, 'utf8')
      socket.uncork()
    }
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  close(): void {
    this.#socket.destroy()
  }

  onHead(head: ReceivedHead): void {
    if (head !== this.#head) this.#reuseMs = reuseMsOf(head.headers.get('keep-alive'))
    this.#head = head
    this.#exchange?.onHead(head)
  }

  onData(chunk: Buffer): void {
    this.#exchange?.onData(chunk)
  }

  onEnd(isReusable: boolean): void {
    const exchange = this.#exchange
    this.#exchange = undefined
    exchange?.onEnd()
    // A request that is still being sent was answered early. The server does not read the rest.
    const isSending = this.#request !== undefined || this.#socket.writableLength > 0
    if (!isReusable || this.#reuseMs <= 0 || isSending || this.#socket.destroyed) return this.close()
    this.#socket.resume().unref()
    this.#events.onIdle(this, this.#reuseMs)
  }

  /** Parses bytes that are overwritten afterwards. Returns true, so that the socket goes on reading. */
  #receive(bytes: Buffer): true {
    try {
      this.#parser.push(bytes)
    } catch (error) {
      this.#fail(error)
    }
    return true
  }

  /** The server has closed its side. */
  #end(): void {
    try {
      if (this.#exchange) this.#parser.end()
    } catch (error) {
      this.#fail(error)
    }
    this.close()
  }

  #fail(error: unknown): void {
    const exchange = this.#exchange
    this.#exchange = undefined
    exchange?.onError(error)
    this.#socket.destroy()
  }
}

function reuseMsOf(keepAlive: string | undefined): number {
  const seconds = KEEP_ALIVE_TIMEOUT.exec(keepAlive ?? '')?.[1]
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000 - KEEP_ALIVE_MARGIN_MS
}

/** One request and its response. */
export class SocketTransfer implements HttpFetchResponse {
  status = 0
  readonly response: Promise<HttpFetchResponse>
  readonly #url: URL
  #headers: HeaderLines | undefined
  #connection: HttpConnection | undefined
  #chunks: Buffer[] = []
  #bufferedBytes = 0
  #isComplete = false
  #isPaused = false
  #error: unknown
  #resolve!: (response: HttpFetchResponse) => void
  #reject!: (error: unknown) => void
  #wake: (() => void) | undefined

  constructor(connection: HttpConnection, url: URL) {
    this.#connection = connection
    this.#url = url
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  get body(): AsyncIterable<Uint8Array> {
    return { [Symbol.asyncIterator]: () => ({ next: () => this.#next() }) }
  }

  header(name: string): string | undefined {
    return this.#headers?.get(name)
  }

  readBuffered(): Uint8Array | undefined {
    if (!this.#isComplete) return undefined
    const chunks = this.#chunks
    this.#chunks = []
    return chunks.length === 1 ? chunks[0] : chunks.length === 0 ? EMPTY : Buffer.concat(chunks)
  }

  /** Closes the connection, unless the response is complete. */
  cancel(): void {
    this.#connection?.close()
  }

  onHead({ status, headers }: ReceivedHead): void {
    this.status = status
    this.#headers = headers
    this.#resolve(decodeResponse(this, this.#url))
  }

  onData(chunk: Buffer): void {
    this.#chunks.push(Buffer.from(chunk))
    this.#bufferedBytes += chunk.length
    if (this.#bufferedBytes > MAX_BUFFERED_BYTES && !this.#isPaused) {
      this.#isPaused = true
      this.#connection?.pause()
    }
    this.#wake?.()
  }

  onEnd(): void {
    this.#isComplete = true
    this.#connection = undefined
    this.#wake?.()
  }

  onError(error: unknown): void {
    this.#error = error
    this.#connection = undefined
    this.#reject(error)
    this.#wake?.()
  }

  async #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const chunk = this.#chunks.shift()
      if (chunk) {
        this.#consume(chunk.length)
        return { done: false, value: chunk }
      }
      if (this.#isComplete) return DONE
      if (this.#error !== undefined) throw this.#error
      await new Promise<void>((resolve) => (this.#wake = resolve))
      this.#wake = undefined
    }
  }

  #consume(bytes: number): void {
    this.#bufferedBytes -= bytes
    if (!this.#isPaused || this.#bufferedBytes > 0) return
    this.#isPaused = false
    this.#connection?.resume()
  }
}
