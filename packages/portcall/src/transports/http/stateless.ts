import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { Auth, Exchange, ExchangeContext, HttpInfo } from '../../jsonrpc/exchange.ts'
import type { Notification, Request } from '../../jsonrpc/message.ts'
import { newState } from '../../legacy/handshake.ts'
import { createLegacySession } from '../../legacy/session.ts'
import { REVISIONS, type Revision, revisionOf } from '../../protocol/revisions.ts'
import { readBatch } from './batch.ts'
import type { Abortable, Endpoint, Visit } from './endpoint.ts'
import { EMPTY_HEADERS, Header } from './headers.ts'
import { refuse } from './http-error.ts'
import type { Legacy } from './legacy-half.ts'
import { createMirrorCheck } from './mirrors.ts'
import { createReplay } from './replay.ts'
import { type Outlet, PostOutlet } from './reply.ts'

/** What a request speaks that does not say it: the first revision of this transport, which had no header to say it with. */
const SILENT_REVISION = REVISIONS.find(({ http }) => http.transport === 'Streamable HTTP') as Revision

/**
 * Serves legacy clients without remembering anything: each POST is a session of its own. Such clients cannot be asked anything, have no
 * GET stream, and resume nothing.
 */
export function createStateless(endpoint: Endpoint): Legacy {
  const streams = createReplay({ endpoint, log: null, key: '', polling: () => false })
  const checkMirrors = createMirrorCheck(endpoint.methodOf, false)

  const answer = async (requests: readonly Request[], outlet: Outlet, visit: Visit): Promise<void> => {
    const state = newState(revisionFor(visit))
    const { exchange } = createLegacySession({ core: endpoint.exchange, state, notify() {}, auth: visit.auth })
    await Promise.all(requests.map((request) => run(request, new StatelessCall(outlet, visit), { endpoint, exchange })))
  }
  const outletFor = (visit: Visit, requests: number, isBatch: boolean): Outlet =>
    new PostOutlet({ visit, endpoint, requests, isBatch, openStream: (reply, headers) => streams.begin(reply, { headers }) })

  return {
    async post(received, visit) {
      if (received.kind === 'response') throw refuse(400, 'Invalid request: a response answers nothing here')
      checkMirrors(received.message, visit.request)
      if (received.kind === 'notification') return visit.reply.send(202, EMPTY_HEADERS)
      await answer([received.message], outletFor(visit, 1, false), visit)
    },
    async batch(values, visit) {
      const { requests, refusals } = readBatch(values, revisionFor(visit), endpoint.limits.maxBatchMessages)
      const answers = requests.length + refusals.length
      if (answers === 0) return visit.reply.send(202, EMPTY_HEADERS)
      const outlet = outletFor(visit, answers, true)
      for (const refusal of refusals) outlet.respond(refusal)
      await answer(requests, outlet, visit)
    },
    get: notAllowed,
    remove: notAllowed,
    drain() {},
    close: () => streams.close(),
  }
}

function notAllowed(): never {
  throw refuse(405, 'Method not allowed: this server has no sessions', { allow: 'POST' })
}

function revisionFor({ request }: Visit): Revision {
  const version = request.header(Header.protocolVersion)
  return (version !== undefined && revisionOf(version)) || SILENT_REVISION
}

async function run(
  request: Request,
  call: StatelessCall,
  { endpoint, exchange }: { endpoint: Endpoint; exchange: Exchange },
): Promise<void> {
  endpoint.running.add(call)
  try {
    call.outlet.respond(await exchange(request, call))
  } catch (error) {
    endpoint.onError(error)
    call.outlet.respond(new RpcError(ErrorCode.internalError, 'Internal error').response(request.id))
  } finally {
    endpoint.running.delete(call)
  }
}

/** One request without a session. That its caller goes away does not cancel it: in this era it never does. */
class StatelessCall implements ExchangeContext, Abortable {
  readonly http: HttpInfo
  readonly auth: Auth | undefined
  readonly outlet: Outlet
  #controller: AbortController | undefined

  constructor(outlet: Outlet, { request, auth }: Visit) {
    this.http = request
    this.auth = auth
    this.outlet = outlet
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  notify(message: Notification): void | Promise<void> {
    return this.outlet.send(message)
  }

  abort(reason: unknown): void {
    this.#controller?.abort(reason)
  }
}
