import type { Exchange, ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isObject, type Message, type Request } from '../../jsonrpc/message.ts'
import { encodeHeaderValue } from '../../protocol/header-params.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { type MethodOf, methodOf as methodOfCore } from '../../protocol/methods.ts'
import { type HeaderRecord, lowerCase, POST_HEADERS } from './client-headers.ts'
import { Header } from './headers.ts'
import { readFailure, readUpTo, unanswered } from './messages.ts'
import { createRemote, type HttpClientOptions } from './remote.ts'

/** A server of the stateless era behind HTTP. */
export interface HttpExchange {
  /**
   * Sends a request, which carries its own envelope, as one POST. Its signal cancels it, by closing the connection.
   *
   * @throws ConnectionLost when the answer ends, or breaks off, without a response; HttpStatusError; UnreadableAnswer.
   */
  readonly exchange: Exchange
  /** Gives up what is under way, and takes nothing more. */
  close(): Promise<void>
}

/**
 * Reaches a server of the stateless era at one URL.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export function createHttpExchange(options: HttpClientOptions): HttpExchange {
  const { methodOf = methodOfCore } = options
  const remote = createRemote(options)
  const exchange: Exchange = async (request, context) => {
    const headers = headersOf(request, context, methodOf)
    const call = await remote.send({ method: 'POST', headers, body: JSON.stringify(request), caller: context })
    if (!call.ok) return readFailure(call, request.id)
    const take = (message: Message): void | Promise<void> => tell(message, context)
    const answer = await readUpTo(request.id, call, { take })
    if (answer) return answer
    throw unanswered(call)
  }
  return { exchange, close: () => remote.close() }
}

/** Hands on what came before the answer. */
function tell(message: Message, context: ExchangeContext): void | Promise<void> {
  if ('method' in message && !('id' in message)) return context.notify(message)
}

/** The headers of a request: what the caller wants sent, and above that what mirrors the body. */
function headersOf({ method, params }: Request, { send }: ExchangeContext, methodOf: MethodOf): HeaderRecord {
  const headers: Record<string, string> = { ...(send?.headers && lowerCase(send.headers)), ...POST_HEADERS }
  const version = isObject(params?._meta) ? params._meta[MetaKey.protocolVersion] : undefined
  const nameParam = methodOf(method)?.nameParam
  const name = nameParam === undefined ? undefined : params?.[nameParam]
  headers[Header.method] = encodeHeaderValue(method)
  if (typeof version === 'string') headers[Header.protocolVersion] = version
  if (typeof name === 'string') headers[Header.name] = encodeHeaderValue(name)
  return headers
}
