/**
 * Servers over HTTP with `Request` and `Response`: Bun, Deno, Workers, Hono, Next.js and others. Also the types that all HTTP servers share,
 * those of `portcall/node` included.
 *
 * @module
 */
import { assertServer } from '../server/assert-server.ts'
import type { ServerLike } from '../server/types.ts'
import { createFetchHandler, type FetchHandler } from '../transports/http/server/fetch.ts'
import { checkHttpOptions, type HttpOptions, httpOptionsOf } from '../transports/http/server/options.ts'

export type {
  Authenticate,
  HookRequest,
  HookResponse,
  InsufficientScopeHeaders,
  OnRequest,
  RequestBody,
  RequestHead,
} from '../protocol/http.ts'
export type { FetchHandler } from '../transports/http/server/fetch.ts'
export { insecureAnyHost, insecureAnyOrigin } from '../transports/http/server/host-check.ts'
export { HttpError } from '../transports/http/server/http-error.ts'
export type { HttpLimits } from '../transports/http/server/limits.ts'
export type { HttpOptions } from '../transports/http/server/options.ts'

/** Creates a handler of web requests: `export default { fetch: httpHandler(server, { allowedHosts: ['api.example.com'] }) }`. */
export function httpHandler(server: ServerLike, options: HttpOptions = {}): FetchHandler {
  assertServer(server, 'httpHandler')
  checkHttpOptions('httpHandler()', options)
  const handler = createFetchHandler(server.exchange, httpOptionsOf(server, options))
  const close: FetchHandler['close'] = (drainTimeoutMs) => {
    server.close()
    return handler.close(drainTimeoutMs)
  }
  return Object.assign((request: Request) => handler(request), { close })
}
