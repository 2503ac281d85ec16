import test from 'node:test'
import { createServer } from 'portcall'
import { collectChanges, connectPair } from 'portcall/testing'

const server = createServer({ name: 'switch', version: '1.0.0' })
server.tool('ping', {}, () => 'pong')

test('clients are notified when a tool is disabled', async () => {
  const client = await connectPair(server)
  const changes = client.listen({ toolsListChanged: true })
  await changes.acknowledged
  server.tools.disable('ping')
  await collectChanges(changes, 1)
  await client.close()
})
