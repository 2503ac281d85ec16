import type { Auth } from '../../../jsonrpc/exchange.ts'
import type { StateChange } from '../../../legacy/session.ts'
import type { Endpoint } from '../endpoint.ts'
import { createSession, type Session } from '../session.ts'
import type { Backing } from './backing.ts'
import type { Page } from './book.ts'
import type { Follower } from './follower.ts'
import type { Lease } from './lease.ts'
import { createLedger, type Ledger } from './ledger.ts'
import type { Mail } from './mail.ts'
import { createSharedReplay, type SharedReplay } from './replay.ts'

/** What this process has of a session that rests in the store. */
export interface Member {
  readonly id: string
  /** As it was last seen there. */
  page: Page
  readonly session: Session
  readonly replay: SharedReplay
  readonly ledger: Ledger
  /** Streams that other processes write and that are read here, by name. */
  readonly followers: Map<string, Follower>
  /** When `page` was last compared with the store, by a clock that nobody sets. */
  seen: number
  /** When the store was last told that it is in use. */
  touched: number
}

/** What all sessions of a process have in common. */
export interface MemberSite {
  readonly endpoint: Endpoint
  readonly backing: Backing
  readonly lease: Lease
  readonly mail: Mail
  /** Makes the ids of questions to clients; they name the process that waits for the answer. */
  readonly nextId: () => string
  /** Makes the names of streams. */
  readonly nextName: () => string
  /** Changes what a session remembers, here and for all. */
  readonly share: (member: Member, change: StateChange) => Promise<void>
  /** Told when nobody reads a standing stream of a session here any more. */
  readonly onUnheard: (member: Member) => void
}

export interface MemberStart {
  readonly id: string
  readonly page: Page
  readonly auth: Auth | undefined
}

/** Takes up a session as it rests. */
export function createMember(site: MemberSite, start: MemberStart): Member {
  const { endpoint, backing, lease, mail, nextId, nextName, share, onUnheard } = site
  const { id, page, auth } = start
  const { tag, kind, state } = page.record
  const { onError, limits } = endpoint
  const followers = new Map<string, Follower>()
  const onGrown = (name: string, reader: string): void => {
    if (reader === lease.owner) followers.get(name)?.pull()
    else mail.tell(reader, 'grown', { session: id, name })
  }
  const ledger = createLedger({ session: id, backing, lease, ttlMs: limits.sessionIdleMs, onGrown, onError })
  const session: Session = createSession({
    endpoint,
    auth,
    state: structuredClone(state),
    tell: (message) => replay.tell(message),
    share: (change) => share(member, change),
    nextId,
  })
  const replay = createSharedReplay({
    endpoint,
    ledger: kind === 'header' ? ledger : null,
    tag,
    nextName,
    revision: () => session.revision,
    onUnheard: () => onUnheard(member),
  })
  const now = performance.now()
  const member: Member = { id, page, session, replay, ledger, followers, seen: now, touched: now }
  return member
}

/** Ends what this process has of a session. What rests, rests. */
export function closeMember({ session, replay, followers }: Member): void {
  session.close()
  replay.close()
  for (const follower of followers.values()) follower.end()
}

/** Whether something of a session runs here, or somebody listens. */
export function isBusy({ session, replay, followers }: Member): boolean {
  return session.working || replay.connected || followers.size > 0
}
