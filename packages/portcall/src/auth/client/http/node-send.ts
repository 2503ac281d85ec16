/** An HTTP client on top of Node's own, which reveals what a name resolves to before it connects. */
import { type LookupAddress, lookup } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { ACCEPT_ENCODING } from '../../../net/content-coding.ts'
import { decodeMessage } from '../../../net/decode-message.ts'
import { createProxyLookup, type ProxySetting } from '../../../net/proxy-setting.ts'
import { createHttpRoutes } from '../../../net/routes.ts'
import { AuthError } from '../errors.ts'
import type { AddressPolicy } from './address-policy.ts'
import type { HttpSend } from './http-send.ts'

const HEADERS = { 'user-agent': 'portcall', 'accept-encoding': ACCEPT_ENCODING }
const WITHOUT_BODY: readonly number[] = [204, 205, 304]

/** Options of `createNodeSend`. */
export interface NodeSendOptions {
  /** Resolves host names. Default: the system's resolver. */
  readonly resolve?: LookupFunction
  /** The proxy to use. Default: that of the environment, if `NODE_USE_ENV_PROXY=1`. */
  readonly proxy?: ProxySetting | undefined
}

/**
 * Creates an HTTP client for Node. It resolves each name once, checks all of the addresses, and connects to one of them, so that a name gains
 * nothing by resolving to another address the next time (DNS rebinding). Connections are not reused, because reuse would skip the check.
 */
export function createNodeSend(policy: AddressPolicy, { resolve = lookup, proxy }: NodeSendOptions = {}): HttpSend {
  const routes = createHttpRoutes({ keepAlive: false }, createProxyLookup(proxy))
  return async (url, { method, headers, body, signal }) => {
    const route = routes.routeOf(url)
    const checkedLookup = createCheckedLookup((address) => policy.resolutionError(url, address), resolve)
    if (route.isProxied) await checkAddresses(url, checkedLookup)
    return new Promise((settle, reject) => {
      const allHeaders = { ...HEADERS, host: url.host, ...headers, ...route.headers }
      // The lookup is that of the server, or that of the proxy, which may be in a private network.
      const options = { method, headers: allHeaders, signal, ...(!route.isProxied && { lookup: checkedLookup }) }
      const request = route.request({ ...options, ...route.options })
      const fail = (error: Error): void => {
        reject(error)
        request.destroy()
      }
      const receive = async (message: IncomingMessage): Promise<Response> => {
        const refusal = route.refusalOf(message.statusCode)
        if (refusal) throw refusal
        return toResponse(message, url)
      }
      request.on('response', (message) => receive(message).then(settle, fail))
      request.on('error', reject)
      request.on('close', () => reject(new Error('The connection was closed')))
      request.end(body)
    })
  }
}

/**
 * Resolves the name of a server that a proxy connects to. The proxy resolves it again, so a name that this machine cannot resolve is left to
 * the proxy. @throws AuthError when it resolves to a forbidden address.
 */
async function checkAddresses({ hostname }: URL, checkedLookup: LookupFunction): Promise<void> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const error = await new Promise<unknown>((settle) => checkedLookup(host, { all: true }, settle))
  if (error instanceof AuthError) throw error
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
