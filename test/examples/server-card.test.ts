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
