/** The adapter for `node:http`. It creates no `Request` or `Response` objects, and streams only for event streams. */

import { isAscii, isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers'
import { countHeader } from '../../../../../../util/src/header-names.ts'
import { createIdleTimers } from '../../../../../../util/src/idle-timers.ts'
import type { SharedBody } from '../../../../../../util/src/memo.ts'
import { ErrorCode } from '../../../../jsonrpc/errors.ts'
import type { Auth, Exchange } from '../../../../jsonrpc/exchange.ts'
import type { RequestBody } from '../../../../protocol/http.ts'
import { type FlatHeaders, Header } from '../../common/headers.ts'
import { ACCEPT_ALL } from '../../common/media-types.ts'
import { createWriteBatcher, type PendingWrite, type WriteBatcher } from '../../common/write-batcher.ts'
import { BODILESS_STATUSES } from '../fast-path/http1.ts'
import { createHttpHandler } from '../handler.ts'
import { HttpError } from '../http-error.ts'
import type { EndpointOptions } from '../options.ts'
import type { EventSink, HttpContext, HttpHandler } from '../types.ts'
import { type BodyReaderState, MAX_UNREAD_BYTES, type NodeRequest, readChunks, readParsed, tooLarge } from './body.ts'
import { type BodyParts, encodeBody, sizeOf, writeParts } from './body-parts.ts'
import { destroyOnStall, openEventSink, SMALL_RESPONSE_BYTES } from './event-sink.ts'
import { discardInput, LINGER_MS } from './graceful-close.ts'
import { isWaiting, waitForTurn } from './pipelining.ts'

/**
 * Handles requests of any server based on `node:http`. If a framework has read the body, pass it as the third argument or leave it at
 * `request.body`. A function as the third argument (`next`) is ignored.
 */
export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void>
  /**
   * Stops the endpoint. New requests get 503 and streams without a running request end. Running requests may finish within
   * `drainTimeoutMs` (default: 10 s); after that they are aborted.
   */
  close(drainTimeoutMs?: number): Promise<void>
}

/** Serves an Exchange to any server based on `node:http`. */
export function createNodeHandler(exchange: Exchange, options: EndpointOptions = {}): NodeHandler {
  return adaptToNode(createHttpHandler(exchange, options), createWriteBatcher(setImmediate, true))
}

/** Adapts a handler to `node:http`. */
export function adaptToNode(handler: HttpHandler, batcher: WriteBatcher): NodeHandler {
  const { limits } = handler
  const bodyTimers = createIdleTimers<() => void>(limits.bodyIdleTimeoutMs, (onTimeout) => onTimeout())
  const state: NodeState = { limits, bodyTimers, batcher }
  const refused = new WeakSet<Socket>()
  const respond = (request: NodeRequest, response: ServerResponse, body?: unknown): Promise<void> => {
    if (body !== undefined && typeof body !== 'function') request.body = body
    if (isAmbiguous(request) || refused.has(request.socket)) return refuse(request, response, refused)
    const context = new NodeContext(request, response, state)
    if (!isWaiting(response)) return isChunked(request) ? handleParsed(context, handler) : handler.handle(context)
    // Started now, a pipelined request would not be notified when the connection closes.
    const { started, onData } = waitForTurn(request, response)
    context.readAhead(onData)
    return started.then(() => handler.handle(context))
  }
  const close = async (drainTimeoutMs?: number): Promise<void> => {
    await handler.close(drainTimeoutMs)
    batcher.flush()
    bodyTimers.stop()
  }
  return Object.assign(respond, { close })
}

function isChunked({ headers }: IncomingMessage): boolean {
  return 'transfer-encoding' in headers
}

/**
 * Handles a request after Node has parsed all bytes that arrived with it. A broken body is refused, whether or not the response depends on the body.
 */
async function handleParsed(context: NodeContext, handler: HttpHandler): Promise<void> {
  await new Promise(setImmediate)
  if (context.isOpen) await handler.handle(context)
}

/** Reports whether HTTP implementations may disagree on where the body of a request ends (RFC 9112, section 6.1). */
function isAmbiguous({ headers }: IncomingMessage): boolean {
  const encoding = headers['transfer-encoding']
  return encoding !== undefined && ('content-length' in headers || encoding.toLowerCase() !== 'chunked')
}

