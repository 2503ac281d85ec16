import type { Socket } from 'node:net'
import type { SharedBody } from '../../../../../../util/src/memo.ts'
import type { Auth } from '../../../../jsonrpc/exchange.ts'
import type { RequestBody } from '../../../../protocol/http.ts'
import { type FlatHeaders, Header } from '../../common/headers.ts'
import { ACCEPT_ALL } from '../../common/media-types.ts'
import type { PendingWrite, WriteBatcher } from '../../common/write-batcher.ts'
import type { HttpLimits } from '../limits.ts'
import { type BodyParts, encodeBody, sizeOf, writeParts } from '../node/body-parts.ts'
import { type ByteBuffer, createByteBuffer } from '../node/byte-buffer.ts'
import { CLOSED_SINK, destroyOnStall, SMALL_RESPONSE_BYTES } from '../node/event-sink.ts'
import { closeGracefully } from '../node/graceful-close.ts'
import { holdBack, isTooMuch, letGo } from '../node/pipelining.ts'
import type { EventSink, HttpContext, HttpHandler } from '../types.ts'
import { ChunkedEventSink, callBoth, type StreamOwner } from './chunked-sink.ts'
import { CompactHeaders, copyText } from './compact-headers.ts'
import {
  BODILESS_STATUSES,
  formatHead,
  hasConnectionClose,
  INCOMPLETE,
  parseRequest,
  type RequestHeaders,
  type SimpleRequest,
  type SimpleRequestLimits,
} from './http1.ts'
import { isObserved } from './observers.ts'

/** The state that all connections of one server share. */
export interface FastPathState {
  readonly handler: Pick<HttpHandler, 'handle'>
  readonly limits: HttpLimits
  readonly requestLimits: SimpleRequestLimits
  /** The target of GET requests to the endpoint. Undefined if Node's server handles them. */
  readonly getTarget: string | undefined
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
    ;(socket as ConnectionSocket)[CONNECTION] = this
    for (const [event, listener] of LISTENERS) socket.on(event, listener)
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
    else if (this.#queued) this.resume()
  }

