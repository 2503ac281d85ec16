import type { Caller } from '../../jsonrpc/exchange.ts'
import type { JsonObject, Message } from '../../jsonrpc/message.ts'
import { revisionOf } from '../../protocol/revisions.ts'
import type { Call } from './call.ts'
import { GET_HEADERS, type HeaderRecord, lowerCase, POST_HEADERS } from './client-headers.ts'
import { Header } from './headers.ts'
import type { Remote, Sending } from './remote.ts'
import { SessionLost } from './session-lost.ts'

/** How one message is sent. */
export interface PostOptions extends Pick<Sending, 'caller' | 'withinMs'> {
  readonly headers?: HeaderRecord | undefined
}

/** What a client holds of its session: the headers that every request repeats once the handshake has told them. */
export interface ClientSession {
  /** Whether a server that hears of it knows the session by its headers. */
  readonly named: boolean
  /** Whether requests name a session that the server has given an id. */
  readonly identified: boolean
  /** Sends one message. @throws SessionLost when the server does not know the session any more. */
  post(message: Message, options: PostOptions): Promise<Call>
  /** Asks for a stream: for one that broke off, after its last event, or for the standing one. */
  get(eventId: string | undefined, caller: Caller): Promise<Call>
  /** Takes the name of the session out of the head of the answer to `initialize`. */
  begin(call: Call): void
  /** Takes the version out of that answer. */
  speak(result: JsonObject): void
  /** The server does not know the session any more. */
  forget(): SessionLost
  /** Leaves the session, if there is one, and the connection with it. */
  leave(): Promise<void>
}

const SESSION_ID = /^[\x21-\x7e]{1,1024}$/

/** Makes a session that has not begun. `onLost` hears when the server has forgotten it. */
export function createClientSession(remote: Remote, onLost: (error: SessionLost) => void): ClientSession {
  let id: string | undefined
  let version: string | undefined

  let naming: HeaderRecord = {}
  let posting: HeaderRecord = POST_HEADERS

  const rename = (): void => {
    naming = {
      ...(id !== undefined && { [Header.sessionId]: id }),
      ...(version !== undefined && { [Header.protocolVersion]: version }),
    }
    posting = { ...POST_HEADERS, ...naming }
  }

  const forget = (): SessionLost => {
    id = undefined
    rename()
    const error = new SessionLost(`${remote.url.origin + remote.url.pathname} does not know the session any more`)
    onLost(error)
    return error
  }

  return {
    get named() {
      return id !== undefined || version !== undefined
    },
    get identified() {
      return id !== undefined
    },
    async post(message, { headers, ...options }) {
      const all = headers ? { ...lowerCase(headers), ...posting } : posting
      const isNamed = id !== undefined
      const call = await remote.send({ method: 'POST', headers: all, body: JSON.stringify(message), ...options })
      if (call.status !== 404 || !isNamed) return call
      call.release()
      throw forget()
    },
    get(eventId, caller) {
      const headers = { ...GET_HEADERS, ...naming, ...(eventId !== undefined && { [Header.lastEventId]: eventId }) }
      return remote.send({ method: 'GET', headers, caller })
    },
    begin(call) {
      const given = call.header(Header.sessionId)
      id = given !== undefined && SESSION_ID.test(given) ? given : undefined
      rename()
    },
    speak({ protocolVersion }) {
      const revision = typeof protocolVersion === 'string' ? revisionOf(protocolVersion) : undefined
      version = revision && revision.http.versionHeader !== 'none' ? revision.version : undefined
      rename()
    },
    forget,
    leave: () =>
      remote.close(id === undefined ? undefined : { method: 'DELETE', headers: naming, withinMs: remote.limits.leaveMs }),
  }
}
