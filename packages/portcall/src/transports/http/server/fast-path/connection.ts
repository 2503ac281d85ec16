import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { SharedBody } from '../../../../../../util/src/memo.ts'
import type { Auth } from '../../../../jsonrpc/exchange.ts'
import type { RequestBody } from '../../../../protocol/http.ts'
import { type FlatHeaders, Header } from '../../common/headers.ts'
import { ACCEPT_ALL } from '../../common/media-types.ts'
import type { PendingWrite, WriteBatcher } from '../../common/write-batcher.ts'
import type { HttpLimits } from '../limits.ts'
import { encodeBody, sizeOf, writeParts } from '../node/body-parts.ts'
import { type ByteBuffer, createByteBuffer } from '../node/byte-buffer.ts'
import { CLOSED_SINK, destroyOnStall, openEventSink, SMALL_RESPONSE_BYTES } from '../node/event-sink.ts'
import { closeGracefully } from '../node/graceful-close.ts'
import { holdBack, isTooMuch, letGo } from '../node/pipelining.ts'
import type { EventSink, HttpContext, HttpHandler } from '../types.ts'
import {
  BODILESS_STATUSES,
  formatHead,
  hasConnectionClose,
  INCOMPLETE,
  parseRequest,
  type SimpleRequest,
  type SimpleRequestLimits,
} from './http1.ts'
import { REQUEST_START, RESPONSE_CREATED, RESPONSE_FINISH } from './observers.ts'
import { createResponse } from './response.ts'

/** The state that all connections of one server share. */
export interface FastPathState {
  readonly handler: Pick<HttpHandler, 'handle'>
  readonly limits: HttpLimits
  readonly requestLimits: SimpleRequestLimits
  readonly batcher: WriteBatcher
  /** The `Connection` header of responses that keep the connection open. Undefined while the server shuts down. */
  connectionHeader: string | undefined
  /** Passes a connection to Node's server. */
  readonly passToNode: (socket: Socket) => void
  /** Called when a part of a request arrived. */
  readonly onIncomplete: (connection: Connection) => void
  /** Called when the first request, or the rest of an incomplete one, arrived. */
  readonly onComplete: (connection: Connection) => void
  /** Called when a client disconnects in the middle of a request. */
  readonly onTruncated: (socket: Socket) => void
  /** Called when a response was written. */
  readonly onResponse: (connection: Connection) => void
  /** Called when the connection was closed or passed to Node's server. */
  readonly onRelease: (connection: Connection) => void
}

/** A connection on the fast path. It handles one request after the other until a request arrives that is not simple. */
export class Connection {
  readonly socket: Socket
  readonly state: FastPathState
  #isNew = true
  /** The number of bytes sent when `isBusy` last saw a change, and the time of that. */
  #sentBytes = -1
  #sentAt = 0
  #context: FastPathContext | undefined
  /** The first part of a request. */
  #incomplete: Buffer | undefined
  /** Data that arrived before the response to the previous request was written. */
  #queued: ByteBuffer | undefined

