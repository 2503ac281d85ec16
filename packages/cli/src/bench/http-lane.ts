import { Buffer } from 'node:buffer'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type ReceivedHead, type ResponseHandler, ResponseParser } from '../../../util/src/response-parser.ts'
import { failureOfBody, failureOfError } from './check-response.ts'
import { type CallFailure, type Lane, TIMEOUT } from './lane.ts'
import type { RecordedRequest } from './recorded-request.ts'

/** A response of more bytes is only checked if its length differs from that of the last one, because parsing would slow down the load. */
const LARGE_BYTES = 64 * 1024
const EVENT_STREAM = 'text/event-stream'
const FIRST_ID = 100_000_000
const LAST_ID = 999_999_999

let nextId = FIRST_ID

/** Sends a recorded request on one connection, each time with another id. Connects again when the server has closed the connection. */
export class HttpLane implements Lane, ResponseHandler {
  readonly #request: RecordedRequest
  readonly #timeoutMs: number
  #socket: Socket | undefined
  #parser = new ResponseParser(this)
  #head: ReceivedHead | undefined
  #body: Buffer[] = []
  #settle: ((failure: CallFailure) => void) | undefined
  #checkedLength = -1

  constructor(request: RecordedRequest, timeoutMs: number) {
    this.#request = request
    this.#timeoutMs = timeoutMs
  }

  call(): Promise<CallFailure> {
    const [before, after] = this.#request.parts
    const id = nextId
    nextId = id === LAST_ID ? FIRST_ID : id + 1
    this.#socket ??= this.#connect()
    this.#parser.start()
    this.#socket.write(`${before}${id}${after}`, 'latin1')
    return new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  close(): void {
    this.#drop('closed')
  }

  #connect(): Socket {
    const { protocol, hostname, port } = this.#request.url
    const isTls = protocol === 'https:'
    const host = hostname.replace(/^\[|\]$/g, '')
    const address = { host, port: Number(port || (isTls ? 443 : 80)) }
    const socket = isTls ? connectTls({ ...address, servername: host }) : connectTcp(address)
    this.#parser = new ResponseParser(this)
    socket.setNoDelay(true)
    socket.setTimeout(this.#timeoutMs, () => this.#drop(TIMEOUT))
    socket.on('data', (chunk) => this.#receive(socket, chunk))
    socket.on('error', (error) => this.#socket === socket && this.#drop(failureOfError(error)))
    socket.on('close', () => this.#socket === socket && this.#end())
    return socket
  }

  #receive(socket: Socket, chunk: Buffer): void {
    if (socket !== this.#socket) return
    try {
      this.#parser.push(chunk)
    } catch {
      this.#drop('invalid response')
    }
  }

  #end(): void {
    try {
      this.#parser.end()
    } catch {
      this.#drop('connection closed')
    }
  }

  onHead(head: ReceivedHead): void {
    this.#head = head
    this.#body = []
  }

  onData(chunk: Buffer): void {
    // Each chunk of the socket has a buffer of its own, which stays valid.
    this.#body.push(chunk)
  }

  onEnd(isReusable: boolean): void {
    const { status, headers } = this.#head as ReceivedHead
    const [first] = this.#body
    const body = first && this.#body.length === 1 ? first : Buffer.concat(this.#body)
    const isChecked = body.length > LARGE_BYTES && body.length === this.#checkedLength && status === 200
    const isStream = headers.get('content-type')?.toLowerCase().startsWith(EVENT_STREAM) ?? false
    const failure = isChecked ? undefined : failureOfBody(status, isStream, body.toString())
    this.#checkedLength = failure === undefined ? body.length : -1
    if (isReusable) this.#finish(failure)
    else this.#drop(failure)
  }

  #drop(failure: CallFailure): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.destroy()
    this.#finish(failure)
  }

  #finish(failure: CallFailure): void {
    const settle = this.#settle
    this.#settle = undefined
    settle?.(failure)
  }
}
