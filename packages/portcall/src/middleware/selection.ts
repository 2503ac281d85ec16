import type { OptionNames } from '../../../util/src/check-options.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import type { Request } from '../jsonrpc/message.ts'

/** Which requests a middleware applies to, and which of them it counts together. */
export interface RequestSelection {
  /** The methods it applies to. Default: `['tools/call']`. */
  readonly methods?: readonly string[]
  /** Of the `tools/call` requests, only calls of these tools. Default: all. */
  readonly tools?: readonly string[]
  /**
   * Requests with the same key are counted together. Return undefined to exempt a request. Default: the principal of the caller; all
   * callers that are not authenticated share one key.
   */
  readonly key?: (request: Request, context: ExchangeContext) => string | undefined
}

/** The names of the options of a selection. */
export const SELECTION_NAMES: OptionNames<RequestSelection> = { methods: 'texts', tools: 'texts', key: 'function' }

/** Returns the key of a request, or undefined if the middleware does not apply to it. */
export type KeyLookup = (request: Request, context: ExchangeContext) => string | undefined

/** Creates the lookup for a selection. */
export function createKeyLookup({ methods = ['tools/call'], tools, key = principalOf }: RequestSelection): KeyLookup {
  const selectedMethods = new Set(methods)
  const selectedTools = tools && new Set<unknown>(tools)
  return (request, context) => {
    const { method, params } = request
    if (!selectedMethods.has(method)) return undefined
    if (selectedTools && method === 'tools/call' && !selectedTools.has(params?.name)) return undefined
    return key(request, context)
  }
}

function principalOf(_request: Request, { auth }: ExchangeContext): string {
  return auth ? `principal:${auth.principal}` : 'anonymous'
}
