import type { Message, Response } from '../../jsonrpc/message.ts'
import type { Visit } from './endpoint.ts'
import { EMPTY_HEADERS, EVENT_HEADERS, JSON_HEADERS } from './headers.ts'
import type { Stream } from './stream.ts'
import type { FlatHeaders, HttpReply } from './types.ts'

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
  /** How many requests the POST holds. */
  readonly requests: number
  /** Answers go out as an array. */
  readonly isBatch?: boolean
  /** More headers of the answer, known when it is sent. */
  readonly headers?: () => FlatHeaders
  readonly canRelease?: boolean
  readonly openStream: (reply: HttpReply, headers: FlatHeaders) => Stream
}

const NO_HEADERS = (): FlatHeaders => []

/** The answer to one POST: a single JSON text until something else has to be said, then a stream. */
export function createPostOutlet(options: PostOutletOptions): Outlet {
  const { visit, isBatch = false, headers = NO_HEADERS, canRelease = false } = options
  const { reply, accepted } = visit
  const responses: Response[] = []
  let remaining = options.requests
  let stream: Stream | undefined
  const begin = (): Stream => (stream ??= options.openStream(reply, [...EVENT_HEADERS, ...headers()]))

  const finish = (): void => {
    if (!stream && responses.length === 0) return reply.send(202, EMPTY_HEADERS)
    if (!stream && accepted.json) {
      const [first] = responses
      return reply.send(200, [...JSON_HEADERS, ...headers()], JSON.stringify(isBatch ? responses : first))
    }
    for (const response of responses.splice(0)) void begin().send(response)
    begin().end()
  }

  return {
    get canAsk() {
      return accepted.events && (stream ? stream.reachable : !visit.request.gone)
    },
    canRelease: canRelease && accepted.events,
    send(message) {
      if (accepted.events && remaining > 0) return begin().send(message)
    },
    respond(response) {
      if (remaining === 0) return
      if (response && stream) void stream.send(response)
      else if (response) responses.push(response)
      if (--remaining === 0) finish()
    },
    release: (retryMs) => begin().release(retryMs),
  }
}
