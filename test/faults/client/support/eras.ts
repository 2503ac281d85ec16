import type { Params } from '../../support/messages.ts'
import type { Handler, RawAnswer, RawRequest } from './raw-server.ts'

/** Handlers for the messages of a method, or for `GET` and `DELETE`. Everything else is answered correctly. */
export type Methods = Readonly<Record<string, Handler>>

export const LEGACY = '2025-11-25'
export const SESSION = 'session-1'

const NAME = { name: 'raw', version: '1' }
const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
}

/** A minimal tool. */
export const ECHO = { name: 'echo', inputSchema: { type: 'object' } }

/** Returns the result of a call with one text. */
export function textResult(text: string, more: Params = {}): Params {
  return { resultType: 'complete', content: [{ type: 'text', text }], ...more }
}

const CACHING = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }

/** Valid results for the methods that a test does not handle. */
export const RESULTS: Readonly<Record<string, Params>> = {
  'server/discover': { ...CACHING, supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES, serverInfo: NAME },
  initialize: { protocolVersion: LEGACY, capabilities: CAPABILITIES, serverInfo: NAME },
  'tools/list': { ...CACHING, tools: [ECHO] },
  'tools/call': textResult('fine'),
  'resources/subscribe': {},
  'resources/unsubscribe': {},
  'logging/setLevel': {},
}

/** Creates a handler for a server of the stateless era. */
export function modern(methods: Methods): Handler {
  return (request, answer) => {
    const { method = request.method } = request.message
    const handle = methods[method]
    if (handle) return handle(request, answer)
    if (request.message.method === undefined) return answer.send(405)
    if (method === 'initialize')
      return answer.json({ jsonrpc: '2.0', id: request.message.id, error: { code: -32601, message: 'Method not found' } })
    return answer.result(RESULTS[method] ?? CACHING)
  }
}

/** Creates a handler for a server of the legacy era: with a session, and by default without a GET stream. */
export function legacy(methods: Methods): Handler {
  return (request, answer) => {
    const { method = request.method } = request.message
    const handle = methods[method]
    if (handle) return handle(request, answer)
    if (method === 'server/discover') return refuseDiscover(request, answer)
    if (request.method === 'DELETE') return answer.send(200)
    if (request.method === 'GET') return answer.send(405)
    if (request.message.id === undefined || request.message.method === undefined) return answer.send(202)
    const fields = method === 'initialize' ? { 'Mcp-Session-Id': SESSION } : {}
    return answer.result(RESULTS[method] ?? {}, fields)
  }
}

/** Rejects `server/discover` as the official servers do. */
function refuseDiscover({ message: { id } }: RawRequest, answer: RawAnswer): void {
  const error = { code: -32000, message: 'Bad Request: Server not initialized' }
  answer.send(400, { 'Content-Type': 'application/json' }, JSON.stringify({ jsonrpc: '2.0', id, error }))
}
