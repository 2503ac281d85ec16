import { LazyAbort } from '../../../../../util/src/abort.ts'
import { internalError } from '../../../jsonrpc/errors.ts'
import type { Auth, Exchange, ExchangeContext, HttpInfo } from '../../../jsonrpc/exchange.ts'
import type { Notification, Request } from '../../../jsonrpc/message.ts'
import { LegacySession } from '../../../legacy/server/session.ts'
import { createSessionState } from '../../../legacy/server/session-state.ts'
import { REVISIONS, type Revision, revisionOf } from '../../../protocol/revisions.ts'
import { EMPTY_HEADERS, Header } from '../common/headers.ts'
import { parseBatch } from './batch.ts'
import type { Abortable, HttpEndpoint } from './endpoint.ts'
import { createHeaderValidator } from './header-validation.ts'
import { httpError } from './http-error.ts'
import { PostResponse, type ResponseSink } from './sessions/post-response.ts'
import { ResumableStreams } from './sessions/resumable-streams.ts'
import type { HttpContext, LegacyHandler } from './types.ts'

/** The revision of requests without a version header: the first one with this transport, which did not have that header yet. */
const DEFAULT_REVISION = REVISIONS.find(({ http }) => http.transport === 'Streamable HTTP') as Revision

/**
 * Serves legacy clients without state: each POST is a session of its own. Elicitation, sampling, GET streams and resumption are not
 * available.
 */
export function createStatelessHandler(endpoint: HttpEndpoint): LegacyHandler {
  const streams = new ResumableStreams({ endpoint, log: null, key: '', canPoll: () => false })
  const validateHeaders = createHeaderValidator(endpoint.methodOf, false)

  const answer = async (requests: readonly Request[], sink: ResponseSink, context: HttpContext): Promise<void> => {
    const state = createSessionState(revisionFor(context))
    const { exchange } = new LegacySession({ core: endpoint.exchange, state, notify() {}, auth: context.auth })
    await Promise.all(requests.map((request) => run(request, new StatelessCall(sink, context), { endpoint, exchange })))
  }
  return {
    async post(received, context) {
      if (received.kind === 'response') throw httpError(400, 'Invalid request: the response matches no request')
      validateHeaders(received.message, context)
      if (received.kind === 'notification') return context.send(202, EMPTY_HEADERS)
      const requests = [received.message]
      await answer(requests, new PostResponse({ endpoint, context, streams, requests }), context)
    },
    async batch(values, context) {
      const { requests, invalid } = parseBatch(values, revisionFor(context), endpoint.limits.maxBatchMessages)
      const responses = requests.length + invalid.length
      if (responses === 0) return context.send(202, EMPTY_HEADERS)
      const response = new PostResponse({ endpoint, context, streams, requests, responses, isBatch: true })
      for (const failure of invalid) response.respond(failure)
      await answer(requests, response, context)
    },
    get: notAllowed,
    delete: notAllowed,
    sessionCount: () => 0,
    drain() {},
    close: () => streams.delete(),
  }
}

function notAllowed(): never {
  throw httpError(405, 'Method not allowed: this server has no sessions', { allow: 'POST' })
}

function revisionFor(context: HttpContext): Revision {
  const version = context.header(Header.protocolVersion)
  return (version !== undefined && revisionOf(version)) || DEFAULT_REVISION
}

async function run(
  request: Request,
  call: StatelessCall,
  { endpoint, exchange }: { endpoint: HttpEndpoint; exchange: Exchange },
): Promise<void> {
  const entry = endpoint.running.add(call)
  try {
    call.sink.respond(await exchange(request, call))
  } catch (error) {
    call.sink.respond(internalError(endpoint.onError(error)).response(request.id))
  } finally {
    entry.remove()
  }
}

/** A request without a session. In the legacy era, a client that disconnects does not cancel its request. */
class StatelessCall implements ExchangeContext, Abortable {
  readonly http: HttpInfo
  readonly auth: Auth | undefined
  readonly sink: ResponseSink
  #abort: LazyAbort | undefined

  constructor(sink: ResponseSink, context: HttpContext) {
    this.http = context
    this.auth = context.auth
    this.sink = sink
  }

  get signal(): AbortSignal {
    this.#abort ??= new LazyAbort()
    return this.#abort.signal
  }

  notify(message: Notification): void | Promise<void> {
    return this.sink.send(message)
  }

  abort(reason: unknown): void {
    this.#abort ??= new LazyAbort()
    this.#abort.abort(reason)
  }
}
