import { Buffer } from 'node:buffer'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { createSseDecoder, type SseDecoder } from '../../../portcall/src/transports/http/common/sse-decode.ts'
import { type ReceivedHead, type ResponseHandler, ResponseParser } from '../../../util/src/response-parser.ts'
import { failureOfError, MessageCheck } from './check-response.ts'
import type { CallFailure } from './lane.ts'

const JSON_TYPE = 'application/json'
const EVENT_STREAM = 'text/event-stream'

/** Sends one request at a time on one socket, and reads the responses. */
export class LoadConnection implements ResponseHandler {
  readonly #socket: Socket
  readonly #parser = new ResponseParser(this)
  readonly #check = new MessageCheck()
  readonly #onOutcome: (failure: CallFailure) => void
  #state: 'free' | 'busy' | 'closed' = 'free'
  /** The id of the call whose outcome is not known. */
  #id: number | undefined
  #status = 0
  #isJson = false
  #events: SseDecoder | undefined
  #body: Buffer[] = []

  /** @param onOutcome called once for each request, which may be before the end of an event stream. */
  constructor({ protocol, hostname, port }: URL, onOutcome: (failure: CallFailure) => void) {
    this.#onOutcome = onOutcome
    const isTls = protocol === 'https:'
    const host = hostname.replace(/^\[|\]$/g, '')
    const address = { host, port: Number(port || (isTls ? 443 : 80)) }
    const socket = isTls ? connectTls({ ...address, ...(!isIP(host) && { servername: host }) }) : connectTcp(address)
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#read(() => this.#parser.push(chunk), 'invalid response'))
    socket.on('error', (error) => this.close(failureOfError(error)))
    socket.on('close', () => this.#read(() => this.#parser.end(), 'connection closed'))
  }

  /** True if it can send a request. */
  get isFree(): boolean {
    return this.#state === 'free'
  }

  get isClosed(): boolean {
    return this.#state === 'closed'
  }

  /** Sends a request with an id. `text` is Latin-1. */
  send(text: string, id: number): void {
    this.#state = 'busy'
    this.#id = id
    this.#parser.start()
    this.#socket.write(text, 'latin1')
  }

  /** Closes the socket. The call whose outcome is not known fails. */
  close(failure: CallFailure): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#socket.destroy()
    this.#finish(failure)
  }

  #read(parse: () => void, failure: string): void {
    if (this.#state === 'closed') return
    try {
      parse()
    } catch {
      this.close(failure)
    }
  }

  onHead({ status, headers }: ReceivedHead): void {
    const type = headers.get('content-type')?.toLowerCase() ?? ''
    this.#status = status
    this.#isJson = type.startsWith(JSON_TYPE)
    this.#events = status === 200 && type.startsWith(EVENT_STREAM) ? createSseDecoder(Number.POSITIVE_INFINITY) : undefined
    this.#body = []
  }

  onData(chunk: Buffer): void {
    // Each chunk of the socket has a buffer of its own, which stays valid.
    if (!this.#events) this.#body.push(chunk)
    else for (const { data } of this.#events.push(chunk)) if (data) this.#onMessage(data)
  }

  onEnd(isReusable: boolean): void {
    if (this.#status !== 200) this.#finish(`HTTP ${this.#status}`)
    else if (this.#isJson) this.#onMessage(toText(this.#body))
    this.#finish(this.#events ? 'no response' : 'invalid response')
    if (isReusable) this.#state = 'free'
    else this.close(undefined)
  }

  #onMessage(text: string): void {
    const outcome = this.#id === undefined ? undefined : this.#check.outcomeOf(text, this.#id)
    if (outcome) this.#finish(outcome.failure)
  }

  #finish(failure: CallFailure): void {
    if (this.#id === undefined) return
    this.#id = undefined
    this.#onOutcome(failure)
  }
}

function toText(chunks: readonly Buffer[]): string {
  const [first] = chunks
  return (first && chunks.length === 1 ? first : Buffer.concat(chunks)).toString()
}
