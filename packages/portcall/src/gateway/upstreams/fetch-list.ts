import type { KindInfo } from '../../compose/kinds.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import type { Exchange, ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isSuccess, type JsonObject } from '../../jsonrpc/message.ts'
import { METHODS } from '../../protocol/methods.ts'
import type { Fetched } from './cached-fetch.ts'

/** The members of a result that say how long, and for whom, it may be cached. */
export interface CacheRules {
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

/** All items of one kind that a server lists. */
export interface UpstreamList extends Fetched, CacheRules {
  /** The items in their order, by their name or URI on the server. */
  readonly items: ReadonlyMap<string, JsonObject>
}

const MAX_PAGES = 64

/** Sends a request and returns the result. @throws RpcError if the response is an error. */
export async function requestResult(
  exchange: Exchange,
  { method, params }: { readonly method: string; readonly params: JsonObject },
  context: ExchangeContext,
): Promise<JsonObject> {
  const response = await exchange({ jsonrpc: '2.0', id: method, method, params }, context)
  if (isSuccess(response)) return response.result
  const { code, message, data } = response.error
  throw new RpcError(code, message, data)
}

/** Fetches all pages of a list. */
export async function fetchPages(
  request: (params: JsonObject) => Promise<JsonObject>,
  { method, key }: KindInfo,
): Promise<CacheRules & { readonly items: unknown[] }> {
  const items: unknown[] = []
  const cursors = new Set<unknown>()
  let rules = rulesOf(method, {})
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await request(cursor === undefined ? {} : { cursor })
    const list: unknown = result[key]
    if (!Array.isArray(list)) throw new TypeError(`The result of ${method} has no ${key}`)
    items.push(...list)
    rules = page === 0 ? rulesOf(method, result) : mergeRules(rules, rulesOf(method, result))
    cursor = result.nextCursor
    if (typeof cursor !== 'string') return { ...rules, items }
    if (cursors.has(cursor)) throw new TypeError(`${method} returned the cursor of an earlier page again`)
    cursors.add(cursor)
  }
  throw new TypeError(`${method} has more than ${MAX_PAGES} pages`)
}

/** Returns the cache rules of a result. A result without valid ones may not be cached. */
export function rulesOf(method: string, { ttlMs, cacheScope }: JsonObject): CacheRules {
  const isCacheable = METHODS.get(method)?.cacheable && typeof ttlMs === 'number' && ttlMs > 0
  return { ttlMs: isCacheable ? ttlMs : 0, cacheScope: cacheScope === 'public' ? 'public' : 'private' }
}

/** Returns the more careful rules of both. */
export function mergeRules(one: CacheRules, other: CacheRules): CacheRules {
  return {
    ttlMs: Math.min(one.ttlMs, other.ttlMs),
    cacheScope: one.cacheScope === 'public' && other.cacheScope === 'public' ? 'public' : 'private',
  }
}