/** Responds to a request whose framing cannot be trusted, and closes the connection. Requests that follow on it get no response. */
async function refuse(request: NodeRequest, response: ServerResponse, refused: WeakSet<Socket>): Promise<void> {
  request.resume()
  if (refused.has(request.socket)) return
  refused.add(request.socket)
  const message = 'Transfer-Encoding must be chunked, without Content-Length'
  response
    .writeHead(400, { connection: 'close', 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', error: { code: ErrorCode.invalidRequest, message } }))
}

/** The state that all requests of one handler share. */
interface NodeState extends BodyReaderState {
  readonly batcher: WriteBatcher
}

/** A request and its response. */
class NodeContext implements HttpContext, PendingWrite {
  readonly method: string
  readonly target: string
  readonly body = undefined
  accepts = ACCEPT_ALL
  auth: Auth | undefined
  commonHeaders: FlatHeaders = []
  #request: NodeRequest
  #response: ServerResponse
  #state: NodeState
  #body: string | BodyParts = ''
  #ahead: Promise<RequestBody> | undefined
  #isRead = false

  constructor(request: NodeRequest, response: ServerResponse, state: NodeState) {
    this.method = request.method ?? ''
    this.target = request.originalUrl ?? request.url ?? '/'
    this.#request = request
    this.#response = response
    this.#state = state
  }

  get isOpen(): boolean {
    return !this.#request.destroyed && this.#request.socket.writable
  }

  get host(): string | undefined {
    return this.headerCount('host') === 1 ? this.#request.headers.host : undefined
  }

  get remoteAddress(): string | undefined {
    return this.#request.socket.remoteAddress
  }

  get remotePort(): number | undefined {
    return this.#request.socket.remotePort
  }

  get httpVersion(): string {
    const { httpVersion } = this.#request
    return httpVersion === '2.0' ? '2' : httpVersion
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
    return countHeader(this.#request.rawHeaders, name)
  }

  readBody(): Promise<RequestBody> {
    return this.#ahead ?? this.#readBody()
  }

  /** Reads the body now. What follows on a body that is refused is discarded until the response goes out. */
  readAhead(onData: () => void): void {
    this.#ahead = this.#readBody(onData)
    this.#ahead.catch(() => this.#request.resume())
  }

  async #readBody(onData?: () => void): Promise<RequestBody> {
    const request = this.#request
    if (request.readableEnded) return readParsed(request.body)
    // A body that arrived together with the head is available a moment later, without listeners and timers.
    await undefined
    const { maxBodyBytes } = this.#state.limits
    const length = Number(request.headers['content-length'] ?? 0)
    if (length > maxBodyBytes || request.readableLength > maxBodyBytes) throw tooLarge(maxBodyBytes)
    const isAvailable = request.complete || (length > 0 && request.readableLength === length)
    const bytes: Buffer = isAvailable ? (request.read() ?? Buffer.alloc(0)) : await readChunks(request, this.#state, onData)
    this.#isRead = true
    if (isAscii(bytes)) return { text: bytes.toString('latin1') }
    if (isUtf8(bytes)) return { text: bytes.toString() }
    throw new HttpError(400, {}, { code: ErrorCode.parseError, message: 'Parse error: the body is not UTF-8' })
  }

  get disconnected(): boolean {
    return this.#response.destroyed && !this.#response.writableFinished
  }

  onDisconnect(listener: () => void): void {
    if (this.disconnected) return listener()
    // 'close' is emitted once; `once` would allocate a wrapper for each request.
    this.#response.on('close', () => this.disconnected && listener())
  }

  send(status: number, headers: FlatHeaders, body: string | SharedBody = ''): void {
    const response = this.#response
    if (response.destroyed || response.headersSent) return
    const isSmall = typeof body === 'string' && body.length <= SMALL_RESPONSE_BYTES
    const bytes = isSmall ? body : encodeBody(body)
    const head = [...headers, ...this.commonHeaders]
    if (!BODILESS_STATUSES.has(status))
      head.push('content-length', String(typeof bytes === 'string' ? Buffer.byteLength(bytes) : sizeOf(bytes)))
    if (this.#isBodyUnread()) return this.#sendUnread(status, head, String(body))
    response.writeHead(status, head)
    this.#body = bytes
    // An acknowledgment without a body is sent before anything that the message causes.
    if (body === '') this.write()
    else this.#state.batcher.add(this)
  }

  write(): void {
    const response = this.#response
    const body = this.#body
    if (response.destroyed) return
    if (typeof body !== 'string') writeParts(response, body)
    else if (body !== '') response.write(body)
    // Sends head and body in one write. `end` alone would delay them and add an empty chunk.
    response.socket?.uncork()
    response.end()
    if (typeof body !== 'string') destroyOnStall(response, this.#state.limits.writeTimeoutMs)
  }

  /**
   * Responds to a request whose body is not read to its end. The rest is discarded before the connection is closed: closed with unread
   * bytes, it would be reset, and the client might never see the response.
   */
  #sendUnread(status: number, head: readonly string[], body: string): void {
    const response = this.#response
    response.writeHead(status, head.includes(Header.connection) ? [...head] : [...head, Header.connection, 'close'])
    response.write(body)
    const end = (): void => void response.end()
    const timer = setTimeout(end, LINGER_MS)
    timer.unref()
    discardInput(this.#request, end)
    this.#request.once('end', end).resume()
    response.once('close', () => clearTimeout(timer))
  }

  open(status: number, headers: FlatHeaders, first?: string): EventSink {
    return openEventSink(this.#response, { status, headers: [...headers, ...this.commonHeaders], first }, this.#state.limits)
  }

  /** Reports whether nobody has read a body that is so large, or of unknown size, that reading it would be a waste. */
  #isBodyUnread(): boolean {
    const { headers, readableEnded } = this.#request
    if (this.#isRead || readableEnded) return false
    return isChunked(this.#request) || Number(headers['content-length'] ?? 0) > MAX_UNREAD_BYTES
  }
}
