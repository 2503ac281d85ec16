import assert from 'node:assert/strict'
import test from 'node:test'
import { createServer } from 'portcall'
import * as z from 'zod'

const server = createServer({ name: 'calculator', version: '1.0.0' })
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`)

test('one request, one response', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await server.exchange(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 }, _meta } },
    { signal: new AbortController().signal, notify: () => {} },
  )
  assert('result' in response)
  assert.deepEqual(response.result.content, [{ type: 'text', text: '3' }])
})
