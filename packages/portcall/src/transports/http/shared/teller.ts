import type { Lease } from './lease.ts'
import type { Mail } from './mail.ts'
import type { Member, Registry } from './registry.ts'

/** Decides which process tells the client of a session about changes: one, with its newest standing stream. */
export interface Teller {
  /** Makes it this one. Who was it before stops; when that one is dead, everything that may have changed meanwhile is told. */
  begin(member: Member): Promise<void>
}

export interface TellerOptions {
  readonly lease: Lease
  readonly mail: Mail
  readonly registry: Registry
}

/** Makes what decides who tells. */
export function createTeller({ lease, mail, registry }: TellerOptions): Teller {
  return {
    async begin(member) {
      const { session, page, id } = member
      const before = page.record.teller
      if (before !== lease.owner)
        await registry.change(member, (record) => Object.assign(record, { teller: lease.owner, heard: Date.now(), busy: true }))
      await session.listen()
      if (before === undefined || lease.isMe(before)) return
      const answered = await mail.ask(before, 'rest', { session: id })
      if (!answered) await session.missed()
    },
  }
}
