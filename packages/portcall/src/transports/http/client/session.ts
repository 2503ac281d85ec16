import type { AbortSource } from '../../../../../util/src/abort.ts'
import { PortcallError } from '../../../../../util/src/errors.ts'
import { isSuccess, type JsonObject, type Message, type Response } from '../../../jsonrpc/message.ts'
import { revisionOf } from '../../../protocol/revisions.ts'
import { Header, type HeaderRecord } from '../common/headers.ts'
import type { HttpCall } from './http-call.ts'
import type { HttpClient, HttpRequestInit } from './http-client.ts'
import { GET_HEADERS, lowerCaseHeaders, POST_HEADERS } from './request-headers.ts'

/** Thrown when the server has ended the session, or has lost it in a restart. A new handshake is required. */
export class SessionExpiredError extends PortcallError {
  override readonly name = 'SessionExpiredError'
  readonly code = 'SESSION_EXPIRED'
  /** The request may succeed in a new session. */
  readonly retryable = true
}

/** Options of one message. */
export interface PostOptions extends Pick<HttpRequestInit, 'abortSource' | 'timeoutMs' | 'compress'> {
  readonly headers?: HeaderRecord | undefined
}

/** The client's side of a session: the headers that identify it, and the requests that carry them. */
export interface ClientSession {
  /** True if the handshake has set headers, so that the server can associate requests with the session. */
  readonly hasHeaders: boolean
  /** The session id. Absent if the server has assigned none, or has ended the session. */
  readonly id: string | undefined
  /** Sends one message. @throws SessionExpiredError when the server has ended the session. */
  post(message: Message, options: PostOptions): Promise<HttpCall>
  /** Requests a stream: one that broke, from its last event on, or the standalone stream. */
  get(eventId: string | undefined, abortSource: AbortSource): Promise<HttpCall>
  /** Reads the session id from the headers of the response to `initialize`. */
  readSessionId(call: HttpCall): void
  /** Reads the protocol version from the result of `initialize`. */
  readProtocolVersion(result: JsonObject): void
  /** Marks the session as ended by the server. Returns the error to throw. */
  expire(): SessionExpiredError
  /** Ends the session, if there is one, and closes the client. */
  close(): Promise<void>
}

const SESSION_ID = /^[\x21-\x7e]{1,1024}$/

/** Creates a session before its handshake. `onExpired` is called when the server has ended it. */
export function createClientSession(client: HttpClient, onExpired: (error: SessionExpiredError) => void): ClientSession {
  let id: string | undefined
  let version: string | undefined
  let sessionHeaders: HeaderRecord = {}
  let postHeaders: HeaderRecord = POST_HEADERS

  const updateHeaders = (): void => {
    sessionHeaders = {
      ...(id !== undefined && { [Header.sessionId]: id }),
      ...(version !== undefined && { [Header.protocolVersion]: version }),
    }
    postHeaders = { ...POST_HEADERS, ...sessionHeaders }
  }
  const expire = (): SessionExpiredError => {
    id = undefined
    updateHeaders()
    const error = new SessionExpiredError(`The session at ${client.url.origin + client.url.pathname} has expired`)
    onExpired(error)
    return error
  }

  return {
    get hasHeaders() {
      return id !== undefined || version !== undefined
    },
    get id() {
      return id
    },
    async post(message, { headers, ...options }) {
      const allHeaders = headers ? { ...lowerCaseHeaders(headers), ...postHeaders } : postHeaders
      const hadId = id !== undefined
      const call = await client.send({ method: 'POST', headers: allHeaders, body: JSON.stringify(message), ...options })
      if (call.status !== 404 || !hadId) return call
      call.release()
      throw expire()
    },
    get(eventId, abortSource) {
      const headers = { ...GET_HEADERS, ...sessionHeaders, ...(eventId !== undefined && { [Header.lastEventId]: eventId }) }
      return client.send({ method: 'GET', headers, abortSource })
    },
    readSessionId(call) {
      const value = call.header(Header.sessionId)
      id = value !== undefined && SESSION_ID.test(value) ? value : undefined
      updateHeaders()
    },
    readProtocolVersion({ protocolVersion }) {
      const revision = typeof protocolVersion === 'string' ? revisionOf(protocolVersion) : undefined
      version = revision && revision.http.versionHeader !== 'none' ? revision.version : undefined
      updateHeaders()
    },
    expire,
    close() {
      const { sessionCloseTimeoutMs } = client.limits
      return client.close(
        id === undefined ? undefined : { method: 'DELETE', headers: sessionHeaders, timeoutMs: sessionCloseTimeoutMs },
      )
    },
  }
}

const SERVER_ERROR = -32_000

/**
 * Reports whether an error response with HTTP 400 means what the specification expresses with 404. Servers built like the examples of the
 * first official SDK respond in this way after a restart.
 */
export function isSessionExpired(response: Response): boolean {
  if (isSuccess(response) || response.error.code !== SERVER_ERROR) return false
  return /\bsession\b|not initialized/i.test(response.error.message)
}
