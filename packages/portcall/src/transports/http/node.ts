/**
 * The front for Node's own HTTP server. No Request or Response objects, no streams for single answers: a call is one `writeHead` and one
 * `end`.
 */
import { isUtf8 } from 'node:buffer'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ErrorCode } from '../../jsonrpc/errors.ts'
import type { Exchange } from '../../jsonrpc/exchange.ts'
import { createExpiry, type Expiry } from './expiry.ts'
import { createHttpHandler, readLimits } from './handler.ts'
import type { FlatHeaders } from './headers.ts'
import { HttpError, refuse } from './http-error.ts'
import type { HttpLimits } from './limits.ts'
import type { HttpOptions } from './options.ts'
import type { Body, EventSink, HttpReply, HttpRequest } from './types.ts'

/** A request as Node has it, maybe touched by a framework. */
type NodeMessage = IncomingMessage & { originalUrl?: string; body?: unknown }

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
  const limits = readLimits(options)
  const handler = createHttpHandler(exchange, options)
  const bodies = createExpiry<() => void>(limits.bodyPauseMs, (timeOut) => timeOut())
  const answer = (request: NodeMessage, response: ServerResponse, body?: unknown): Promise<void> => {
    if (body !== undefined && typeof body !== 'function') request.body = body
    const call = new NodeCall(request, response, { limits, bodies })
    return handler.handle(call, call)
  }
  const close = async (drainMs?: number): Promise<void> => {
    await handler.close(drainMs)
    bodies.stop()
  }
  return Object.assign(answer, { close })
}

interface Front {
  readonly limits: HttpLimits
  /** Bodies that are being waited for. */
  readonly bodies: Expiry<() => void>
}

/** A request body up to this size that was not read is thrown away; above it, the connection is closed. */
const MAX_UNREAD_BYTES = 64 * 1024
/** How long a caller has to see the answer to a request whose body was not read. */
const LINGER_MS = 250
/** An answer up to this size fits into what the kernel takes, whatever its reader does. */
const SMALL_ANSWER = 64 * 1024

/** One request and its reply. */
class NodeCall implements HttpRequest, HttpReply {
  readonly method: string
  readonly target: string
  #request: NodeMessage
  #response: ServerResponse
  #front: Front

  constructor(request: NodeMessage, response: ServerResponse, front: Front) {
    this.method = request.method ?? ''
    this.target = request.originalUrl ?? request.url ?? '/'
    this.#request = request
    this.#response = response
    this.#front = front
  }

  readonly header = (name: string): string | undefined => {
    const value = this.#request.headers[name.toLowerCase()]
    return typeof value === 'object' ? value.join(', ') : value
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
    const bytes: Buffer = request.complete ? (request.read() ?? Buffer.alloc(0)) : await readSlowly(request, this.#front)
    if (!isUtf8(bytes))
      throw new HttpError(400, {}, { code: ErrorCode.parseError, message: 'Parse error: the body is not UTF-8' })
    return { text: bytes.toString() }
  }

  get gone(): boolean {
    return this.#response.destroyed && !this.#response.writableFinished
  }

  onGone(listener: () => void): void {
    if (this.gone) return listener()
    this.#response.once('close', () => this.gone && listener())
  }

  send(status: number, headers: FlatHeaders, body = ''): void {
    const response = this.#response
    if (response.destroyed || response.headersSent) return
    const head = [...headers, 'content-length', String(Buffer.byteLength(body))]
    if (!this.#request.complete && this.#leavesMuch()) return this.#sendUnread(status, head, body)
    response.writeHead(status, head)
    response.end(body)
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
    const response = this.#response
    const sink = new NodeSink(response, this.#front.limits)
    if (sink.closed) return sink
    response.writeHead(status, headers as string[])
    if (first === undefined) response.flushHeaders()
    else void sink.write(first)
    return sink
  }

  /** Whether so much of the body is still to come that reading it would be a waste. */
  #leavesMuch(): boolean {
    const { headers } = this.#request
    return 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > MAX_UNREAD_BYTES
  }
}

/** Takes a body that somebody else has read. */
function readParsed(body: unknown): Body {
  if (body === undefined) throw new Error('The body of the request was read before; pass it on as request.body')
  if (typeof body === 'string') return { text: body }
  return body instanceof Uint8Array ? { text: new TextDecoder('utf-8', { fatal: true }).decode(body) } : { parsed: body }
}

/** Reads a body that comes in pieces, within its limits of size and time. */
async function readSlowly(request: NodeMessage, { limits, bodies }: Front): Promise<Buffer> {
  if (request.destroyed) throw refuse(400, 'The body is incomplete')
  const { maxBodyBytes, bodyTimeoutMs } = limits
  const startedAt = performance.now()
  const chunks: Buffer[] = []
  let size = 0
  return await new Promise<Buffer>((resolve, reject) => {
    const fail = (error: HttpError): void => {
      bodies.forget(timeOut)
      request.removeAllListeners('data')
      request.pause()
      reject(error)
    }
    const timeOut = (): void => fail(refuse(408, 'The body did not come in time', { connection: 'close' }))
    bodies.touch(timeOut)
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBodyBytes) return fail(tooLarge(maxBodyBytes))
      if (performance.now() - startedAt > bodyTimeoutMs) return timeOut()
      chunks.push(chunk)
      bodies.touch(timeOut)
    })
    request.on('error', () => fail(refuse(400, 'The body is incomplete')))
    request.on('end', () => {
      bodies.forget(timeOut)
      resolve(Buffer.concat(chunks))
    })
  })
}

