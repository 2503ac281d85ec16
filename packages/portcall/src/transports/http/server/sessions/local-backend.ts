import { createIdleTimers } from '../../../../../../util/src/idle-timers.ts'
import { randomId } from '../../../../../../util/src/random.ts'
import type { Auth } from '../../../../jsonrpc/exchange.ts'
import { decorateLog, timeoutDecorator } from '../../../../stores/decorate.ts'
import type { EventLog } from '../../../../stores/log.ts'
import { createMemoryLog } from '../../../../stores/memory/log.ts'
import type { HttpEndpoint } from '../endpoint.ts'
import { httpError } from '../http-error.ts'
import type { HttpOptions } from '../options.ts'
import { ResumableStreams } from './resumable-streams.ts'
import { HttpSession } from './session.ts'
import type { SessionBackend, SessionEntry, SessionTransport } from './session-backend.ts'

/** A session in the memory of this process. */
export interface LocalSession extends SessionEntry {
  readonly transport: SessionTransport
  /** The owner. Nobody else can find the session. */
  readonly principal: string | undefined
  /** The sequence number of the last use. The session with the lowest number has been idle longest. */
  lastUse: number
}

/** The owner of sessions. */
interface SessionOwner {
  /** Stands for the principal in the keys of logs. */
  readonly id: string
  sessions: number
}

const OWNER_BYTES = 8

/** Creates the backend for sessions of this process only. */
export function createLocalBackend(endpoint: HttpEndpoint, options: HttpOptions): SessionBackend<LocalSession> {
  const { maxSessions, maxPrincipalSessions, sessionIdleTimeoutMs, storeTimeoutMs } = endpoint.limits
  const log = openLog(options.eventLog, storeTimeoutMs)
  const sessions = new Map<string, LocalSession>()
  const owners = new Map<string, SessionOwner>()
  let uses = 0
  const idle = createIdleTimers<LocalSession>(sessionIdleTimeoutMs, (entry) => (isBusy(entry) ? idle.touch(entry) : end(entry)))

  const ownerOf = (principal: string): SessionOwner => {
    const owner = owners.get(principal) ?? { id: randomId(OWNER_BYTES), sessions: 0 }
    owners.set(principal, owner)
    return owner
  }
  const addToCount = ({ principal }: LocalSession, change: 1 | -1): void => {
    if (principal === undefined) return
    const owner = ownerOf(principal)
    owner.sessions += change
    if (owner.sessions === 0) owners.delete(principal)
  }
  const end = (entry: LocalSession): void => {
    if (!sessions.delete(entry.id)) return
    addToCount(entry, -1)
    idle.remove(entry)
    entry.session.close()
    entry.streams.delete()
  }
  /** Ends the session that has been idle longest. Returns false if all are busy. */
  const evict = (principal?: string): boolean => {
    let oldest: LocalSession | undefined
    for (const entry of sessions.values()) {
      const isEvictable = !isBusy(entry) && (principal === undefined || entry.principal === principal)
      if (isEvictable && (!oldest || entry.lastUse < oldest.lastUse)) oldest = entry
    }
    if (oldest) end(oldest)
    return oldest !== undefined
  }
  const makeRoom = (auth: Auth | undefined): void => {
    const count = auth ? (owners.get(auth.principal)?.sessions ?? 0) : 0
    if (count >= maxPrincipalSessions && !evict(auth?.principal)) throw httpError(429, 'Too many sessions')
    if (sessions.size >= maxSessions && !evict()) throw httpError(503, 'Too many sessions', { 'retry-after': '60' })
  }

  return {
    create(transport, auth) {
      makeRoom(auth)
      const owner = auth && ownerOf(auth.principal)
      const entry = createSession({ endpoint, log, transport, auth, owner: owner?.id })
      entry.lastUse = ++uses
      sessions.set(entry.id, entry)
      addToCount(entry, 1)
      idle.touch(entry)
      return entry
    },
    save() {},
    discard: end,
    find(id, transport, auth) {
      const entry = sessions.get(id)
      if (entry?.transport !== transport || entry.principal !== auth?.principal) throw httpError(404, 'Session not found')
      entry.lastUse = ++uses
      idle.touch(entry)
      return entry
    },
    deliver: ({ session }, message) => void session.receive(message),
    listen({ session, streams }, context) {
      streams.open(context)
      void session.legacy.listen()
    },
    resume: ({ streams }, eventId, context) => streams.resume(eventId, context),
    end,
    list: () => [...sessions.values()],
    close() {
      for (const entry of sessions.values()) end(entry)
      idle.stop()
    },
  }
}

interface SessionStart {
  readonly endpoint: HttpEndpoint
  readonly log: EventLog | null
  readonly transport: SessionTransport
  readonly auth: Auth | undefined
  /** The id of the owner. Sessions without one are their own owners. */
  readonly owner: string | undefined
}

function createSession({ endpoint, log, transport, auth, owner }: SessionStart): LocalSession {
  const id = randomId()
  const session: HttpSession = new HttpSession({ endpoint, auth, notify: (message) => streams.send(message) })
  const streams: ResumableStreams = new ResumableStreams({
    endpoint,
    log: transport === 'streamable-http' ? log : null,
    key: owner === undefined ? `http/${id}/` : `http/${owner}/${id}.`,
    canPoll: () => session.legacy.revision.http.polling,
  })
  return { id, transport, principal: auth?.principal, session, streams, lastUse: 0 }
}

/** Returns the event log with a timeout for each operation. Default: in memory. */
function openLog(log: EventLog | null | undefined, timeoutMs: number): EventLog | null {
  if (log === undefined) return createMemoryLog()
  return log && decorateLog(log, timeoutDecorator(timeoutMs))
}

/** Reports whether a request is being answered or a stream is read. */
function isBusy({ session, streams }: LocalSession): boolean {
  return session.isWorking || streams.isConnected
}
