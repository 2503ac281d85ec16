/** Requests about authorization, whose addresses other people name. What they may cost is bounded, and where they may go. */
import { AuthError } from '../errors.ts'
import type { AuthFetch, AuthRequest } from '../types.ts'
import { createWebDial, type Dial } from './dial.ts'
import { openable } from './openable.ts'
import { loadDial } from './platform.ts'
import { createReach, type Reach, type ReachOptions, refused } from './reach.ts'

/** What a request about authorization may cost. Bytes, milliseconds or counts, as the names say. */
export interface AuthLimits {
  /** The body of an answer, uncompressed; more fails the request. */
  readonly maxBytes: number
  /** The answer has to be there by then, with all redirects. */
  readonly withinMs: number
  readonly maxRedirects: number
}

/** The limits that hold when nothing else is said. */
export const AUTH_LIMITS: AuthLimits = { maxBytes: 1024 * 1024, withinMs: 30_000, maxRedirects: 3 }

/** Whose word is followed, how far, and how. */
export interface GuardOptions extends ReachOptions, Partial<AuthLimits> {
  /** Sends the requests instead of the platform. What names resolve to is then its own affair. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Stands between a client and the addresses that servers name. */
export interface Guard {
  /**
   * Sends a request, and resolves when the whole answer is there; it fits `customFetch` of oauth4webapi. Redirects of a GET are followed, to
   * another origin without its headers; a redirect of anything else is an answer like any other.
   *
   * @throws AuthError `address_refused` or `unreachable`; the reason of the signal.
   */
  readonly fetch: AuthFetch
  /** Checks an address that is to be opened in a browser. @throws AuthError `address_refused` */
  openable(url: string | URL): URL
}

/** The headers that follow a redirect to another origin. */
const HARMLESS: readonly string[] = ['accept', 'mcp-protocol-version']
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/** Makes the guard for what one server says. `load` makes the way out, at the first request. */
export function createGuard(options: GuardOptions, load: (reach: Reach) => Promise<Dial> = loadDial): Guard {
  const { fetch: own, ...limits } = { ...AUTH_LIMITS, ...options }
  const reach = createReach(options)
  let dial: Promise<Dial> | undefined
  const ready = (): Promise<Dial> => (dial ??= own ? Promise.resolve(createWebDial(own)) : load(reach))
  return { fetch: createGuardedFetch(reach, limits, ready), openable: (url) => openable(reach, url) }
}

function createGuardedFetch(reach: Reach, limits: AuthLimits, ready: () => Promise<Dial>): AuthFetch {
  const { maxBytes, withinMs, maxRedirects } = limits
  const send = async (url: URL, { method = 'GET', headers = {}, body }: AuthRequest, signal: AbortSignal): Promise<Response> => {
    const dial = await ready()
    const text = body === null || body === undefined ? undefined : String(body)
    return readWhole(await dial(url, { method, headers, body: text, signal }), maxBytes, url)
  }
  const follow = async (start: URL, first: AuthRequest, signal: AbortSignal): Promise<Response> => {
    let [url, request] = [start, first]
    for (let hops = 0; ; hops++) {
      const response = await send(url, request, signal)
      const next = redirection(response, url, request)
      if (next === undefined) return response
      if (hops === maxRedirects) throw unusable(`${start.origin} redirects more than ${maxRedirects} times`)
      if (next.protocol !== 'https:' && url.protocol === 'https:') throw refused(`${url.origin} redirects away from https`)
      if (next.origin !== url.origin) request = { ...request, headers: harmless(request.headers) }
      url = reach.check(next)
    }
  }
  return async (given, request = {}) => {
    const url = reach.check(given)
    const late = AbortSignal.timeout(withinMs)
    const signal = request.signal ? AbortSignal.any([request.signal, late]) : late
    try {
      return await follow(url, request, signal)
    } catch (error) {
      request.signal?.throwIfAborted()
      if (late.aborted) throw unusable(`${url.origin} did not answer within ${withinMs} ms`)
      if (error instanceof AuthError) throw error
      throw unusable(`${url.origin} could not be reached`, { cause: error })
    }
  }
}

function unusable(message: string, options?: ErrorOptions): AuthError {
  return new AuthError('unreachable', message, options)
}

/** Where an answer to a GET sends on to. A browser hides it: there it is no answer that can be used. */
function redirection({ status, headers }: Response, from: URL, { method = 'GET' }: AuthRequest): URL | undefined {
  const location = headers.get('location')
  if (method !== 'GET' || location === null || !REDIRECTS.includes(status)) return undefined
  try {
    return new URL(location, from)
  } catch {
    throw refused(`${from.origin} redirects to what is no address`)
  }
}

function harmless(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS.includes(name.toLowerCase())))
}

/** Takes the body as it comes, so that one without end is cut off and not gathered. */
async function readWhole(response: Response, maxBytes: number, { origin }: URL): Promise<Response> {
  const reader = response.body?.getReader()
  if (!reader) return response
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    size += piece.value.byteLength
    if (size > maxBytes) {
      reader.cancel().catch(() => {})
      throw unusable(`${origin} answers with more than ${maxBytes} bytes`)
    }
    pieces.push(piece.value)
  }
  const { status, headers } = response
  return new Response(new Blob(pieces), { status, headers })
}
