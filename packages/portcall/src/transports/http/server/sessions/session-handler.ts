/**
 * Streamable HTTP with sessions. POST requests carry messages, GET requests open or resume streams, and a DELETE request ends the session.
 * The session id from the response to `initialize` connects them.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
import type { Request } from '../../../../jsonrpc/message.ts'
import { MODERN_VERSIONS } from '../../../../protocol/revisions.ts'
import { EMPTY_HEADERS, Header } from '../../common/headers.ts'
import { parseBatch } from '../batch.ts'
import type { HttpEndpoint } from '../endpoint.ts'
import { createHeaderValidator } from '../header-validation.ts'
import { httpError } from '../http-error.ts'
import type { HttpContext, LegacyHandler } from '../types.ts'
import { createHttpSse, isHttpSseGet, isHttpSsePost } from './http-sse.ts'
import { BufferedResponse, PostResponse } from './post-response.ts'
import type { SessionBackend, SessionEntry } from './session-backend.ts'

const NO_SESSION =
  'Bad request: send an initialize request first, and then the Mcp-Session-Id header of its response. Without sessions, send the header ' +
  `MCP-Protocol-Version: ${MODERN_VERSIONS[0]} and the same version in params._meta`
const NOT_A_PAGE = 'Bad request: this is an MCP endpoint. Connect an MCP client to this URL'

/** Creates the handler for legacy clients with sessions, on both of their HTTP transports. */
export function createSessionHandler<S extends SessionEntry>(endpoint: HttpEndpoint, backend: SessionBackend<S>): LegacyHandler {
  const { maxSessionRequests, maxBatchMessages } = endpoint.limits
  const httpSse = createHttpSse(endpoint, backend)
  const validateHeaders = createHeaderValidator(endpoint.methodOf, false)

  const find = ({ header, auth, method }: HttpContext): S | Promise<S> => {
    const id = header(Header.sessionId)
    if (id === undefined) throw httpError(400, method === 'GET' ? NOT_A_PAGE : NO_SESSION)
    return backend.find(id, 'streamable-http', auth)
  }

  return {
    async post(received, context) {
      if (context.target.includes('?') && isHttpSsePost(context)) return httpSse.post(received, context)
      if (received.kind !== 'response') validateHeaders(received.message, context)
      if (received.kind === 'request' && received.message.method === 'initialize')
        return initialize(endpoint, backend, { request: received.message, context })
      const found = find(context)
      const entry = found instanceof Promise ? await found : found
      if (received.kind !== 'request') {
        await backend.deliver(entry, received.message)
        return context.send(202, EMPTY_HEADERS)
      }
      const { session, streams } = entry
      if (session.incoming.size >= maxSessionRequests) throw httpError(429, 'Too many concurrent requests in this session')
      const requests = [received.message]
      await session.request(received.message, new PostResponse({ endpoint, context, streams, requests }), context)
    },
    async batch(values, context) {
      const entry = await find(context)
      const { session, streams } = entry
      const { requests, oneWay, invalid } = parseBatch(values, session.legacy.revision, maxBatchMessages)
      for (const message of oneWay) await backend.deliver(entry, message)
      const responses = requests.length + invalid.length
      if (responses === 0) return context.send(202, EMPTY_HEADERS)
      const response = new PostResponse({ endpoint, context, streams, requests, responses, isBatch: true })
      for (const failure of invalid) response.respond(failure)
      await Promise.all(requests.map((request) => session.request(request, response, context)))
    },
    async get(context) {
      if (isHttpSseGet(context)) return httpSse.get(context)
      const entry = await find(context)
      if (!context.accepts.events) throw httpError(406, 'Not acceptable: the response to a GET is text/event-stream')
      const eventId = context.header(Header.lastEventId)
      await (eventId === undefined ? backend.listen(entry, context) : backend.resume(entry, eventId, context))
    },
    async delete(context) {
      await backend.end(await find(context))
      context.send(204, EMPTY_HEADERS)
    },
    sessionCount: () => backend.list().length,
    drain() {
      for (const { streams } of backend.list()) streams.drain()
    },
    close: () => backend.close(),
  }
}

interface Handshake {
  readonly request: Request
  readonly context: HttpContext
}

/** Creates a session. Stores it before its id is sent in the response. */
async function initialize<S extends SessionEntry>(
  endpoint: HttpEndpoint,
  backend: SessionBackend<S>,
  { request, context }: Handshake,
): Promise<void> {
  const entry = await backend.create('streamable-http', context.auth)
  const buffered = new BufferedResponse()
  let isSaved = false
  try {
    await entry.session.request(request, buffered, context)
    if (buffered.response && !('error' in buffered.response)) {
      await backend.save(entry)
      isSaved = true
    }
  } finally {
    if (!isSaved) backend.discard(entry)
  }
  const { streams } = entry
  const headers = isSaved ? [Header.sessionId, entry.id] : []
  const response = new PostResponse({ endpoint, context, streams, requests: [request], headers })
  if (isSaved) for (const message of buffered.messages) void response.send(message)
  response.respond(buffered.response)
}
