/**
 * The HTTP transport of the first revision: one GET stream carries everything to the client, and tells it by its first event where to POST.
 * The session lives as long as the stream.
 * https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
import type { Endpoint, Visit } from './endpoint.ts'
import { pathOf } from './guard.ts'
import { EMPTY_HEADERS, Header } from './headers.ts'
import type { Received } from './legacy-half.ts'
import { type Member, type Registry, randomId } from './registry.ts'
import { createReplay, type Replay } from './replay.ts'
import type { Outlet } from './reply.ts'
import { createSession, type Session } from './session.ts'
import { encodeEvent } from './sse.ts'

/** The first HTTP transport, beside its successor at the same address. */
export interface Sse2024 {
  /** Whether a GET comes from a client of this transport: it names no session, no event and no version. */
  wants(visit: Visit): boolean
  get(visit: Visit): void
  /** Whether a POST goes to an address that a stream of this transport has told. */
  owns(visit: Visit): boolean
  post(received: Received, visit: Visit): Promise<void>
}

/** Names the session in the address that clients post to. */
export const SESSION_PARAMETER = 'sessionId'
const NEW_NAMES = [Header.sessionId, Header.lastEventId, Header.protocolVersion]

/** Serves the first HTTP transport out of the sessions of an endpoint. */
export function createSse2024(endpoint: Endpoint, registry: Registry): Sse2024 {
  return {
    wants: wantsSse2024,
    get(visit) {
      registry.makeRoom(visit.auth)
      const id = randomId()
      const session: Session = createSession({ endpoint, auth: visit.auth, tell: (message) => replay.tell(message) })
      const replay: Replay = createReplay({ endpoint, log: null, key: id, polling: () => false })
      const member: Member = { id, kind: 'query', principal: visit.auth?.principal, session, replay, heard: 0 }
      registry.add(member)
      visit.request.onGone(() => registry.remove(member))
      const address = `${pathOf(visit.request.target)}?${SESSION_PARAMETER}=${id}`
      replay.begin(visit.reply, { standing: true, first: encodeEvent({ event: 'endpoint', data: address }) })
    },
    owns: isOwnPost,
    async post(received, visit) {
      const { session, replay } = registry.find(sessionOf(visit.request.target) ?? '', 'query', visit.auth)
      visit.reply.send(202, EMPTY_HEADERS)
      if ('method' in received.message && received.message.method !== 'initialize') session.listen()
      if (received.kind !== 'request') return void session.accept(received.message)
      await session.request(received.message, createStreamOutlet(replay), visit)
    },
  }
}

/** Whether a GET comes from a client of this transport. */
export function wantsSse2024({ request }: Visit): boolean {
  return (
    request.header(Header.accept)?.includes('text/event-stream') === true &&
    NEW_NAMES.every((name) => request.header(name) === undefined)
  )
}

/** Whether a POST goes to an address that a stream of this transport has told. */
export function isOwnPost({ request }: Visit): boolean {
  return sessionOf(request.target) !== undefined
}

/** Where answers go on this transport: to the one stream. */
export function createStreamOutlet(replay: Pick<Replay, 'tell'>): Outlet {
  return {
    canAsk: true,
    canRelease: false,
    send: (message) => replay.tell(message),
    respond: (response) => void (response && replay.tell(response)),
    release() {},
  }
}

/** The session that an address names. */
export function sessionOf(target: string): string | undefined {
  const start = target.indexOf('?')
  return start < 0 ? undefined : (new URLSearchParams(target.slice(start)).get(SESSION_PARAMETER) ?? undefined)
}
