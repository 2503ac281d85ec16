import { describe, expect, test } from 'vitest'
import { onTestEnd, type ScriptedRequest, startScriptedServer } from '../../test-kit/scripted-server.ts'
import { connect } from '../connect/connect.ts'
import type { Middleware } from '../jsonrpc/exchange.ts'
import { serve } from '../serve/node.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/types.ts'
import type { GatewayOptions } from './api/options.ts'
import { createGateway, type Gateway } from './gateway.ts'
import { mount } from './mount.ts'

const MODERN = '2026-07-28'
const SESSION = '2025-11-25'
const HUGE = '12345678901234567890123'
const FILLER = 'x'.repeat(5000)
/** The parts of a large result, with a number that JavaScript cannot hold, and escapes that `JSON.stringify` does not write. */
const BLOCK = `{"type":"text","text":"${FILLER} \\u00e9 \\"\\\\"}`
const PARTS = `"content":[${BLOCK}],"structuredContent":{"sum":${HUGE},"tiny":1.0}`

const result = (text: string): string => `"result":{"resultType":"complete",${text}}`
const response = (id: unknown, text: string): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${text}}`
const json = { 'content-type': 'application/json' }

/** Starts a server of one revision with a tool, whose calls are answered with a text. */
async function startServer(version: string, answer: (id: unknown) => string) {
  const send = (request: ScriptedRequest, value: object): void =>
    request.send(200, JSON.stringify({ jsonrpc: '2.0', id: request.json.id, result: { resultType: 'complete', ...value } }), json)
  const capabilities = { tools: {} }
  const answers: { readonly [method: string]: (request: ScriptedRequest) => void } = {
    'server/discover': (request) => send(request, { supportedVersions: [MODERN], capabilities, ttlMs: 0, cacheScope: 'private' }),
    initialize: (request) =>
      send(request, { protocolVersion: SESSION, capabilities, serverInfo: { name: 'server', version: '1' } }),
    'tools/list': (request) =>
      send(request, { tools: [{ name: 'big', inputSchema: { type: 'object' } }], ttlMs: 0, cacheScope: 'private' }),
    'tools/call': (request) => request.send(200, answer(request.json.id), json),
  }
  const { url } = await startScriptedServer((request) => {
    const { id, method } = request.method === 'POST' ? request.json : {}
    if (id === undefined) request.send(method ? 202 : 405)
    else answers[method]?.(request)
  })
  return { target: url, protocolVersion: version }
}

/** Calls the tool through a gateway. Returns the text of the response. */
const call = (front: string, server: object, options: Partial<GatewayOptions> = {}): Promise<string> =>
  callServed(front, createGateway({ servers: { s: { ...server } as never }, ...options }))

/** Serves something, and calls its tool in one revision. Returns the text of the response. */
async function callServed(front: string, served: Server | Gateway): Promise<string> {
  const { url, close } = await serve(served, { port: 0, handleProcessSignals: false })
  onTestEnd(close)
  const post = (message: object, headers: Record<string, string>): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { ...json, accept: 'application/json, text/event-stream', 'mcp-protocol-version': front, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  const clientInfo = { name: 'test', version: '1' }
  const request = { id: 'mine', method: 'tools/call', params: { name: 's__big', arguments: {} } }
  if (front === MODERN) {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const named = { 'mcp-method': 'tools/call', 'mcp-name': 's__big' }
    return (await post({ ...request, params: { ...request.params, _meta } }, named)).text()
  }
  const params = { protocolVersion: SESSION, capabilities: {}, clientInfo }
  const opened = await post({ id: 1, method: 'initialize', params }, {})
  return (await post(request, { 'mcp-session-id': String(opened.headers.get('mcp-session-id')) })).text()
}

const PAIRS = [MODERN, SESSION].flatMap((front) => [MODERN, SESSION].map((back) => ({ front, back })))

test.each(PAIRS)('the text of a large result passes as it is, from $back to $front', async ({ front, back }) => {
  const text = await call(front, await startServer(back, (id) => response(id, result(PARTS))))
  expect(text).toContain(`"content":[${BLOCK}]`)
  expect(text).toContain(`"structuredContent":{"sum":${HUGE},"tiny":1.0}`)
  expect(JSON.parse(text)).toMatchObject({ id: 'mine', result: { content: [{ type: 'text' }] } })
})

test('the text of a large result passes as it is through policies that do not see it', async () => {
  const server = await startServer(MODERN, (id) => response(id, result(PARTS)))
  const text = await call(MODERN, server, { policy: [{ decide: () => 'allow' }, { visible: () => true }] })
  expect(text).toContain(PARTS)
})

describe('is written again', () => {
  const written = `"structuredContent":{"sum":${Number(HUGE)},"tiny":1}`

  test.each<[string, (id: unknown) => string]>([
    ['with white space', (id) => response(id, result(PARTS)).replace('"content":', '"content" : ')],
    ['with line breaks', (id) => response(id, result(PARTS)).replace('"sum":', '\n"sum":')],
    ['with a part that occurs twice', (id) => response(id, result(`"content":[],${PARTS}`))],
    ['with two results', (id) => response(id, `${result('"content":[]')},${result(PARTS)}`)],
    ['with two ids', (id) => response(id, `${result(PARTS)},"id":${JSON.stringify(id)}`)],
    ['with two ids between two results', (id) => response(id, `${result(PARTS)},"id":${JSON.stringify(id)},${result(PARTS)}`)],
  ])('a result %s', async (_what, answer) => {
    const text = await call(MODERN, await startServer(MODERN, answer))
    expect(text).toContain(written)
    expect(text.match(/"id":/g)).toHaveLength(1)
    expect(text.match(/"content":/g)).toHaveLength(1)
    expect(JSON.parse(text)).toMatchObject({ id: 'mine', result: { content: [{ type: 'text' }] } })
  })

  const redact = (changed: unknown): void => {
    const { content } = changed as { content: [{ text: string }] }
    content[0].text = 'redacted'
  }
  const redacting: Middleware = async (request, context, next) => {
    const answered = await next(request, context)
    if ('result' in answered && 'content' in answered.result) redact(answered.result)
    return answered
  }

  test.each<[string, object, Partial<GatewayOptions>]>([
    ['middleware of the gateway', {}, { middleware: [redacting] }],
    ['middleware of the server', { middleware: [redacting] }, {}],
    ['a policy', {}, { policy: { result: (changed) => redact(changed) as never } }],
    ['middleware of a policy', {}, { policy: { middleware: [redacting] } }],
    ['middleware of a policy for servers', {}, { policy: { serverMiddleware: () => [redacting] } }],
  ])('a result that %s has changed', async (_what, server, options) => {
    const upstream = await startServer(MODERN, (id) => response(id, result(PARTS)))
    const text = await call(MODERN, { ...upstream, ...server }, options)
    expect(text).toContain('redacted')
    expect(text).not.toContain(FILLER)
  })

  test('a result that a client in this process has changed', async () => {
    const upstream = await startServer(MODERN, (id) => response(id, result(PARTS)))
    const gateway = createGateway({ servers: { s: upstream } })
    const client = await connect(gateway)
    onTestEnd(client.close)
    const outer = createServer({ name: 'outer', version: '1' }).tool('big', {}, async () => {
      const answered = await client.callTool('s__big')
      redact(answered)
      return answered
    })
    const text = await call(MODERN, { target: outer })
    expect(text).toContain('redacted')
    expect(text).not.toContain(FILLER)
  })

  test('a result that middleware has changed of a server on which the other is mounted', async () => {
    const upstream = await startServer(MODERN, (id) => response(id, result(PARTS)))
    const outer = mount(createServer({ name: 'outer', version: '1' }).use(redacting), upstream.target, { prefix: 's' })
    const text = await callServed(MODERN, outer)
    expect(text).toContain('redacted')
    expect(text).not.toContain(FILLER)
  })
})
