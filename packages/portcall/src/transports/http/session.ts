import { ConnectionLost } from '../../jsonrpc/errors.ts'
import type { Auth, HttpInfo } from '../../jsonrpc/exchange.ts'
import { type Carried, createIncoming, type Incoming } from '../../jsonrpc/incoming.ts'
import { type Notification, notification, type Request, type RequestId, type Response } from '../../jsonrpc/message.ts'
import { createOutgoing, type Outgoing } from '../../jsonrpc/outgoing.ts'
import type { SessionState } from '../../legacy/handshake.ts'
import { createLegacySession, type LegacySession, type LegacySessionOptions } from '../../legacy/session.ts'
import type { Revision } from '../../protocol/revisions.ts'
import type { Endpoint, Visit } from './endpoint.ts'
import { refuse } from './http-error.ts'
import type { Outlet } from './reply.ts'

/** The HTTP request that brought a message, and who sent it. */
export type Caller = Pick<Visit, 'auth'> & { readonly request: HttpInfo }

/** One conversation with a legacy client, whatever its streams are. */
export interface Session {
  readonly revision: Revision
  /** How many requests are being answered. */
  readonly size: number
  /** Whether one of them is worked on. A request that waits for an answer of its client is not. */
  readonly working: boolean
  /**
   * Answers a request through its outlet. What the caller may do is told by each request anew, who it is does not change.
   *
   * @throws HttpError 404 when it has been closed.
   */
  request(request: Request, outlet: Outlet, caller: Caller): Promise<void>
  /** Takes in a message that is not answered. Tells whether it was for something that runs here. */
  accept(message: Notification | Response): boolean
  /** See `LegacySession`. */
  readonly listen: LegacySession['listen']
  readonly follow: LegacySession['follow']
  readonly missed: LegacySession['missed']
  readonly rest: LegacySession['rest']
  readonly state: SessionState
  /** Gives up all that is running. */
  close(): void
}

export interface SessionOptions {
  readonly endpoint: Endpoint
  readonly auth: Auth | undefined
  /** Sends what belongs to no request. */
  readonly tell: (message: Notification) => void | Promise<void>
  /** What is known of it already. */
  readonly state?: SessionState | undefined
  /** See `LegacySessionOptions`. */
  readonly share?: LegacySessionOptions['share']
  /** Makes the ids of questions to the client. */
  readonly nextId?: (() => RequestId) | undefined
}

/** Makes a session; it has heard nothing yet unless its state says otherwise. */
export function createSession(options: SessionOptions): Session {
  return new Conversation(options)
}

class Conversation implements Session {
  /** How many calls wait for answers to questions of theirs. */
  asking = 0
  readonly #legacy: LegacySession
  readonly #incoming: Incoming
  readonly #nextId: SessionOptions['nextId']
  #outgoing: Outgoing | undefined
  #closed = false

  constructor({ endpoint, auth, tell, state, share, nextId }: SessionOptions) {
    this.#legacy = createLegacySession({ core: endpoint.exchange, notify: tell, auth, share, ...(state && { state }) })
    this.#incoming = createIncoming(this.#legacy.exchange, { maxInFlight: endpoint.limits.maxSessionRequests })
    this.#nextId = nextId
  }

  get revision(): Revision {
    return this.#legacy.revision
  }
  get size(): number {
    return this.#incoming.size
  }
  get working(): boolean {
    return this.size > this.asking
  }
  get state(): SessionState {
    return this.#legacy.state
  }
  /** Questions to the client; most are never asked any. */
  get outgoing(): Outgoing {
    this.#outgoing ??= createOutgoing(this.#nextId && { nextId: this.#nextId })
    return this.#outgoing
  }

  request(request: Request, outlet: Outlet, { request: http, auth }: Caller): Promise<void> {
    if (this.#closed) throw refuse(404, 'Session not found')
    const call = new SessionCall(outlet, { http, auth, session: this })
    return this.#incoming.handle(request, call).then((response) => call.settle(response))
  }

  accept(message: Notification | Response): boolean {
    if (!('method' in message)) return this.#outgoing?.settle(message) ?? false
    const { method, params } = message
    return method === 'notifications/cancelled' && this.#incoming.cancel(params?.requestId, params?.reason)
  }

  listen(): ReturnType<LegacySession['listen']> {
    return this.#legacy.listen()
  }
  follow(): ReturnType<LegacySession['follow']> {
    return this.#legacy.follow()
  }
  missed(): ReturnType<LegacySession['missed']> {
    return this.#legacy.missed()
  }
  rest(): void {
    this.#legacy.rest()
  }

  close(): void {
    this.#closed = true
    this.#legacy.close()
    this.#outgoing?.fail()
    this.#incoming.cancelAll(new ConnectionLost('The session has ended'))
  }
}

interface CallOptions {
  readonly http: HttpInfo
  readonly auth: Auth | undefined
  readonly session: Conversation
}

/** One request of a session while it is being answered. */
class SessionCall implements Carried {
  readonly http: HttpInfo
  readonly auth: Auth | undefined
  #outlet: Outlet
  #session: Conversation
  #asked = 0
  #questions: AbortController | undefined
  #over = false

  constructor(outlet: Outlet, { http, auth, session }: CallOptions) {
    this.http = http
    this.auth = auth
    this.#outlet = outlet
    this.#session = session
  }

  get ask(): Carried['ask'] {
    return this.#outlet.canAsk ? (method, params) => this.#ask(method, params) : undefined
  }
  get release(): Carried['release'] {
    return this.#outlet.canRelease ? (retryMs) => this.#outlet.release(retryMs) : undefined
  }

  notify(message: Notification): void | Promise<void> {
    if (!this.#over) return this.#outlet.send(message)
  }

  settle(response: Response | undefined): void {
    if (this.#over) return
    this.#over = true
    this.#outlet.respond(response)
  }

  /** Answers nothing, now: what the client gave up is over for it, even if the handler goes on for a while. */
  onCancel(reason: unknown): void {
    this.#questions?.abort(reason)
    this.settle(undefined)
  }

  async #ask(method: string, params: Request['params']): Promise<Response> {
    if (this.#over || !this.#outlet.canAsk) throw new ConnectionLost('The client cannot be reached')
    this.#questions ??= new AbortController()
    if (this.#asked++ === 0) this.#session.asking++
    try {
      return await this.#session.outgoing.ask(method, params, {
        send: (request) => void this.#outlet.send(request),
        caller: this.#questions,
        onAbort: (requestId) => void this.#outlet.send(notification('notifications/cancelled', { requestId })),
      })
    } finally {
      if (--this.#asked === 0) this.#session.asking--
    }
  }
}
