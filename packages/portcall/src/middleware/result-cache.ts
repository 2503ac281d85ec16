import { canonicalJson } from '../../../util/src/canonical-json.ts'
import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { sha256 } from '../../../util/src/digest.ts'
import { credentialKey } from '../jsonrpc/authorization-key.ts'
import type { Middleware } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Request, success } from '../jsonrpc/message.ts'
import { markReplaying } from '../jsonrpc/replaying.ts'
import { createMemoryStore } from '../stores/memory/store.ts'
import type { KeyValueStore } from '../stores/store.ts'
import { createKeyLookup, type RequestSelection, SELECTION_NAMES } from './selection.ts'

/** Options of `resultCache`. */
export interface ResultCacheOptions extends Omit<RequestSelection, 'key'> {
  /**
   * Requests with another key have other cached results. Return undefined to exempt a request. Default: the authorization of the caller, which is
   * its principal, client, scopes and claims; all callers that are not authenticated share one key.
   */
  readonly key?: RequestSelection['key']
  /** How long a result is reused, in milliseconds. */
  readonly ttlMs: number
  /** Where results are cached. Pass a shared store to share them with other processes. Default: in memory. */
  readonly store?: KeyValueStore
  /** Distinguishes this cache from others in the same store. Default: `result-cache`. */
  readonly name?: string
}

const NAMES: OptionNames<ResultCacheOptions> = {
  ...SELECTION_NAMES,
  ttlMs: 1,
  store: 'store',
  name: 'text',
}
const ADVICE = { ttl: 'Use "ttlMs"', stores: 'Use "store"' }
const REQUIRED = { ttlMs: 'Pass how long a result is reused, in milliseconds' }

/**
 * Creates middleware that answers a request with the result of an earlier one that had the same params and the same authorization. Errors, failed
 * calls, refusals, and results that are not complete are not cached. Select only tools whose results depend on nothing but their arguments and the
 * caller. While the store fails, requests are answered without the cache. In a gateway, it runs after the policies have allowed a request.
 *
 * @throws RangeError if `ttlMs` is not positive.
 */
export function resultCache(options: ResultCacheOptions): Middleware {
  checkOptions('resultCache()', options, { names: NAMES, advice: ADVICE, required: REQUIRED })
  const { ttlMs, name = 'result-cache', store = createMemoryStore({}) } = options
  if (!(ttlMs > 0)) throw new RangeError('resultCache: ttlMs must be positive')
  const keyOf = createKeyLookup({ ...options, key: options.key ?? ((_request, { auth }) => credentialKey(auth)) })
  return markReplaying(async (request, context, next) => {
    const caller = keyOf(request, context)
    if (caller === undefined || isContinued(request)) return next(request, context)
    const key = `portcall:${name}:${await sha256(caller)}/${await sha256(canonicalJson([request.method, paramsOf(request)]))}`
    const cached = await readResult(store, key)
    if (cached) return success(request.id, cached)
    const response = await next(request, context)
    if (isSuccess(response) && isCacheable(response.result))
      await store.set(key, JSON.stringify(response.result), { ttlMs }).catch(() => {})
    return response
  })
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
