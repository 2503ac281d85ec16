import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createServer } from 'portcall'
import { type ListeningServer, serve } from 'portcall/node'
import { afterEach, expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { portcall } from './support/portcall.ts'

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
  const { code, out } = await portcall(['discover', url.href, '--server-json'])
  expect(code).toBe(0)
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
