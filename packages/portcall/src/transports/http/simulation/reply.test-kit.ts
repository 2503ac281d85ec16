import type { FlatHeaders } from '../headers.ts'
import type { EventSink, HttpReply, HttpRequest } from '../types.ts'

/** An event as it arrives. */
export interface SimEvent {
  readonly id: string | undefined
  readonly message: unknown
}

/** Whoever sent a request, and hears what is answered. */
export interface Hearer {
  /** The whole answer in one piece. */
  answer(status: number, headers: FlatHeaders, body: string): void
  event(event: SimEvent): void
  /** The connection is over before the answer was complete, or after a stream. */
  over(): void
}

export interface SimMessage {
  readonly verb: 'GET' | 'POST' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly message?: object
}

/** One request and its answer, on a connection of its own. */
export class Connection implements HttpReply {
  readonly request: HttpRequest
  #hearer: Hearer | undefined
  #closed = false
  #opened = false
  #listeners: Array<() => void> = []

  constructor({ verb, headers }: SimMessage, hearer: Hearer) {
    this.#hearer = hearer
    const isClosed = (): boolean => this.#closed
    this.request = {
      method: verb,
      target: '/mcp',
      header: (name) => headers[name],
      headers: () => Object.entries(headers),
      headerCount: (name) => (name in headers ? 1 : 0),
      readBody: () => ({ text: '' }),
      get gone() {
        return isClosed()
      },
      onGone: (listener) => this.#onClose(listener),
    }
  }

  /** The client hears nothing any more; the server does not know yet. */
  leave(): void {
    this.#hearer = undefined
  }

  /** Both sides know that it is over. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const listener of this.#listeners.splice(0)) listener()
    const hearer = this.#hearer
    this.leave()
    hearer?.over()
  }

  send(status: number, headers: FlatHeaders, body = ''): void {
    if (this.#closed || this.#opened) return
    const hearer = this.#hearer
    this.leave()
    this.#closed = true
    hearer?.answer(status, headers, body)
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
      lag: undefined,
      write: (text) => this.#write(text),
      keepAlive: () => {},
      end: () => this.close(),
      cut: () => this.close(),
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
      if (id !== undefined || data !== undefined) this.#hearer?.event({ id, message: data && JSON.parse(data) })
    }
  }
}
