/**
 * Streamable HTTP with sessions that any process of a service can serve. A session is a record in the store, its streams are logs, and
 * what has to reach the process where something runs goes over the bus. Each process keeps what it uses of a session, and writes down what
 * others have to know before it answers.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
import type { Message, Notification, Request, Response } from '../../../jsonrpc/message.ts'
import { newState } from '../../../legacy/handshake.ts'
import { readBatch } from '../batch.ts'
import type { Endpoint, Visit } from '../endpoint.ts'
import { EMPTY_HEADERS, Header } from '../headers.ts'
import { refuse } from '../http-error.ts'
import type { Legacy } from '../legacy-half.ts'
import { createMirrorCheck } from '../mirrors.ts'
import { randomId } from '../registry.ts'
import { type Outlet, PostOutlet, type PostOutletOptions } from '../reply.ts'
import type { SessionRecord } from './records.ts'
import type { Member } from './registry.ts'
import { createSite, type SharedOptions, type Site } from './site.ts'

const QUESTION_ID = /^([0-9a-f]+):\d+$/
const TAG_LENGTH = 8

/** Serves legacy clients with sessions that rest in `stores`. */
export function createSharedSessions(endpoint: Endpoint, options: SharedOptions): Legacy {
  const site = createSite(endpoint, options)
  const { registry, book, sse2024, takeover } = site
  const checkMirrors = createMirrorCheck(endpoint.methodOf, false)
  const { maxSessionRequests, maxBatchMessages } = endpoint.limits

  const find = async (visit: Visit): Promise<Member> => {
    const id = visit.request.header(Header.sessionId)
    if (id === undefined) throw refuse(400, 'Bad request: the Mcp-Session-Id header is needed')
    return registry.find(id, 'header', visit.auth)
  }
  const outletOptions = (member: Member, visit: Visit, requests: readonly Request[]): PostOutletOptions => {
    const [first, second] = requests
    const start = {
      standing: false,
      requests: requests.map(({ id }) => id),
      repeat: first && !second && options.mayRepeat(first) ? first : undefined,
    }
    return {
      visit,
      endpoint,
      requests: 1,
      canRelease: member.session.revision.http.polling,
      openStream: (reply, headers) => member.replay.begin(reply, { start, headers }),
    }
  }

  return {
    async post(received, visit) {
      await site.start()
      if (sse2024.owns(visit)) return sse2024.post(received, visit)
      const { message } = received
      if ('method' in message) checkMirrors(message, visit.request)
      if (received.kind !== 'request') {
        await deliver(site, await find(visit), received.message)
        return visit.reply.send(202, EMPTY_HEADERS)
      }
      const request = received.message
      if (request.method === 'initialize') return initialize(site, request, visit)
      const member = await find(visit)
      if (member.session.size >= maxSessionRequests) throw refuse(429, 'Too many requests at once in this session')
      await member.session.request(request, new PostOutlet(outletOptions(member, visit, [request])), visit)
    },
    async batch(values, visit) {
      await site.start()
      const member = await find(visit)
      const { requests, others, refusals } = readBatch(values, member.session.revision, maxBatchMessages)
      for (const message of others) await deliver(site, member, message)
      const answers = requests.length + refusals.length
      if (answers === 0) return visit.reply.send(202, EMPTY_HEADERS)
      const outlet = new PostOutlet({ ...outletOptions(member, visit, requests), requests: answers, isBatch: true })
      for (const refusal of refusals) outlet.respond(refusal)
      await Promise.all(requests.map((request) => member.session.request(request, outlet, visit)))
    },
    async get(visit) {
      await site.start()
      if (sse2024.wants(visit)) return sse2024.get(visit)
      const member = await find(visit)
      if (!visit.accepted.events) throw refuse(406, 'Not acceptable: a GET is answered with text/event-stream')
      if (!site.lease.held()) throw site.away()
      const eventId = visit.request.header(Header.lastEventId)
      if (eventId !== undefined) return takeover.resume(member, eventId, visit)
      await listen(site, member, visit)
    },
    async remove(visit) {
      await site.start()
      const member = await find(visit)
      await book.remove(member.id, member.page.record.principal)
      visit.reply.send(204, EMPTY_HEADERS)
    },
    drain() {
      for (const { replay } of registry.all()) replay.drain()
    },
    close: site.stop,
  }
}

/** Answers with a standing stream. */
async function listen({ teller }: Site, member: Member, { reply }: Visit): Promise<void> {
  const stream = member.replay.begin(reply)
  try {
    await teller.begin(member)
  } catch (error) {
    stream.withdraw()
    throw error
  }
  await teller.settle(member)
}

/** Takes in what is not answered, or hands it to the process where it is waited for. @throws HttpError 503 when that is out of reach. */
async function deliver({ lease, mail }: Site, { id, session }: Member, message: Notification | Response): Promise<void> {
  if (session.accept(message)) return
  if ('method' in message) {
    if (message.method === 'notifications/cancelled') await mail.tellAll('message', { session: id, message })
    return
  }
  const [, node] = QUESTION_ID.exec(String(message.id)) ?? []
  if (node === undefined || node === lease.node) return
  if (await mail.ask(node, 'message', { session: id, message })) return
  throw refuse(503, 'The process that asked is out of reach', { 'retry-after': '1' })
}

/** Opens a session, whose id is in the head of the answer; it rests in the store before the answer goes out. */
async function initialize({ endpoint, book, registry }: Site, request: Request, visit: Visit): Promise<void> {
  await book.makeRoom(visit.auth)
  const id = randomId()
  const principal = visit.auth?.principal
  const start = { principal, tag: randomId().slice(0, TAG_LENGTH), heard: Date.now() }
  const record: SessionRecord = { kind: 'header', ...start, state: newState() }
  const member = registry.begin(id, record, visit.auth)
  const { outlet, said, answer } = createEar()
  let failed = true
  try {
    await member.session.request(request, outlet, visit)
    failed = !answer() || 'error' in (answer() as Response)
    if (!failed) member.page = await book.add(id, { ...record, state: member.session.state })
  } finally {
    if (failed || !member.page.text) registry.drop(member)
  }
  const post = new PostOutlet({
    visit,
    endpoint,
    requests: 1,
    isHandshake: true,
    headers: () => (failed ? [] : [Header.sessionId, id]),
    openStream: (reply, headers) => member.replay.begin(reply, { headers, start: { standing: false, requests: [request.id] } }),
  })
  if (!failed) for (const message of said) void post.send(message)
  post.respond(answer())
}

/** An outlet that only listens. */
function createEar(): { outlet: Outlet; said: readonly Message[]; answer: () => Response | undefined } {
  const said: Message[] = []
  let response: Response | undefined
  const outlet: Outlet = {
    canAsk: false,
    canRelease: false,
    send: (message) => void said.push(message),
    respond: (given) => void (response = given),
    release() {},
  }
  return { outlet, said, answer: () => response }
}
