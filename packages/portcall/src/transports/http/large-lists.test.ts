import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../../test-kit/raw-connection.ts'
import { createServer } from '../../server/server.ts'
import { createFetchHandler } from './server/fetch.ts'
import { createNodeHandler } from './server/node/handler.ts'

const COUNT = 600
const DESCRIPTION = 'ä€😀 '.repeat(40)

function manyTools() {
  const server = createServer({ name: 'many', version: '1' }, { pageSize: 1000 })
  for (let at = 0; at < COUNT; at++) server.tool(`tool-${at}`, { description: DESCRIPTION }, () => 'done')
  return server
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const ERAS = {
  modern: { headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }, params: { _meta: META } },
  legacy: { headers: { 'mcp-protocol-version': '2025-11-25' }, params: {} },
}

/** Starts the server with each adapter. Each function returns how to send a request. */
const ADAPTERS: Record<string, () => Promise<(init: RequestInit) => Promise<Response>>> = {
  async 'its own server'() {
    const { port } = await listen(manyTools().exchange, { legacy: 'stateless' })
    return (init) => fetch(`http://127.0.0.1:${port}/mcp`, init)
  },
  async '`node:http`'() {
    const handler = createNodeHandler(manyTools().exchange, { legacy: 'stateless' })
    const server = createHttpServer(handler).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    onTestFinished(async () => {
      server.close().closeAllConnections()
      await handler.close()
    })
    return (init) => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, init)
  },
  async '`Request` and `Response`'() {
    const handler = createFetchHandler(manyTools().exchange, { legacy: 'stateless' })
    onTestFinished(() => handler.close())
    return (init) => handler(new Request('http://localhost/mcp', init))
  },
}

const CASES = Object.keys(ADAPTERS).flatMap((adapter) => (['modern', 'legacy'] as const).map((era) => ({ adapter, era })))

test.each(CASES)('a large list is complete each time it is sent: $adapter, $era', async ({ adapter, era }) => {
  const send = await ADAPTERS[adapter]?.()
  const { headers, params } = ERAS[era]
  for (const id of [1, 'zwei €', 3]) {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params })
    const response = await send?.({ method: 'POST', headers: { ...HEADERS, ...headers }, body })
    const bytes = new Uint8Array((await response?.arrayBuffer()) ?? [])
    expect(bytes.length).toBeGreaterThan(COUNT * DESCRIPTION.length)
    expect(response?.headers.get('content-length') ?? String(bytes.length)).toBe(String(bytes.length))
    const answer = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    expect(answer.id).toBe(id)
    expect(answer.result.tools).toHaveLength(COUNT)
    expect(new Set(answer.result.tools.map((tool: { description: string }) => tool.description))).toEqual(new Set([DESCRIPTION]))
  }
})
