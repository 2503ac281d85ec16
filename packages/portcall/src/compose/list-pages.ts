import { resultOf } from '../jsonrpc/errors.ts'
import type { Exchange, ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Request } from '../jsonrpc/message.ts'
import { followPages, PAGE_LIMITS, type PagedList } from '../protocol/pages.ts'
import { subrequest, subrequestContext } from '../protocol/subrequest.ts'

/** The request of a caller, and the server behind the middleware that handles it. */
export interface MiddlewareRequest {
  readonly request: Request
  readonly context: ExchangeContext
  readonly next: Exchange
}

/** Fetches the pages of a list on behalf of the caller of a request. @throws RpcError if the list fails. */
export function listPages(
  { method, key, isDeclared }: Pick<PagedList, 'method' | 'key' | 'isDeclared'>,
  { request, context, next }: MiddlewareRequest,
): AsyncGenerator<JsonObject> {
  const own = subrequestContext(context)
  const fetch = async (cursor: string | undefined): Promise<JsonObject> =>
    resultOf(await next(subrequest(request, method, cursor === undefined ? {} : { cursor }), own), method)
  return followPages({ method, key, fetch, isDeclared, maxPages: PAGE_LIMITS.local })
}

/** Returns the arguments of a call. */
export function argumentsOf({ params }: Request): JsonObject {
  return isObject(params?.arguments) ? params.arguments : {}
}
