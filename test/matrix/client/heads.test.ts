import type { JsonObject } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import { callText, clientMatrix, GAPS, HELPFUL, openPeer, watch } from './clients.ts'

clientMatrix('heads', (it) => {
  it(
    'HTTP-007 HTTP-008 LIFE-012 every message is a POST of its own, with the head of its revision',
    async (peer, { revision, transport }) => {
      const wire = watch(peer)
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
    'HTTP-059 TOOL-045 RES-029 PRM-017 the head names the method and what it is about, and no older one does',
    async (peer) => {
      const wire = watch(peer)
      await callText(peer, 'echo', { text: 'x' })
      await peer.client.read('memo://bytes')
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
    'a call may have more headers, which say nothing else than the protocol does',
    async (peer, { revision }) => {
      const wire = watch(peer)
      const lies =
        peer.era === 'modern' ? { 'MCP-Protocol-Version': '1999-01-01', 'mcp-method': 'wrong', 'Mcp-Name': 'wrong' } : {}
      const headers = { 'X-Trace': 'abc', accept: 'text/html', 'Content-Type': 'text/plain', ...lies }
      await callText(peer, 'echo', { text: 'x' }, { headers })
      await callText(peer, 'echo', { text: 'y' })
      const [first, second] = wire.heads()
      expect(first?.headers['x-trace']).toBe('abc')
      expect(second?.headers['x-trace']).toBeUndefined()
      if (peer.era === 'modern') expect(first?.headers['mcp-protocol-version']).toBe(revision)
      expect(first?.headers.accept).toContain('application/json')
      await expect(callText(peer, 'echo', { text: 'z' }, { headers: { 'x-split': 'a\r\nb: c' } })).rejects.toBeInstanceOf(
        TypeError,
      )
    },
    GAPS.noHeaders,
  )

  it(
    'headers of a connection go out with everything, made anew for each request',
    async (_, place) => {
      let count = 0
      const peer = await openPeer(place, { ...HELPFUL, headers: () => ({ authorization: `Bearer ${++count}` }) })
      await callText(peer, 'echo', { text: 'x' })
      const seen = peer.wire.heads.map(({ headers }) => headers.authorization)
      expect(seen.length).toBeGreaterThan(0)
      expect([...seen].sort()).toEqual(seen.map((_, n) => `Bearer ${n + 1}`))
    },
    GAPS.noHeaders,
  )

  it('headers do no harm where there are none', async (peer) => {
    expect(await callText(peer, 'echo', { text: 'x' }, { headers: { 'x-trace': 'abc' } })).toBe('x')
  })

  it(
    'HTTP-076 HTTP-084 HTTP-085 arguments are mirrored once the tool is known, and it is looked up when the server wants them',
    async (_, place) => {
      const peer = await openPeer(place, HELPFUL)
      const wire = watch(peer)
      expect(await callText(peer, 'region', { region: 'zürich' })).toBe('zürich')
      const calls = wire.heads().filter(({ message }) => message?.method === 'tools/call')
      expect(calls.map(({ headers }) => headers['mcp-param-region'])).toEqual([undefined, '=?base64?esO8cmljaA==?='])
      expect(wire.sent('tools/list').length).toBeGreaterThan(0)
      const again = watch(peer)
      for (const args of [{ region: 'eu' }, {}] as JsonObject[]) await callText(peer, 'region', args)
      expect(again.heads().map(({ headers }) => headers['mcp-param-region'])).toEqual(['eu', undefined])
    },
    GAPS.mirroring,
  )

  it('HTTP-076 what is mirrored in one place is an ordinary argument in all others', async (peer) => {
    await peer.client.tools().toArray()
    const wire = watch(peer)
    expect(await callText(peer, 'region', { region: 'eu' })).toBe('eu')
    if (peer.era === 'legacy') for (const { headers } of wire.heads()) expect(headers).not.toHaveProperty('mcp-param-region')
  })

  it(
    'HTTP-055 who is done leaves the session',
    async (_, place) => {
      const peer = await openPeer(place, HELPFUL)
      const [name] = peer.wire.heads.flatMap(({ headers }) => headers['mcp-session-id'] ?? [])
      await peer.client.close()
      const last = peer.wire.heads.filter(({ method }) => method === 'DELETE').map(({ headers }) => headers['mcp-session-id'])
      expect(last).toEqual(peer.era === 'legacy' && place.transport !== 'sse' ? [name] : [])
    },
    GAPS.noHeaders,
  )
})
