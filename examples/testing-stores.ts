/** Faults of a storage backend: the operation that writes a step fails. */
import { createServer } from 'portcall'
import { memoryStores } from 'portcall/stores'
import { assertRejects, connectPair, faultyStores } from 'portcall/testing'

export async function testUnavailableStore(): Promise<void> {
  const stores = faultyStores(memoryStores())
  const server = createServer({ name: 'notes', version: '1.0.0' }, { stores, pageSize: 1, onEvent: () => {} })
  for (const name of ['a', 'b']) server.tool(name, {}, () => name)
  const client = await connectPair(server)
  stores.setFaults({ at: (operation) => operation.startsWith('store.'), mode: 'reject' })
  await assertRejects(client.tools().toArray(), { code: -32603 })
  await client.close()
}
