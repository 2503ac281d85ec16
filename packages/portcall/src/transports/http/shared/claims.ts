import { isObject, type RequestId } from '../../../jsonrpc/message.ts'
import { type HttpError, refuse } from '../http-error.ts'
import type { Lease } from './lease.ts'
import type { Mail } from './mail.ts'
import type { StreamRecord } from './records.ts'
import type { Member } from './registry.ts'

/** Makes streams this process's own. Nobody begins before all who may still send have let go, or are dead. */
export interface Claims {
  /** Becomes the one who sends a stream to its client. @throws HttpError 503 when another does so at the same time. */
  read(member: Member, name: string, found: StreamRecord): Promise<StreamRecord>
  /** Becomes the one who writes a stream too. Gives the requests that are still without an answer. @throws HttpError 503. */
  write(member: Member, name: string, found: StreamRecord): Promise<RequestId[]>
}

/** Makes what claims streams. */
export function createClaims({ lease, mail }: { readonly lease: Lease; readonly mail: Mail }): Claims {
  const free = async (member: Member, name: string, { writer, reader }: StreamRecord): Promise<void> => {
    const others = [...new Set([writer, reader])].filter((owner) => !lease.isMe(owner))
    const body = { session: member.id, name, reader: lease.owner }
    await Promise.all(others.map((owner) => mail.ask(owner, 'release', body)))
  }
  return {
    async read(member, name, found) {
      const mine = { ...found, reader: lease.owner }
      if (found.reader !== lease.owner && !(await member.ledger.claim(name, found, mine))) throw busy()
      await free(member, name, found)
      return mine
    },
    async write(member, name, found) {
      const { ledger } = member
      const { owner } = lease
      await free(member, name, found)
      const { events, place } = await ledger.readLast(name, found)
      const now = (await ledger.record(name)) ?? found
      const mine: StreamRecord = { ...found, writer: owner, reader: owner, earlier: [...found.earlier, place] }
      if (now.writer !== found.writer || !(await ledger.claim(name, now, mine))) throw busy()
      return unanswered(found, events)
    },
  }
}

function unanswered({ requests }: StreamRecord, events: readonly string[]): RequestId[] {
  const answered = new Set(events.filter(Boolean).map(answeredBy))
  return requests.filter((id) => !answered.has(id))
}

/** The request that a message answers, if it answers one. */
function answeredBy(text: string): unknown {
  const message: unknown = JSON.parse(text)
  return isObject(message) && !('method' in message) ? message.id : undefined
}

function busy(): HttpError {
  return refuse(503, 'Another process takes this stream over', { 'retry-after': '1' })
}
