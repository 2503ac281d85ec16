/** Requests that middleware sends on behalf of the request of a caller. */
import { deriveContext, type ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Request } from '../jsonrpc/message.ts'

/** Returns the `_meta` of a subrequest: that of the request, without the progress token, which belongs to one request only. */
export function subrequestMeta({ params }: Request): JsonObject {
  const { progressToken: _token, ...meta } = isObject(params?._meta) ? params._meta : {}
  return meta
}

/** Creates a subrequest with these params. */
export function subrequest(request: Request, method: string, params: JsonObject): Request {
  return { jsonrpc: '2.0', id: request.id, method, params: { ...params, _meta: subrequestMeta(request) } }
}

/** Returns the context of a subrequest, or of a request with other arguments: headers repeat the arguments of the caller. */
export function subrequestContext(context: ExchangeContext, overrides: Partial<ExchangeContext> = {}): ExchangeContext {
  return deriveContext(context, { ...overrides, readParamHeader: undefined })
}
