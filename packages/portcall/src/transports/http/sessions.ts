/**
 * Streamable HTTP with sessions. What the stateless era does in one POST takes three kinds of requests here: POSTs with messages, GETs that
 * open or resume streams, and a DELETE at the end, all held together by the id that the answer to `initialize` carries.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
import type { Request } from '../../jsonrpc/message.ts'
import { aroundLog } from '../../stores/around.ts'
import type { Log } from '../../stores/log.ts'
import { createMemoryLog } from '../../stores/memory-log.ts'
import { timely } from '../../stores/within.ts'
import { readBatch } from './batch.ts'
import type { Endpoint, Visit } from './endpoint.ts'
import { EMPTY_HEADERS, Header } from './headers.ts'
import { refuse } from './http-error.ts'
import type { Legacy } from './legacy-half.ts'
import { createMirrorCheck } from './mirrors.ts'
import type { HttpOptions } from './options.ts'
import { createRegistry, type Member, type Registry, randomId } from './registry.ts'
import { createReplay, type Replay } from './replay.ts'
import { PostOutlet, type PostOutletOptions } from './reply.ts'
import { createSession, type Session } from './session.ts'
import { createSse2024 } from './sse2024.ts'

/** Serves legacy clients with sessions, on both of their HTTP transports. */
export function createSessions(endpoint: Endpoint, options: HttpOptions): Legacy {
  const log = openLog(options.log, endpoint.limits.storeTimeoutMs)
  const registry = createRegistry(endpoint.limits)
  const checkMirrors = createMirrorCheck(endpoint.methodOf, false)
  const sse2024 = createSse2024(endpoint, registry)

  const find = ({ request, auth }: Visit): Member => {
    const id = request.header(Header.sessionId)
    if (id === undefined) throw refuse(400, 'Bad request: the Mcp-Session-Id header is needed')
    return registry.find(id, 'header', auth)
  }

  return {
    post(received, visit) {
      if (sse2024.owns(visit)) return sse2024.post(received, visit)
      if ('method' in received.message) checkMirrors(received.message, visit.request)
      if (received.kind !== 'request') {
        find(visit).session.accept(received.message)
        return visit.reply.send(202, EMPTY_HEADERS)
      }
      if (received.message.method === 'initialize') return initialize(received.message, visit, { endpoint, registry, log })
      const member = find(visit)
      if (member.session.size >= endpoint.limits.maxSessionRequests)
        throw refuse(429, 'Too many requests at once in this session')
      return member.session.request(received.message, new PostOutlet(outletOptions(endpoint, member, visit)), visit)
    },
    async batch(values, visit) {
      const member = find(visit)
      const { requests, others, refusals } = readBatch(values, member.session.revision, endpoint.limits.maxBatchMessages)
      for (const message of others) member.session.accept(message)
      const answers = requests.length + refusals.length
      if (answers === 0) return visit.reply.send(202, EMPTY_HEADERS)
      const outlet = new PostOutlet({ ...outletOptions(endpoint, member, visit), requests: answers, isBatch: true })
      for (const refusal of refusals) outlet.respond(refusal)
      await Promise.all(requests.map((request) => member.session.request(request, outlet, visit)))
    },
    async get(visit) {
      if (sse2024.wants(visit)) return sse2024.get(visit)
      const { session, replay } = find(visit)
      if (!visit.accepted.events) throw refuse(406, 'Not acceptable: a GET is answered with text/event-stream')
      const eventId = visit.request.header(Header.lastEventId)
      if (eventId !== undefined) return replay.resume(eventId, visit.reply)
      replay.begin(visit.reply, { standing: true })
      session.listen()
    },
    remove(visit) {
      registry.remove(find(visit))
      visit.reply.send(204, EMPTY_HEADERS)
    },
    drain() {
      for (const { replay } of registry.all()) replay.drain()
    },
    close() {
      for (const member of registry.all()) registry.remove(member)
      registry.stop()
    },
  }
}

/** Events rest in memory unless something else is said; what may take its time is waited for no longer than `withinMs`. */
function openLog(log: Log | null | undefined, withinMs: number): Log | null {
  if (log === undefined) return createMemoryLog()
  return log && aroundLog(log, timely(withinMs))
}

interface Site {
  readonly endpoint: Endpoint
  readonly registry: Registry
  readonly log: Log | null
}

/** Opens a session, whose id is in the head of the answer; a handshake that fails takes it away again. */
async function initialize(request: Request, visit: Visit, { endpoint, registry, log }: Site): Promise<void> {
  registry.makeRoom(visit.auth)
  const id = randomId()
  const session: Session = createSession({ endpoint, auth: visit.auth, tell: (message) => replay.tell(message) })
  const replay: Replay = createReplay({ endpoint, log, key: `http/${id}`, polling: () => session.revision.http.polling })
  const member: Member = { id, kind: 'header', principal: visit.auth?.principal, session, replay, heard: 0 }
  registry.add(member)
  let failed = false
  const outlet = new PostOutlet({
    ...outletOptions(endpoint, member, visit),
    canRelease: false,
    isHandshake: true,
    headers: () => (failed ? [] : [Header.sessionId, id]),
    onResponse(response) {
      failed = !response || 'error' in response
      if (failed) registry.remove(member)
    },
  })
  await session.request(request, outlet, visit)
}

function outletOptions(endpoint: Endpoint, { session, replay }: Member, visit: Visit): PostOutletOptions {
  return {
    visit,
    endpoint,
    requests: 1,
    canRelease: session.revision.http.polling,
    openStream: (reply, headers) => replay.begin(reply, { headers }),
  }
}
