/**
 * The HTTP+SSE transport of the first revision. One GET stream carries all messages to the client; its first event contains the address for
 * POST requests. The session ends with the stream.
 * https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */

import { pathOf, queryOf } from '../../../../../../util/src/request-target.ts'
import { EMPTY_HEADERS, Header } from '../../common/headers.ts'
import { encodeEvent } from '../../common/sse-encode.ts'
import type { HttpEndpoint } from '../endpoint.ts'
import { watchTokenExpiry } from '../token-expiry.ts'
import type { HttpContext, ValidMessage } from '../types.ts'
import type { ResponseSink } from './post-response.ts'
import type { ResumableStreams } from './resumable-streams.ts'
import type { MessageSource } from './session.ts'
import type { SessionBackend, SessionEntry } from './session-backend.ts'

/** Serves the HTTP+SSE transport at the same address as Streamable HTTP. */
export interface HttpSse {
  get(context: HttpContext): Promise<void>
  post(received: ValidMessage, context: HttpContext): Promise<void>
}

/** The query parameter with the session id. */
const SESSION_PARAMETER = 'sessionId'
/** Clients of this transport send none of these headers. */
const LATER_HEADERS = [Header.sessionId, Header.lastEventId, Header.protocolVersion]

export function createHttpSse<S extends SessionEntry>({ onError }: HttpEndpoint, backend: SessionBackend<S>): HttpSse {
  return {
    async get(context) {
      const entry = await backend.create('http-sse', context.auth)
      try {
        await backend.save(entry)
      } catch (error) {
        backend.discard(entry)
        throw error
      }
      const end = async (): Promise<void> => backend.end(entry)
      const expiry = watchTokenExpiry(context.auth, () => void end().catch(onError))
      context.onDisconnect(() => {
        expiry?.cancel()
        void end().catch(onError)
      })
      const address = `${pathOf(context.target)}?${SESSION_PARAMETER}=${entry.id}`
      entry.streams.open(context, { firstEvent: encodeEvent({ event: 'endpoint', data: address }) })
    },
    async post(received, context) {
      const id = sessionIdOf(context.target) ?? ''
      if (await backend.forward?.(id, received, context)) return context.send(202, EMPTY_HEADERS)
      const entry = await backend.find(id, 'http-sse', context.auth)
      context.send(202, EMPTY_HEADERS)
      await handleHttpSseMessage(entry, received, context)
    },
  }
}

/** Handles a message of an HTTP+SSE session. Resolves when its response was sent on the stream. */
export async function handleHttpSseMessage(
  { session, streams }: SessionEntry,
  received: ValidMessage,
  source: MessageSource,
): Promise<void> {
  if ('method' in received.message && received.message.method !== 'initialize') void session.legacy.listen()
  if (received.kind === 'request') await session.request(received.message, createStreamSink(streams), source)
  else session.receive(received.message)
}

/** Reports whether a GET comes from a client of this transport: it sends no session id, event id or version. */
export function isHttpSseGet({ header }: HttpContext): boolean {
  return (
    header(Header.accept)?.includes('text/event-stream') === true && LATER_HEADERS.every((name) => header(name) === undefined)
  )
}

/** Reports whether a POST has an address that was sent on a stream of this transport. */
export function isHttpSsePost({ target }: HttpContext): boolean {
  return sessionIdOf(target) !== undefined
}

/** Sends responses on the one stream of a session. */
function createStreamSink(streams: ResumableStreams): ResponseSink {
  return {
    canRequest: true,
    canRelease: false,
    send: (message) => streams.send(message),
    respond: (response) => void (response && streams.send(response)),
    release() {},
  }
}

function sessionIdOf(target: string): string | undefined {
  return target.includes('?') ? (queryOf(target).get(SESSION_PARAMETER) ?? undefined) : undefined
}
