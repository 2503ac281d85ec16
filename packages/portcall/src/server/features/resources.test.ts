import { expect, onTestFinished, test } from 'vitest'
import type { Client } from '../../client/types.ts'
import { connect } from '../../connect/connect.ts'
import { createGateway } from '../../gateway/gateway.ts'
import { createServer } from '../server.ts'
import type { Server } from '../types.ts'

/** URIs as servers register them, and as a client sends them that parses URIs: WHATWG URL, or AnyUrl of Pydantic. */
const SPELLINGS = [
  ['WordPress://posts', 'wordpress://posts'],
  ['oni://测试', 'oni://%E6%B5%8B%E8%AF%95'],
  ['file:///tmp/My Report.txt', 'file:///tmp/My%20Report.txt'],
  ['http://Example.com', 'http://example.com/'],
  ['https://Example.com:443/%7Ea?q=é', 'https://example.com/~a?q=%C3%A9'],
] as const

function createNotes(): Server {
  const server = createServer({ name: 'notes', version: '1' })
  for (const [uri] of SPELLINGS) server.resource(uri, { name: uri }, (_variables, _call, own) => own)
  server
    .resource('Tpl://x/{Id}', { name: 'template', complete: { Id: () => ['done'] } }, ({ Id }) => `template ${Id}`)
    .resource('file:///{+path}', { name: 'files' }, ({ path }) => `file ${path}`)
    .resource('Admin://Settings', { name: 'admin', visible: () => false }, () => 'secret')
    .resource('admin://{+any}', { name: 'any' }, () => 'any')
  return server
}

const textOf = async (client: Client, uri: string): Promise<unknown> => {
  const { contents } = await client.readResource(uri)
  return contents.map((one) => [one.uri, 'text' in one && one.text])
}

test.each<[string, (server: Server) => Server | ReturnType<typeof createGateway>, string?]>([
  ['a server', (server) => server],
  ['a server for older clients', (server) => server, '2025-11-25'],
  ['a gateway with one server', (notes) => createGateway({ servers: { notes } })],
  [
    'a gateway',
    (notes) =>
      createGateway({
        servers: { notes, other: createServer({ name: 'o', version: '1' }).resource('o://o', { name: 'o' }, () => 'o') },
      }),
  ],
])('%s finds what it lists by every equivalent URI', async (_, wrap, protocolVersion) => {
  const server = createNotes()
  const target = wrap(server)
  const client = await connect(target, protocolVersion === undefined ? {} : { protocolVersion: protocolVersion as never })
  onTestFinished(async () => {
    await client.close()
    await target.close()
  })
  const listed = (await client.resources().toArray()).map(({ uri }) => uri)
  await client.resourceTemplates().toArray()
  for (const [uri, normal] of SPELLINGS) {
    expect(listed).toContain(uri)
    for (const spelling of [uri, normal]) expect(await textOf(client, spelling)).toEqual([[spelling, uri]])
  }
  expect(await textOf(client, 'tpl://x/A%20b')).toEqual([['tpl://x/A%20b', 'template A b']])
  const { values } = await client.complete({ type: 'ref/resource', uri: 'tpl://x/%7BId%7D' }, { name: 'Id', value: '' })
  expect(values).toEqual(['done'])
  for (const uri of ['tpl://x/A\nb', 'tpl://x/A\tb', 'tpl://x/A\0', 'TPL://x/A\x7f'])
    await expect(client.readResource(uri), JSON.stringify(uri)).rejects.toThrow('not found')
  // What is not visible is not found in another spelling either, although a template matches that.
  for (const uri of ['Admin://Settings', 'admin://settings', 'ADMIN://%53ettings'])
    await expect(client.readResource(uri), uri).rejects.toThrow('not found')

  await using subscription = client.listen({
    resourceSubscriptions: ['wordpress://posts', 'http://example.com/', 'admin://settings'],
  })
  expect((await subscription.acknowledged).resourceSubscriptions).toEqual(['wordpress://posts', 'http://example.com/'])
  server.resourceUpdated('http://Example.com')
  server.resourceUpdated('WordPress://posts')
  const changes: unknown[] = []
  for await (const change of subscription) if (changes.push(change) === 2) break
  expect(changes).toEqual([
    { type: 'resource', uri: 'http://example.com/' },
    { type: 'resource', uri: 'wordpress://posts' },
  ])
})
