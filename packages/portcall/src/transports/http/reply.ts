import { encode } from '../../jsonrpc/kept.ts'
import type { Message, Response } from '../../jsonrpc/message.ts'
import type { Endpoint, Visit } from './endpoint.ts'
import { sendForbidden } from './forbidden.ts'
import type { FlatHeaders } from './headers.ts'
import { EMPTY_HEADERS, EVENT_HEADERS, JSON_HEADERS } from './headers.ts'
import type { Stream } from './stream.ts'
import type { HttpReply } from './types.ts'

/** Where the answer to a request of a legacy client goes, and what is said on the way to it. */
export interface Outlet {
  /** Whether the client can be asked something. */
  readonly canAsk: boolean
  /** Whether the connection can be let go. */
  readonly canRelease: boolean
  /** Sends a notification or a question. */
  send(message: Message): void | Promise<void>
  /** Settles one request; without a response when it was cancelled. */
  respond(response: Response | undefined): void
  release(retryMs: number): void
}

/** How the answer to one POST is made. */
export interface PostOutletOptions {
  readonly visit: Visit
  readonly endpoint: Endpoint
  /** How many requests the POST holds. */
  readonly requests: number
  /** Answers go out as an array. */
  readonly isBatch?: boolean
  /** More headers of the answer, known when it is sent. */
  readonly headers?: () => FlatHeaders
  readonly canRelease?: boolean
  /** It opens a session, so its client cannot be asked yet. */
  readonly isHandshake?: boolean
  /** Told of each response before it goes out. */
  readonly onResponse?: (response: Response | undefined) => void
  readonly openStream: (reply: HttpReply, headers: FlatHeaders) => Stream
}

/** The answer to one POST: a single JSON text until something else has to be said, then a stream. */
export class PostOutlet implements Outlet {
  readonly canRelease: boolean
  #options: PostOutletOptions
  #responses: Response[] = []
  #remaining: number
  #stream: Stream | undefined

  constructor(options: PostOutletOptions) {
    this.canRelease = options.canRelease === true && options.visit.accepted.events
    this.#options = options
    this.#remaining = options.requests
  }

  get canAsk(): boolean {
    const { visit, isHandshake } = this.#options
    return !isHandshake && visit.accepted.events && (this.#stream ? this.#stream.reachable : !visit.request.gone)
  }

  send(message: Message): void | Promise<void> {
    if (this.#options.visit.accepted.events && this.#remaining > 0) return this.#begin().send(message)
  }

  respond(response: Response | undefined): void {
    if (this.#remaining === 0) return
    this.#options.onResponse?.(response)
    if (response && this.#stream) void this.#stream.send(response)
    else if (response) this.#responses.push(response)
    if (--this.#remaining === 0) this.#finish()
  }

  release(retryMs: number): void {
    if (this.#remaining > 0) this.#begin().release(retryMs)
  }

  #begin(): Stream {
    const { openStream, visit, headers } = this.#options
    return (this.#stream ??= openStream(visit.reply, headers ? [...EVENT_HEADERS, ...headers()] : EVENT_HEADERS))
  }

  #finish(): void {
    const { visit, endpoint, isBatch, headers } = this.#options
    const [first] = this.#responses
    if (!this.#stream && !first) return visit.reply.send(202, EMPTY_HEADERS)
    if (!this.#stream && !isBatch && first && 'error' in first && sendForbidden(first, visit, endpoint)) return
    if (!this.#stream && visit.accepted.json) {
      const all = headers ? [...JSON_HEADERS, ...headers()] : JSON_HEADERS
      return visit.reply.send(200, all, encode(isBatch || !first ? this.#responses : first))
    }
    for (const response of this.#responses.splice(0)) void this.#begin().send(response)
    this.#begin().end()
  }
}