  constructor(socket: Socket, state: FastPathState) {
    this.socket = socket
    this.state = state
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose).on('error', ignore)
  }

  /** Reports whether a response is pending, or is being sent, no matter how slowly the client reads it. */
  isBusy(): boolean {
    const { bytesWritten, writableLength, writable } = this.socket
    const sentBytes = bytesWritten - writableLength
    const now = performance.now()
    if (sentBytes !== this.#sentBytes) this.#sentAt = now
    this.#sentBytes = sentBytes
    const isSending = writableLength > 0 && now - this.#sentAt < this.state.limits.writeTimeoutMs
    return isSending || (this.#context !== undefined && writable)
  }

  /** Closes the connection if it is idle. An incomplete request is left to Node's server. */
  closeIfIdle(): void {
    if (this.#incomplete) this.stopWaiting()
    else if (!this.#context) this.#close()
  }

  /** Called when the response was written: processes the next request, or closes the connection. */
  next(keepAlive: boolean): void {
    this.#context = undefined
    this.state.onResponse(this)
    if (!keepAlive || !this.state.connectionHeader) this.#close()
    else if (this.socket.writableNeedDrain) this.#waitForDrain()
    else if (this.#queued) this.#resume()
  }

  /** Leaves an incomplete request to Node's server. */
  stopWaiting(): void {
    if (this.#incomplete) this.#fallBackToNode(this.#incomplete)
  }

  readonly #onData = (bytes: Buffer): void => {
    if (!this.socket.writable) return
    if (this.#context || this.#queued) return void this.#queue(bytes)
    const all = this.#incomplete ? Buffer.concat([this.#incomplete, bytes]) : bytes
    const request = parseRequest(all, this.state.requestLimits)
    if (!request || (request === INCOMPLETE && this.#incomplete)) return this.#fallBackToNode(all)
    if (request === INCOMPLETE) return this.#waitForRest(all)
    if (REQUEST_START.hasSubscribers || RESPONSE_CREATED.hasSubscribers || RESPONSE_FINISH.hasSubscribers)
      return this.#fallBackToNode(all)
    if (this.#isNew || this.#incomplete) this.state.onComplete(this)
    this.#isNew = false
    this.#incomplete = undefined
    this.#context = new FastPathContext(request, this)
    void this.state.handler.handle(this.#context)
  }

  /** Discards the requests that wait, and those that still arrive. */
  #close(): void {
    this.#queued = undefined
    closeGracefully(this.socket)
  }

  /** Many clients send the head and the body of a request in two writes. */
  #waitForRest(bytes: Buffer): void {
    this.#incomplete = bytes
    this.state.onIncomplete(this)
  }

  /**
   * Stores data that arrives before the response to the previous request. Reading goes on, because the end of the connection must be seen
   * while a call runs. A client that sends too much is paused.
   */
  #queue(bytes: Buffer): void {
    this.#queued ??= createByteBuffer()
    this.#queued.push(bytes)
    if (isTooMuch(this.#queued.length)) holdBack(this.socket)
  }

  /** Pauses a client that does not read its responses. */
  #waitForDrain(): void {
    this.#queued ??= createByteBuffer()
    this.socket.pause().once('drain', this.#resume)
  }

  readonly #resume = (): void => {
    const queued = this.#queued
    this.#queued = undefined
    letGo(this.socket)
    if (queued?.length) this.#onData(queued.take())
  }

  #fallBackToNode(bytes: Buffer): void {
    const { socket, state } = this
    state.onRelease(this)
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose).off('error', ignore)
    socket.pause().unshift(bytes)
    state.passToNode(socket)
    socket.resume()
  }

  readonly #onEnd = (): void => {
    if (!this.#incomplete) return void this.socket.end()
    this.#incomplete = undefined
    this.state.onTruncated(this.socket)
  }

  readonly #onClose = (): void => {
    this.state.onRelease(this)
    this.#context?.disconnect()
  }
}

/** A connection with an error is closed as well, which is handled. */
function ignore(): void {}

/** A simple request and its response. */
class FastPathContext implements HttpContext, PendingWrite {
  readonly method = 'POST'
  readonly httpVersion = '1.1'
  readonly target: string
  readonly host: string | undefined
  readonly body: RequestBody
  accepts = ACCEPT_ALL
  auth: Auth | undefined
  commonHeaders: FlatHeaders = NO_HEADERS
  disconnected = false
  #headers: SimpleRequest['headers']
  #connection: Connection
  #response = ''
  #encoding: BufferEncoding = 'latin1'
  #keepAlive = true
  #isAnswered = false
  #listeners: Array<() => void> | undefined

  constructor({ target, headers, body }: SimpleRequest, connection: Connection) {
    this.target = target
    this.host = headers.get(Header.host)
    this.body = { text: body }
    this.#headers = headers
    this.#connection = connection
  }

  get remoteAddress(): string | undefined {
    return this.#connection.socket.remoteAddress
  }

  get remotePort(): number | undefined {
    return this.#connection.socket.remotePort
  }

  readonly header = (name: string): string | undefined => this.#headers.get(name) ?? this.#headers.get(name.toLowerCase())

  headers(): Iterable<[string, string]> {
    return this.#headers
  }

  headerCount(name: string): number {
    return this.header(name) === undefined ? 0 : 1
  }

  readBody(): RequestBody {
    return this.body
  }

  onDisconnect(listener: () => void): void {
    if (this.disconnected) listener()
    else (this.#listeners ??= []).push(listener)
  }

  /** Called when the connection closes before the response was written. */
  disconnect(): void {
    this.disconnected = true
    for (const listener of this.#listeners ?? []) listener()
  }

  send(status: number, headers: FlatHeaders, body: string | SharedBody = ''): void {
    const { socket, state } = this.#connection
    if (this.#isAnswered || !socket.writable) return
    const all = this.commonHeaders === NO_HEADERS ? headers : [...headers, ...this.commonHeaders]
    if (typeof body !== 'string') return this.#sendLarge(status, all, body)
    const isBodiless = BODILESS_STATUSES.has(status)
    const content = isBodiless ? '' : body
    const size = Buffer.byteLength(content)
    if (size > SMALL_RESPONSE_BYTES) return this.#sendLarge(status, all, content)
    const hasConnection = all.includes(Header.connection)
    const connection = hasConnection ? undefined : (state.connectionHeader ?? 'close')
    this.#isAnswered = true
    this.#keepAlive = !hasConnection || !hasConnectionClose(all)
    this.#response = formatHead({ status, headers: all, size: isBodiless ? undefined : size, connection }) + content
    this.#encoding = size === content.length ? 'latin1' : 'utf8'
    // An acknowledgment without a body is sent before anything that the message causes.
    if (size === 0) this.write()
    else state.batcher.add(this)
  }

  write(): void {
    const { socket } = this.#connection
    if (!socket.writable) return
    socket.write(this.#response, this.#encoding)
    this.#response = ''
    this.#connection.next(this.#keepAlive)
  }

  open(status: number, headers: FlatHeaders, first?: string): EventSink {
    if (this.#isAnswered) return CLOSED_SINK
    const all = [...headers, ...this.commonHeaders]
    return openEventSink(this.#createResponse(all), { status, headers: all, first }, this.#connection.state.limits)
  }

  #sendLarge(status: number, headers: FlatHeaders, body: string | SharedBody): void {
    const parts = encodeBody(body)
    const response = this.#createResponse(headers)
    response.writeHead(status, [...headers, 'content-length', String(sizeOf(parts))])
    writeParts(response, parts)
    response.end()
    destroyOnStall(response, this.#connection.state.limits.writeTimeoutMs)
  }

  /** Creates a response of `node:http` for streams and large responses. */
  #createResponse(headers: FlatHeaders): ServerResponse {
    this.#isAnswered = true
    this.#keepAlive = !hasConnectionClose(headers)
    const response = createResponse(this.#connection.socket, () => this.#connection.next(this.#keepAlive))
    return this.disconnected ? response.destroy() : response
  }
}

const NO_HEADERS: FlatHeaders = []
