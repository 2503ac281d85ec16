/**
 * One endpoint of a server, as its client sees it: the client's half of `endpoint`. Whatever goes out goes through here, so that headers of
 * the user reach one origin only, nothing waits for ever, and nothing is left when it is closed.
 */
import { ConnectionLost } from '../../jsonrpc/errors.ts'
import type { Caller } from '../../jsonrpc/exchange.ts'
import { createRing } from '../../jsonrpc/ring.ts'
import type { Authorizer } from '../../protocol/authorizer.ts'
import type { MethodOf } from '../../protocol/methods.ts'
import { Call, type CallRequest, lost, type Site } from './call.ts'
import { type HeaderRecord, type HeaderSource, readHeaders } from './client-headers.ts'
import { HTTP_CLIENT_LIMITS, type HttpClientLimits } from './client-limits.ts'
import { createExpiry } from './expiry.ts'
import { createWebFetch } from './fetch-client.ts'
import type { HttpFetch } from './request.ts'
import { createSigning } from './signing.ts'

/** How a server is reached over HTTP; each limit is an option too. */
export interface HttpClientOptions extends Partial<HttpClientLimits> {
  readonly url: string | URL
  /** What is known of each method. Default: what the protocol has. */
  readonly methodOf?: MethodOf
  /** What sends the requests; it is closed by whoever made it. Default: the `fetch` of the platform. */
  readonly fetch?: HttpFetch
  /** Go out with every request, to the origin of `url` and to no other. What the protocol says in headers of its own stays. */
  readonly headers?: HeaderSource
  /** Signs the requests, and may have them sent again; above `headers` and what the protocol says. */
  readonly authorizer?: Authorizer
  /** Wraps what may take as long as a human needs. */
  readonly whileAsking?: <T>(run: () => Promise<T>) => Promise<T>
  /** Gets what went wrong without failing a request: events that could not be read, answers that could not be delivered. */
  readonly onError?: (error: unknown) => void
}

/** One HTTP request to the endpoint. */
export interface Sending {
  readonly method: 'POST' | 'GET' | 'DELETE'
  /** Another address of the same origin. */
  readonly url?: URL
  readonly headers: HeaderRecord
  readonly body?: string
  /** May give the request up, until its answer was read. Its signal is read only when somebody signs. */
  readonly caller?: Caller | undefined
  /** The head of the answer has to be there by then. */
  readonly withinMs?: number
}

/** The way to one endpoint. */
export interface Remote {
  readonly url: URL
  readonly limits: HttpClientLimits
  readonly onError: (error: unknown) => void
  /** Resolves when the head of the answer is there; the call has to be read or released. @throws ConnectionLost, the reason of the signal. */
  send(sending: Sending): Promise<Call>
  /** Gives everything up that is under way, and sends nothing more but a last request; its answer does not matter. */
  close(farewell?: Sending): Promise<void>
}

const LEFTOVER_MS = 1000

/** Makes the way to one endpoint; nothing is sent yet. @throws TypeError when the address is none of HTTP. */
export function createRemote(options: HttpClientOptions): Remote {
  const url = readUrl(options.url)
  const limits = readClientLimits(options)
  const { headers: source, fetch = createWebFetch(), onError = () => {}, authorizer, whileAsking = (run) => run() } = options
  const fixed = typeof source === 'object' ? readHeaders(source) : undefined
  const where = url.origin + url.pathname
  const idle = createExpiry<Call>(limits.idleMs, (call) => call.cancel(lost(where, `nothing came for ${limits.idleMs} ms`)))
  const leftovers = createExpiry<Call>(LEFTOVER_MS, (call) => call.cancel(lost(where, 'the rest was not waited for')))
  const site: Site = { where, limits, fetch, onError, idle, leftovers, calls: createRing() }
  const ending = new AbortController()
  const signing = authorizer && createSigning({ authorizer, whileAsking, ending: ending.signal })
  let closed: ConnectionLost | undefined

  const address = ({ method, url: to = url, headers, body, caller, withinMs }: Sending, given = fixed): CallRequest => {
    return { method, url: to, headers: given ? { ...given, ...headers } : headers, body, caller, withinMs }
  }
  const sign = async (sending: Sending): Promise<CallRequest> => {
    const request = address(sending, typeof source === 'function' ? readHeaders(await source()) : fixed)
    return signing ? signing.sign(request) : request
  }
  /** What is ready at once is not waited for. */
  const prepare = typeof source === 'function' || signing ? sign : address
  const part = async (farewell: Sending): Promise<void> => {
    const request = await prepare({ ...farewell, caller: { signal: AbortSignal.timeout(limits.leaveMs) } })
    const call = await new Call(site, request).start()
    call.cancel(undefined)
  }

  return {
    url,
    limits,
    onError,
    async send(sending) {
      for (let retries = 0; ; retries++) {
        const prepared = prepare(sending)
        let request = prepared instanceof Promise ? await prepared : prepared
        if (closed) throw closed
        let call = await new Call(site, request).start()
        const elsewhere = call.redirection
        if (elsewhere) {
          call.release()
          request = await prepare({ ...sending, url: elsewhere })
          call = await new Call(site, request).start()
        }
        if (!signing || !(await signing.retries(call, request, retries))) return call
      }
    },
    async close(farewell) {
      const isFirst = closed === undefined
      closed ??= new ConnectionLost(`The connection to ${where} was closed`, { retryable: false })
      for (const call of site.calls.items()) call.cancel(closed)
      if (farewell && isFirst) await part(farewell).catch(() => {})
      ending.abort(closed)
      idle.stop()
      leftovers.stop()
    },
  }
}

function readUrl(given: string | URL): URL {
  const url = new URL(given)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`A server is reached by http: or https:, not by ${url.protocol}`)
  if (url.username || url.password) throw new TypeError('An address must not hold a password: send it as a header')
  url.hash = ''
  return url
}

function readClientLimits(options: HttpClientOptions): HttpClientLimits {
  const said = Object.entries(options).filter(([name, value]) => name in HTTP_CLIENT_LIMITS && value !== undefined)
  return { ...HTTP_CLIENT_LIMITS, ...Object.fromEntries(said) }
}
