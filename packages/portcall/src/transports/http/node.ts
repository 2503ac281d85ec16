/** The front for Node's own HTTP server. No Request or Response objects, no streams for single answers. */
import { isAscii, isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ErrorCode } from '../../jsonrpc/errors.ts'
import type { Exchange } from '../../jsonrpc/exchange.ts'
import { createExpiry } from './expiry.ts'
import { createHttpHandler, readLimits } from './handler.ts'
import type { FlatHeaders } from './headers.ts'
import { HttpError } from './http-error.ts'
import type { HttpLimits } from './limits.ts'
import { type BodyFront, type NodeMessage, readParsed, readSlowly, tooLarge } from './node-body.ts'
import { cutWhenStalled, openSink, SMALL_ANSWER } from './node-sink.ts'
import type { HttpOptions } from './options.ts'
import { type Answer, DIRECT, type Outbox } from './outbox.ts'
import { hasBody } from './plain/head.ts'
import type { Body, EventSink, HttpHandler, HttpReply, HttpRequest } from './types.ts'

/**
 * Answers requests of any server on `node:http`. A framework that has read the body leaves it at `request.body`, or it is passed as
 * the third argument; a function there (`next`) is ignored.
 */
export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void>
  /** See `HttpHandler.close`. */
  close(drainMs?: number): Promise<void>
}

/** Serves an Exchange to any server on `node:http`. */
export function createNodeHandler(exchange: Exchange, options: HttpOptions = {}): NodeHandler {
  return nodeFront(createHttpHandler(exchange, options), { limits: readLimits(options), outbox: DIRECT })
}

/** What the requests of one endpoint share. */
export interface NodeFront {
  readonly limits: HttpLimits
  readonly outbox: Outbox
}

/** Puts a handler behind `node:http`. A caller whose answers may wait in an outbox flushes it before it closes connections. */
export function nodeFront(handler: HttpHandler, { limits, outbox }: NodeFront): NodeHandler {
  const bodies = createExpiry<() => void>(limits.bodyPauseMs, (timeOut) => timeOut())
  const front: Front = { limits, bodies, outbox }
  const answer = (request: NodeMessage, response: ServerResponse, body?: unknown): Promise<void> => {
    if (body !== undefined && typeof body !== 'function') request.body = body
    const call = new NodeCall(request, response, front)
    if (response.socket !== null) return handler.handle(call, call)
    // Behind others on its connection. Were it begun before its turn, it would not hear that the connection is closed.
    return new Promise((resolve) => response.once('socket', () => resolve(handler.handle(call, call))))
  }
  const close = async (drainMs?: number): Promise<void> => {
    await handler.close(drainMs)
    bodies.stop()
  }
  return Object.assign(answer, { close })
}

type Front = BodyFront & NodeFront

/** A request body up to this size that was not read is thrown away; above it, the connection is closed. */
const MAX_UNREAD_BYTES = 64 * 1024
/** How long a caller has to see the answer to a request whose body was not read. */
const LINGER_MS = 250

/** One request and its reply. */
class NodeCall implements HttpRequest, HttpReply, Answer {
  readonly method: string
  readonly target: string
  #request: NodeMessage
  #response: ServerResponse
  #front: Front
  #body: string | Buffer = ''

  constructor(request: NodeMessage, response: ServerResponse, front: Front) {
    this.method = request.method ?? ''
    this.target = request.originalUrl ?? request.url ?? '/'
    this.#request = request
    this.#response = response
    this.#front = front
  }

  readonly header = (name: string): string | undefined => {
    const { headers } = this.#request
    const key = name.toLowerCase()
    const value = Object.hasOwn(headers, key) ? headers[key] : undefined
    return typeof value === 'object' ? value.join(', ') : value
  };

  *headers(): Iterable<[string, string]> {
    for (const name of Object.keys(this.#request.headers)) yield [name, this.header(name) ?? '']
  }

  headerCount(name: string): number {
    const { rawHeaders } = this.#request
    const wanted = name.toLowerCase()
    let count = 0
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const sent = rawHeaders[at] as string
      if (sent.length === wanted.length && sent.toLowerCase() === wanted) count++
    }
    return count
  }

  async readBody(): Promise<Body> {
    const request = this.#request
    if (request.readableEnded) return readParsed(request.body)
    // What came in one piece with the head is there a moment later, and needs no listeners and no deadline.
    await undefined
    const { maxBodyBytes } = this.#front.limits
    const length = Number(request.headers['content-length'] ?? 0)
    if (length > maxBodyBytes || request.readableLength > maxBodyBytes) throw tooLarge(maxBodyBytes)
    const isThere = request.complete || (length > 0 && request.readableLength === length)
    const bytes: Buffer = isThere ? (request.read() ?? Buffer.alloc(0)) : await readSlowly(request, this.#front)
    if (isAscii(bytes)) return { text: bytes.toString('latin1') }
    if (isUtf8(bytes)) return { text: bytes.toString() }
    throw new HttpError(400, {}, { code: ErrorCode.parseError, message: 'Parse error: the body is not UTF-8' })
  }

  get gone(): boolean {
    return this.#response.destroyed && !this.#response.writableFinished
  }

  onGone(listener: () => void): void {
    if (this.gone) return listener()
    // It comes once; `once` would keep a wrapper and its state for each request.
    this.#response.on('close', () => this.gone && listener())
  }

  send(status: number, headers: FlatHeaders, body = ''): void {
    const response = this.#response
    if (response.destroyed || response.headersSent) return
    const bytes = body.length > SMALL_ANSWER ? Buffer.from(body) : body
    const head = hasBody(status) ? [...headers, 'content-length', String(Buffer.byteLength(bytes))] : [...headers]
    if (!this.#request.complete && this.#leavesMuch()) return this.#sendUnread(status, head, body)
    response.writeHead(status, head)
    this.#body = bytes
    // What is only taken in is said to be, before anything comes of it.
    if (body === '') this.write()
    else this.#front.outbox.put(this)
  }

  write(): void {
    const response = this.#response
    const body = this.#body
    if (response.destroyed) return
    if (body.length > 0) response.write(body)
    // Head and body leave in one write now; `end` alone would hold them back and add an empty piece.
    response.socket?.uncork()
    response.end()
    if (body.length > SMALL_ANSWER) cutWhenStalled(response, this.#front.limits.stallMs)
  }

  /**
   * Answers a request whose body is not read on. The connection closes a moment later: closed at once, with bytes unread, it would be
   * reset, and the caller might never see the answer.
   */
  #sendUnread(status: number, head: readonly string[], body: string): void {
    const response = this.#response
    response.writeHead(status, [...head, 'connection', 'close'])
    response.write(body)
    const timer = setTimeout(() => response.end(), LINGER_MS)
    timer.unref()
    response.once('close', () => clearTimeout(timer))
  }

  open(status: number, headers: FlatHeaders, first?: string): EventSink {
    return openSink(this.#response, { status, headers, first }, this.#front.limits)
  }

  /** Whether so much of the body is still to come that reading it would be a waste. */
  #leavesMuch(): boolean {
    const { headers } = this.#request
    return 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > MAX_UNREAD_BYTES
  }
}