  /** Leaves an incomplete request to Node's server. */
  stopWaiting(): void {
    if (this.#incomplete) this.#fallBackToNode(this.#incomplete)
  }

  /** Handles the data that arrived. */
  receive(bytes: Buffer): void {
    if (!this.socket.writable) return
    if (this.#context || this.#queued) return void this.#queue(bytes)
    const all = this.#incomplete ? Buffer.concat([this.#incomplete, bytes]) : bytes
    const request = parseRequest(all, this.state.requestLimits)
    if (!request || (request === INCOMPLETE && this.#incomplete)) return this.#fallBackToNode(all)
    if (request === INCOMPLETE) return this.#waitForRest(all)
    if (isObserved() || (request.method === 'GET' && request.target !== this.state.getTarget)) return this.#fallBackToNode(all)
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
    this.socket.pause().once('drain', onDrain)
  }

  /** Handles the requests that waited, and reads the next ones. */
  resume(): void {
    const queued = this.#queued
    this.#queued = undefined
    letGo(this.socket)
    if (queued?.length) this.receive(queued.take())
  }

  #fallBackToNode(bytes: Buffer): void {
    const { socket, state } = this
    state.onRelease(this)
    for (const [event, listener] of LISTENERS) socket.off(event, listener)
    socket.pause().unshift(bytes)
    state.passToNode(socket)
    socket.resume()
  }

  /** Called when the client has sent everything. */
  end(): void {
    if (!this.#incomplete) return void this.socket.end()
    this.#incomplete = undefined
    this.state.onTruncated(this.socket)
  }

  /** Called when the socket was closed. */
  release(): void {
    this.state.onRelease(this)
    this.#context?.disconnect()
  }
}

const CONNECTION = Symbol('connection')
type ConnectionSocket = Socket & { [CONNECTION]?: Connection }

function onDrain(this: ConnectionSocket): void {
  this[CONNECTION]?.resume()
}

/** The listeners of sockets. Connections share them, because those of its own would take 300 bytes of each. */
const LISTENERS = Object.entries<(this: ConnectionSocket, bytes: Buffer) => void>({
  data(bytes) {
    this[CONNECTION]?.receive(bytes)
  },
  end() {
    this[CONNECTION]?.end()
  },
  close() {
    this[CONNECTION]?.release()
  },
  // A connection with an error is closed as well.
  error() {},
})

/** A simple request and its response. */
class FastPathContext implements HttpContext, PendingWrite, StreamOwner {
  readonly method: string
  readonly httpVersion = '1.1'
  host: string | undefined
  target: string
  body: RequestBody
  accepts = ACCEPT_ALL
  auth: Auth | undefined
  commonHeaders: FlatHeaders = NO_HEADERS
  disconnected = false
  #headers: RequestHeaders
  #connection: Connection
  #response = ''
  #encoding: BufferEncoding = 'latin1'
  #keepAlive = true
  #isAnswered = false
  #onDisconnect: (() => void) | undefined
  #sink: ChunkedEventSink | undefined

  constructor({ method, target, headers, body }: SimpleRequest, connection: Connection) {
    this.method = method
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
    else this.#onDisconnect = callBoth(this.#onDisconnect, listener)
  }

  /** Called when the connection closes before the response was sent. */
  disconnect(): void {
    this.disconnected = true
    this.#onDisconnect?.()
    this.#sink?.release()
  }

  send(status: number, headers: FlatHeaders, body: string | SharedBody = ''): void {
    if (this.#isAnswered || !this.#connection.socket.writable) return
    const isBodiless = BODILESS_STATUSES.has(status)
    const content = isBodiless ? '' : body
    const size = typeof content === 'string' ? Buffer.byteLength(content) : sizeOf(content.parts)
    const head = this.#start(status, headers, isBodiless ? undefined : size)
    if (typeof content !== 'string' || size > SMALL_RESPONSE_BYTES) return this.#sendLarge(head, encodeBody(content))
    this.#response = head + content
    this.#encoding = size === content.length ? 'latin1' : 'utf8'
    // An acknowledgment without a body is sent before anything that the message causes.
    if (size === 0) this.write()
    else this.#connection.state.batcher.add(this)
  }

  write(): void {
    const { socket } = this.#connection
    if (!socket.writable) return
    socket.write(this.#response, this.#encoding)
    this.#response = ''
    this.#connection.next(this.#keepAlive)
  }

  onSent(): void {
    this.#connection.next(this.#keepAlive)
  }

  open(status: number, headers: FlatHeaders, first?: string): EventSink {
    const { socket, state } = this.#connection
    if (this.#isAnswered || !socket.writable) return CLOSED_SINK
    const head = this.#start(status, [...headers, 'transfer-encoding', 'chunked'])
    this.#compact()
    this.#sink = new ChunkedEventSink(socket, this, state.limits)
    this.#sink.start(head, first)
    return this.#sink
  }

  /** Keeps copies of what is left to read of the request: its parts keep all bytes of it in memory, as long as the stream is open. */
  #compact(): void {
    this.#headers = new CompactHeaders(this.#headers)
    this.host = this.#headers.get(Header.host)
    this.target = copyText(this.target)
    this.body = NO_BODY
  }

  /** Starts the response. Returns its head. */
  #start(status: number, headers: FlatHeaders, size?: number): string {
    const all = this.commonHeaders === NO_HEADERS ? headers : [...headers, ...this.commonHeaders]
    const hasConnection = all.includes(Header.connection)
    this.#isAnswered = true
    this.#keepAlive = !hasConnection || !hasConnectionClose(all)
    const connection = hasConnection ? undefined : (this.#connection.state.connectionHeader ?? 'close')
    return formatHead({ status, headers: all, size, connection })
  }

  #sendLarge(head: string, body: BodyParts): void {
    const { socket, state } = this.#connection
    writeParts(socket, [Buffer.from(head, 'latin1'), ...body], (error) => {
      if (error) return
      socket.setTimeout(0)
      this.onSent()
    })
    destroyOnStall(socket, state.limits.writeTimeoutMs)
  }
}

const NO_HEADERS: FlatHeaders = []
const NO_BODY: RequestBody = { text: '' }
