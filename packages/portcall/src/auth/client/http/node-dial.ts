/** Sends requests with Node's own client, which tells what a name was resolved to before anything is dialled. */
import { type LookupAddress, lookup as lookupName } from 'node:dns'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import type { Dial } from './dial.ts'
import type { Reach } from './reach.ts'

const HEADERS = { 'user-agent': 'portcall', 'accept-encoding': 'identity' }
const WITHOUT_BODY: readonly number[] = [204, 205, 304]

/**
 * Makes the way out for Node. A name is resolved once, all of its addresses are checked, and the connection goes to one of these: a name
 * that resolves to something else the next time gains nothing. No connection is kept or shared, because nobody would check those.
 */
export function createNodeDial(reach: Reach, resolve: LookupFunction = lookupName): Dial {
  return (url, { method, headers, body, signal }) =>
    new Promise((settle, reject) => {
      const send = url.protocol === 'https:' ? requestHttps : requestHttp
      const lookup = checkedLookup((address) => reach.refusal(url, address), resolve)
      const sent = send(url, { method, headers: { ...HEADERS, ...headers }, signal, lookup, agent: false })
      const receive = async (message: IncomingMessage): Promise<Response> => asResponse(message)
      sent.on('response', (message) => receive(message).then(settle, (error) => sent.destroy(error)))
      sent.on('error', reject)
      sent.on('close', () => reject(new Error('The connection was closed')))
      sent.end(body)
    })
}

function checkedLookup(refusal: (address: string) => Error | undefined, resolve: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    resolve(hostname, options, (error, found, family) => {
      const refused = error ? undefined : addressesOf(found).map(refusal).find(Boolean)
      callback(error ?? refused ?? null, found, family)
    })
}

function addressesOf(found: string | LookupAddress[]): string[] {
  return typeof found === 'string' ? [found] : found.map(({ address }) => address)
}

function asResponse(message: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = message
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  if (!WITHOUT_BODY.includes(status)) return new Response(Readable.toWeb(message) as ReadableStream, { status, headers })
  message.resume()
  return new Response(null, { status, headers })
}
