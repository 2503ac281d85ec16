import { assertServer } from '../server/assert-server.ts'
import type { ServerLike } from '../server/types.ts'
import { createFetchHandler, type FetchHandler } from '../transports/http/server/fetch.ts'
import { checkHttpOptions, type HttpOptions } from '../transports/http/server/options.ts'
import { endpointOptionsOf } from './endpoint-options.ts'

/** Creates a handler of web requests: `export default { fetch: httpHandler(server, { allowedHosts: ['api.example.com'] }) }`. */
export function httpHandler(server: ServerLike, options: HttpOptions = {}): FetchHandler {
  assertServer(server, 'httpHandler')
  checkHttpOptions('httpHandler()', options)
  const handler = createFetchHandler(server.exchange, endpointOptionsOf(server, options))
  const close: FetchHandler['close'] = (drainTimeoutMs) => {
    server.close()
    return handler.close(drainTimeoutMs)
  }
  return Object.assign((request: Request) => handler(request), { close })
}
