import type { Notification, Request, Response } from '../../../jsonrpc/message.ts'
import { unref } from '../../../jsonrpc/waiting.ts'
import type { Stores } from '../../../stores/stores.ts'
import type { Endpoint } from '../endpoint.ts'
import { type HttpError, refuse } from '../http-error.ts'
import { type Backing, createBacking } from './backing.ts'
import { type Book, createBook } from './book.ts'
import { createLease, type Lease } from './lease.ts'
import { eraseStreams } from './ledger.ts'
import { createMail, type Mail, type MailHandlers } from './mail.ts'
import { createRegistry, type Registry } from './registry.ts'
import { createSharedSse2024, type SharedSse2024 } from './sse2024.ts'
import { createTakeover, type Takeover } from './takeover.ts'
import { createTeller, type Teller } from './teller.ts'

export interface SharedOptions {
  readonly stores: Omit<Stores, 'close'>
  /** Whether a request may be run again when the process that ran it has died. */
  readonly mayRepeat: (request: Request) => boolean
}

/** One process among those that share the sessions: its parts, joined. */
export interface Site {
  readonly endpoint: Endpoint
  readonly lease: Lease
  readonly mail: Mail
  readonly book: Book
  readonly registry: Registry
  readonly teller: Teller
  readonly takeover: Takeover
  readonly sse2024: SharedSse2024
  /** Takes part; when it does already, at once. @throws HttpError 503. */
  start(): Promise<void> | undefined
  /** What is answered to who needs the others while they are out of reach. */
  away(): HttpError
  /** Takes no part any more. The sessions go on elsewhere. */
  stop(): Promise<void>
}

/** How often in a lease streams that are followed are looked after, should the bus have lost something. */
const TENDS = 3

/** Joins the parts of one process. */
export function createSite(endpoint: Endpoint, { stores }: SharedOptions): Site {
  const { onError, limits } = endpoint
  const { nodeLeaseMs: leaseMs, storeTimeoutMs: timeoutMs } = limits
  const backing = createBacking({ stores, timeoutMs, onError })
  const { store, bus } = backing
  const lease = createLease({ store, leaseMs, lose: () => lose(registry), regain: () => regain(registry) })
  const mail = createMail({ bus, lease, handlers: listen(() => site, backing), patienceMs: 2 * leaseMs, onError })
  const onRemoved = async (id: string): Promise<void> => {
    await forget(registry, id)
    await eraseStreams(backing, id)
    await mail.tellAll('ended', { session: id })
  }
  const book = createBook({ store, limits, onRemoved, isBusy: (id) => registry.isBusy(id) })
  const registry: Registry = createRegistry({
    endpoint,
    backing,
    book,
    lease,
    mail,
    onUnheard: (member) => teller.offer(member),
    onUsed: (member) => teller.check(member),
  })
  const teller = createTeller({ lease, mail, registry })
  const takeover = createTakeover({ endpoint, lease, mail, teller })
  const sse2024 = createSharedSse2024({ endpoint, book, registry, lease, mail })
  const tending = unref(setInterval(() => void takeover.tend().catch(onError), leaseMs / TENDS))
  let started = false

  const site: Site = {
    endpoint,
    lease,
    mail,
    book,
    registry,
    teller,
    takeover,
    sse2024,
    start() {
      if (started) return
      return Promise.all([mail.start(), lease.start()]).then(() => void (started = true))
    },
    away: () => refuse(503, 'The other processes of this service are out of reach: try again later', { 'retry-after': '1' }),
    async stop() {
      clearInterval(tending)
      registry.stop()
      await lease.stop().catch(onError)
      mail.stop()
    },
  }
  return site
}

/** What the other processes may say. */
function listen(site: () => Site, backing: Backing): MailHandlers {
  const find = (session: unknown) => site().registry.get(String(session))
  return {
    async ended({ session }) {
      if (await forget(site().registry, String(session))) await eraseStreams(backing, String(session))
    },
    changed: ({ session }) => site().registry.doubt(String(session)),
    grown: ({ session, name }) => find(session)?.followers.get(String(name))?.pull(),
    message: ({ session, message }) => void find(session)?.session.accept(message as Notification | Response),
    post: (body) => site().sse2024.accept(body),
    async follow({ session }) {
      const member = find(session)
      if (!member) return
      await site().registry.refresh(member)
      await member.session.follow()
    },
    async release({ session, name, reader }) {
      const member = find(session)
      if (member) await site().takeover.release(member, String(name), String(reader))
    },
    isHeard: ({ session }) => ({ heard: find(session)?.replay.heard === true }),
    async unheard({ session }) {
      const member = find(session)
      if (member?.replay.heard) await site().teller.begin(member)
    },
    async rest({ session }) {
      const member = find(session)
      if (member) await site().teller.cede(member)
    },
  }
}

/** Lets go of a session that has ended. Tells whether something of it may still have been written after its end. */
async function forget(registry: Registry, id: string): Promise<boolean> {
  const member = registry.get(id)
  if (!member) return false
  registry.drop(member)
  return member.ledger.settled()
}

/** Ends what others may take over now. */
function lose(registry: Registry): void {
  for (const { replay, followers } of registry.all()) {
    replay.lose()
    for (const follower of followers.values()) follower.end()
  }
}

/** Lets go of what others have taken over. */
async function regain(registry: Registry): Promise<void> {
  for (const { id, ledger, replay } of registry.all()) {
    registry.doubt(id)
    for (const name of await ledger.regain()) replay.abandon(name)
  }
}