function tooLarge(maxBodyBytes: number): HttpError {
  return refuse(413, `The body has more than ${maxBodyBytes} bytes`, { connection: 'close' })
}

class NodeSink implements EventSink {
  lag: Promise<void> | undefined
  #response: ServerResponse
  #limits: HttpLimits
  #watched = false

  constructor(response: ServerResponse, limits: HttpLimits) {
    this.#response = response
    this.#limits = limits
    response.on('error', () => {})
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded
  }

  get bufferedBytes(): number {
    return this.#response.writableLength
  }

  write(text: string): void | Promise<void> {
    const response = this.#response
    if (this.closed) return
    response.write(text)
    if (!this.lag && response.writableLength > this.#limits.backPressureBytes) this.lag = this.#caughtUp()
    return this.lag
  }

  keepAlive(comment: string): void {
    if (this.#response.writableLength > 0) this.#watch()
    else void this.write(comment)
  }

  end(): void {
    if (this.closed) return
    this.#response.end()
    if (this.#response.writableLength > SMALL_ANSWER) this.#watch()
  }

  cut(): void {
    this.#response.destroy()
  }

  onClose(listener: () => void): void {
    if (this.#response.destroyed) listener()
    else this.#response.once('close', listener)
  }

  #caughtUp(): Promise<void> {
    this.#watch()
    return new Promise((resolve) => {
      const done = (): void => {
        this.lag = undefined
        this.#response.off('drain', done).off('close', done)
        resolve()
      }
      this.#response.once('drain', done).once('close', done)
    })
  }

  #watch(): void {
    if (this.#watched) return
    this.#watched = true
    cutWhenStalled(this.#response, this.#limits.stallMs)
    this.#response.once('drain', () => (this.#watched = false))
  }
}

/** Cuts the connection when nothing of what was written has gone out for `stallMs`; a reader that is only slow is left alone. */
function cutWhenStalled(response: ServerResponse, stallMs: number): void {
  response.setTimeout(stallMs)
  if (response.listenerCount('timeout') > 0) return
  response.on('timeout', () => (response.writableLength > 0 ? response.destroy() : response.setTimeout(0)))
}

/** Settings of Node's HTTP server, none of which ends a stream that is in use. */
export interface NodeServerLimits {
  /** The head of a request has to be there by then, else 408. Default: 10 s. */
  readonly headersTimeoutMs?: number
  /** A connection without a request is closed after so long. Default: 65 s, a little more than most load balancers keep theirs. */
  readonly keepAliveTimeoutMs?: number
  /** All headers of a request together; more is answered with 431. Default: 16 KiB. */
  readonly maxHeaderBytes?: number
}

/** A server that listens to nothing yet. */
export interface NodeServer {
  readonly server: Server
  /** Stops listening, lets running requests finish within `drainMs`, then closes all connections. */
  close(drainMs?: number): Promise<void>
}

const CHECK_CONNECTIONS_MS = 2000

/** Makes an HTTP server for one endpoint; `listen` is up to the caller. */
export function createNodeServer(exchange: Exchange, options: HttpOptions & NodeServerLimits = {}): NodeServer {
  const { headersTimeoutMs = 10_000, keepAliveTimeoutMs = 65_000, maxHeaderBytes = 16 * 1024 } = options
  const handler = createNodeHandler(exchange, options)
  const settings = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: headersTimeoutMs + readLimits(options).bodyTimeoutMs + readLimits(options).bodyPauseMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
    connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
    requireHostHeader: false,
  }
  const server = createServer(settings, (request, response) => void handler(request, response))
  // Above a number of headers Node drops the rest in silence, and a check must not miss one: their size alone is the limit.
  server.maxHeadersCount = 0
  server.on('clientError', refuseUnreadable)
  const close = async (drainMs?: number): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    await handler.close(drainMs)
    server.closeAllConnections()
    await closed
  }
  return { server, close }
}

const UNREADABLE: { readonly [code: string]: readonly [status: string, message: string] } = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'The chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not come in time'],
}

/** Answers what Node's parser could not read, and closes the connection: nothing that follows on it can be trusted. */
function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, message] = UNREADABLE[error.code ?? ''] ?? ['400 Bad Request', 'The request is not HTTP/1.1']
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: ErrorCode.invalidRequest, message } })
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
}
