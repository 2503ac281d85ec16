import type { Middleware } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Request, success } from '../jsonrpc/message.ts'
import { createMemoryStore } from '../stores/memory/store.ts'
import { canonicalJson } from '../stores/sealing/canonical-json.ts'
import type { KeyValueStore } from '../stores/store.ts'
import { sha256 } from '../util/digest.ts'
import { createKeyLookup, type RequestSelection } from './selection.ts'

/** Options of `resultCache`. Requests with another `key` have other cached results. */
export interface ResultCacheOptions extends RequestSelection {
  /** How long a result is reused, in milliseconds. */
  readonly ttlMs: number
  /** Where results are cached. Pass a shared store to share them with other processes. Default: in memory. */
  readonly store?: KeyValueStore
  /** Distinguishes this cache from others in the same store. Default: `result-cache`. */
  readonly name?: string
}

/**
 * Creates middleware that answers a request with the result of an earlier one that had the same params and the same caller. Errors, failed calls,
 * and results that are not complete are not cached. Select only tools whose results depend on nothing but their arguments and the caller. While
 * the store fails, requests are answered without the cache.
 *
 * @throws RangeError if `ttlMs` is not positive.
 */
export function resultCache(options: ResultCacheOptions): Middleware {
  const { ttlMs, name = 'result-cache', store = createMemoryStore({}) } = options
  if (!(ttlMs > 0)) throw new RangeError('resultCache: ttlMs must be positive')
  const keyOf = createKeyLookup(options)
  return async (request, context, next) => {
    const caller = keyOf(request, context)
    if (caller === undefined || isContinued(request)) return next(request, context)
    const key = `portcall:${name}:${await sha256(canonicalJson([caller, request.method, paramsOf(request)]))}`
    const cached = await readResult(store, key)
    if (cached) return success(request.id, cached)
    const response = await next(request, context)
    if (isSuccess(response) && isCacheable(response.result))
      await store.set(key, JSON.stringify(response.result), { ttlMs }).catch(() => {})
    return response
  }
}

/** Returns the params of a request without its metadata. */
export function paramsOf({ params }: Request): JsonObject {
  const { _meta, ...rest } = params ?? {}
  return rest
}

/** Reports whether a request continues a call that required input. */
function isContinued({ params }: Request): boolean {
  return params?.inputResponses !== undefined || params?.requestState !== undefined
}

function isCacheable({ resultType, isError }: JsonObject): boolean {
  return isError !== true && (resultType === undefined || resultType === 'complete')
}

async function readResult(store: KeyValueStore, key: string): Promise<JsonObject | undefined> {
  const text = await store.get(key).catch(() => undefined)
  if (text === undefined) return undefined
  const value: unknown = JSON.parse(text)
  return isObject(value) ? value : undefined
}
