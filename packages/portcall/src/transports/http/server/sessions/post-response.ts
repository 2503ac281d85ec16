import { type Message, type Request, type Response, stringifyMessage, stringifyResult } from '../../../../jsonrpc/message.ts'
import { EMPTY_HEADERS, EVENT_HEADERS, type FlatHeaders, JSON_HEADERS } from '../../common/headers.ts'
import type { HttpEndpoint } from '../endpoint.ts'
import { sendInsufficientScope } from '../http-error.ts'
import type { HttpContext } from '../types.ts'
import type { ResumableStreams } from './resumable-streams.ts'
import type { Stream } from './stream.ts'

/** Receives the messages and the response of a legacy request. */
export interface ResponseSink {
  /** True if requests can be sent to the client. */
  readonly canRequest: boolean
  /** True if the connection can be released, so that the client reconnects later. */
  readonly canRelease: boolean
  /** Sends a notification or a request to the client. */
  send(message: Message): void | Promise<void>
  /** Completes one request. A cancelled request has no response. */
  respond(response: Response | undefined): void
  release(retryDelayMs: number): void
}

export interface PostResponseOptions {
  readonly endpoint: HttpEndpoint
  readonly context: HttpContext
  readonly streams: ResumableStreams
  readonly requests: readonly Request[]
  /** The number of responses to expect. Default: one for each request. */
  readonly responses?: number
  /** True if the body is an array of responses. */
  readonly isBatch?: boolean
  /** Additional response headers. */
  readonly headers?: FlatHeaders
}

/** The response to one POST: JSON if the responses are all that is sent, an event stream otherwise. */
export class PostResponse implements ResponseSink {
  readonly #options: PostResponseOptions
  #responses: Response[] = []
  #remaining: number
  #stream: Stream | undefined

  constructor(options: PostResponseOptions) {
    this.#options = options
    this.#remaining = options.responses ?? options.requests.length
  }

  get canRequest(): boolean {
    const { context } = this.#options
    return context.accepts.events && (this.#stream ? this.#stream.isReachable : !context.disconnected)
  }

  get canRelease(): boolean {
    const { context, streams } = this.#options
    return context.accepts.events && streams.canPoll
  }

  send(message: Message): void | Promise<void> {
    if (this.#options.context.accepts.events && this.#remaining > 0) return this.#open().send(message)
  }

  respond(response: Response | undefined): void {
    if (this.#remaining === 0) return
    if (response && this.#stream) void this.#stream.send(response)
    else if (response) this.#responses.push(response)
    if (--this.#remaining === 0) this.#finish()
  }

  release(retryDelayMs: number): void {
    if (this.#remaining > 0) this.#open().release(retryDelayMs)
  }

  #open(): Stream {
    const { streams, context, headers, requests } = this.#options
    this.#stream ??= streams.open(context, { headers: headers ? [...EVENT_HEADERS, ...headers] : EVENT_HEADERS, requests })
    return this.#stream
  }

  #finish(): void {
    const { context, endpoint, isBatch, headers } = this.#options
    const [first] = this.#responses
    if (!this.#stream && !first) return context.send(202, EMPTY_HEADERS)
    if (!this.#stream && !isBatch && first && 'error' in first && sendInsufficientScope(first, context, endpoint)) return
    if (!this.#stream && context.accepts.json) {
      const all = headers ? [...JSON_HEADERS, ...headers] : JSON_HEADERS
      if (!isBatch && first && 'result' in first) return context.send(200, all, stringifyResult(first))
      return context.send(200, all, stringifyMessage(isBatch || !first ? this.#responses : first))
    }
    for (const response of this.#responses.splice(0)) void this.#open().send(response)
    this.#open().end()
  }
}

/** Buffers what a request sends, until it is known where to send it. */
export class BufferedResponse implements ResponseSink {
  readonly canRequest = false
  readonly canRelease = false
  readonly messages: Message[] = []
  response: Response | undefined

  send(message: Message): void {
    this.messages.push(message)
  }

  respond(response: Response | undefined): void {
    this.response = response
  }

  release(): void {}
}
