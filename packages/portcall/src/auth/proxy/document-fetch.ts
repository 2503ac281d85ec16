/**
 * Fetches documents of clients: metadata documents and key sets. Anyone can name a URL in an authorization request, so this must not become a
 * way to attack other servers, or to make this one slow: requests for the same document share one fetch, documents and failures are cached,
 * and the number of fetches is limited.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations
 */
import ipaddr from 'ipaddr.js'
import { createSingleFlight } from '../../../../util/src/async.ts'
import { limitedHost } from '../../../../util/src/limited-host.ts'
import { isStrictUrl } from '../../../../util/src/strict-url.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { createMemoryStore } from '../../stores/memory/store.ts'
import { createSafeFetch } from '../client/http/safe-fetch.ts'
import { createRateLimiter } from '../rate-limiter.ts'
import { OAuthEndpointError } from './http.ts'
import { METADATA_DOCUMENT_LIMITS, type MetadataDocumentOptions, type OAuthProxyOptions } from './options.ts'

export interface DocumentFetchOptions
  extends Pick<OAuthProxyOptions, 'fetch' | 'allow' | 'resource'>,
    Pick<MetadataDocumentOptions, 'ports' | 'maxHostFetches' | 'maxRequesterFetches'> {
  readonly now: () => number
}

/**
 * Returns the JSON object at a URL. `requester` is the IP address of the party that named the URL, if it is known.
 *
 * @throws OAuthEndpointError `invalid_client` if there is no such document, `temporarily_unavailable` if there are too many fetches.
 */
export type DocumentFetch = (url: string, requester: string | undefined) => Promise<JsonObject>

const MAX_DOCUMENT_BYTES = 16 * 1024
const TIMEOUT_MS = 5000
const TTL_MS = 5 * 60_000
const MAX_TTL_MS = 24 * 60 * 60_000
/** How long a document that could not be fetched is not requested again. */
const FAILURE_TTL_MS = 60_000
const MAX_CACHED = 1000
const MAX_CONCURRENT_FETCHES = 32
const WINDOW_MS = 60_000
const JSON_TYPE = /^application\/([\w.-]+\+)?json\b/
/** The cached form of a failure. */
const FAILURE = ''

export function createDocumentFetch(options: DocumentFetchOptions): DocumentFetch {
  const { fetch, allow = [], resource, ports = [], now } = options
  const { maxHostFetches, maxRequesterFetches } = { ...METADATA_DOCUMENT_LIMITS, ...options }
  const limits = { maxBytes: MAX_DOCUMENT_BYTES, timeoutMs: TIMEOUT_MS, maxRedirects: 0 }
  const safe = createSafeFetch({ trustedUrl: new URL(resource), fetch, allow, ...limits })
  const cache = createMemoryStore({ maxEntries: MAX_CACHED, now })
  /** Documents whose time to live may be over. They are used while the limits allow no fetch, so that a flood locks out no known client. */
  const known = createMemoryStore({ maxEntries: MAX_CACHED, maxTtlMs: MAX_TTL_MS, now })
  const flights = createSingleFlight<string>()
  const hosts = createRateLimiter({ maxAttempts: maxHostFetches, windowMs: WINDOW_MS, now })
  const requesters = createRateLimiter({ maxAttempts: maxRequesterFetches, windowMs: WINDOW_MS, now })
  let running = 0

  const load = async (url: string): Promise<string> => {
    running++
    try {
      const response = await safe.fetch(url, { headers: { accept: 'application/json' } })
      const document = await readDocument(response)
      const text = document ? JSON.stringify(document) : FAILURE
      await cache.set(url, text, { ttlMs: document ? ttlOf(response) : FAILURE_TTL_MS })
      await (document ? known.set(url, text, { ttlMs: MAX_TTL_MS }) : known.delete(url))
      return text
    } catch {
      await cache.set(url, FAILURE, { ttlMs: FAILURE_TTL_MS })
      return FAILURE
    } finally {
      running--
    }
  }
  const mayStart = (url: string, requester: string | undefined): boolean =>
    running < MAX_CONCURRENT_FETCHES &&
    (requester === undefined || requesters.tryAcquire(networkOf(requester))) &&
    hosts.tryAcquire(limitedHost(url))

  const read = async (url: string, requester: string | undefined): Promise<string> => {
    const text = (await cache.get(url)) ?? (await flights.join(url))
    if (text !== undefined) return text
    if (mayStart(url, requester)) return flights.run(url, () => load(url))
    const last = await known.get(url)
    if (last !== undefined) return last
    throw new OAuthEndpointError('temporarily_unavailable', 'Too many client documents; try again later', 429)
  }
  return async (url, requester) => {
    if (!isDocumentUrl(url, ports)) throw unreadable()
    const text = await read(url, requester)
    if (text === FAILURE) throw unreadable()
    return JSON.parse(text) as JsonObject
  }
}

function unreadable(): OAuthEndpointError {
  return new OAuthEndpointError('invalid_client', 'The client document cannot be read', 401)
}

function isDocumentUrl(text: string, ports: readonly number[]): boolean {
  if (!isStrictUrl(text)) return false
  const { protocol, href, pathname, port } = new URL(text)
  return protocol === 'https:' && href === text && pathname !== '/' && (port === '' || ports.includes(Number(port)))
}

async function readDocument(response: Response): Promise<JsonObject | undefined> {
  if (response.status !== 200 || !JSON_TYPE.test(response.headers.get('content-type') ?? '')) return undefined
  const document: unknown = await response.json()
  return isObject(document) ? document : undefined
}

function ttlOf({ headers }: Response): number {
  const [, seconds] = /(?:^|[\s,])max-age=(\d{1,9})/.exec(headers.get('cache-control') ?? '') ?? []
  return seconds === undefined ? TTL_MS : Math.min(Math.max(Number(seconds) * 1000, 1000), MAX_TTL_MS)
}

/** Returns what counts as one requester: an IPv4 address, or the /64 network of an IPv6 address, whose owner has all of its addresses. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString()
}
