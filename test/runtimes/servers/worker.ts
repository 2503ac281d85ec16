/**
 * The fixture in a worker, twice: `/mcp` is served by the worker itself, which remembers nothing between requests that could be relied
 * on, and `/object` by a Durable Object, which is one place for all requests and so can keep sessions.
 */
import { httpHandler } from 'portcall/http'
import { createFixture } from '../fixture.ts'

interface Bindings {
  readonly OBJECT: { idFromName(name: string): unknown; get(id: unknown): { fetch(request: Request): Promise<Response> } }
}

const handler = httpHandler(createFixture(), { path: '/mcp', legacy: 'stateless' })

export class Endpoint {
  readonly fetch = httpHandler(createFixture(), { path: '/object' })
}

export default {
  fetch(request: Request, { OBJECT }: Bindings): Promise<Response> {
    if (new URL(request.url).pathname !== '/object') return handler(request)
    return OBJECT.get(OBJECT.idFromName('endpoint')).fetch(request)
  },
}
