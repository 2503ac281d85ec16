import { expect } from 'vitest'
import { GAPS, listAll, matrix, openPeer } from './matrix.ts'
import { PAGE_SIZE } from './server/index.ts'

const LISTS = [
  ['tools/list', 'tools', 'name'],
  ['resources/list', 'resources', 'uri'],
  ['resources/templates/list', 'resourceTemplates', 'uriTemplate'],
  ['prompts/list', 'prompts', 'name'],
] as const

/** The first revision that defines each field of a tool. */
const TOOL_FIELDS = {
  name: '2024-11-05',
  description: '2024-11-05',
  inputSchema: '2024-11-05',
  annotations: '2025-03-26',
  title: '2025-06-18',
  outputSchema: '2025-06-18',
  _meta: '2025-06-18',
  icons: '2025-11-25',
}

const RESOURCE_FIELDS = {
  uri: '2024-11-05',
  name: '2024-11-05',
  description: '2024-11-05',
  mimeType: '2024-11-05',
  size: '2024-11-05',
  annotations: '2024-11-05',
  title: '2025-06-18',
  icons: '2025-11-25',
}

const fieldsAt = (fields: Record<string, string>, revision: string): string[] =>
  Object.keys(fields)
    .filter((field) => (fields[field] ?? '') <= revision)
    .sort()

matrix('lists', (it) => {
  it('PAG-001 PAG-005 PAG-008 every list is paged in a stable order, without gaps or duplicates', async (peer) => {
    for (const [method, key, id] of LISTS) {
      const items = await listAll(peer, method, key)
      const ids = items.map((item) => item[id])
      expect(new Set(ids).size).toBe(ids.length)
      expect((await listAll(peer, method, key)).map((item) => item[id])).toEqual(ids)
    }
    const first = (await peer.request('tools/list')).result
    expect(first.tools).toHaveLength(PAGE_SIZE)
    expect(first.nextCursor).toEqual(expect.any(String))
  })

  it('PAG-009 an invalid cursor is rejected with -32602', async (peer) => {
    const { nextCursor } = (await peer.request('tools/list')).result as { nextCursor: string }
    for (const [method] of LISTS)
      for (const cursor of ['nonsense', `${nextCursor}x`, nextCursor.slice(1), ''])
        expect((await peer.request(method, { cursor })).error?.code).toBe(-32602)
    expect((await peer.request('prompts/list', { cursor: nextCursor })).error?.code).toBe(-32602)
  })

  it('TOOL-006 TOOL-010 TOOL-011 TOOL-015 a tool has exactly the fields that the revision defines', async (peer, {
    revision,
  }) => {
    const tool = (await listAll(peer, 'tools/list', 'tools')).find(({ name }) => name === 'adorned') ?? {}
    expect(Object.keys(tool).sort()).toEqual(fieldsAt(TOOL_FIELDS, revision))
  })

  it('TOOL-007 TOOL-008 TOOL-009 input schemas are sent unchanged', async (peer) => {
    const tools = await listAll(peer, 'tools/list', 'tools')
    const schemaOf = (wanted: string): unknown => tools.find(({ name }) => name === wanted)?.inputSchema
    expect(schemaOf('adorned')).toMatchObject({
      type: 'object',
      properties: { size: { type: 'integer' } },
      additionalProperties: false,
    })
    expect(schemaOf('person')).toMatchObject({
      type: 'object',
      properties: { name: { type: 'string', minLength: 1 } },
      required: ['name', 'age'],
    })
    for (const { inputSchema } of tools) expect(inputSchema).toMatchObject({ type: 'object' })
  })

  it('TOOL-029 output schemas conform to the revision', async (peer, { revision }) => {
    const list = (await listAll(peer, 'tools/list', 'tools')).find(({ name }) => name === 'list')
    const { type } = (list?.outputSchema ?? {}) as { type?: string }
    if (revision < '2025-06-18') expect(list).not.toHaveProperty('outputSchema')
    else if (revision < '2026-07-28') expect([undefined, 'object']).toContain(type)
    else expect(type).toBe('array')
  })

  it('RES-003 RES-004 a resource has exactly the fields that the revision defines', async (peer, { revision }) => {
    const text = (await listAll(peer, 'resources/list', 'resources')).find(({ uri }) => uri === 'memo://text') ?? {}
    expect(Object.keys(text).sort()).toEqual(fieldsAt(RESOURCE_FIELDS, revision))
    expect('lastModified' in (text.annotations as object)).toBe(revision >= '2025-06-18')
  })

  it('RES-006 templates are listed, and the resources they enumerate', async (peer) => {
    const templates = await listAll(peer, 'resources/templates/list', 'resourceTemplates')
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual(['page://{n}', 'note://{id}', 'file:///root/{+path}'])
    const uris = (await listAll(peer, 'resources/list', 'resources')).map(({ uri }) => uri)
    expect(uris).toEqual(expect.arrayContaining(['memo://text', 'note://apple', 'note://apricot', 'note://banana']))
  })

  it('PRM-003 prompts are listed with their arguments', async (peer, { revision }) => {
    const prompts = await listAll(peer, 'prompts/list', 'prompts')
    const greets = prompts.find(({ name }) => name === 'greets')
    expect(greets?.arguments).toEqual([
      { name: 'name', description: 'Whom to greet', required: true },
      expect.objectContaining({ name: 'tone' }),
    ])
    expect('title' in (prompts.find(({ name }) => name === 'plain') ?? {})).toBe(revision >= '2025-06-18')
  })

  it(
    'CACHE-001 CACHE-014 lists and reads carry cache hints',
    async (peer) => {
      for (const [method] of LISTS) expect((await peer.request(method)).result).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
      expect((await peer.request('resources/read', { uri: 'memo://text' })).result).toMatchObject({
        ttlMs: 5000,
        cacheScope: 'public',
      })
      expect((await peer.request('resources/read', { uri: 'memo://bytes' })).result).toMatchObject({
        ttlMs: 0,
        cacheScope: 'private',
      })
    },
    GAPS.stateless,
  )

  it('TOOL-003 TOOL-037 RES-002 RES-018 PRM-002 CMP-009 items are available only to clients that may see them, in lists and in calls', async (peer, setup) => {
    const admin = await openPeer(setup, { clientInfo: { name: 'admin', version: '1' } })
    const ref = { type: 'ref/resource', uri: 'secret://{id}' }
    for (const [client, sees] of [
      [peer, false],
      [admin, true],
    ] as const) {
      for (const [method, key] of LISTS)
        expect([method, JSON.stringify(await listAll(client, method, key)).includes('secret')]).toEqual([method, sees])
      const outcomes = [
        await client.request('tools/call', { name: 'secret' }),
        await client.request('prompts/get', { name: 'secret' }),
        await client.request('resources/read', { uri: 'memo://secret' }),
        await client.request('resources/read', { uri: 'secret://cake' }),
        await client.request('completion/complete', { ref, argument: { name: 'id', value: '' } }),
      ]
      for (const { error, result } of outcomes) {
        expect(JSON.stringify(result).includes('cake')).toBe(sees)
        if (!sees) expect(error?.code).toBeLessThan(0)
      }
    }
  })
})
