import type { Exchange, ExchangeContext } from '../../../jsonrpc/exchange.ts'
import { isObject, type Message, type Notification, type Request } from '../../../jsonrpc/message.ts'
import { encodeHeaderValue } from '../../../protocol/header-params.ts'
import { MetaKey } from '../../../protocol/meta.ts'
import { type MethodLookup, methodOf as methodOfCore } from '../../../protocol/methods.ts'
import { MODERN_VERSION } from '../../../protocol/revisions.ts'
import { Header, type HeaderRecord } from '../common/headers.ts'
import { createHttpClient, type HttpClientOptions } from './http-client.ts'
import { lowerCaseHeaders, POST_HEADERS } from './request-headers.ts'
import { endedWithoutResponse, readErrorResponse, readStatusError, readUntilResponse } from './response-reader.ts'

/** A connection to a modern server over HTTP. */
export interface HttpExchange {
  /**
   * Sends each request as one POST. Aborting the request closes its connection, which cancels it on the server.
   *
   * @throws ConnectionLostError when the HTTP response ends or breaks before the result; HttpStatusError; InvalidResponseError.
   */
  readonly exchange: Exchange
  /** Sends a notification as one POST. @throws HttpStatusError when the server does not accept it. */
  notify(notification: Notification): Promise<void>
  /** Aborts all requests in flight. Later requests are rejected. */
  close(): Promise<void>
}

/**
 * Creates a connection to a modern server; nothing is sent yet.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export function createHttpExchange(options: HttpClientOptions): HttpExchange {
  const { methodOf = methodOfCore } = options
  const client = createHttpClient(options)
  const exchange: Exchange = async (request, context) => {
    const headers = createHeaders(request, context, methodOf)
    const compress = methodOf(request.method)?.cacheable
    const call = await client.send({ method: 'POST', headers, body: JSON.stringify(request), compress, abortSource: context })
    if (!call.ok) return readErrorResponse(call, request.id)
    const onMessage = (message: Message): void | Promise<void> => {
      if ('method' in message && !('id' in message)) return context.notify(message)
    }
    const response = await readUntilResponse(request.id, call, { onMessage })
    if (response) return response
    throw endedWithoutResponse(call)
  }
  const notify = async (message: Notification): Promise<void> => {
    const headers = { [Header.protocolVersion]: MODERN_VERSION, ...createHeaders(message, {}, methodOf) }
    const call = await client.send({ method: 'POST', headers, body: JSON.stringify(message) })
    if (!call.ok) throw await readStatusError(call)
    call.release()
  }
  return { exchange, notify, close: () => client.close() }
}

/** Returns the headers of a request. Those that repeat a part of the body override the ones of the call. */
function createHeaders(
  { method, params }: Request | Notification,
  { outgoing }: Pick<ExchangeContext, 'outgoing'>,
  methodOf: MethodLookup,
): HeaderRecord {
  const headers: Record<string, string> = { ...(outgoing?.headers && lowerCaseHeaders(outgoing.headers)), ...POST_HEADERS }
  const version = isObject(params?._meta) ? params._meta[MetaKey.protocolVersion] : undefined
  const nameParam = methodOf(method)?.nameParam
  const name = nameParam === undefined ? undefined : params?.[nameParam]
  headers[Header.method] = encodeHeaderValue(method)
  if (typeof version === 'string') headers[Header.protocolVersion] = version
  if (typeof name === 'string') headers[Header.name] = encodeHeaderValue(name)
  return headers
}
