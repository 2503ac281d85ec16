import type { Server } from 'portcall'
import { httpHandler } from 'portcall/http'
import { serve } from 'portcall/node'

/** A server that can be reached by HTTP, in whatever way. */
export interface HttpDoor {
  readonly url: string
  fetch(url: string, init: RequestInit): Promise<Response>
  close(): Promise<void>
}

/** Serves on a free port. */
export async function nodeDoor(server: Server): Promise<HttpDoor> {
  const { url, close } = await serve(server, { port: 0, signals: false })
  return { url, fetch: (target, init) => fetch(target, init), close }
}

/** Serves web requests without a network. */
export function fetchDoor(server: Server): HttpDoor {
  const handler = httpHandler(server)
  return {
    url: 'http://localhost/mcp',
    async fetch(url, { signal, ...init }) {
      const gone = new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
      const response = await Promise.race([handler(new Request(url, signal ? { ...init, signal } : init)), gone])
      const body = signal ? response.body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal }) : response.body
      return new Response(body ?? null, response)
    },
    close: () => handler.close(),
  }
}
