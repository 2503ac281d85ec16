import type { SessionState } from '../../../legacy/handshake.ts'
import { HttpError, refuse } from '../http-error.ts'
import type { Book, Page } from './book.ts'
import type { Lease } from './lease.ts'
import type { Mail } from './mail.ts'
import { isBusy, type Member } from './member.ts'
import type { SessionRecord } from './records.ts'
import { createTurns } from './turns.ts'

/** Keeps what this process has of a session and what rests in the store alike. */
export interface Upkeep {
  /** Changes the record of a session, here and for all. @throws HttpError 404 when it has ended meanwhile, 503. */
  change(member: Member, change: (record: SessionRecord) => void): Promise<void>
  /** Changes what the session remembers; when it resolves, who tells of changes has heard of it. */
  share(member: Member, change: (state: SessionState) => void): Promise<void>
  /** Compares with the store now. @throws HttpError 404, 503. */
  refresh(member: Member): Promise<void>
  /** Tells the store that a session is in use. */
  touch(member: Member): Promise<void>
  /** Compares with the store what was not for a while. What is held here goes on while the store is away. @throws HttpError 404. */
  check(member: Member): Promise<void>
}

export interface UpkeepOptions {
  readonly book: Book
  readonly lease: Lease
  readonly mail: Mail
  readonly sessionIdleMs: number
  /** Lets go of a session that has ended. */
  readonly drop: (member: Member) => void
}

/** A session that was not compared with the store for so long is. */
const SEEN_MS = 5000
/** So often in the life of a session the store is told that it is in use. */
const TOUCHES = 10

/** Makes the upkeep of sessions. */
export function createUpkeep({ book, lease, mail, sessionIdleMs, drop }: UpkeepOptions): Upkeep {
  const update = (member: Member, page: Page | undefined): void => {
    if (!page) {
      drop(member)
      throw refuse(404, 'Session not found')
    }
    const { state, teller } = page.record
    member.page = page
    member.seen = performance.now()
    Object.assign(member.session.state, state)
    if (teller === undefined || !lease.isMe(teller)) member.session.rest()
    // A change that seemed to have failed may have come about.
    else if (member.replay.heard) void member.session.listen()
  }
  /** What was read before a change is not taken for what came after it. */
  const inTurn = createTurns()
  const refresh: Upkeep['refresh'] = (member) => inTurn(member.id, async () => update(member, await book.read(member.id)))
  const change: Upkeep['change'] = (member, make) =>
    inTurn(member.id, async () => {
      update(member, await book.change(member.id, member.page, make))
      member.touched = performance.now()
    })
  const touch: Upkeep['touch'] = async (member) => {
    member.touched = performance.now()
    await change(member, (record) => Object.assign(record, { heard: Date.now(), busy: isBusy(member) }))
    await member.ledger.touch()
  }

  return {
    change,
    refresh,
    touch,
    async share(member, make) {
      await change(member, ({ state }) => make(state))
      await mail.tellAll('changed', { session: member.id })
      const { teller } = member.page.record
      if (teller !== undefined && !lease.isMe(teller)) await mail.ask(teller, 'follow', { session: member.id })
    },
    async check(member) {
      const now = performance.now()
      try {
        if (now - member.touched > sessionIdleMs / TOUCHES) await touch(member)
        else if (now - member.seen > SEEN_MS) await refresh(member)
      } catch (error) {
        if (!(error instanceof HttpError && error.status === 503)) throw error
      }
    },
  }
}
