import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createServer } from 'portcall'
import { validateServerCard } from 'portcall/cards'
import { type ListeningServer, serve } from 'portcall/node'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createWorkspace, startGateway } from './support/gateway.ts'
import { portcall, STDIO } from './support/portcall.ts'

let listening: ListeningServer | undefined
afterEach(() => listening?.close())

async function start(card: boolean): Promise<URL> {
  const server = createServer({ name: 'com.example/notes', version: '1.0.0', title: 'Notes', description: 'Keeps notes.' })
  server.tool('latest', { description: 'Returns the latest note' }, () => 'Buy milk')
  listening = await serve(server, { port: 0, card, handleProcessSignals: false })
  return new URL(listening.url)
}

test('CARD-036 discover prints the servers of a domain, and connects to them by the domain', async () => {
  const url = await start(true)
  const { code, out } = await portcall(['discover', url.host])
  expect(code).toBe(0)
  expect(out).toContain('Notes 1.0.0 com.example/notes')
  expect(out).toContain(`endpoint: ${url.href} (on this domain; versions 2025-03-26,`)
  const json = await portcall(['discover', url.host, '--json'])
  expect(JSON.parse(json.out).servers[0]).toMatchObject({
    title: 'Notes',
    endpoints: [{ url: url.href, relation: 'same-origin' }],
  })
  const list = await portcall(['list', url.origin])
  expect([list.code, list.out.includes('latest')]).toEqual([0, true])
})

test.each(['servers.json', 'servers.yaml', 'servers.yml', 'servers.toml', 'server.mjs'])(
  'discover takes %s for a file, not for a domain',
  async (name) => {
    const { code, out, err } = await portcall(['discover', name])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(name)
    expect(err).not.toContain('https://')
  },
)

test('discover says why there is no server', async () => {
  const url = await start(false)
  const { code, out } = await portcall(['discover', url.host])
  expect(code).toBe(4)
  expect(out).toContain(`${url.origin} names no server that can be read.`)
  expect(out).toContain(`✗ catalog ${url.origin}/.well-known/ai-catalog.json absent: HTTP 404`)
})

test('CARD-012 check --card compares the card with the server', async () => {
  const url = await start(true)
  const { code, out } = await portcall(['check', url.href, '--card'])
  expect(out).toContain('The card agrees with the server.')
  expect(code).toBe(0)
  await listening?.close()
  const plain = await start(false)
  const without = await portcall(['check', plain.href, '--card'])
  expect([without.code, /there is no card: the server\s+responds with HTTP 404/.test(without.out)]).toEqual([1, true])
})

test('REG-001 the card makes the server.json of the registry, which check compares with it', async () => {
  const url = await start(true)
  const { code, out, err } = await portcall(['discover', url.href, '--server-json'])
  expect(code).toBe(0)
  expect(err).toContain(`warning: the remote ${url.href} is an address of this machine`)
  const document = JSON.parse(out)
  expect(document).toEqual({
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: 'com.example/notes',
    version: '1.0.0',
    title: 'Notes',
    description: 'Keeps notes.',
    remotes: [{ type: 'streamable-http', url: url.href }],
  })
  const file = join(temporaryFolder(), 'server.json')
  const check = async (change: object) => {
    await writeFile(file, JSON.stringify({ ...document, ...change }))
    return portcall(['check', url.href, '--card', '--server-json', file])
  }
  const packages = [{ registryType: 'npm', identifier: 'notes', version: '1.0.0', transport: { type: 'stdio' } }]
  expect(await check({ packages })).toMatchObject({ code: 0, out: expect.stringContaining('The document agrees with the card.') })
  const wrong = await check({ version: '0.9.0', packages: [{ ...packages[0], version: '^1.0.0' }] })
  expect(wrong.code).toBe(1)
  expect(wrong.out).toMatch(/version differs from the card, which has "1\.0\.0"/)
  expect(wrong.out).toMatch(/packages\[0\]\.version must be one version, not a range/)
  expect(await portcall(['check', url.href, '--server-json', file])).toMatchObject({ code: 2 })
  await listening?.close()
  const plain = await start(false)
  expect(await portcall(['discover', plain.href, '--server-json'])).toMatchObject({
    code: 4,
    err: expect.stringContaining('there is no card'),
  })
})

test('CARD-036 a gateway serves a catalog of its servers, each at a path of its own', async () => {
  const notes = await start(false)
  const program = { command: process.execPath, args: [STDIO] }
  const workspace = await createWorkspace({
    mcpServers: { notes: { url: notes.href }, demo: program, hidden: program, dead: { url: 'http://127.0.0.1:9/mcp' } },
    gateway: { listen: { card: true }, policy: { default: 'allow', rules: [{ servers: 'hidden', do: 'deny' }] } },
  })
  const gateway = await startGateway(workspace)
  const { host, origin } = new URL(gateway.url)
  const found = await eventually(async () => {
    const { out } = await portcall(['discover', host, '--json'])
    const { servers } = JSON.parse(out)
    expect(servers).toHaveLength(3)
    return servers as { card: { name: string; title: string }; endpoints: { url: string }[] }[]
  })
  expect(found.map(({ card }) => validateServerCard(card))).toEqual([[], [], []])
  const urls = new Map(found.map(({ card, endpoints }) => [card.name, endpoints[0]?.url]))
  expect([...urls.keys()]).toEqual(['localhost/portcall-gateway', 'localhost/notes', 'localhost/demo'])
  expect(urls.get('localhost/notes')).toBe(`${origin}/mcp/servers/notes`)
  const catalog = await (await fetch(`${origin}/.well-known/ai-catalog.json`)).text()
  expect(catalog).not.toMatch(/hidden|dead|:9\/mcp/)
  const listed = await portcall(['list', urls.get('localhost/notes') ?? ''])
  expect([listed.code, listed.out]).toEqual([0, expect.stringMatching(/notes__latest/)])
  expect(listed.out + listed.err).not.toMatch(/demo__|dead/)
  const call = (tool: string) => portcall(['call', urls.get('localhost/notes') ?? '', tool])
  expect(await call('notes__latest')).toMatchObject({ code: 0, out: expect.stringContaining('Buy milk') })
  expect((await call('demo__greet')).code).not.toBe(0)
  expect((await portcall(['list', `${origin}/mcp/servers/other`])).code).not.toBe(0)
})
