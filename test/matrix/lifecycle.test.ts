import { expect } from 'vitest'
import { mirrorHeaders, withEnvelope } from '../support/envelope.ts'
import { isStreamable, REVISIONS } from '../support/setups.ts'
import { exchange, GAPS, matrix, openPeer } from './matrix.ts'

matrix('lifecycle', (it) => {
  it(
    'LIFE-002 LIFE-008 LIFE-016 TOOL-001 RES-001 PRM-001 CMP-001 LOG-001 the handshake returns the requested version, capabilities, server info and instructions',
    async ({ server }, { revision }) => {
      expect(server).toMatchObject({
        protocolVersion: revision,
        serverInfo: { name: 'matrix', version: '1.2.3' },
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          logging: {},
        },
        instructions: 'Try everything.',
      })
      expect('completions' in (server.capabilities as object)).toBe(revision >= '2025-03-26')
      expect('title' in (server.serverInfo as object)).toBe(revision >= '2025-06-18')
    },
    GAPS.handshake,
  )

  it(
    'LIFE-009 LIFE-010 an unknown version is answered with the newest version that has a handshake',
    async (_, setup) => {
      const peer = await openPeer({ ...setup, revision: '2025-11-25' }, { requestedVersion: '1999-01-01' })
      expect(peer.server).toMatchObject({ protocolVersion: '2025-11-25' })
    },
    GAPS.handshake,
  )

  it(
    'LIFE-027 ping returns an empty result',
    async (peer) => {
      expect((await peer.request('ping')).result).toEqual({})
    },
    GAPS.handshake,
  )

  it(
    'VER-004 VER-005 server/discover returns versions, capabilities, instructions and server info',
    async (peer) => {
      const { result } = await peer.request('server/discover')
      expect(result).toMatchObject({
        resultType: 'complete',
        capabilities: { tools: { listChanged: true }, completions: {} },
        instructions: 'Try everything.',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'matrix', version: '1.2.3', title: 'The matrix' } },
      })
      expect(result.supportedVersions).toContain(REVISIONS.at(-1))
      expect(result.ttlMs).toBeGreaterThanOrEqual(0)
    },
    GAPS.stateless,
  )

  it(
    'LIFE-030 HTTP-063 the methods of the handshake do not exist',
    async (peer, { transport }) => {
      for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']) {
        const { error, status } = await peer.request(method, {})
        expect({ method, code: error?.code }).toEqual({ method, code: -32601 })
        if (isStreamable(transport)) expect(status).toBe(404)
      }
    },
    GAPS.stateless,
  )

  it(
    'VER-002 HTTP-062 an unknown version is rejected with the list of supported versions',
    async (peer, { transport }) => {
      const meta = { 'io.modelcontextprotocol/protocolVersion': '2199-01-01' }
      for (const method of ['tools/list', 'server/discover']) {
        const { error, status } = await peer.request(method, {}, { meta, headers: { 'mcp-protocol-version': '2199-01-01' } })
        expect(error).toMatchObject({ code: -32022, data: { requested: '2199-01-01' } })
        expect(error?.data).toMatchObject({ supported: expect.arrayContaining(['2026-07-28']) as string[] })
        if (isStreamable(transport)) expect(status).toBe(400)
      }
    },
    GAPS.stateless,
  )

  it('BASE-010 an unknown method is rejected with -32601, and HTTP-063 with the status of the era', async (peer, {
    transport,
  }) => {
    const { error, status } = await peer.request('unknown/method', {})
    expect(error?.code).toBe(-32601)
    if (isStreamable(transport)) expect(status).toBe(peer.era === 'modern' ? 404 : 200)
  })

  it(
    'VER-016 BASE-033 60.6.73 one connection serves both eras',
    async (peer, { transport }) => {
      const params = withEnvelope(
        { name: 'echo', arguments: { text: 'modern' } },
        { revision: '2026-07-28', clientInfo: { name: 'raw', version: '1' }, capabilities: {} },
      )
      const message = { jsonrpc: '2.0', id: 'modern', method: 'tools/call', params } as const
      const [answer] = await exchange(
        peer,
        message,
        isStreamable(transport) ? { headers: mirrorHeaders(message, '2026-07-28') } : {},
      )
      expect(answer).toMatchObject({ result: { resultType: 'complete', content: [{ text: 'modern' }] } })
      peer.violations.length = 0
      expect((await peer.request('tools/list')).result).not.toHaveProperty('resultType')
    },
    GAPS.handshake,
    GAPS.refusedPost,
  )

  it('60.1.4 unknown fields and unknown notifications are ignored', async (peer) => {
    await peer.notify('notifications/unheard-of', { anything: true })
    const { result } = await peer.request('tools/list', { unheardOf: [1, 2, 3] })
    expect(result.tools).toBeInstanceOf(Array)
  })
})
