/** Sends requests to APIs, within limits. */

import { classifyHost } from '../../auth/client/http/address-policy.ts'
import { ToolError } from '../../entrypoints/index.ts'
import type { ApiRequest } from './request.ts'

/** The response of an API, as far as it was read. */
export interface ApiResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
}

export interface ApiSendOptions {
  readonly fetch: typeof globalThis.fetch
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly signal: AbortSignal
}

const MAX_REDIRECTS = 5
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
const SAFE: readonly string[] = ['GET', 'HEAD']

/**
 * Sends a request and reads the response. Redirects of GET and HEAD are followed; to another origin without the headers of the request, which
 * carry credentials.
 *
 * @throws ToolError when the API cannot be reached, is too slow or sends too much.
 */
export async function sendRequest(request: ApiRequest, options: ApiSendOptions): Promise<ApiResponse> {
  const timeout = AbortSignal.timeout(options.timeoutMs)
  const signal = AbortSignal.any([options.signal, timeout])
  const { origin } = request.url
  try {
    return await follow(request, options, signal)
  } catch (error) {
    options.signal.throwIfAborted()
    if (timeout.aborted) throw new ToolError(`${origin} did not respond within ${options.timeoutMs} ms`)
    if (error instanceof ToolError) throw error
    throw new ToolError(`${origin} could not be reached`, { cause: error })
  }
}

async function follow(request: ApiRequest, { fetch, maxBytes }: ApiSendOptions, signal: AbortSignal): Promise<ApiResponse> {
  let { url, headers } = request
  for (let redirects = 0; ; redirects++) {
    const { method, body } = request
    const response = await fetch(url.href, { method, headers, signal, redirect: 'manual', ...(body !== undefined && { body }) })
    const target = redirectTarget(response, url, method)
    if (target === undefined) {
      const { status, statusText } = response
      return { status, statusText, headers: response.headers, bytes: await readBytes(response, maxBytes) }
    }
    await response.body?.cancel()
    if (redirects === MAX_REDIRECTS) throw new ToolError(`${request.url.origin} redirects more than ${MAX_REDIRECTS} times`)
    if (target.origin !== url.origin) {
      assertPublic(target, url)
      headers = { accept: headers.accept ?? '*/*' }
    }
    url = target
  }
}

function redirectTarget({ status, headers }: Response, from: URL, method: string): URL | undefined {
  const location = headers.get('location')
  if (!REDIRECTS.includes(status) || location === null || !SAFE.includes(method) || !URL.canParse(location, from))
    return undefined
  return new URL(location, from)
}

/** @throws ToolError when a redirect leads from the internet into a private network, or from https to http. */
function assertPublic(target: URL, from: URL): void {
  const isInward = classifyHost(target.hostname) !== 'public' && classifyHost(from.hostname) === 'public'
  const isDowngrade = target.protocol !== 'https:' && from.protocol === 'https:'
  if (isInward || isDowngrade || !/^https?:$/.test(target.protocol))
    throw new ToolError(`${from.origin} redirects to an address that is not allowed`)
}

async function readBytes(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    size += chunk.value.byteLength
    if (size > maxBytes) {
      reader?.cancel().catch(() => {})
      throw new ToolError(`The response is larger than ${maxBytes} bytes. Ask for less: use filters or a smaller page.`)
    }
    chunks.push(chunk.value)
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}
