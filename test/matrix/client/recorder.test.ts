import { describe, expect, test } from 'vitest'
import { hasOracle } from '../../support/oracle.ts'
import { createRecorder, type Recorder } from '../../support/recorder.ts'

const jsonrpc = '2.0'
const ENVELOPE = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
const modern = (method: string, params: object): object => ({ jsonrpc, id: 1, method, params: { ...params, _meta: ENVELOPE } })
const QUESTION = { jsonrpc, id: 7, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }

/** Creates a recorder that has recorded the handshake of a legacy revision. */
function recordHandshake(revision: string): Recorder {
  const recorder = createRecorder()
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  recorder.sent({ jsonrpc, id: 0, method: 'initialize', params })
  recorder.received({
    jsonrpc,
    id: 0,
    result: { protocolVersion: revision, capabilities: {}, serverInfo: { name: 'y', version: '1' } },
  })
  return recorder
}

describe.skipIf(!hasOracle)('recorder', () => {
  test('valid messages have no violations', () => {
    const recorder = recordHandshake('2025-06-18')
    recorder.sent({ jsonrpc, method: 'notifications/initialized' })
    recorder.sent({ jsonrpc, id: 1, method: 'tools/call', params: { name: 'x', _meta: { progressToken: 1, own: 1 } } })
    recorder.received(QUESTION)
    recorder.sent({ jsonrpc, id: 7, result: { role: 'assistant', model: 'm', content: { type: 'text', text: '' } } })
    recorder.sent(modern('tools/call', { name: 'x', arguments: {} }))
    expect(recorder.violations).toEqual([])
    expect([...recorder.revisions]).toEqual(['2025-06-18', '2026-07-28'])
  })

  test.each([
    [
      'a field that the revision does not have',
      { jsonrpc, id: 1, method: 'tools/call', params: { name: 'x', inputResponses: {} } },
    ],
    ['a field of a wrong type', { jsonrpc, id: 1, method: 'tools/call', params: { name: 7 } }],
    ['a request of another revision', { jsonrpc, id: 1, method: 'server/discover', params: {} }],
    ['a request of a server', { jsonrpc, id: 1, method: 'roots/list' }],
    ['a notification of a server', { jsonrpc, method: 'notifications/message', params: { level: 'info', data: 1 } }],
    ['a response to no request', { jsonrpc, id: 9, result: {} }],
    ['a result of the wrong shape', { jsonrpc, id: 7, result: { role: 'assistant', content: [] } }],
    ['a malformed error', { jsonrpc, id: 7, error: { code: 'x', message: 1 } }],
    ['no version of JSON-RPC', { id: 1, method: 'ping' }],
  ])('it reports for a legacy client: %s', (_fault, message) => {
    const recorder = recordHandshake('2025-06-18')
    recorder.received(QUESTION)
    recorder.sent(message)
    expect(recorder.violations).toEqual([expect.stringMatching(/^client: /)])
  })

  test.each([
    ['a response', { jsonrpc, id: 1, result: {} }],
    ['a request without its envelope', { jsonrpc, id: 1, method: 'tools/list', params: {} }],
    ['a request of the legacy era', modern('ping', {})],
    ['a field that it does not have', modern('tools/call', { name: 'x', more: 1 })],
    ['invalid input responses', modern('tools/call', { name: 'x', inputResponses: { a: { action: 'perhaps' } } })],
  ])('it reports for a modern client: %s', (_fault, message) => {
    const recorder = createRecorder()
    recorder.sent(message)
    expect(recorder.violations).toEqual([expect.stringMatching(/^client: /)])
  })

  test('messages of the server are validated too', () => {
    const recorder = recordHandshake('2025-03-26')
    recorder.sent({ jsonrpc, id: 1, method: 'tools/list' })
    recorder.received({ jsonrpc, id: 1, result: { tools: [{ name: 'x', title: 'X', inputSchema: { type: 'object' } }] } })
    expect(recorder.violations).toEqual([expect.stringMatching(/^server: /)])
  })
})
