import type { Params } from '../../support/messages.ts'
import type { Handler, RawAnswer, RawRequest } from './raw-server.ts'

/** What a server does with the messages of a method, or with `GET` and `DELETE`; the rest is answered as a good server would. */
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

/** A tool without anything special. */
export const ECHO = { name: 'echo', inputSchema: { type: 'object' } }

/** The result of a call that says one text. */
export function said(text: string, more: Params = {}): Params {
  return { resultType: 'complete', content: [{ type: 'text', text }], ...more }
}

const CACHING = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }

/** The good results of a server, for those methods that a case does not care about. */
export const RESULTS: Readonly<Record<string, Params>> = {
  'server/discover': { ...CACHING, supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES, serverInfo: NAME },
  initialize: { protocolVersion: LEGACY, capabilities: CAPABILITIES, serverInfo: NAME },
  'tools/list': { ...CACHING, tools: [ECHO] },
  'tools/call': said('fine'),
  'resources/subscribe': {},
  'resources/unsubscribe': {},
  'logging/setLevel': {},
}

/** A server of the stateless era. */
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

/** A server of the legacy era: with a session, and, unless a case says otherwise, without a standing stream. */
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

/** As the official servers do. */
function refuseDiscover({ message: { id } }: RawRequest, answer: RawAnswer): void {
  const error = { code: -32000, message: 'Bad Request: Server not initialized' }
  answer.send(400, { 'Content-Type': 'application/json' }, JSON.stringify({ jsonrpc: '2.0', id, error }))
}
