import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import { type Auth, type ExchangeContext, type HttpInfo, whenGivenUp } from '../../jsonrpc/exchange.ts'
import { encode } from '../../jsonrpc/kept.ts'
import type { Notification, Request, Response } from '../../jsonrpc/message.ts'
import { headerMismatch } from '../../protocol/errors.ts'
import { readEnvelope } from '../../protocol/meta.ts'
import type { Abortable, Endpoint, Lasting, Visit } from './endpoint.ts'
import { sendForbidden } from './forbidden.ts'
import { Header, JSON_HEADERS } from './headers.ts'
import { refuse } from './http-error.ts'
import { createMirrorCheck, readMirror } from './mirrors.ts'
import { encodeMessage } from './sse.ts'
import { statusOf } from './status.ts'
import type { EventSink, HttpRequest } from './types.ts'

/** Serves requests that carry their own envelope: nothing is remembered from one to the next, and a caller who goes away cancels. */
export interface Modern {
  /** Answers one request, or lets it stay open. @throws RpcError, HttpError when the request itself is wrong. */
  serve(request: Request, visit: Visit): Promise<void> | Lasting
}

/** Makes the half of an endpoint that speaks the stateless era. */
export function createModern(endpoint: Endpoint): Modern {
  const { methodOf } = endpoint
  const checkMirrors = createMirrorCheck(methodOf, true)
  let subscriptions = 0

  /** Its answer is not waited for here: all that has led to it would be kept for as long as it stays open. */
  const subscribe = (message: Request, visit: Visit): Lasting => {
    if (!visit.accepted.events) throw refuse(406, 'Not acceptable: this method is answered with text/event-stream')
    if (subscriptions >= endpoint.limits.maxSubscriptions) throw refuse(429, 'Too many subscriptions')
    subscriptions++
    return { end: answer(endpoint, message, visit).then(unsubscribe, unsubscribe) }
  }
  const unsubscribe = (): void => void subscriptions--

  return {
    serve(message, visit) {
      checkEnvelope(message, visit.request)
      checkMirrors(message, visit.request)
      return methodOf(message.method)?.longLived ? subscribe(message, visit) : answer(endpoint, message, visit)
    },
  }
}

/** Checks headers and envelope in the order that the specification's test suite expects; versions and params are the core's to check. */
function checkEnvelope(message: Request, request: HttpRequest): void {
  const version = readMirror(request, Header.protocolVersion)
  if (version === undefined) throw headerMismatch(`${Header.protocolVersion} is missing`)
  const envelope = readEnvelope(message.params)
  if (version !== envelope.protocolVersion) throw headerMismatch(`${Header.protocolVersion} says something else than the body`)
}

async function answer(endpoint: Endpoint, message: Request, visit: Visit): Promise<void> {
  const call = new ModernCall(endpoint, visit)
  endpoint.running.add(call)
  try {
    call.respond(await endpoint.exchange(message, call))
  } catch (error) {
    if (visit.request.gone) return
    endpoint.onError(error)
    call.respond(new RpcError(ErrorCode.internalError, 'Internal error').response(message.id))
  } finally {
    endpoint.running.delete(call)
  }
}

/** Who listens before anybody has. */
const NOBODY: readonly never[] = []

/** One request and its answer: a single JSON text until something else has to be said, then a stream. */
class ModernCall implements ExchangeContext, Abortable {
  readonly http: HttpInfo
  readonly auth: Auth | undefined
  #endpoint: Endpoint
  #visit: Visit
  #sink: EventSink | undefined
  #isAnswered = false
  #controller: AbortController | undefined
  #listeners: ReadonlyArray<(reason: unknown) => void> = NOBODY
  #aborted: { reason: unknown } | undefined

  constructor(endpoint: Endpoint, visit: Visit) {
    this.http = visit.request
    this.auth = visit.auth
    this.#endpoint = endpoint
    this.#visit = visit
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      const controller = (this.#controller = new AbortController())
      whenGivenUp(this, (reason) => controller.abort(reason))
    }
    return this.#controller.signal
  }

  onAbort(listener: (reason: unknown) => void): () => void {
    if (this.#listeners === NOBODY)
      this.#visit.request.onGone(() => this.abort(new DOMException('The caller went away', 'AbortError')))
    if (this.#aborted) throw this.#aborted.reason
    this.#listeners = this.#listeners.concat(listener)
    return () => void (this.#listeners = this.#listeners.filter((one) => one !== listener))
  }

  get mirror(): (header: string) => string | undefined {
    return (header) => readMirror(this.#visit.request, header)
  }

  notify(notification: Notification): void | Promise<void> {
    const { request, reply, accepted } = this.#visit
    if (this.#isAnswered || request.gone || !accepted.events) return
    const text = encodeMessage(notification)
    if (this.#sink) return this.#endpoint.streams.deliver(this.#sink, notification, text)
    this.#sink = this.#endpoint.streams.open(reply, text)
  }

  respond(response: Response): void {
    const { reply, accepted } = this.#visit
    this.#isAnswered = true
    if (!this.#sink && 'error' in response && sendForbidden(response, this.#visit, this.#endpoint)) return
    if (!this.#sink && accepted.json) {
      reply.send(statusOf(response), JSON_HEADERS, encode(response))
      return
    }
    const text = encodeMessage(response)
    if (this.#sink) void this.#endpoint.streams.deliver(this.#sink, response, text)
    else this.#sink = this.#endpoint.streams.open(reply, text)
    this.#sink.end()
  }

  abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = { reason }
    for (const listener of this.#listeners) listener(reason)
  }
}
