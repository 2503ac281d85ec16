import type { ServerLike } from 'portcall'
import { httpHandler } from 'portcall/http'
import { serve } from 'portcall/node'

/** An HTTP endpoint of a server, with or without a network. */
export interface HttpEndpoint {
  readonly url: string
  fetch(url: string, init: RequestInit): Promise<Response>
  close(): Promise<void>
}

/** Serves on a free port of this machine. */
export async function startNodeEndpoint(server: ServerLike): Promise<HttpEndpoint> {
  const { url, close } = await serve(server, { port: 0, handleProcessSignals: false })
  return { url, fetch: (target, init) => fetch(target, init), close }
}

/** Passes web requests to a handler without a network. */
export function createFetchEndpoint(server: ServerLike): HttpEndpoint {
  const handler = httpHandler(server)
  return {
    url: 'http://localhost/mcp',
    async fetch(url, { signal, ...init }) {
      const aborted = new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
      const response = await Promise.race([handler(new Request(url, signal ? { ...init, signal } : init)), aborted])
      const body = signal ? response.body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal }) : response.body
      return new Response(body ?? null, response)
    },
    close: () => handler.close(),
  }
}
