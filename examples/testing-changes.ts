/** A test that waits for a notification. */
import { createServer } from 'portcall'
import { collectChanges, connectPair } from 'portcall/testing'

const server = createServer({ name: 'switch', version: '1.0.0' })
server.tool('ping', {}, () => 'pong')

export async function testChanges(): Promise<void> {
  const client = await connectPair(server)
  const changes = client.listen({ toolsListChanged: true })
  await changes.acknowledged
  server.tools.disable('ping')
  await collectChanges(changes, 1)
  await client.close()
}
