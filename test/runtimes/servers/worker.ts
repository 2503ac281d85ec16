/**
 * The fixture in a worker, twice: the worker itself serves `/mcp`, without reliable state between requests. A Durable Object serves
 * `/object`: one instance handles all requests, so it can have sessions.
 */
import { httpHandler } from 'portcall/http'
import { createFixture } from '../fixture.ts'

interface Bindings {
  readonly OBJECT: { idFromName(name: string): unknown; get(id: unknown): { fetch(request: Request): Promise<Response> } }
}

const server = createFixture()

// #region stateless
const mcp = httpHandler(server, { path: '/mcp', legacy: 'stateless' })
// #endregion

// #region object
export class Endpoint {
  readonly fetch = httpHandler(createFixture(), { path: '/object' })
}
// #endregion

export default {
  fetch(request: Request, { OBJECT }: Bindings): Promise<Response> {
    if (new URL(request.url).pathname !== '/object') return mcp(request)
    return OBJECT.get(OBJECT.idFromName('endpoint')).fetch(request)
  },
}
