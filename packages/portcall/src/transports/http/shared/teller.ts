import type { Lease } from './lease.ts'
import type { Mail } from './mail.ts'
import type { Member, Registry } from './registry.ts'

/** Decides which process tells the client of a session about changes: one, with its newest standing stream. */
export interface Teller {
  /** Makes it this one. Who was it before stops; when that one is dead, everything that may have changed meanwhile is told. */
  begin(member: Member): Promise<void>
  /** When nobody reads here what is told, whoever has a reader may tell instead. */
  offer(member: Member): void
  /** A standing stream was opened here, or was about to be: tells if it has a reader, even when others came before meanwhile; else offers. */
  settle(member: Member): Promise<void>
  /** Somebody reads a standing stream here: makes sure that whoever tells has a reader too, or is this process. */
  check(member: Member): Promise<void>
  /** Rests, unless it is this process by now. */
  cede(member: Member): Promise<void>
}

export interface TellerOptions {
  readonly lease: Lease
  readonly mail: Mail
  readonly registry: Registry
}

/** Makes what decides who tells. */
export function createTeller({ lease, mail, registry }: TellerOptions): Teller {
  const isHere = ({ page: { record } }: Member): boolean => record.teller !== undefined && lease.isMe(record.teller)
  const begin = async (member: Member): Promise<void> => {
    const { session, id } = member
    let before: string | undefined
    await registry.change(member, (record) => {
      before = record.teller
      Object.assign(record, { teller: lease.owner, heard: Date.now(), busy: true })
    })
    await session.listen()
    if (before === undefined || lease.isMe(before)) return
    const answered = await mail.ask(before, 'rest', { session: id })
    if (!answered) await session.missed()
  }
  const offer = (member: Member): void => {
    if (isHere(member) && !member.replay.heard) mail.tellAll('unheard', { session: member.id }).catch(() => {})
  }

  return {
    begin,
    offer,
    async settle(member) {
      if (!member.replay.heard) offer(member)
      else if (!isHere(member)) await begin(member).catch(() => {})
    },
    async check(member) {
      const { teller } = member.page.record
      if (!member.replay.heard || isHere(member)) return
      const answer = teller === undefined ? undefined : await mail.ask(teller, 'isHeard', { session: member.id })
      if (!answer?.heard) await begin(member)
    },
    cede: (member) => registry.refresh(member).catch(() => member.session.rest()),
  }
}
