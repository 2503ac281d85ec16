import assert from 'node:assert/strict'
import test from 'node:test'
import { createServer } from 'portcall'
import { assertRpcError, connectPair } from 'portcall/testing'
import * as z from 'zod'

const server = createServer({ name: 'library', version: '1.0.0' })
server.resource('book://{id}', { mimeType: 'text/plain' }, ({ id }) => (id === 'dune' ? 'A novel' : undefined))
server.prompt('review', { arguments: z.object({ id: z.string() }) }, ({ id }) => `Review the book ${id}`)

test('a book can be read', async () => {
  const client = await connectPair(server)
  const { contents } = await client.readResource('book://dune')
  assert.deepEqual(contents, [{ uri: 'book://dune', mimeType: 'text/plain', text: 'A novel' }])
  await assertRpcError(client.readResource('book://emma'), -32602)
  await client.close()
})

test('the prompt names the book', async () => {
  const client = await connectPair(server)
  const { messages } = await client.getPrompt('review', { id: 'dune' })
  assert.deepEqual(messages, [{ role: 'user', content: { type: 'text', text: 'Review the book dune' } }])
  await client.close()
})
