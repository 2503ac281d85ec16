/** Serving over HTTP with web requests: Bun, Deno, Workers, Hono, Next and all that speaks `Request` and `Response`. */
import type { Serveable } from './server/surface.ts'
import { createFetchHandler, type FetchHandler } from './transports/http/fetch.ts'
import type { HttpOptions } from './transports/http/options.ts'
import { optionsOf } from './transports/http/served.ts'

export type { FetchHandler } from './transports/http/fetch.ts'
export { insecureAnyHost, insecureAnyOrigin } from './transports/http/guard.ts'
export { HttpError } from './transports/http/http-error.ts'
export type { HttpLimits } from './transports/http/limits.ts'
export type {
  Authenticate,
  Beside,
  BesideAnswer,
  BesideRequest,
  Challenge,
  Credentials,
  HttpOptions,
} from './transports/http/options.ts'

/** Serves a server to web requests: `export default { fetch: httpHandler(server, { allowedHosts: ['api.example.com'] }) }`. */
export function httpHandler(server: Serveable, options: HttpOptions = {}): FetchHandler {
  const handler = createFetchHandler(server.exchange, { ...optionsOf(server), ...options })
  const close: FetchHandler['close'] = (drainMs) => {
    server.close()
    return handler.close(drainMs)
  }
  return Object.assign((request: Request) => handler(request), { close })
}
