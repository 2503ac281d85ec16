import { Buffer } from 'node:buffer'
import { connect, type Socket } from 'node:net'
import type { HttpFetchResponse } from '../types.ts'
import { type ReceivedHead, type ResponseHandler, ResponseParser } from './response-parser.ts'

/** The host and port of a server. */
export interface HttpAddress {
  readonly host: string
  readonly port: number
}

/** What a connection reports. */
export interface HttpConnectionEvents {
  /** The response is complete, and the connection may carry another request within `reuseMs`. */
  onIdle(connection: HttpConnection, reuseMs: number): void
  onClose(connection: HttpConnection): void
}

/** The body is not read further while more than this is buffered. */
const MAX_BUFFERED_BYTES = 64 * 1024
/** A server closes an idle connection after the time in this header. Less of it is used, because the request needs time to arrive. */
const KEEP_ALIVE_TIMEOUT = /(?:^|[ ,])timeout=(\d+)/i
const KEEP_ALIVE_MARGIN_MS = 1000
const KEEP_ALIVE_PROBE_MS = 1000
const EMPTY = Buffer.alloc(0)
const DONE = { done: true, value: undefined } as const

/** A connection that carries one request at a time. */
export class HttpConnection implements ResponseHandler {
  readonly address: HttpAddress
  /** When the server may close the idle connection. */
  reusableUntil = 0
  readonly #socket: Socket
  readonly #parser = new ResponseParser(this)
  readonly #events: HttpConnectionEvents
  #exchange: SocketTransfer | undefined
  #keepAlive: string | undefined

  constructor(address: HttpAddress, events: HttpConnectionEvents, connectTimeoutMs: number) {
    this.address = address
    this.#events = events
    const socket = connect({ ...address, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS })
    this.#socket = socket
    const timer = setTimeout(() => socket.destroy(new Error(`No connection within ${connectTimeoutMs} ms`)), connectTimeoutMs)
    const stopTimer = (): void => clearTimeout(timer)
    socket.once('connect', stopTimer).once('close', stopTimer)
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('end', () => this.#end())
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => {
      this.#fail(new Error('The connection was closed'))
      this.#events.onClose(this)
    })
  }

  /** Sends a request. The connection must not carry another one. */
  send(exchange: SocketTransfer, head: string, body: string): void {
    this.#exchange = exchange
    this.#parser.start()
    const socket = this.#socket.ref()
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
    this.#keepAlive = head.headers.get('keep-alive')
    this.#exchange?.onHead(head)
  }

  onData(chunk: Buffer): void {
    this.#exchange?.onData(chunk)
  }

  onEnd(isReusable: boolean): void {
    const exchange = this.#exchange
    this.#exchange = undefined
    exchange?.onEnd()
    const hint = KEEP_ALIVE_TIMEOUT.exec(this.#keepAlive ?? '')?.[1]
    const reuseMs = hint === undefined ? Number.POSITIVE_INFINITY : Number(hint) * 1000 - KEEP_ALIVE_MARGIN_MS
    // A request that is still being sent was answered early. The server does not read the rest.
    if (!isReusable || reuseMs <= 0 || this.#socket.writableLength > 0 || this.#socket.destroyed) return this.close()
    this.#socket.resume().unref()
    this.#events.onIdle(this, reuseMs)
  }

  #receive(chunk: Buffer): void {
    try {
      this.#parser.push(chunk)
    } catch (error) {
      this.#fail(error)
    }
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

/** One request and its response. */
export class SocketTransfer implements HttpFetchResponse {
  status = 0
  readonly response: Promise<HttpFetchResponse>
  #headers: ReadonlyMap<string, string> | undefined
  #connection: HttpConnection | undefined
  #chunks: Buffer[] = []
  #bufferedBytes = 0
  #isComplete = false
  #isPaused = false
  #error: unknown
  #resolve!: (response: HttpFetchResponse) => void
  #reject!: (error: unknown) => void
  #wake: (() => void) | undefined

  constructor(connection: HttpConnection) {
    this.#connection = connection
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
    this.#resolve(this)
  }

  onData(chunk: Buffer): void {
    this.#chunks.push(chunk)
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
