import test from 'node:test'
import { createServer } from 'portcall'
import { assertError, assertText, connectPair } from 'portcall/testing'
import * as z from 'zod'

const server = createServer({ name: 'welcome', version: '1.0.0' })
server.tool('greet', {}, async (_, call) => {
  const { name } = await call.elicit('What is your name?', z.object({ name: z.string() }))
  return `Hello, ${name}!`
})

test('greet uses the name that the user enters', async () => {
  const client = await connectPair(server, { elicit: () => ({ name: 'Ada' }) })
  assertText(await client.callTool('greet'), 'Hello, Ada!')
  await client.close()
})

test('greet fails when the user declines', async () => {
  const client = await connectPair(server, { elicit: () => 'decline' })
  assertError(await client.callTool('greet'), 'The user declined to answer')
  await client.close()
})
