/**
 * The HTTP client of one endpoint, which all requests of a connection go through. It sends the user's headers to the origin of the endpoint
 * only, limits every wait, and releases everything when it is closed.
 */

import type { AbortSource } from '../../../../../util/src/abort.ts'
import { createIdleTimers } from '../../../../../util/src/idle-timers.ts'
import { LinkedSet } from '../../../../../util/src/linked-set.ts'
import { ConnectionLostError } from '../../../jsonrpc/errors.ts'
import type { ParseJson } from '../../../jsonrpc/message.ts'
import type { Authorizer } from '../../../protocol/authorizer.ts'
import type { MethodLookup } from '../../../protocol/methods.ts'
import type { HeaderRecord } from '../common/headers.ts'
import { createRequestAuthorization } from './authorization.ts'
import { connectionLost, type EndpointContext, HttpCall, type HttpCallInit } from './http-call.ts'
import { HTTP_CLIENT_LIMITS, type HttpClientLimits } from './limits.ts'
import { type HeaderSource, readHeaders } from './request-headers.ts'
import type { HttpFetch } from './types.ts'
import { createWebFetch } from './web-fetch.ts'

/** Options of a connection over HTTP; each limit is an option too. */
export interface HttpClientOptions extends Partial<HttpClientLimits> {
  readonly url: string | URL
  /** Looks up a method. Default: the methods of the protocol. */
  readonly methodOf?: MethodLookup
  /** Parses the JSON of messages. Default: `JSON.parse`. */
  readonly parseJson?: ParseJson | undefined
  /** Sends the requests. The caller closes it. Default: the platform's `fetch`. */
  readonly fetch?: HttpFetch
  /** Headers of every request, sent only to the origin of `url`. Headers of the protocol override them. */
  readonly headers?: HeaderSource
  /** Adds authorization headers, which override all others, and decides on retries. */
  readonly authorizer?: Authorizer
  /** Wraps waiting for a user. */
  readonly pauseWhile?: <T>(run: () => Promise<T>) => Promise<T>
  /** Receives errors that do not fail a request: unreadable events, responses that could not be delivered. */
  readonly onError?: (error: unknown) => void
}

/** One HTTP request to the endpoint. */
export interface HttpRequestInit {
  readonly method: 'POST' | 'GET' | 'DELETE'
  /** Another URL of the same origin. */
  readonly url?: URL
  readonly headers: HeaderRecord
  readonly body?: string
  /** Asks for a compressed response. Default: false. */
  readonly compress?: boolean | undefined
  /** Aborts the request, or reading its response. */
  readonly abortSource?: AbortSource | undefined
  /** Time allowed until the head of the response arrives, in milliseconds. */
  readonly timeoutMs?: number
}

export interface HttpClient {
  readonly url: URL
  readonly limits: HttpClientLimits
  readonly onError: (error: unknown) => void
  /**
   * Sends a request. Resolves when the head of the response has arrived; read or release the call.
   *
   * @throws ConnectionLostError, the abort reason.
   */
  send(request: HttpRequestInit): Promise<HttpCall>
  /** Cancels all requests in flight and sends one last request, whose response is ignored. */
  close(lastRequest?: HttpRequestInit): Promise<void>
}

const DRAIN_TIMEOUT_MS = 1000

/** Creates a client; nothing is sent yet. @throws TypeError when the URL is not an HTTP URL. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const url = readUrl(options.url)
  const limits = readLimits(options)
  const { headers: source, fetch = createWebFetch(), onError = () => {}, authorizer } = options
  const { pauseWhile = (run) => run(), parseJson = JSON.parse } = options
  const fixedHeaders = typeof source === 'object' ? readHeaders(source) : undefined
  const endpoint = createEndpoint(url, { limits, fetch, onError, parseJson })
  const closing = new AbortController()
  const authorization = authorizer && createRequestAuthorization({ authorizer, pauseWhile, closeSignal: closing.signal })
  let closed: ConnectionLostError | undefined

  const addHeaders = (request: HttpRequestInit, added = fixedHeaders): HttpCallInit => {
    const { method, url: to = url, headers, body, compress, abortSource, timeoutMs } = request
    return { method, url: to, headers: added ? { ...added, ...headers } : headers, body, compress, abortSource, timeoutMs }
  }
  const prepareAsync = async (request: HttpRequestInit): Promise<HttpCallInit> => {
    const init = addHeaders(request, typeof source === 'function' ? readHeaders(await source()) : fixedHeaders)
    return authorization ? authorization.authorize(init) : init
  }
  /** Synchronous where possible, which saves a promise for each request. */
  const prepare = typeof source === 'function' || authorization ? prepareAsync : addHeaders
  const sendLast = async (request: HttpRequestInit): Promise<void> => {
    const init = await prepare({ ...request, abortSource: { signal: AbortSignal.timeout(limits.sessionCloseTimeoutMs) } })
    const call = await new HttpCall(endpoint, init).start()
    call.cancel(undefined)
  }

  return {
    url,
    limits,
    onError,
    async send(request) {
      for (let retries = 0; ; retries++) {
        const prepared = prepare(request)
        let init = prepared instanceof Promise ? await prepared : prepared
        if (closed) throw closed
        let call = await new HttpCall(endpoint, init).start()
        const { redirect } = call
        if (redirect) {
          call.release()
          init = await prepare({ ...request, url: redirect })
          call = await new HttpCall(endpoint, init).start()
        }
        if (!authorization || !(await authorization.shouldRetry(call, init, retries))) return call
      }
    },
    async close(lastRequest) {
      const isFirst = closed === undefined
      closed ??= new ConnectionLostError(`The connection to ${endpoint.displayUrl} was closed`, { retryable: false })
      for (const call of endpoint.calls.items()) call.cancel(closed)
      if (lastRequest && isFirst) await sendLast(lastRequest).catch(() => {})
      closing.abort(closed)
      endpoint.idleTimers.stop()
      endpoint.drainTimers.stop()
    },
  }
}

function createEndpoint(url: URL, parts: Pick<EndpointContext, 'limits' | 'fetch' | 'onError' | 'parseJson'>): EndpointContext {
  const { idleTimeoutMs } = parts.limits
  const displayUrl = url.origin + url.pathname
  const cancel = (why: string) => (call: HttpCall) => call.cancel(connectionLost(displayUrl, why))
  const idleTimers = createIdleTimers(idleTimeoutMs, cancel(`no data for ${idleTimeoutMs} ms`))
  const drainTimers = createIdleTimers(DRAIN_TIMEOUT_MS, cancel('the rest of the response was discarded'))
  return { ...parts, displayUrl, idleTimers, drainTimers, calls: new LinkedSet() }
}

function readUrl(value: string | URL): URL {
  const url = new URL(value)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`The URL of a server must use http: or https:, not ${url.protocol}`)
  if (url.username || url.password) throw new TypeError('The URL of a server must not contain credentials: send them in a header')
  url.hash = ''
  return url
}

function readLimits(options: HttpClientOptions): HttpClientLimits {
  const overrides = Object.entries(options).filter(
    ([name, value]) => Object.hasOwn(HTTP_CLIENT_LIMITS, name) && value !== undefined,
  )
  return { ...HTTP_CLIENT_LIMITS, ...Object.fromEntries(overrides) }
}
