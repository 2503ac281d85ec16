import { type CallFailure, type Lane, TIMEOUT } from './lane.ts'
import { LoadConnection } from './load-connection.ts'
import type { RecordedRequest } from './recorded-request.ts'

const FIRST_ID = 100_000_000
const LAST_ID = 999_999_999
/** The second one is used while the event stream with the last response on the first one is still open. */
const MAX_CONNECTIONS = 2

let nextId = FIRST_ID

/** Sends a recorded request, each time with another id, on one connection. Connects again when the server has closed it. */
export class HttpLane implements Lane {
  readonly #request: RecordedRequest
  readonly #timer: NodeJS.Timeout
  #connections: LoadConnection[] = []
  #current: LoadConnection | undefined
  #settle: ((failure: CallFailure) => void) | undefined

  constructor(request: RecordedRequest, timeoutMs: number) {
    this.#request = request
    this.#timer = setTimeout(() => this.#settle && this.#current?.close(TIMEOUT), timeoutMs).unref()
  }

  call(): Promise<CallFailure> {
    const [before, after] = this.#request.parts
    const id = nextId
    nextId = id === LAST_ID ? FIRST_ID : id + 1
    this.#timer.refresh()
    this.#current = this.#connections.find(({ isFree }) => isFree) ?? this.#connect()
    this.#current.send(`${before}${id}${after}`, id)
    return new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const connection of this.#connections) connection.close('closed')
  }

  #connect(): LoadConnection {
    this.#connections = this.#connections.filter(({ isClosed }) => !isClosed)
    if (this.#connections.length === MAX_CONNECTIONS) this.#connections.shift()?.close(undefined)
    const connection = new LoadConnection(this.#request.url, (failure) => this.#finish(failure))
    this.#connections.push(connection)
    return connection
  }

  #finish(failure: CallFailure): void {
    const settle = this.#settle
    this.#settle = undefined
    settle?.(failure)
  }
}
