/** An HTTP client on top of Node's own, which reveals what a name resolves to before it connects. */
import { type LookupAddress, lookup } from 'node:dns'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { ACCEPT_ENCODING } from '../../../net/content-coding.ts'
import { decodeMessage } from '../../../net/decode-message.ts'
import type { AddressPolicy } from './address-policy.ts'
import type { HttpSend } from './http-send.ts'

const HEADERS = { 'user-agent': 'portcall', 'accept-encoding': ACCEPT_ENCODING }
const WITHOUT_BODY: readonly number[] = [204, 205, 304]

/**
 * Creates an HTTP client for Node. It resolves each name once, checks all of the addresses, and connects to one of them, so that a name gains
 * nothing by resolving to another address the next time (DNS rebinding). Connections are not reused, because reuse would skip the check.
 */
export function createNodeSend(policy: AddressPolicy, resolve: LookupFunction = lookup): HttpSend {
  return (url, { method, headers, body, signal }) =>
    new Promise((settle, reject) => {
      const start = url.protocol === 'https:' ? requestHttps : requestHttp
      const checkedLookup = createCheckedLookup((address) => policy.resolutionError(url, address), resolve)
      const request = start(url, { method, headers: { ...HEADERS, ...headers }, signal, lookup: checkedLookup, agent: false })
      const receive = async (message: IncomingMessage): Promise<Response> => toResponse(message, url)
      request.on('response', (message) => receive(message).then(settle, (error) => request.destroy(error)))
      request.on('error', reject)
      request.on('close', () => reject(new Error('The connection was closed')))
      request.end(body)
    })
}

function createCheckedLookup(check: (address: string) => Error | undefined, resolve: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    resolve(hostname, options, (error, result, family) => {
      const policyError = error ? undefined : addressesOf(result).map(check).find(Boolean)
      callback(error ?? policyError ?? null, result, family)
    })
}

function addressesOf(result: string | LookupAddress[]): string[] {
  return typeof result === 'string' ? [result] : result.map(({ address }) => address)
}

function toResponse(message: IncomingMessage, url: URL): Response {
  const { statusCode: status = 0, rawHeaders } = message
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  if (!WITHOUT_BODY.includes(status))
    return new Response(Readable.toWeb(decodeMessage(message, url)) as ReadableStream, { status, headers })
  message.resume()
  return new Response(null, { status, headers })
}
