import { onTestFinished } from 'vitest'
import type { JsonObject } from '../../../packages/portcall/src/jsonrpc/message.ts'
import { serveHttp } from './raw-server.ts'

/** Starts a server that responds to everything with an empty result, and remembers the messages, and when they came. */
export async function startEcho(): Promise<{ url: string; received: JsonObject[]; times: number[] }> {
  const received: JsonObject[] = []
  const times: number[] = []
  const { port, close } = await serveHttp(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const message = JSON.parse(text) as JsonObject
    received.push(message)
    times.push(performance.now())
    const discovered = { supportedVersions: ['2026-07-28'], capabilities: {}, serverInfo: { name: 'echo', version: '1' } }
    const hints = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    const result = { ...hints, ...(message.method === 'server/discover' && discovered) }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }))
  })
  onTestFinished(close)
  return { url: `http://127.0.0.1:${port}/mcp`, received, times }
}

/** The messages of a method, without what says who sent them. */
export function messagesOf(received: readonly JsonObject[], method: string): unknown[] {
  return received
    .filter((message) => message.method === method)
    .map(({ id: _id, params, ...message }) => {
      const { _meta: meta, ...rest } = params as JsonObject
      return { ...message, params: rest, version: (meta as JsonObject)['io.modelcontextprotocol/protocolVersion'] }
    })
}
