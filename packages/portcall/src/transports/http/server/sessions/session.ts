import { type AbortListener, LazyAbort } from '../../../../../../util/src/abort.ts'
import { ConnectionLostError } from '../../../../jsonrpc/errors.ts'
import type { Auth, ExchangeContext, HttpInfo } from '../../../../jsonrpc/exchange.ts'
import { type AbortableContext, createIncomingRequests, type IncomingRequests } from '../../../../jsonrpc/incoming-requests.ts'
import { type Notification, notification, type Request, type RequestId, type Response } from '../../../../jsonrpc/message.ts'
import { createOutgoingRequests, type OutgoingRequests } from '../../../../jsonrpc/outgoing-requests.ts'
import { LegacySession, type LegacySessionOptions } from '../../../../legacy/server/session.ts'
import type { SessionState } from '../../../../legacy/server/session-state.ts'
import type { HttpEndpoint } from '../endpoint.ts'
import { httpError } from '../http-error.ts'
import type { ResponseSink } from './post-response.ts'

/** The HTTP request of a message, and its authenticated sender. */
export type MessageSource = HttpInfo & { readonly auth: Auth | undefined }

export interface HttpSessionOptions {
  readonly endpoint: HttpEndpoint
  readonly auth: Auth | undefined
  /** Sends a notification that belongs to no request. */
  readonly notify: (message: Notification) => void | Promise<void>
  /** The state of a session that exists already. Default: the session starts with the handshake. */
  readonly state?: SessionState | undefined
  /** See `LegacySessionOptions`. */
  readonly commit?: LegacySessionOptions['commit']
  /** Creates the ids of requests to the client. Default: 1, 2, 3 … */
  readonly nextId?: (() => RequestId) | undefined
}

/** The messages of one session with a legacy client, on whichever streams they are sent. */
export class HttpSession {
  readonly legacy: LegacySession
  /** The requests that are being answered. */
  readonly incoming: IncomingRequests
  /** The number of requests that wait for a response of the client. */
  waiting = 0
  readonly #nextId: HttpSessionOptions['nextId']
  #outgoing: OutgoingRequests | undefined
  #isClosed = false

  constructor({ endpoint, auth, notify, state, commit, nextId }: HttpSessionOptions) {
    this.legacy = new LegacySession({ core: endpoint.exchange, notify, auth, commit, ...(state && { state }) })
    this.incoming = createIncomingRequests(this.legacy.exchange, {
      maxInFlight: endpoint.limits.maxSessionRequests,
      onError: endpoint.onError,
    })
    this.#nextId = nextId
  }

  /** True if a request is being answered, other than those that wait for a response of the client. */
  get isWorking(): boolean {
    return this.incoming.size > this.waiting
  }

  /** The requests to the client. Created on first use, because most clients never receive one. */
  get outgoing(): OutgoingRequests {
    this.#outgoing ??= createOutgoingRequests(this.#nextId && { nextId: this.#nextId })
    return this.#outgoing
  }

  /**
   * Answers a request through its sink. The caller of a session is the same for all requests, but its permissions may differ.
   *
   * @throws HttpError 404 if the session was closed.
   */
  async request(request: Request, sink: ResponseSink, source: MessageSource): Promise<void> {
    if (this.#isClosed) throw httpError(404, 'Session not found')
    const call = new SessionCall(this, sink, source)
    call.settle(await this.incoming.handle(request, call))
  }

  /** Handles a notification or response. Returns whether it was for a request of this process. */
  receive(message: Notification | Response): boolean {
    if (!('method' in message)) return this.#outgoing?.settle(message) ?? false
    const { method, params } = message
    return method === 'notifications/cancelled' && this.incoming.cancel(params?.requestId, params?.reason)
  }

  /** Cancels all requests. */
  close(): void {
    this.#isClosed = true
    this.legacy.close()
    this.#outgoing?.rejectAll()
    this.incoming.cancelAll(new ConnectionLostError('The session has ended'))
  }
}

/** A request of a session, and its context. */
class SessionCall implements AbortableContext {
  readonly http: HttpInfo
  readonly auth: Auth | undefined
  readonly #session: HttpSession
  readonly #sink: ResponseSink
  #abort: LazyAbort | undefined
  /** The number of requests to the client without a response. */
  #pending = 0
  #isSettled = false

  constructor(session: HttpSession, sink: ResponseSink, source: MessageSource) {
    this.http = source
    this.auth = source.auth
    this.#session = session
    this.#sink = sink
  }

  get aborted(): boolean {
    return this.#abort?.aborted === true
  }
  get signal(): AbortSignal {
    this.#abort ??= new LazyAbort()
    return this.#abort.signal
  }
  get ask(): ExchangeContext['ask'] {
    return this.#sink.canRequest ? (method, params) => this.#request(method, params) : undefined
  }
  get closeStream(): ExchangeContext['closeStream'] {
    return this.#sink.canRelease ? (retryDelayMs) => this.#sink.release(retryDelayMs) : undefined
  }

  onAbort(listener: AbortListener): () => void {
    this.#abort ??= new LazyAbort()
    return this.#abort.onAbort(listener)
  }

  notify(message: Notification): void | Promise<void> {
    if (!this.#isSettled && !this.aborted) return this.#sink.send(message)
  }

  settle(response: Response | undefined): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#sink.respond(response)
  }

  /** Aborts the request. For the client it ends at once, even if the handler continues to run. */
  abort(reason: unknown): void {
    this.#abort ??= new LazyAbort()
    this.#abort.abort(reason)
    this.settle(undefined)
  }

  async #request(method: string, params: Request['params']): Promise<Response> {
    if (this.#isSettled || !this.#sink.canRequest) throw new ConnectionLostError('The client is disconnected')
    if (this.#pending++ === 0) this.#session.waiting++
    try {
      return await this.#session.outgoing.request(method, params, {
        send: (request) => void this.#sink.send(request),
        abortSource: this,
        sendCancellation: (requestId) => void this.#sink.send(notification('notifications/cancelled', { requestId })),
      })
    } finally {
      if (--this.#pending === 0) this.#session.waiting--
    }
  }
}
