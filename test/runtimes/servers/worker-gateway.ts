/**
 * A gateway in a Durable Object, in front of the server whose URL is the parameter `upstream` of the first request. A worker itself has no
 * connections that outlive a request.
 */
import { createServer } from 'portcall'
import { createGateway } from 'portcall/gateway'
import { httpHandler } from 'portcall/http'

interface Bindings {
  readonly OBJECT: { idFromName(name: string): unknown; get(id: unknown): { fetch(request: Request): Promise<Response> } }
}

export class Endpoint {
  #handler: ((request: Request) => Promise<Response>) | undefined

  fetch(request: Request): Promise<Response> {
    this.#handler ??= httpHandler(
      createGateway({
        servers: {
          far: new URL(request.url).searchParams.get('upstream') ?? '',
          empty: createServer({ name: 'empty', version: '1.0.0' }),
        },
        names: { mode: 'on-conflict' },
      }),
      { path: '/mcp' },
    )
    return this.#handler(request)
  }
}

export default {
  fetch: (request: Request, { OBJECT }: Bindings): Promise<Response> => OBJECT.get(OBJECT.idFromName('gateway')).fetch(request),
}
