import type { Auth } from '../../../jsonrpc/exchange.ts'
import type { Endpoint } from '../endpoint.ts'
import { createExpiry } from '../expiry.ts'
import { refuse } from '../http-error.ts'
import type { Backing } from './backing.ts'
import type { Book, Page } from './book.ts'
import type { Lease } from './lease.ts'
import type { Mail } from './mail.ts'
import { closeMember, createMember, isBusy, type Member, type MemberSite } from './member.ts'
import type { SessionRecord } from './records.ts'
import { createUpkeep, type Upkeep } from './upkeep.ts'

export type { Member } from './member.ts'

/** The sessions that this process serves now; all of them rest in the store, and any other process may serve them too. */
export interface Registry extends Pick<Upkeep, 'change' | 'refresh'> {
  /** Takes in a session that has just begun. */
  begin(id: string, record: SessionRecord, auth: Auth | undefined): Member
  /** Finds a session, wherever it began. @throws HttpError 404, the same for strangers as for ids that do not exist; 503. */
  find(id: string, kind: SessionRecord['kind'], auth: Auth | undefined): Promise<Member>
  /** What is here of a session. */
  get(id: string): Member | undefined
  all(): Member[]
  /** Whether something of a session runs here. */
  isBusy(id: string): boolean
  /** Compares with the store again before it is used next. */
  doubt(id: string): void
  /** Lets go of a session that has ended, or that never began. */
  drop(member: Member): void
  stop(): void
}

export interface RegistryOptions extends Pick<MemberSite, 'onUnheard'> {
  /** Told now and then of a session that is in use here. */
  readonly onUsed: (member: Member) => Promise<void>
  readonly endpoint: Endpoint
  readonly backing: Backing
  readonly book: Book
  readonly lease: Lease
  readonly mail: Mail
}

/** What was not used for this part of the life of a session is forgotten here, or the store is told that it is in use. */
const IDLE = 1 / 4

/** Keeps what this process has of the sessions. */
export function createRegistry({ endpoint, backing, book, lease, mail, onUnheard, onUsed }: RegistryOptions): Registry {
  const { sessionIdleMs, maxSessions } = endpoint.limits
  const members = new Map<string, Member>()
  const loading = new Map<string, Promise<Member | undefined>>()
  let asked = 0
  let named = 0
  const idle = createExpiry<Member>(sessionIdleMs * IDLE, (member) => {
    if (!isBusy(member)) return drop(member)
    idle.touch(member)
    upkeep
      .touch(member)
      .then(() => onUsed(member))
      .catch(() => {})
  })
  const drop = (member: Member): void => {
    if (members.get(member.id) !== member) return
    members.delete(member.id)
    idle.forget(member)
    closeMember(member)
  }
  const upkeep = createUpkeep({ book, lease, mail, sessionIdleMs, drop })
  const nextId = (): string => `${lease.node}:${++asked}`
  const nextName = (): string => `${lease.node}-${(++named).toString(36)}`
  const site: MemberSite = { endpoint, backing, lease, mail, nextId, nextName, share: upkeep.share, onUnheard }
  const begin = (id: string, page: Page, auth: Auth | undefined): Member => {
    const member = createMember(site, { id, page, auth })
    members.set(id, member)
    idle.touch(member)
    makeRoom(members, maxSessions, drop)
    return member
  }
  const load = async (id: string, auth: Auth | undefined): Promise<Member | undefined> => {
    const page = await book.read(id)
    if (!page || page.record.principal !== auth?.principal) return undefined
    return members.get(id) ?? begin(id, page, auth)
  }
  const loadOnce = (id: string, auth: Auth | undefined): Promise<Member | undefined> => {
    const who = JSON.stringify([id, auth?.principal])
    const found = loading.get(who) ?? load(id, auth).finally(() => loading.delete(who))
    loading.set(who, found)
    return found
  }

  return {
    ...upkeep,
    begin: (id, record, auth) => begin(id, { record, text: '' }, auth),
    async find(id, kind, auth) {
      const member = members.get(id) ?? (await loadOnce(id, auth))
      const record = member?.page.record
      if (!member || record?.kind !== kind || record.principal !== auth?.principal) throw refuse(404, 'Session not found')
      idle.touch(member)
      await upkeep.check(member)
      return members.get(id) === member ? member : this.find(id, kind, auth)
    },
    get: (id) => members.get(id),
    all: () => [...members.values()],
    isBusy(id) {
      const member = members.get(id)
      return member !== undefined && isBusy(member)
    },
    doubt(id) {
      const member = members.get(id)
      if (member) member.seen = Number.NEGATIVE_INFINITY
    },
    drop,
    stop() {
      for (const member of members.values()) drop(member)
      idle.stop()
    },
  }
}

/** What is here of a session that is quiet can be had from the store again: the oldest make room. */
function makeRoom(members: ReadonlyMap<string, Member>, most: number, drop: (member: Member) => void): void {
  if (members.size <= most) return
  for (const member of members.values()) if (!isBusy(member) && members.size > most) drop(member)
}
