import type { JsonObject } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import { EXTENSION, PAGE_SIZE } from '../server/index.ts'
import { clientMatrix, GAPS, openPeer, viewWire } from './client-matrix.ts'

const ICONS = [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'light' }]

clientMatrix('lists', (it) => {
  it('VER-001 LIFE-001 LIFE-003 LIFE-006 a pinned revision is used from the first message on', async ({ client, wire, era }, {
    revision,
  }) => {
    await client.tools().toArray()
    expect([...wire.revisions]).toEqual([revision])
    const methods = wire.log.flatMap(({ from, message }) => (from === 'client' ? [message.method] : []))
    if (era === 'legacy') expect(methods.slice(0, 2)).toEqual(['initialize', 'notifications/initialized'])
    else expect(methods).not.toContain('initialize')
  })

  it('LIFE-017 SMP-001 ELI-001 ROO-001 the capabilities that the revision defines are declared', async ({ client, wire, era }, {
    revision,
  }) => {
    await client.tools().toArray()
    const first = wire.log.find(({ message }) => message.method === (era === 'legacy' ? 'initialize' : 'tools/list'))
    const params = first?.message.params as JsonObject
    const meta = params._meta as JsonObject
    const declared = era === 'legacy' ? params.capabilities : meta['io.modelcontextprotocol/clientCapabilities']
    const modes = revision < '2025-11-25' ? {} : { form: {}, url: {} }
    expect(declared).toEqual({
      roots: {},
      sampling: revision < '2025-11-25' ? {} : { tools: {}, context: {} },
      ...(revision >= '2025-06-18' && { elicitation: modes }),
    })
    expect(era === 'legacy' ? params.clientInfo : meta['io.modelcontextprotocol/clientInfo']).toEqual({
      name: 'matrix-client',
      version: '3.2.1',
      ...(revision >= '2025-06-18' && { title: 'The client of the matrix' }),
    })
  })

  it('VER-006 the server info is available in every era', async ({ client, era }) => {
    const found = await client.discover()
    expect(found.serverInfo).toMatchObject({ name: 'matrix', version: '1.2.3' })
    expect(found.instructions).toBe('Try everything.')
    expect(found.capabilities).toMatchObject({
      tools: { listChanged: true },
      resources: { subscribe: true },
      prompts: {},
      completions: {},
    })
    expect(found.supportedVersions).toContain('2026-07-28')
    if (era === 'modern') expect(found.capabilities.extensions).toMatchObject({ [EXTENSION]: { loud: true } })
  })

  it('PAG-001 PAG-005 every list is fetched completely, without gaps or duplicates', async (peer) => {
    const { client } = peer
    const wire = viewWire(peer)
    const lists = {
      'tools/list': (await client.tools().toArray()).map(({ name }) => name),
      'resources/list': (await client.resources().toArray()).map(({ uri }) => uri),
      'resources/templates/list': (await client.resourceTemplates().toArray()).map(({ uriTemplate }) => uriTemplate),
      'prompts/list': (await client.prompts().toArray()).map(({ name }) => name),
    }
    for (const [method, ids] of Object.entries(lists)) {
      expect(new Set(ids).size).toBe(ids.length)
      expect(wire.sent(method)).toHaveLength(Math.ceil(ids.length / PAGE_SIZE))
    }
    expect(lists['tools/list']).toEqual(expect.arrayContaining(['echo', '__proto__', 'asks', 'touches']))
    expect(lists['resources/list']).toEqual(expect.arrayContaining(['memo://text', 'note://banana']))
    expect(lists['resources/templates/list']).toEqual(['page://{n}', 'note://{id}', 'file:///root/{+path}'])
    expect(lists['prompts/list'].sort()).toEqual(['asks', 'counts', 'greets', 'plain', 'shows', 'shy'])
  })

  it('PAG-002 cursors are returned unchanged', async (peer) => {
    const wire = viewWire(peer)
    await peer.client.tools().toArray()
    const cursors = wire.received().map(({ result }) => (result as JsonObject).nextCursor)
    const sent = wire.sent('tools/list').map(({ params }) => (params as JsonObject | undefined)?.cursor)
    expect(sent).toEqual([undefined, ...cursors.slice(0, -1)])
  })

  it('pages are fetched on demand', async (peer) => {
    const wire = viewWire(peer)
    for await (const { name } of peer.client.tools()) if (name === 'journal') break
    expect(wire.sent('tools/list')).toHaveLength(1)
  })

  it('TOOL-009 TOOL-014 a tool has all fields that the revision defines', async ({ client }, { revision }) => {
    const tool = (await client.tools().toArray()).find(({ name }) => name === 'adorned')
    expect(tool).toMatchObject({
      description: 'Has everything',
      inputSchema: { type: 'object', properties: { size: { type: 'integer' } }, additionalProperties: false },
    })
    expect(tool?.title).toBe(revision < '2025-06-18' ? undefined : 'Adorned')
    expect(tool?.annotations?.readOnlyHint).toBe(revision < '2025-03-26' ? undefined : true)
    expect(tool?.icons).toEqual(revision < '2025-11-25' ? undefined : ICONS)
  })

  it('a list with repeating cursors or endless pages ends with what was read, and a warning', async (_, setup) => {
    let pages = 0
    let tools = (count: number): JsonObject[] => [{ name: `tool ${count}`, inputSchema: { type: 'object' } }]
    let next = (): string => 'again'
    const warnings: string[] = []
    const { client } = await openPeer(setup, {
      maxPages: 5,
      onEvent: (event) => event.type === 'warning' && warnings.push(`${event.method}: ${event.message}`),
      middleware: [
        async (request, context, go) => {
          if (request.method !== 'tools/list') return go(request, context)
          pages++
          return { jsonrpc: '2.0', id: request.id, result: { tools: tools(pages), nextCursor: next(), resultType: 'complete' } }
        },
      ],
    })
    const list = async (): Promise<string[]> => {
      pages = 0
      warnings.length = 0
      return (await client.tools().toArray()).map(({ name }) => name)
    }
    const all = [1, 2, 3, 4, 5].map((count) => `tool ${count}`)
    // A server that keeps its place in the session, and never says that the list has ended.
    expect(await list()).toEqual(all)
    expect(warnings).toEqual([expect.stringMatching(/^tools\/list: .*more than 5 pages/)])
    tools = (count) => (count > 3 ? [] : [{ name: `tool ${count}`, inputSchema: { type: 'object' } }])
    expect(await list()).toEqual(all.slice(0, 3))
    expect([pages, warnings.length]).toEqual([4, 1])
    // A server that ignores the cursor.
    tools = () => [{ name: 'tool 1', inputSchema: { type: 'object' } }]
    for (next of [() => 'again', () => `page ${pages}`]) {
      expect(await list()).toEqual(['tool 1'])
      expect([pages, warnings.length]).toEqual([2, 1])
    }
  })

  it(
    'CACHE-002 CACHE-004 a result with a TTL is cached until it expires',
    async (peer) => {
      const wire = viewWire(peer)
      for (let times = 0; times < 3; times++)
        expect((await peer.client.readResource('memo://text')).contents).toMatchObject([{ text: 'memo' }])
      expect(wire.sent('resources/read')).toHaveLength(1)
      for (let times = 0; times < 2; times++) await peer.client.readResource('memo://bytes')
      expect(wire.sent('resources/read')).toHaveLength(3)
    },
    GAPS.lifetimes,
  )

  it('CACHE-004 a result without a TTL is not cached', async (peer) => {
    const wire = viewWire(peer)
    for (let times = 0; times < 2; times++) await peer.client.prompts().toArray()
    expect(wire.sent('prompts/list')).toHaveLength(2)
  })
})
