import { InvalidResultError, type Middleware, RpcError } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import { EXTENSION } from '../server/index.ts'
import { BLOCKS } from '../server/tools.ts'
import { callText, clientMatrix, GAPS, INPUT_HANDLERS, openPeer, viewWire } from './client-matrix.ts'

/** The first revision that defines each kind of content. */
const KINDS: Record<string, string> = {
  text: '2024-11-05',
  image: '2024-11-05',
  resource: '2024-11-05',
  audio: '2025-03-26',
  resource_link: '2025-06-18',
}

/** Middleware that changes the results of a method. */
const changing =
  (method: string, change: (result: JsonObject) => JsonObject): Middleware =>
  async (request, context, next) => {
    const response = await next(request, context)
    return request.method === method && 'result' in response ? { ...response, result: change(response.result) } : response
  }

clientMatrix('tools', (it) => {
  it('TOOL-020 TOOL-021 a tool is called, with and without arguments', async (peer) => {
    const text = 'Grüße, 世界 \u2028 🌍'
    expect(await peer.client.callTool('echo', { text })).toMatchObject({ content: [{ type: 'text', text }] })
    expect((await peer.client.callTool('nothing')).isError).not.toBe(true)
    for (const name of ['constructor', '__proto__', 'hasOwnProperty']) expect(await callText(peer, name)).toBe(`I am ${name}`)
  })

  it('TOOL-022 every kind of content arrives, unchanged where the revision defines it', async ({ client }, { revision }) => {
    const { content } = await client.callTool('blocks')
    expect(content).toHaveLength(BLOCKS.length)
    content.forEach((block, index) => {
      const original = BLOCKS[index]
      const isKnown = (KINDS[original?.type ?? ''] ?? '') <= revision
      expect(KINDS[block.type]! <= revision).toBe(true)
      if (isKnown) expect(block.type).toBe(original?.type)
      if (isKnown && revision >= '2025-06-18') expect(block).toEqual(original)
    })
  })

  it('TOOL-032 TOOL-035 a tool error is returned as a result', async ({ client }) => {
    expect(await client.callTool('fails')).toMatchObject({ isError: true, content: [{ text: 'The printer is on fire' }] })
    expect((await client.callTool('breaks')).isError).toBe(true)
  })

  it('TOOL-033 invalid arguments are rejected as the revision requires', async ({ client }, { revision }) => {
    const call = client.callTool('person', { name: 'Ada', age: -1 })
    if (revision < '2025-11-25') await expect(call).rejects.toMatchObject({ code: -32602 })
    else expect((await call).isError).toBe(true)
  })

  it('TOOL-034 an unknown tool is an error of the server', async ({ client }) => {
    const error = await client.callTool('no-such-tool').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(RpcError)
    expect(error).toMatchObject({ code: -32602 })
  })

  it(
    'TOOL-027 TOOL-030 structured content is returned with its type and validated',
    async (peer) => {
      await peer.client.tools().toArray()
      expect((await peer.client.callTool('structured')).structuredContent).toEqual({ celsius: 21.5, sky: 'clear' })
      expect((await peer.client.callTool('misshapen')).isError).toBe(true)
    },
    GAPS.structured,
  )

  it(
    'TOOL-030 TOOL-041 structured content that does not match the output schema is rejected with the path of the issue',
    async (_, setup) => {
      const middleware = [
        changing('tools/call', (result) => ({ ...result, structuredContent: { celsius: 'warm', sky: 'clear' } })),
      ]
      const { client } = await openPeer(setup, { middleware })
      expect((await client.callTool('structured')).structuredContent).toMatchObject({ celsius: 'warm' })
      await client.tools().toArray()
      const error = await client.callTool('structured').catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(InvalidResultError)
      expect((error as InvalidResultError).issues).toMatchObject([{ path: ['celsius'] }])
    },
    GAPS.structured,
  )

  it('TOOL-027 structured content that is not an object arrives unchanged or as text', async ({ client }, { revision }) => {
    const { structuredContent, content } = await client.callTool('list')
    if (revision === '2026-07-28') expect(structuredContent).toEqual([1, 2, 3])
    expect(JSON.parse((content[0] as { text: string }).text)).toEqual([1, 2, 3])
  })

  it('BASE-051 a call sends the client info and the `_meta` of the caller', async (peer) => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const text = await callText(peer, 'whoami', {}, { meta: { traceparent } })
    expect(JSON.parse(text ?? '')).toEqual({ name: 'matrix-client', method: 'tools/call', traceparent })
  })

  it('BASE-004 BASE-005 concurrent calls have unique ids and receive their own responses', async (peer) => {
    const wire = viewWire(peer)
    const texts = Array.from({ length: 20 }, (_, n) => `text ${n}`)
    expect(await Promise.all(texts.map((text) => callText(peer, 'echo', { text })))).toEqual(texts)
    const ids = wire.sent('tools/call').map(({ id }) => id)
    expect(new Set(ids).size).toBe(texts.length)
  })

  it('any request can be sent', async ({ client }) => {
    const { tools } = await client.request('tools/list', {})
    expect(tools).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'echo' })]))
    await expect(client.request('com.example.none/say')).rejects.toMatchObject({ code: -32601 })
  })

  it(
    'VER-017 VER-018 a request of an extension is available to clients that declare it',
    async ({ client }, setup) => {
      await expect(client.request(`${EXTENSION}/say`, { text: 'hey' })).rejects.toMatchObject({ code: -32021 })
      const declaring = await openPeer(setup, { capabilities: { extensions: { [EXTENSION]: {} } } })
      expect(await declaring.client.request(`${EXTENSION}/say`, { text: 'hey' })).toMatchObject({ said: 'hey!' })
    },
    GAPS.extensions,
  )

  it('middleware receives every request in the form of the newest revision, and may answer it itself', async (_, setup) => {
    const seen: string[] = []
    const outer: Middleware = async (request, context, next) => {
      seen.push(
        `outer ${request.method} ${String((request.params?._meta as JsonObject)?.['io.modelcontextprotocol/protocolVersion'])}`,
      )
      return next(request, context)
    }
    const inner: Middleware = async (request, context, next) => {
      seen.push(`inner ${request.method}`)
      if (request.params?.name !== 'imagined') return next(request, context)
      return { jsonrpc: '2.0', id: request.id, result: { resultType: 'complete', content: [{ type: 'text', text: 'imagined' }] } }
    }
    const peer = await openPeer(setup, { ...INPUT_HANDLERS, middleware: [outer] })
    peer.client.use(inner)
    const wire = viewWire(peer)
    expect(await callText(peer, 'imagined')).toBe('imagined')
    expect(wire.sent('tools/call')).toEqual([])
    expect(await callText(peer, 'echo', { text: 'real' })).toBe('real')
    await peer.client.discover()
    expect(seen).toEqual([
      'outer tools/call 2026-07-28',
      'inner tools/call',
      'outer tools/call 2026-07-28',
      'inner tools/call',
      'outer server/discover 2026-07-28',
      'inner server/discover',
    ])
  })
})
