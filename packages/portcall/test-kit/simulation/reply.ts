import type { SharedBody } from '../../../util/src/memo.ts'
import type { FlatHeaders } from '../../src/transports/http/common/headers.ts'
import { ACCEPT_ALL } from '../../src/transports/http/common/media-types.ts'
import type { EventSink, HttpContext } from '../../src/transports/http/server/types.ts'

/** A received event. */
export interface SimEvent {
  readonly id: string | undefined
  readonly message: unknown
}

/** Receives the response to a request. */
export interface ResponseListener {
  /** A complete response. */
  response(status: number, headers: FlatHeaders, body: string): void
  event(event: SimEvent): void
  /** The connection was closed before the response was complete, or after a stream. */
  closed(): void
}

export interface SimMessage {
  readonly verb: 'GET' | 'POST' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly message?: object
}

/** A request and its response, on a connection of its own. */
export class Connection implements HttpContext {
  readonly method: string
  readonly target = '/mcp'
  readonly host = 'localhost'
  readonly body = undefined
  readonly header: (name: string) => string | undefined
  accepts = ACCEPT_ALL
  auth = undefined
  commonHeaders: FlatHeaders = []
  #headers: Readonly<Record<string, string>>
  #listener: ResponseListener | undefined
  #closed = false
  #opened = false
  #listeners: Array<() => void> = []

  constructor({ verb, headers }: SimMessage, listener: ResponseListener) {
    this.method = verb
    this.header = (name) => headers[name]
    this.#headers = headers
    this.#listener = listener
  }

  headers(): Iterable<[string, string]> {
    return Object.entries(this.#headers)
  }

  headerCount(name: string): number {
    return name in this.#headers ? 1 : 0
  }

  readBody(): { text: string } {
    return { text: '' }
  }

  get disconnected(): boolean {
    return this.#closed
  }

  onDisconnect(listener: () => void): void {
    this.#onClose(listener)
  }

  /** Disconnects the client, which the server does not notice yet. */
  detach(): void {
    this.#listener = undefined
  }

  /** Closes the connection for both sides. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const listener of this.#listeners.splice(0)) listener()
    const listener = this.#listener
    this.detach()
    listener?.closed()
  }

  send(status: number, headers: FlatHeaders, body: string | SharedBody = ''): void {
    if (this.#closed || this.#opened) return
    const listener = this.#listener
    this.detach()
    this.#closed = true
    listener?.response(status, headers, String(body))
  }

  open(_status: number, _headers: FlatHeaders, first = ''): EventSink {
    const isClosed = (): boolean => this.#closed
    this.#opened = true
    this.#write(first)
    return {
      get closed() {
        return isClosed()
      },
      bufferedBytes: 0,
      drained: undefined,
      write: (text) => this.#write(text),
      sendHeartbeat: () => {},
      end: () => this.close(),
      destroy: () => this.close(),
      onClose: (listener) => this.#onClose(listener),
    }
  }

  #onClose(listener: () => void): void {
    if (this.#closed) listener()
    else this.#listeners.push(listener)
  }

  #write(text: string): void {
    for (const event of this.#closed ? [] : text.split('\n\n')) {
      const id = /^id: (.*)$/m.exec(event)?.[1]
      const data = /^data: (.+)$/m.exec(event)?.[1]
      if (id !== undefined || data !== undefined) this.#listener?.event({ id, message: data && JSON.parse(data) })
    }
  }
}
