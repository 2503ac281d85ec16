import type { Buffer } from 'node:buffer'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { failureOfBody, failureOfError } from './check-response.ts'
import { type CallFailure, type Lane, TIMEOUT } from './lane.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { type RawResponse, ResponseReader } from './response-reader.ts'

/** A response of more bytes is only checked if its length differs from that of the last one, because parsing would slow down the load. */
const LARGE_BYTES = 64 * 1024
const FIRST_ID = 100_000_000
const LAST_ID = 999_999_999

let nextId = FIRST_ID

/** Sends a recorded request on one connection, each time with another id. Connects again when the server has closed the connection. */
export class HttpLane implements Lane {
  readonly #request: RecordedRequest
  readonly #timeoutMs: number
  #socket: Socket | undefined
  #reader = new ResponseReader()
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
    this.#reader = new ResponseReader()
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
      const response = this.#reader.push(chunk)
      if (response) this.#complete(response)
    } catch {
      this.#drop('invalid response')
    }
  }

  #end(): void {
    const response = this.#reader.end()
    if (response) this.#complete({ ...response, isLast: true })
    else this.#drop('connection closed')
  }

  #complete({ status, isStream, isLast, body }: RawResponse): void {
    const isChecked = body.length > LARGE_BYTES && body.length === this.#checkedLength && status === 200
    const failure = isChecked ? undefined : failureOfBody(status, isStream, body.toString())
    this.#checkedLength = failure === undefined ? body.length : -1
    if (isLast) this.#drop(failure)
    else this.#finish(failure)
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
