import { test } from 'node:test'
import { createServer } from 'portcall'
import { assertText, connectPair } from 'portcall/testing'
import * as z from 'zod'

const server = createServer({ name: 'tasks', version: '1.0.0' })
server.tool('greet', { input: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}!`)

test('greets', async () => {
  const client = await connectPair(server)
  assertText(await client.callTool('greet', { name: 'Ada' }), 'Hello, Ada!')
  await client.close()
})
