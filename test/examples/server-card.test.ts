import { createGateway } from 'portcall/gateway'
import { httpHandler } from 'portcall/http'
import { expect, test } from 'vitest'
import { startServer } from '../support/example.ts'

test('server-card', async () => {
  const url = await startServer('server-card')
  const read = async (path: string) => (await fetch(new URL(path, url))).json()
  expect(await read('/.well-known/ai-catalog.json')).toEqual({
    specVersion: '1.0',
    entries: [
      { identifier: 'urn:air:example.com:mcp:notes', type: 'application/mcp-server-card+json', url: `${url}/server-card` },
    ],
  })
  expect(await read('/mcp/server-card')).toMatchObject({
    name: 'com.example/notes',
    description: 'Reads and writes the notes of a team.',
    remotes: [{ url }],
  })
})

test('a gateway has a card, which names none of its servers', async () => {
  await using gateway = createGateway({
    servers: { crm: 'https://crm.internal.example/mcp' },
    info: { name: 'com.example/gateway', version: '3.0.0', title: 'Tools of Example' },
  })
  const handler = httpHandler(gateway, { card: true, publicUrl: 'https://mcp.example.com/mcp' })
  const read = async (path: string) => (await handler(new Request(`http://localhost${path}`))).json()
  const [card, catalog] = [await read('/mcp/server-card'), await read('/.well-known/ai-catalog.json')]
  expect([card.name, card.version, card.remotes[0].url]).toEqual(['com.example/gateway', '3.0.0', 'https://mcp.example.com/mcp'])
  expect(JSON.stringify([card, catalog])).not.toContain('crm')
})
