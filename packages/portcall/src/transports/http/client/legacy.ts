/**
 * The client of a legacy server over Streamable HTTP. Each message is a POST. The response to a request is one JSON text, or a stream on which
 * the server may send its own requests and notifications first. A broken stream is resumed if its events have ids. The standalone stream
 * carries the messages that belong to no request.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */

import { type AbortSource, throwIfAborted } from '../../../../../util/src/abort.ts'
import { delay } from '../../../../../util/src/timers.ts'
import { ConnectionLostError, closedLocally } from '../../../jsonrpc/errors.ts'
import {
  type Message,
  type Notification,
  notification,
  type Request,
  type RequestId,
  type Response,
} from '../../../jsonrpc/message.ts'
import type { LegacyConnection, OutgoingContext } from '../../../legacy/client/connection.ts'
import { methodOf } from '../../../protocol/methods.ts'
import { Header } from '../common/headers.ts'
import { isEventStream } from '../common/media-types.ts'
import type { HttpCall } from './http-call.ts'
import { createHttpClient, type HttpClientOptions } from './http-client.ts'
import { HttpStatusError } from './http-status-error.ts'
import type { HttpClientLimits } from './limits.ts'
import {
  endedWithoutResponse,
  readErrorResponse,
  readMessages,
  readStatusError,
  readUntilResponse,
  type StreamPosition,
} from './response-reader.ts'
import { streamRetryDelayMs } from './retry-delay.ts'
import { createServerMessages } from './server-messages.ts'
import { type ClientSession, createClientSession, isSessionExpired } from './session.ts'
import { maintainStandaloneStream, type StandaloneStreamOptions } from './standalone-stream.ts'

/** Creates a connection to a legacy server; nothing is sent yet. */
export function createLegacyHttpConnection(options: HttpClientOptions): LegacyConnection {
  const client = createHttpClient(options)
  const { limits, onError } = client
  const closing = new AbortController()
  let lastId = 0

  const close = (reason: Error | undefined): void => {
    closing.abort(reason ?? closedLocally())
    serverMessages.close(reason)
  }
  const reportError = (error: unknown): void => void (serverMessages.closed || onError(error))
  const session = createClientSession(client, close)
  const post = async (message: Notification | Response): Promise<void> => {
    const call = await session.post(message, { timeoutMs: limits.notificationTimeoutMs })
    if (!call.ok) throw await readStatusError(call)
    if (isEventStream(call.header(Header.contentType))) void handleMessages(call).catch(reportError)
    else call.release()
  }
  const { maxInboundRequests } = limits
  const serverMessages = createServerMessages({ maxInboundRequests, sendResponse: post, onError })
  const handleMessages = async (call: HttpCall): Promise<void> => {
    for await (const message of readMessages(call)) await serverMessages.handle(message)
  }

  return {
    attributesMessages: true,
    get sessionId() {
      return session.id
    },
    receive: serverMessages.receive,
    notify: post,
    async request(method, params, context) {
      if (context) throwIfAborted(context)
      const id = ++lastId
      const isHandshake = method === 'initialize'
      const serverRequests: RequestId[] = []
      const onMessage = (message: Message): void | Promise<void> => {
        if ('method' in message && 'id' in message) serverRequests.push(message.id)
        return serverMessages.handle(message, context)
      }
      const request: Request = params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params }
      try {
        const hadId = session.id !== undefined
        const compress = methodOf(method)?.cacheable
        const call = await session.post(request, { abortSource: context, headers: context?.outgoing?.headers, compress })
        if (!call.ok) return await readRejection(call, id, { session, hadId })
        if (isHandshake) session.readSessionId(call)
        const response = await readResponse(call, { id, limits, context, closing, session, onMessage })
        if (isHandshake && 'result' in response) session.readProtocolVersion(response.result)
        return response
      } catch (error) {
        if (context?.signal?.aborted && !isHandshake && !serverMessages.closed)
          void post(notification('notifications/cancelled', { requestId: id })).catch(reportError)
        for (const requestId of serverRequests) void serverMessages.handle(notification('notifications/cancelled', { requestId }))
        throw error
      }
    },
    async initialized() {
      if (!session.hasHeaders) return
      await openStandaloneStream({
        limits,
        signal: closing.signal,
        open: (eventId) => session.get(eventId, closing),
        onMessage: serverMessages.handle,
        onGap: serverMessages.reportGap,
        onError,
        onExpired: () => session.expire(),
      })
    },
    async close() {
      close(undefined)
      await session.close()
    },
  }
}

/** Opens the standalone stream. Resolves after the first attempt, or after `streamOpenTimeoutMs`. */
function openStandaloneStream(options: Omit<StandaloneStreamOptions, 'onFirstAttempt'>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, options.limits.streamOpenTimeoutMs)
    const onFirstAttempt = (): void => {
      clearTimeout(timer)
      resolve()
    }
    void maintainStandaloneStream({ ...options, onFirstAttempt })
  })
}

/** Reads an error response. If it says that the session which the request named is unknown, the session expires. */
async function readRejection(
  call: HttpCall,
  id: RequestId,
  { session, hadId }: { session: ClientSession; hadId: boolean },
): Promise<Response> {
  const rejection = await readErrorResponse(call, id)
  if (hadId && call.status === 400 && isSessionExpired(rejection)) throw session.expire()
  return rejection
}

interface ReadResponseOptions {
  readonly id: RequestId
  readonly limits: HttpClientLimits
  readonly context: OutgoingContext | undefined
  /** Aborted when the connection is closed. */
  readonly closing: AbortController
  readonly session: ClientSession
  readonly onMessage: (message: Message) => void | Promise<void>
}

/** Reads up to the response. If the stream ends before that and its events have ids, it is resumed repeatedly. */
async function readResponse(first: HttpCall, options: ReadResponseOptions): Promise<Response> {
  const { id, limits, context, closing, session, onMessage } = options
  const position: StreamPosition = {}
  let failures = 0
  for (let call: HttpCall | undefined = first; ; call = undefined) {
    let failure: unknown
    try {
      call ??= await resume(session, position, context ?? closing)
      const response = await readUntilResponse(id, call, { onMessage, position })
      if (response) return response
      failure = endedWithoutResponse(call)
      failures = 0
    } catch (error) {
      if (!isTemporary(error)) throw error
      failure = error
      failures++
    }
    if (position.eventId === undefined || failures > limits.maxResumeFailures) throw failure
    await delay(streamRetryDelayMs(limits, position.retryDelayMs, failures), context?.signal, closing.signal)
  }
}

/** Requests the rest of a stream. If the server does not have it, the stream is not requested again. */
async function resume(session: ClientSession, position: StreamPosition, abortSource: AbortSource): Promise<HttpCall> {
  const call = await session.get(position.eventId, abortSource)
  if (call.ok) return call
  const cause = await readStatusError(call)
  if (cause.retryable) throw cause
  position.eventId = undefined
  throw new ConnectionLostError(`The response stream broke and cannot be resumed: ${cause.message}`, { cause })
}

function isTemporary(error: unknown): boolean {
  return (error instanceof ConnectionLostError || error instanceof HttpStatusError) && error.retryable
}
