import { resultOf } from '../../jsonrpc/errors.ts'
import type { Exchange, ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { METHODS } from '../../protocol/methods.ts'
import { followPages } from '../../protocol/pages.ts'
import type { GatewayKindInfo } from '../policy/item-kinds.ts'
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
  /** Fetch time of a kept list, in milliseconds since 1970. Absent if the list comes from the server. */
  readonly keptSince?: number
}

/** Sends a request and returns the result. @throws RpcError if the response is an error. */
export async function requestResult(
  exchange: Exchange,
  { method, params }: { readonly method: string; readonly params: JsonObject },
  context: ExchangeContext,
): Promise<JsonObject> {
  const response = await exchange({ jsonrpc: '2.0', id: method, method, params }, context)
  return resultOf(response, method)
}

/** Fetches all pages of a list that the server declares. */
export async function fetchPages(
  request: (params: JsonObject) => Promise<JsonObject>,
  { method, key }: GatewayKindInfo,
  onWarning: (message: string) => void,
): Promise<CacheRules & { readonly items: unknown[] }> {
  const items: unknown[] = []
  let rules: CacheRules | undefined
  const fetch = (cursor: string | undefined): Promise<JsonObject> => request(cursor === undefined ? {} : { cursor })
  for await (const page of followPages({ method, key, fetch, isDeclared: () => true, onWarning })) {
    const list: unknown = page[key]
    if (!Array.isArray(list)) throw new TypeError(`The result of ${method} has no ${key}`)
    items.push(...list)
    const ofPage = rulesOf(method, page)
    rules = rules ? mergeRules(rules, ofPage) : ofPage
  }
  return { ...(rules ?? rulesOf(method, {})), items }
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
