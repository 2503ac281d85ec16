/**
 * A client comes back for a stream, at any process. Three things may be the case:
 *
 * - The stream is written here: it goes on as if there were no others, once whoever has read it elsewhere has let go.
 * - Another process writes it, and lives: it goes on writing, and is followed from here.
 * - Whoever wrote it is dead, or the stream is a standing one, which any process can write: it is adopted. Another log begins, and what
 *   the one before got from then on counts for nothing. Requests that died with their process are answered with an error, or run again.
 */
import { ErrorCode, RpcError } from '../../../jsonrpc/errors.ts'
import type { RequestId } from '../../../jsonrpc/message.ts'
import { UnknownPosition } from '../../../stores/log.ts'
import type { Endpoint, Visit } from '../endpoint.ts'
import { refuse } from '../http-error.ts'
import type { Outlet } from '../reply.ts'
import type { Stream } from '../stream.ts'
import { type Claims, createClaims } from './claims.ts'
import { createFollowers, type Followed } from './followers.ts'
import type { Lease } from './lease.ts'
import { noSuchEvent } from './ledger.ts'
import type { Mail } from './mail.ts'
import type { StreamRecord } from './records.ts'
import type { Member } from './registry.ts'
import type { Teller } from './teller.ts'
import { createTurns } from './turns.ts'

/** Resumes streams, whoever writes them. */
export interface Takeover {
  /** Answers a GET that names the last event it has. @throws HttpError 400, 404, 503. */
  resume(member: Member, eventId: string, visit: Visit): Promise<void>
  /** Looks after the streams that are followed: reads on, and takes over from the dead. */
  tend(): Promise<void>
  /** Lets go of a stream, since another process reads it now, or writes it too. */
  release(member: Member, name: string, reader: string): Promise<void>
}

export interface TakeoverOptions {
  readonly endpoint: Endpoint
  readonly lease: Lease
  readonly mail: Mail
  readonly teller: Teller
}

const EVENT_ID = /^([^.]+)\.([\w-]+)\.([\w-]+)$/
const MAX_EVENT_ID = 300
const GONE = new RpcError(ErrorCode.internalError, 'The process that ran this request is gone')

/** Makes what resumes streams. */
export function createTakeover({ endpoint, lease, mail, teller }: TakeoverOptions): Takeover {
  const claims = createClaims({ lease, mail })
  const followers = createFollowers({ endpoint, lease })
  /** A stream is brought here, or taken over, once at a time. */
  const inTurn = createTurns()

  const resumeElsewhere = async (member: Member, name: string, { visit, after }: Return): Promise<void> => {
    const { ledger } = member
    const reading = await ledger.readOn(name, after)
    const found = await ledger.record(name)
    if (!found) throw noSuchEvent()
    if (reading.ended) return followers.follow(member, { name, after, visit, reading })
    const mine = found.standing ? found : await claims.read(member, name, found)
    if (!found.standing && (await lease.isAlive(found.writer)))
      return followers.follow(member, { name, after, visit, reading: await ledger.readOn(name, after) })
    await (await adopt({ member, name, found: mine, visit }, { claims, teller })).resume(visit.reply, after)
  }
  const resume = async (member: Member, name: string, { visit, after }: Return): Promise<void> => {
    const here = member.ledger.isKept(name) ? member.replay.get(name) : undefined
    if (!here) return resumeElsewhere(member, name, { visit, after })
    await bringBack(member, here, { claims, teller, lease })
    await here.resume(visit.reply, after)
  }
  const tend = async ({ follower, member, name, visit }: Followed): Promise<void> => {
    follower.pull()
    const found = await member.ledger.record(name)
    if (!found || follower.closed || found.writer === lease.owner || (await lease.isAlive(found.writer))) return
    await adopt({ member, name, found, visit }, { claims, teller })
    follower.pull()
  }

  return {
    async resume(member, eventId, visit) {
      const [, tag, name = '', after = ''] = EVENT_ID.exec(eventId.slice(0, MAX_EVENT_ID)) ?? []
      if (tag === undefined) throw refuse(400, 'Bad request: this is no event id of this server')
      if (tag !== member.page.record.tag) throw noSuchEvent()
      try {
        await inTurn(`${member.id}/${name}`, () => resume(member, name, { visit, after }))
      } catch (error) {
        throw error instanceof UnknownPosition ? noSuchEvent() : error
      } finally {
        await teller.settle(member)
      }
    },
    async tend() {
      for (const followed of followers.all()) await inTurn(`${followed.member.id}/${followed.name}`, () => tend(followed))
    },
    async release(member, name, reader) {
      member.followers.get(name)?.end()
      const stream = member.replay.get(name)
      if (!stream) return
      if (!stream.standing) {
        stream.leave()
        return member.ledger.setReader(name, reader)
      }
      await teller.cede(member)
      await stream.settled()
      await member.ledger.flushed(name)
      member.replay.abandon(name)
    },
  }
}

/** A client that comes back, with the position of the last event it has. */
interface Return {
  readonly visit: Visit
  readonly after: string
}

/** A stream that has lost its writer. */
interface Orphan {
  readonly member: Member
  readonly name: string
  readonly found: StreamRecord
  readonly visit: Visit
}

interface Means {
  readonly claims: Claims
  readonly teller: Teller
}

/** Brings back a stream that is written here from where it was read, if that was elsewhere. */
async function bringBack(member: Member, stream: Stream, { claims, teller, lease }: Means & { lease: Lease }): Promise<void> {
  const { replay, ledger, followers } = member
  const { name, standing } = stream
  replay.returned(stream)
  followers.get(name)?.end()
  if (standing) await teller.begin(member)
  if (ledger.readerOf(name) === lease.owner) return
  const found = await ledger.record(name)
  if (!found) throw noSuchEvent()
  await claims.read(member, name, found)
  ledger.setReader(name, lease.owner)
}

/** Goes on with the writing of a stream here. What is said on it, and those who resume it, wait until that may be. */
async function adopt({ member, name, found, visit }: Orphan, { claims, teller }: Means): Promise<Stream> {
  let begin!: () => void
  const stream = member.replay.adopt(name, found.standing, new Promise((resolve) => void (begin = resolve)))
  try {
    if (found.standing) await teller.begin(member)
    const open = await claims.write(member, name, found)
    if (!found.standing) finish({ member, name, found, visit }, stream, open)
    return stream
  } catch (error) {
    member.replay.abandon(name)
    throw error
  } finally {
    begin()
  }
}

/** Settles the requests of a process that died: runs again what may be, and answers the others with an error. */
function finish({ member, found, visit }: Orphan, stream: Stream, open: readonly RequestId[]): void {
  if (open.length > 0 && found.repeat) return void member.session.request(found.repeat, createOutlet(stream), visit)
  for (const id of open) void stream.send(GONE.response(id))
  stream.end()
}

function createOutlet(stream: Stream): Outlet {
  return {
    canAsk: true,
    canRelease: false,
    send: (message) => stream.send(message),
    respond(response) {
      if (response) void stream.send(response)
      stream.end()
    },
    release() {},
  }
}
