import type { JsonObject } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import { isStreamable } from '../support/setups.ts'
import { callTool, GAPS, matrix, openPeer, textOf } from './matrix.ts'
import { EXTENSION } from './server/index.ts'

const KEY = 'io.modelcontextprotocol/'

/** Each request carries the client info, the version and the client capabilities: the server stores nothing between requests. */
matrix('envelope', (it) => {
  it(
    'BASE-030 60.3.24 a request without a version or capabilities is rejected with -32602',
    async (peer, { transport }) => {
      for (const meta of [undefined, {}, { [`${KEY}protocolVersion`]: '2026-07-28' }]) {
        const start = peer.log.length
        const params = { name: 'nothing', ...(meta && { _meta: meta }) }
        const headers = { 'mcp-protocol-version': '2026-07-28' }
        const sent = await peer.send(
          { jsonrpc: '2.0', id: 'bare', method: 'tools/call', params },
          isStreamable(transport) ? { headers } : {},
        )
        if (isStreamable(transport)) {
          expect(sent?.status).toBe(400)
          expect(peer.log.slice(start + 1)).toMatchObject([{ message: { id: 'bare', error: { code: -32602 } } }])
        }
      }
    },
    GAPS.stateless,
    GAPS.http,
  )

  it(
    'BASE-032 the client info is optional',
    async (peer) => {
      const outcome = await callTool(peer, 'whoami', {}, { meta: { [`${KEY}clientInfo`]: undefined } })
      expect(JSON.parse(textOf(outcome) ?? '')).toEqual({ method: 'tools/call' })
    },
    GAPS.stateless,
  )

  it(
    'BASE-033 60.3.32 capabilities apply only to the request that declares them',
    async (peer) => {
      peer.onInputRequest(() => ({ roots: [] }))
      expect((await callTool(peer, 'asks_roots')).inputRequests).toHaveLength(1)
      const without = await callTool(peer, 'asks_roots', {}, { meta: { [`${KEY}clientCapabilities`]: {} } })
      expect(without.error).toMatchObject({ code: -32021, data: { requiredCapabilities: { roots: {} } } })
      expect((await callTool(peer, 'asks_roots')).inputRequests).toHaveLength(1)
    },
    GAPS.stateless,
  )

  it(
    'LOG-009 60.3.38 each request has its own log level',
    async (peer, { transport }) => {
      const start = peer.log.length
      const level = (wanted: string | undefined): JsonObject => (wanted ? { [`${KEY}logLevel`]: wanted } : {})
      const outcomes = await Promise.all(
        ['error', undefined, 'emergency'].map((wanted) => callTool(peer, 'logs', {}, { meta: level(wanted) })),
      )
      const counts = outcomes.map(({ notifications }) => notifications.length)
      if (isStreamable(transport)) expect(counts).toEqual([4, 0, 1])
      expect(peer.log.slice(start).filter(({ message }) => message.method === 'notifications/message')).toHaveLength(5)
    },
    GAPS.stateless,
  )

  it(
    'MRTR-003 MRTR-022 an input_required result has no cache hints',
    async (peer) => {
      const { result } = await peer.request('resources/read', { uri: 'memo://asks' }, { follow: false })
      expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) as string })
      expect(Object.keys(result).sort()).toEqual(['_meta', 'inputRequests', 'requestState', 'resultType'])
    },
    GAPS.stateless,
  )

  it(
    'VER-017 VER-018 VER-020 an extension is advertised, and available to clients that declare it',
    async (peer, setup) => {
      const method = `${EXTENSION}/say`
      expect((peer.server.capabilities as JsonObject).extensions).toMatchObject({ [EXTENSION]: { loud: true } })
      expect((await peer.request(method, { text: 'hey' })).error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } },
      })
      const declaring = await openPeer(setup, { capabilities: { extensions: { [EXTENSION]: {} } } })
      expect((await declaring.request(method, { text: 'hey' })).result).toMatchObject({ resultType: 'complete', said: 'hey!' })
    },
    GAPS.stateless,
  )

  it(
    'TOOL-002 BASE-021 SUB-005 every result has the resultType complete',
    async (peer) => {
      const argument = { name: 'id', value: '' }
      const results = await Promise.all([
        peer.request('server/discover'),
        peer.request('tools/list'),
        peer.request('prompts/get', { name: 'plain' }),
        peer.request('resources/read', { uri: 'memo://text' }),
        peer.request('completion/complete', { ref: { type: 'ref/resource', uri: 'note://{id}' }, argument }),
      ])
      for (const { result } of results) expect(result.resultType).toBe('complete')
    },
    GAPS.stateless,
  )
})
