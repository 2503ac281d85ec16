import type { JsonObject } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import { callText, clientMatrix, GAPS, INPUT_HANDLERS, openPeer, viewWire } from './client-matrix.ts'

clientMatrix('headers', (it) => {
  it(
    'HTTP-007 HTTP-008 LIFE-012 every message is a separate POST with the headers of its revision',
    async (peer, { revision, transport }) => {
      const wire = viewWire(peer)
      await callText(peer, 'echo', { text: 'x' })
      await peer.client.prompts().toArray()
      const heads = wire.heads()
      expect(heads.map(({ message }) => message?.method)).toEqual(['tools/call', 'prompts/list'])
      for (const { method, headers } of heads) {
        expect(method).toBe('POST')
        expect(headers['content-type']).toBe('application/json')
        expect(headers.accept).toMatch(/application\/json.*text\/event-stream/)
        expect(headers['mcp-protocol-version']).toBe(revision < '2025-06-18' ? undefined : revision)
        expect(headers['mcp-session-id'] !== undefined).toBe(peer.era === 'legacy' && transport !== 'sse')
      }
    },
    GAPS.noHeaders,
  )

  it(
    'HTTP-059 TOOL-045 RES-029 PRM-017 the headers name the method and its subject, only in 2026-07-28',
    async (peer) => {
      const wire = viewWire(peer)
      await callText(peer, 'echo', { text: 'x' })
      await peer.client.readResource('memo://bytes')
      await peer.client.getPrompt('plain')
      await expect(peer.client.callTool('zürich ')).rejects.toMatchObject({ code: -32602 })
      const names = wire.heads().map(({ headers }) => [headers['mcp-method'], headers['mcp-name']])
      if (peer.era === 'legacy') expect(names).toEqual(names.map(() => [undefined, undefined]))
      else
        expect(names).toEqual([
          ['tools/call', 'echo'],
          ['resources/read', 'memo://bytes'],
          ['prompts/get', 'plain'],
          ['tools/call', '=?base64?esO8cmljaCA=?='],
        ])
    },
    GAPS.noHeaders,
  )

  it(
    'a call may have additional headers, which cannot override those of the protocol',
    async (peer, { revision }) => {
      const wire = viewWire(peer)
      const overrides =
        peer.era === 'modern' ? { 'MCP-Protocol-Version': '1999-01-01', 'mcp-method': 'wrong', 'Mcp-Name': 'wrong' } : {}
      const headers = { 'X-Trace': 'abc', accept: 'text/html', 'Content-Type': 'text/plain', ...overrides }
      await callText(peer, 'echo', { text: 'x' }, { headers })
      await callText(peer, 'echo', { text: 'y' })
      const [first, second] = wire.heads()
      expect(first?.headers['x-trace']).toBe('abc')
      expect(second?.headers['x-trace']).toBeUndefined()
      if (peer.era === 'modern') expect(first?.headers['mcp-protocol-version']).toBe(revision)
      expect(first?.headers.accept).toContain('application/json')
      await expect(callText(peer, 'echo', { text: 'z' }, { headers: { 'x-split': 'a\r\nb: c' } })).rejects.toMatchObject({
        code: 'INVALID_HEADER',
      })
    },
    GAPS.noHeaders,
  )

  it(
    'headers of a connection are sent with every request and created for each',
    async (_, setup) => {
      let count = 0
      const peer = await openPeer(setup, { ...INPUT_HANDLERS, headers: () => ({ authorization: `Bearer ${++count}` }) })
      await callText(peer, 'echo', { text: 'x' })
      const sent = peer.wire.heads.map(({ headers }) => headers.authorization)
      expect(sent.length).toBeGreaterThan(0)
      expect([...sent].sort()).toEqual(sent.map((_, n) => `Bearer ${n + 1}`))
    },
    GAPS.noHeaders,
  )

  it('headers are ignored on transports without headers', async (peer) => {
    expect(await callText(peer, 'echo', { text: 'x' }, { headers: { 'x-trace': 'abc' } })).toBe('x')
  })

  it(
    'HTTP-076 HTTP-084 HTTP-085 arguments are mirrored once the tool is known, and the tool is fetched when the server requires them',
    async (_, setup) => {
      const peer = await openPeer(setup, INPUT_HANDLERS)
      const wire = viewWire(peer)
      expect(await callText(peer, 'region', { region: 'zürich' })).toBe('zürich')
      const calls = wire.heads().filter(({ message }) => message?.method === 'tools/call')
      expect(calls.map(({ headers }) => headers['mcp-param-region'])).toEqual([undefined, '=?base64?esO8cmljaA==?='])
      expect(wire.sent('tools/list').length).toBeGreaterThan(0)
      const again = viewWire(peer)
      for (const args of [{ region: 'eu' }, {}] as JsonObject[]) await callText(peer, 'region', args)
      expect(again.heads().map(({ headers }) => headers['mcp-param-region'])).toEqual(['eu', undefined])
    },
    GAPS.mirroring,
  )

  it('HTTP-076 a mirrored argument is an ordinary argument in other revisions and transports', async (peer) => {
    await peer.client.tools().toArray()
    const wire = viewWire(peer)
    expect(await callText(peer, 'region', { region: 'eu' })).toBe('eu')
    if (peer.era === 'legacy') for (const { headers } of wire.heads()) expect(headers).not.toHaveProperty('mcp-param-region')
  })

  it(
    'HTTP-055 closing the client ends the session',
    async (_, setup) => {
      const peer = await openPeer(setup, INPUT_HANDLERS)
      const [name] = peer.wire.heads.flatMap(({ headers }) => headers['mcp-session-id'] ?? [])
      await peer.client.close()
      const last = peer.wire.heads.filter(({ method }) => method === 'DELETE').map(({ headers }) => headers['mcp-session-id'])
      expect(last).toEqual(peer.era === 'legacy' && setup.transport !== 'sse' ? [name] : [])
    },
    GAPS.noHeaders,
  )
})
