/** Sends requests to APIs, within limits. */

import { describeUnreachable } from '../../../../util/src/connection-faults.ts'
import { parseUrl } from '../../../../util/src/parse-url.ts'
import { readBytes } from '../../../../util/src/read-bytes.ts'
import { timeoutSignal } from '../../../../util/src/timers.ts'
import {
  type AddressPolicy,
  type AllowedAddress,
  createAddressPolicy,
  insecureHttp,
} from '../../auth/client/http/address-policy.ts'
import type { HttpSend } from '../../auth/client/http/http-send.ts'
import { loadPlatformSend } from '../../auth/client/http/safe-fetch.ts'
import { usesEnvironmentProxy } from '../../net/environment-proxy.ts'
import { ToolError } from '../../server/errors.ts'
import type { ApiRequest } from './request.ts'

/** The response of an API, as far as it was read. */
export interface ApiResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
}

export interface ApiSendOptions {
  /** Sends the requests instead of the platform's client. The addresses that names resolve to are then not checked. */
  readonly fetch: typeof globalThis.fetch | undefined
  /** The URL that decides which addresses may be reached: its own origin, and those that its policy allows. */
  readonly trustedUrl: URL
  readonly allow: readonly AllowedAddress[]
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly signal: AbortSignal
}

const MAX_REDIRECTS = 5
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
const SAFE: readonly string[] = ['GET', 'HEAD']

/**
 * Sends a request and reads the response. Follows the redirects that keep the meaning of the request: those of GET and HEAD, 303, and within an
 * origin 307 and 308, which keep method and body (RFC 9110, section 15.4). Requests to another origin have none of the headers of the request,
 * which carry credentials. Each address is checked, before and after its name is resolved.
 *
 * @throws ToolError when the API cannot be reached, is too slow or sends too much.
 */
export async function sendRequest(
  request: ApiRequest,
  options: ApiSendOptions,
  loadSend: LoadSend = loadPlatformSend,
): Promise<ApiResponse> {
  const timeout = timeoutSignal(options.timeoutMs)
  const signal = AbortSignal.any([options.signal, timeout])
  const { origin } = request.url
  try {
    return await follow(request, { ...options, signal }, loadSend)
  } catch (error) {
    options.signal.throwIfAborted()
    if (timeout.aborted) throw new ToolError(`${origin} did not respond within ${options.timeoutMs} ms`)
    if (error instanceof ToolError) throw error
    throw new ToolError(describeUnreachable(origin, error), { cause: error })
  }
}

/** Creates the HTTP client that checks the addresses that names resolve to. */
type LoadSend = (policy: AddressPolicy) => Promise<HttpSend>

async function follow(request: ApiRequest, options: ApiSendOptions, loadSend: LoadSend): Promise<ApiResponse> {
  const send = createCheckedSend(options, { isNamedByUser: request.url.origin === options.trustedUrl.origin, loadSend })
  const { signal } = options
  let { url, method, headers, body } = request
  for (let redirects = 0; ; redirects++) {
    const response = await send(url, { method, headers, body, signal })
    const target = redirectTarget(response, url, method)
    if (target === undefined) {
      const { status, statusText } = response
      return { status, statusText, headers: response.headers, bytes: await readBody(response, options.maxBytes) }
    }
    await response.body?.cancel()
    if (redirects === MAX_REDIRECTS) throw new ToolError(`${request.url.origin} redirects more than ${MAX_REDIRECTS} times`)
    if (target.protocol !== 'https:' && url.protocol === 'https:') throw redirectRefused(url)
    if (response.status === 303 && !SAFE.includes(method)) {
      ;[method, body] = ['GET', undefined]
      headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')))
    }
    if (target.origin !== url.origin) headers = { accept: headers.accept ?? '*/*' }
    url = target
  }
}

interface CheckedRequest extends Pick<ApiRequest, 'method' | 'headers' | 'body'> {
  readonly signal: AbortSignal
}

/**
 * Creates the function that sends one request to an address that the policy allows. The origin that the user named is reached with `fetch`, unless proxies of
 * the environment are to be used; the
 * addresses that other names resolve to are checked, on platforms that reveal them.
 */
function createCheckedSend(
  { fetch, trustedUrl, allow }: ApiSendOptions,
  { isNamedByUser, loadSend }: { readonly isNamedByUser: boolean; readonly loadSend: LoadSend },
): (url: URL, request: CheckedRequest) => Promise<Response> {
  // APIs may use http. One in a private network may redirect to its own host, but nowhere else in that network.
  const ownHost = isNamedByUser ? [trustedUrl.hostname] : []
  const policy = createAddressPolicy({ trustedUrl, allow: [...allow, ...ownHost, insecureHttp] })
  let checked: Promise<HttpSend> | undefined
  return async (url, { method, headers, body, signal }) => {
    checkAddress(url, policy, trustedUrl)
    if (fetch !== undefined || (url.origin === trustedUrl.origin && !usesEnvironmentProxy())) {
      const send = fetch ?? globalThis.fetch
      return send(url.href, { method, headers, signal, redirect: 'manual', ...(body !== undefined && { body }) })
    }
    const send = await (checked ??= loadSend(policy))
    return send(url, { method, headers, signal, body: body === undefined ? undefined : await toBytes(body) })
  }
}

/** @throws ToolError when an address is not allowed. */
function checkAddress(url: URL, policy: AddressPolicy, trustedUrl: URL): void {
  if (url.origin === trustedUrl.origin) return
  try {
    policy.check(url)
  } catch (cause) {
    throw new ToolError(`${url.origin} is an address that ${trustedUrl.origin} must not refer to`, { cause })
  }
}

function redirectRefused({ origin }: URL): ToolError {
  return new ToolError(`${origin} redirects to an address that is not allowed`)
}

async function toBytes(body: string | Blob): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(body).arrayBuffer())
}

function redirectTarget({ status, headers }: Response, from: URL, method: string): URL | undefined {
  const location = headers.get('location')
  const target = REDIRECTS.includes(status) && location !== null ? parseUrl(location, from) : undefined
  const keepsMethod = (status === 307 || status === 308) && target?.origin === from.origin
  return SAFE.includes(method) || status === 303 || keepsMethod ? target : undefined
}

async function readBody({ body }: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readBytes(body, maxBytes)
  if (!bytes) throw new ToolError(`The response is larger than ${maxBytes} bytes. Ask for less: use filters or a smaller page.`)
  return bytes
}
