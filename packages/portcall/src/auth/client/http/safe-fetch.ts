/** Sends requests to OAuth endpoints, whose addresses other parties name. Bounds their cost and checks where they go. */

import { parseUrl } from '../../../../../util/src/parse-url.ts'
import { readBytes } from '../../../../../util/src/read-bytes.ts'
import { RUNTIME } from '../../../../../util/src/runtime.ts'
import { timeoutSignal } from '../../../../../util/src/timers.ts'
import { InvalidResponseError } from '../../../jsonrpc/errors.ts'
import { ProxyError } from '../../../net/proxy-error.ts'
import type { ProxySetting } from '../../../net/proxy-setting.ts'
import { AuthError } from '../errors.ts'
import type { AuthFetch, AuthRequest } from '../types.ts'
import { type AddressPolicy, type AddressPolicyOptions, addressRefused, createAddressPolicy } from './address-policy.ts'
import { createWebSend, type HttpSend } from './http-send.ts'

/** Limits of requests to OAuth endpoints: bytes, milliseconds or counts, as the names say. */
export interface AuthLimits {
  /** Size of a response body after decompression. A larger body fails the request. */
  readonly maxBytes: number
  /** Time allowed for the whole response, including all redirects. */
  readonly timeoutMs: number
  /** Number of redirects that a GET request follows. */
  readonly maxRedirects: number
}

/** The default limits. */
export const AUTH_LIMITS: AuthLimits = { maxBytes: 1024 * 1024, timeoutMs: 30_000, maxRedirects: 3 }

/** Options of `createSafeFetch`: its address policy and limits. */
export interface SafeFetchOptions extends AddressPolicyOptions, Partial<AuthLimits> {
  /** Sends the requests instead of the platform's client. The addresses that names resolve to are then not checked. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** The proxy for requests to other machines. Default: that of the environment, if `NODE_USE_ENV_PROXY=1`. */
  readonly proxy?: ProxySetting | undefined
}

/** Checks and fetches the URLs that a server names. */
export interface SafeFetch {
  /**
   * Sends a request and resolves when the whole response has arrived. Compatible with `customFetch` of oauth4webapi. Follows redirects of
   * GET requests, and drops the request's own headers when a redirect leads to another origin. Returns redirects of other methods as responses.
   *
   * @throws AuthError `address_refused` or `unreachable`; the reason of the signal.
   */
  readonly fetch: AuthFetch
  /** Checks a URL that is to be opened in a browser. @throws AuthError `address_refused` */
  checkBrowserUrl(url: string | URL): URL
}

/** The headers that are sent on to another origin after a redirect. */
const CROSS_ORIGIN_HEADERS: readonly string[] = ['accept', 'mcp-protocol-version']
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/** Creates the fetch function for the URLs that one server names. `loadSend` creates the HTTP client when the first request is sent. */
export function createSafeFetch(
  options: SafeFetchOptions,
  loadSend: (policy: AddressPolicy, proxy?: ProxySetting) => Promise<HttpSend> = loadPlatformSend,
): SafeFetch {
  const { fetch, proxy, ...limits } = { ...AUTH_LIMITS, ...options }
  const policy = createAddressPolicy(options)
  let send: Promise<HttpSend> | undefined
  const getSend = (): Promise<HttpSend> => (send ??= fetch ? Promise.resolve(createWebSend(fetch)) : loadSend(policy, proxy))
  return { fetch: createCheckedFetch(policy, limits, getSend), checkBrowserUrl: policy.checkBrowserUrl }
}

function createCheckedFetch(policy: AddressPolicy, limits: AuthLimits, getSend: () => Promise<HttpSend>): AuthFetch {
  const { maxBytes, timeoutMs, maxRedirects } = limits
  const sendOnce = async (
    url: URL,
    { method = 'GET', headers = {}, body }: AuthRequest,
    signal: AbortSignal,
  ): Promise<Response> => {
    const send = await getSend()
    const text = body === null || body === undefined ? undefined : String(body)
    return readBody(await send(url, { method, headers, body: text, signal }), maxBytes, url)
  }
  const follow = async (start: URL, first: AuthRequest, signal: AbortSignal): Promise<Response> => {
    let [url, request] = [start, first]
    for (let redirects = 0; ; redirects++) {
      const response = await sendOnce(url, request, signal)
      const next = redirectTarget(response, url, request)
      if (next === undefined) return response
      if (redirects === maxRedirects) throw unreachable(`${start.origin} redirects more than ${maxRedirects} times`)
      if (next.protocol !== 'https:' && url.protocol === 'https:')
        throw addressRefused(`${url.origin} redirects from https to an insecure URL`)
      if (next.origin !== url.origin) request = { ...request, headers: crossOriginHeaders(request.headers) }
      url = policy.check(next)
    }
  }
  return async (input, request = {}) => {
    const url = policy.check(input)
    const timeout = timeoutSignal(timeoutMs)
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout
    try {
      return await follow(url, request, signal)
    } catch (error) {
      request.signal?.throwIfAborted()
      if (timeout.aborted) throw unreachable(`${url.origin} did not respond within ${timeoutMs} ms`)
      if (error instanceof AuthError) throw error
      if (error instanceof InvalidResponseError || error instanceof ProxyError) throw unreachable(error.message, { cause: error })
      throw unreachable(`${url.origin} could not be reached`, { cause: error })
    }
  }
}

function unreachable(message: string, options?: ErrorOptions): AuthError {
  return new AuthError('unreachable', message, options)
}

/** Returns the target of a redirected GET request. In a browser there is none: it returns an opaque response instead. */
function redirectTarget({ status, headers }: Response, from: URL, { method = 'GET' }: AuthRequest): URL | undefined {
  const location = headers.get('location')
  if (method !== 'GET' || location === null || !REDIRECTS.includes(status)) return undefined
  const target = parseUrl(location, from)
  if (!target) throw addressRefused(`${from.origin} sent a redirect with an invalid Location`)
  return target
}

function crossOriginHeaders(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => CROSS_ORIGIN_HEADERS.includes(name.toLowerCase())))
}

async function readBody(response: Response, maxBytes: number, { origin }: URL): Promise<Response> {
  if (!response.body) return response
  const bytes = await readBytes(response.body, maxBytes)
  if (!bytes) throw unreachable(`The response of ${origin} is larger than ${maxBytes} bytes`)
  const { status, headers } = response
  return new Response(bytes, { status, headers })
}

/** True if the HTTP client of this platform checks the addresses that names resolve to: only the one for Node does. */
export const CHECKS_ADDRESSES: boolean = RUNTIME === 'node'

/** Loads the HTTP client of this platform. */
export async function loadPlatformSend(policy: AddressPolicy, proxy?: ProxySetting): Promise<HttpSend> {
  if (!CHECKS_ADDRESSES) return createWebSend()
  const { createNodeSend } = await import('./node-send.ts')
  return createNodeSend(policy, { proxy })
}
