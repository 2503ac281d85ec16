import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type Server } from 'portcall'
import { connect } from 'portcall/client'
import { createGateway, type Gateway } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { skills } from 'portcall/skills'
import { skills as clientSkills } from 'portcall/skills/client'
import { memoryStores } from 'portcall/stores'
import { tasks } from 'portcall/tasks'
import { tasks as clientTasks } from 'portcall/tasks/client'
import { expect, onTestFinished, test } from 'vitest'

const REVISIONS = ['2025-11-25', '2026-07-28'] as const
const PAIRS = REVISIONS.flatMap((client) => REVISIONS.map((server) => ({ client, server })))

async function serveOnce(server: Parameters<typeof serve>[0]): Promise<string> {
  const { url, close } = await serve(server, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
  onTestFinished(close)
  return url
}

/** Links in a result: two that no server offers and clients open themselves, and three that servers offer. */
const LINKS = [
  'https://example.com/report.pdf',
  'file:///home/ada/out.txt',
  'https://example.com/listed',
  'file:///data/7',
  'notes://1',
]

/** A server with a task that asks, a user interface, and a skill, all under the same names as on other servers. */
async function createRich(name: string, directoryRead = false): Promise<Server> {
  const server = createServer(
    { name, version: '1' },
    {
      extensions: [tasks({ limits: { pollIntervalMs: 20 } }), skills({ directoryRead })],
    },
  )
  const schema = { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] } as const
  server.tool('paint', { task: 'optional' }, async (_input, call) => {
    const { color } = await call.elicit('Color?', schema)
    return `${name} painted ${String(color)}`
  })
  const ui = { ui: { resourceUri: 'ui://chart/main' }, 'ui/resourceUri': 'ui://chart/main' }
  server.tool('chart', { _meta: ui }, () => ({ content: [{ type: 'text', text: 'drawn', _meta: ui }], _meta: ui }))
  server.resource('https://example.com/listed', { name: 'page' }, () => name)
  server.resource('file:///data/{id}', { name: 'data' }, ({ id }) => `${name} ${id}`)
  server.tool('links', {}, () => ({
    content: LINKS.map((uri) => ({ type: 'resource_link' as const, uri, name: 'link' })),
  }))
  server.resource('ui://chart/main', { name: 'chart', mimeType: 'text/html;profile=mcp-app' }, () => `<p>${name}</p>`)
  const folder = await mkdtemp(join(tmpdir(), 'portcall-skills-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'report'))
  await writeFile(
    join(folder, 'report', 'SKILL.md'),
    `---\nname: report\ndescription: Reports of ${name}\n---\nWrite to ${name}.\n`,
  )
  const { close } = await server.skills(folder)
  onTestFinished(close)
  return server
}

async function startPair(protocolVersion: string, directories: readonly string[] = []): Promise<Gateway> {
  const servers = await Promise.all(['one', 'two'].map((name) => createRich(name, directories.includes(name))))
  const [one = '', two = ''] = await Promise.all(servers.map(serveOnce))
  const gateway = createGateway({ servers: { one: { target: one, protocolVersion }, two: { target: two, protocolVersion } } })
  onTestFinished(() => gateway.close())
  return gateway
}

test.each(PAIRS)('tasks of two servers of $server, which ask a client of $client, are kept apart', async ({ client, server }) => {
  await using peer = await connect(await serveOnce(await startPair(server)), {
    protocolVersion: client,
    extensions: [clientTasks()],
    elicit: () => ({ action: 'accept', content: { color: 'red' } }),
  })
  const handles = await Promise.all(['one', 'two'].map((name) => peer.tasks.start(`${name}__paint`)))
  const results = await Promise.all(handles.map((handle) => ('result' in handle ? handle.result() : handle)))
  expect(results).toMatchObject([{ content: [{ text: 'one painted red' }] }, { content: [{ text: 'two painted red' }] }])
})

test.each(REVISIONS)(
  'the result of a task of a server of %s comes through another process when the first has ended',
  async (protocolVersion) => {
    const target = await serveOnce(await createRich('one'))
    const stores = memoryStores()
    const startGateway = (): Gateway => createGateway({ servers: { one: { target, protocolVersion } }, stores })
    const first = startGateway()
    const second = startGateway()
    onTestFinished(() => second.close())
    let current = first
    await using peer = await connect((request, context) => current.exchange(request, context), {
      extensions: [clientTasks()],
      elicit: () => ({ color: 'red' }),
    })
    const handle = await peer.tasks.start('one__paint')
    await first.close()
    current = second
    expect('result' in handle ? await handle.result() : handle).toMatchObject({ content: [{ text: 'one painted red' }] })
  },
)

test('calls that may become tasks and calls that may not share the session of a server', async () => {
  const gateway = await startPair('2025-11-25')
  await using peer = await connect(await serveOnce(gateway), {
    protocolVersion: '2025-11-25',
    extensions: [clientTasks()],
    elicit: () => ({ color: 'red' }),
  })
  expect(await peer.callTool('one__paint')).toMatchObject({ content: [{ text: 'one painted red' }] })
  expect(await peer.callTool('one__chart')).toMatchObject({ content: [{ text: 'drawn' }] })
  const handle = await peer.tasks.start('one__paint')
  await ('result' in handle ? handle.result() : handle)
  expect(gateway.status().servers).toMatchObject({ one: { connections: 1 } })
})

test.each(PAIRS)(
  'the user interfaces of two servers of $server have different URIs for a client of $client',
  async ({ client, server }) => {
    await using peer = await connect(await serveOnce(await startPair(server)), { protocolVersion: client })
    const tools = (await peer.tools().toArray()).filter(({ name }) => name.endsWith('chart'))
    const uris = tools.map(({ _meta }) => (_meta as { ui?: { resourceUri?: string } } | undefined)?.ui?.resourceUri ?? '')
    expect(new Set(uris).size).toBe(2)
    for (const uri of uris) expect(uri).toMatch(/^ui:\/\/(one|two)\+\//)
    const results = await Promise.all(tools.map(({ name }) => peer.callTool(name)))
    const metas = results.map(({ _meta, content }) => [_meta, content[0]?._meta])
    for (const [at, { _meta }] of tools.entries()) {
      const expected = { ui: { resourceUri: uris[at] }, 'ui/resourceUri': uris[at] }
      expect([_meta, ...(metas[at] ?? [])]).toMatchObject([expected, expected, expected])
    }
    const pages = await Promise.all(uris.map((uri) => peer.readResource(uri)))
    expect(pages).toMatchObject([{ contents: [{ text: '<p>one</p>' }] }, { contents: [{ text: '<p>two</p>' }] }])
  },
)

test.each(PAIRS)(
  'links of $server that clients of $client open themselves stay as they are, and the others lead to their server',
  async ({ client, server }) => {
    await using peer = await connect(await serveOnce(await startPair(server)), { protocolVersion: client })
    await peer.resources().toArray()
    await peer.resourceTemplates().toArray()
    const { content } = await peer.callTool('two__links')
    const uris = (content as { uri: string }[]).map(({ uri }) => uri)
    expect(uris.slice(0, 2)).toEqual(LINKS.slice(0, 2))
    expect(uris.slice(2)).toEqual(LINKS.slice(2).map((uri) => `two+${uri}`))
    const read = await Promise.all(uris.slice(2, 4).map((uri) => peer.readResource(uri)))
    expect(read).toMatchObject([{ contents: [{ text: 'two' }] }, { contents: [{ text: 'two 7' }] }])
  },
)

test('skills of two servers with the same name are listed and loaded from their own server', async () => {
  const gateway = await startPair('2026-07-28')
  await using peer = await connect(await serveOnce(gateway), { extensions: [clientSkills()] })
  const entries = await peer.skills.list().toArray()
  expect(entries).toHaveLength(2)
  expect(entries.map(({ uri }) => uri)).toEqual(['skill://one+/report/SKILL.md', 'skill://two+/report/SKILL.md'])
  const loaded = await Promise.all(entries.map((entry) => peer.skills.load(entry)))
  const text = JSON.stringify(loaded)
  expect(text).toContain('Write to one.')
  expect(text).toContain('Write to two.')
})

test('a long list of skills of two servers has pages behind a gateway, also over HTTP', async () => {
  const serveMany = async (name: string, count: number): Promise<string> => {
    const server = createServer({ name, version: '1' }, { pageSize: 4, extensions: [skills()] })
    const folder = await mkdtemp(join(tmpdir(), 'portcall-skills-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    for (let at = 10; at < 10 + count; at++) {
      await mkdir(join(folder, `s${at}`))
      await writeFile(join(folder, `s${at}`, 'SKILL.md'), `---\nname: s${at}\ndescription: Of ${name}\n---\nDo it.\n`)
    }
    const { close } = await server.skills(folder)
    onTestFinished(close)
    return serveOnce(server)
  }
  const [one, two] = await Promise.all([serveMany('one', 11), serveMany('two', 9)])
  const gateway = createGateway({ servers: { one, two }, pageSize: 6 })
  onTestFinished(() => gateway.close())
  await using peer = await connect(await serveOnce(gateway), { extensions: [clientSkills()] })
  const first = await peer.request('skills/list')
  expect(first.skills).toHaveLength(6)
  const entries = await peer.skills.list().toArray()
  const uris = ([name, count]: readonly [string, number]): string[] =>
    Array.from({ length: count }, (_, at) => `skill://${name}+/s${at + 10}/SKILL.md`)
  expect(entries.map(({ uri }) => uri)).toEqual([uris(['one', 11]), uris(['two', 9])].flat())
  expect(JSON.stringify(await peer.skills.load(entries.at(-1) ?? ''))).toContain('Do it.')
  await expect(peer.request('skills/list', { cursor: 'x' })).rejects.toMatchObject({ code: -32602 })
})

test('SKL-044 SKL-048 entries, reads and directories of skills have the same URIs behind a gateway', async () => {
  const gateway = await startPair('2026-07-28', ['one', 'two'])
  await using peer = await connect(await serveOnce(gateway), { extensions: [clientSkills()] })
  const { capabilities } = await peer.discover()
  expect(capabilities.extensions?.['io.modelcontextprotocol/skills']).toEqual({ directoryRead: true })
  const [entry] = await peer.skills.list().toArray()
  const children = await peer.skills.directory('skill://one+/report').toArray()
  expect(children.map(({ uri }) => uri)).toEqual([entry?.uri])
  const page = await peer.request('resources/directory/read', { uri: 'skill://two+/report' })
  expect(page).toMatchObject({ ttlMs: 0, cacheScope: 'public', resources: [{ uri: 'skill://two+/report/SKILL.md' }] })
  for (const [method, uri] of [
    ['skills/get', 'skill://one+/none/SKILL.md'],
    ['skills/get', undefined],
    ['resources/directory/read', 'skill://one+/none'],
    ['resources/read', 'skill://one+/report/none.txt'],
  ])
    await expect(peer.request(String(method), { uri })).rejects.toMatchObject({ code: -32602 })
})

test('SKL-002 a gateway offers directories of skills only if all of its servers with skills do', async () => {
  const gateway = await startPair('2026-07-28', ['one'])
  await using peer = await connect(await serveOnce(gateway), { extensions: [clientSkills()] })
  const { capabilities } = await peer.discover()
  expect(capabilities.extensions?.['io.modelcontextprotocol/skills']).toEqual({})
})

test('SKL-012 SKL-034 a skill of 16,777,216 bytes comes through a gateway over HTTP', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portcall-skills-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'large'))
  const text = '---\nname: large\ndescription: Large\n---\n'
  await writeFile(join(folder, 'large', 'SKILL.md'), text)
  await writeFile(join(folder, 'large', 'data.bin'), Buffer.alloc(16_777_216 - text.length, 0xff))
  const server = createServer({ name: 'large', version: '1' }, { extensions: [skills()] })
  const { close } = await server.skills(folder, { watch: false })
  onTestFinished(close)
  const gateway = createGateway({
    servers: { large: await serveOnce(server), other: await serveOnce(await createRich('other')) },
  })
  onTestFinished(() => gateway.close())
  await using peer = await connect(await serveOnce(gateway), { extensions: [clientSkills()] })
  const skill = await peer.skills.load('skill://large+/large/SKILL.md')
  expect((await skill.read('data.bin')).bytes).toHaveLength(16_777_216 - text.length)
})
