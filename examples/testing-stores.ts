import test from 'node:test'
import { createServer } from 'portcall'
import { memoryStores } from 'portcall/stores'
import { assertRejects, assertText, connectPair, faultyStores } from 'portcall/testing'
import * as z from 'zod'

const stores = faultyStores(memoryStores())
const server = createServer(
  { name: 'notes', version: '1.0.0' },
  { stores, limits: { maxInlineRequestStateBytes: 0 }, onEvent() {} },
)
server.tool('rename', {}, async (_, call) => {
  const { title } = await call.elicit('New title?', z.object({ title: z.string() }))
  return `Renamed to ${title}`
})

test('a call that needs the store fails while the store is unavailable', async () => {
  const client = await connectPair(server, { elicit: () => ({ title: 'Plan' }) })
  assertText(await client.callTool('rename'), 'Renamed to Plan')
  stores.setFaults({ at: (operation) => operation.startsWith('store.'), mode: 'reject' })
  await assertRejects(client.callTool('rename'), { code: -32603 })
  await client.close()
})
