import type { Auth, HttpInfo } from '../../../jsonrpc/exchange.ts'
import { classify, isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import { newState } from '../../../legacy/handshake.ts'
import type { Endpoint, Visit } from '../endpoint.ts'
import { pathOf } from '../guard.ts'
import { EMPTY_HEADERS } from '../headers.ts'
import { refuse } from '../http-error.ts'
import type { Received } from '../legacy-half.ts'
import { randomId } from '../registry.ts'
import type { Caller } from '../session.ts'
import { encodeEvent } from '../sse.ts'
import { createStreamOutlet, isOwnPost, SESSION_PARAMETER, sessionOf, wantsSse2024 } from '../sse2024.ts'
import type { Book } from './book.ts'
import type { Lease } from './lease.ts'
import type { Mail } from './mail.ts'
import type { Member, Registry } from './registry.ts'

/** The first HTTP transport where a POST may come to another process than the stream's. */
export interface SharedSse2024 {
  wants(visit: Visit): boolean
  get(visit: Visit): Promise<void>
  owns(visit: Visit): boolean
  post(received: Received, visit: Visit): Promise<void>
  /** Takes in what was posted elsewhere. */
  accept(body: JsonObject): { taken: boolean }
}

export interface SharedSse2024Options {
  readonly endpoint: Endpoint
  readonly book: Book
  readonly registry: Registry
  readonly lease: Lease
  readonly mail: Mail
}

/** Serves the first HTTP transport: a session lives where its stream is, and what is posted elsewhere is handed over. */
export function createSharedSse2024({ endpoint, book, registry, lease, mail }: SharedSse2024Options): SharedSse2024 {
  const serve = async ({ session, replay }: Member, received: Received, caller: Caller): Promise<void> => {
    if ('method' in received.message && received.message.method !== 'initialize') void session.listen()
    if (received.kind !== 'request') return void session.accept(received.message)
    await session.request(received.message, createStreamOutlet(replay), caller)
  }
  const end = (member: Member): void => {
    registry.drop(member)
    book.remove(member.id, member.page.record.principal).catch(endpoint.onError)
  }

  return {
    wants: wantsSse2024,
    owns: isOwnPost,
    async get(visit) {
      await book.makeRoom(visit.auth)
      const id = randomId()
      const principal = visit.auth?.principal
      const rest = { tag: '', state: newState(), teller: lease.owner, heard: Date.now(), busy: true }
      const page = await book.add(id, { kind: 'query', principal, ...rest })
      const member = registry.begin(id, page.record, visit.auth)
      member.page = page
      visit.request.onGone(() => end(member))
      const address = `${pathOf(visit.request.target)}?${SESSION_PARAMETER}=${id}`
      member.replay.begin(visit.reply, { first: encodeEvent({ event: 'endpoint', data: address }) })
    },
    async post(received, visit) {
      const id = sessionOf(visit.request.target) ?? ''
      const here = registry.get(id)
      if (here) {
        const member = await registry.find(id, 'query', visit.auth)
        visit.reply.send(202, EMPTY_HEADERS)
        return serve(member, received, visit)
      }
      const record = (await book.read(id))?.record
      if (record?.kind !== 'query' || record.principal !== visit.auth?.principal) throw refuse(404, 'Session not found')
      const headers = Object.fromEntries(visit.request.headers())
      const taken = await mail.ask(record.teller ?? '', 'post', {
        session: id,
        message: received.message,
        headers,
        auth: visit.auth,
      })
      if (!taken?.taken) throw refuse(404, 'Session not found')
      visit.reply.send(202, EMPTY_HEADERS)
    },
    accept({ session: id, message, headers, auth }) {
      const member = registry.get(String(id))
      const received = classify(message)
      if (!member || received.kind === 'invalid') return { taken: false }
      const fields = isObject(headers) ? headers : {}
      const request: HttpInfo = { header: (name) => textOf(fields[name.toLowerCase()]) }
      void serve(member, received, { request, auth: isAuth(auth) ? auth : undefined }).catch(endpoint.onError)
      return { taken: true }
    },
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isAuth(value: unknown): value is Auth {
  return isObject(value) && typeof value.principal === 'string'
}
