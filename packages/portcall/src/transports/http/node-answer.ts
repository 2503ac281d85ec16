import type { IncomingMessage } from 'node:http'
import type { HttpAnswer } from './request.ts'

const CHANGES = ['readable', 'end', 'error', 'close'] as const
const NOTHING = new Uint8Array(0)
const DONE = { done: true, value: undefined } as const

/**
 * An answer as Node's client gets it. Its pieces are taken out of the stream as they lie there: the iterator that streams have of their
 * own costs more than all else of a small answer.
 */
export class NodeAnswer implements HttpAnswer {
  readonly status: number
  readonly #message: IncomingMessage

  constructor(message: IncomingMessage) {
    this.status = message.statusCode ?? 0
    this.#message = message
  }

  get body(): AsyncIterable<Uint8Array> {
    return { [Symbol.asyncIterator]: () => ({ next: () => this.#next() }) }
  }

  header(name: string): string | undefined {
    const value = this.#message.headers[name]
    return typeof value === 'object' ? value.join(', ') : value
  }

  whole(): Uint8Array | undefined {
    const message = this.#message
    return message.complete && !message.destroyed ? (message.read() ?? NOTHING) : undefined
  }

  async #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const message = this.#message
    for (;;) {
      const piece: Uint8Array | null = message.read()
      if (piece) return { done: false, value: piece }
      if (message.complete && message.readableLength === 0) return DONE
      if (message.destroyed) throw message.errored ?? new Error('The connection was closed')
      await changeOf(message)
    }
  }
}

/** Resolves when there is more to read, or nothing any more. */
function changeOf(message: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const changed = (): void => {
      for (const name of CHANGES) message.off(name, changed)
      resolve()
    }
    for (const name of CHANGES) message.on(name, changed)
  })
}
