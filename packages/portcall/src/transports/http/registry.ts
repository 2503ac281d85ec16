import type { Auth } from '../../jsonrpc/exchange.ts'
import { createExpiry } from './expiry.ts'
import { refuse } from './http-error.ts'
import type { HttpLimits } from './limits.ts'
import type { Replay } from './replay.ts'
import type { Session } from './session.ts'

/** One session that a client can come back to. */
export interface Member {
  readonly id: string
  /** How its client finds it: by a header, or by the query of the address it was given. */
  readonly kind: 'header' | 'query'
  /** Whom it belongs to; nobody else finds it. */
  readonly principal: string | undefined
  readonly session: Session
  readonly replay: Replay
  /** Grows with each time that something is heard of it; the registry's own. */
  heard: number
}

/** The sessions of an endpoint. */
export interface Registry {
  readonly size: number
  /** Makes room for one more. @throws HttpError 503, or 429 when it is the principal who has too many. */
  makeRoom(auth: Auth | undefined): void
  add(member: Member): void
  /** Finds a session and notes that it was heard of. @throws HttpError 404, the same for strangers as for ids that do not exist. */
  find(id: string, kind: Member['kind'], auth: Auth | undefined): Member
  /** Ends a session. */
  remove(member: Member): void
  all(): Member[]
  stop(): void
}

const PRINTABLE_ID_BYTES = 16

/** Makes an id that cannot be guessed: 128 random bits in hexadecimal. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(PRINTABLE_ID_BYTES))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Keeps the sessions of an endpoint, and makes room by ending the one that has been quiet longest. */
export function createRegistry({ maxSessions, maxPrincipalSessions, sessionIdleMs }: HttpLimits): Registry {
  const members = new Map<string, Member>()
  const owned = new Map<string, number>()
  let heard = 0
  const idle = createExpiry<Member>(sessionIdleMs, (member) => (isBusy(member) ? idle.touch(member) : remove(member)))

  const count = ({ principal }: Member, change: 1 | -1): void => {
    if (principal === undefined) return
    const number = (owned.get(principal) ?? 0) + change
    if (number > 0) owned.set(principal, number)
    else owned.delete(principal)
  }
  const remove = (member: Member): void => {
    if (!members.delete(member.id)) return
    count(member, -1)
    idle.forget(member)
    member.session.close()
    member.replay.close()
  }
  const evict = (principal?: string): boolean => {
    let quietest: Member | undefined
    for (const member of members.values()) {
      const mayGo = !isBusy(member) && (principal === undefined || member.principal === principal)
      if (mayGo && (!quietest || member.heard < quietest.heard)) quietest = member
    }
    if (quietest) remove(quietest)
    return quietest !== undefined
  }

  return {
    get size() {
      return members.size
    },
    makeRoom(auth) {
      const mine = auth ? (owned.get(auth.principal) ?? 0) : 0
      if (mine >= maxPrincipalSessions && !evict(auth?.principal)) throw refuse(429, 'Too many sessions')
      if (members.size >= maxSessions && !evict()) throw refuse(503, 'Too many sessions', { 'retry-after': '60' })
    },
    add(member) {
      member.heard = ++heard
      members.set(member.id, member)
      count(member, 1)
      idle.touch(member)
    },
    find(id, kind, auth) {
      const member = members.get(id)
      if (member?.kind !== kind || member.principal !== auth?.principal) throw refuse(404, 'Session not found')
      member.heard = ++heard
      idle.touch(member)
      return member
    },
    remove,
    all: () => [...members.values()],
    stop: idle.stop,
  }
}

function isBusy({ session, replay }: Member): boolean {
  return session.working || replay.connected
}
