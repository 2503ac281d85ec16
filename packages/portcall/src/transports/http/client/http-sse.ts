/**
 * The client of the HTTP+SSE transport of revision 2024-11-05: one GET stream carries all messages of the server, and its first event names
 * the URL for POST requests. When the stream ends, so does the session.
 * https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */

import { parseUrl } from '../../../../../util/src/parse-url.ts'
import { closedLocally, InvalidResponseError } from '../../../jsonrpc/errors.ts'
import { type Message, notification } from '../../../jsonrpc/message.ts'
import { createOutgoingRequests } from '../../../jsonrpc/outgoing-requests.ts'
import type { LegacyConnection } from '../../../legacy/client/connection.ts'
import { Header } from '../common/headers.ts'
import { isEventStream } from '../common/media-types.ts'
import type { ReceivedSseEvent } from '../common/sse-decode.ts'
import { connectionLost } from './http-call.ts'
import { createHttpClient, type HttpClient, type HttpClientOptions } from './http-client.ts'
import { GET_HEADERS, lowerCaseHeaders, POST_HEADERS } from './request-headers.ts'
import { endedWithoutResponse, readMessages, readStatusError } from './response-reader.ts'
import { createServerMessages } from './server-messages.ts'
import { type PostOptions, SessionExpiredError } from './session.ts'

export interface HttpSseOptions extends HttpClientOptions {
  /** Called when the stream has named the URL for POST requests: only servers with this transport do. */
  readonly onEndpoint?: () => void
}

/** Creates a connection to the stream at `url`. The stream is opened by `receive`. */
export function createHttpSseConnection(options: HttpSseOptions): LegacyConnection {
  const client = createHttpClient(options)
  const { limits, onError } = client
  const outgoing = createOutgoingRequests()
  const endpoint = createPostEndpoint(client, options.onEndpoint)

  const post = async (message: Message, { headers, ...rest }: PostOptions = {}): Promise<void> => {
    const url = await endpoint.url
    const allHeaders = { ...(headers && lowerCaseHeaders(headers)), ...POST_HEADERS }
    const body = JSON.stringify(message)
    const timeoutMs = limits.notificationTimeoutMs
    const call = await client.send({ method: 'POST', url, headers: allHeaders, body, timeoutMs, ...rest })
    if (call.status === 404) throw new SessionExpiredError(`The session at ${call.displayUrl} has expired`)
    if (!call.ok) throw await readStatusError(call)
    call.release()
  }
  const { maxInboundRequests } = limits
  const serverMessages = createServerMessages({ maxInboundRequests, sendResponse: post, onError })
  const close = (reason: Error): void => {
    endpoint.close(reason)
    outgoing.rejectAll(reason)
    serverMessages.close(reason)
    void client.close()
  }

  return {
    receive(handlers) {
      serverMessages.receive(handlers)
      const onMessage = (message: Message): void | Promise<void> => {
        if ('method' in message) return serverMessages.handle(message)
        outgoing.settle(message)
      }
      const timeoutMs = limits.notificationTimeoutMs
      const timeout = connectionLost(client.url.origin, `no endpoint event within ${timeoutMs} ms`)
      const timer = setTimeout(() => close(timeout), timeoutMs)
      void endpoint.url.catch(() => {}).finally(() => clearTimeout(timer))
      void readStream(client, onMessage, endpoint.readEvent).catch(close)
    },
    notify: post,
    async request(method, params, context) {
      const failed = new AbortController()
      const signal = context?.signal ? AbortSignal.any([context.signal, failed.signal]) : failed.signal
      const abortSource = { signal }
      return outgoing.request(method, params, {
        abortSource,
        send: (request) =>
          void post(request, { headers: context?.outgoing?.headers, abortSource }).catch((error) => failed.abort(error)),
        sendCancellation(requestId) {
          if (context?.signal?.aborted && method !== 'initialize')
            void post(notification('notifications/cancelled', { requestId })).catch(onError)
        },
      })
    },
    async initialized() {},
    async close() {
      serverMessages.close(undefined)
      close(closedLocally())
    },
  }
}

/** Reads the stream until it ends, and then throws the reason. */
async function readStream(
  client: HttpClient,
  onMessage: (message: Message) => void | Promise<void>,
  onOtherEvent: (event: ReceivedSseEvent) => void,
): Promise<never> {
  const call = await client.send({ method: 'GET', headers: GET_HEADERS })
  if (!call.ok) throw await readStatusError(call)
  const contentType = call.header(Header.contentType)
  if (!isEventStream(contentType)) {
    call.release()
    throw new InvalidResponseError(
      `${call.displayUrl} responded with ${contentType ?? 'no content type'} instead of an event stream`,
      { url: call.displayUrl, contentType },
    )
  }
  for await (const message of readMessages(call, {}, onOtherEvent)) await onMessage(message)
  throw endedWithoutResponse(call)
}

/** The URL for POST requests, which the server sends as the first event. */
interface PostEndpoint {
  readonly url: Promise<URL>
  /** Reads the URL from the first `endpoint` event. @throws InvalidResponseError when it has another origin. */
  readEvent(event: ReceivedSseEvent): void
  close(reason: Error): void
}

function createPostEndpoint(client: HttpClient, onEndpoint?: () => void): PostEndpoint {
  let resolve!: (url: URL) => void
  let reject!: (reason: Error) => void
  const url = new Promise<URL>((...settle) => {
    ;[resolve, reject] = settle
  })
  url.catch(() => {})
  return {
    url,
    close: reject,
    readEvent({ event, data = '' }) {
      if (event !== 'endpoint') return
      onEndpoint?.()
      const endpoint = parseUrl(data, client.url)
      if (endpoint?.origin !== client.url.origin)
        throw new InvalidResponseError(`${client.url.origin} sent an endpoint of another origin: ${data.slice(0, 100)}`)
      resolve(endpoint)
    },
  }
}
