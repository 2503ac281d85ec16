/** Testing a server without a port or a process. */
import { createServer } from 'portcall'
import { assertText, collectChanges, connectPair } from 'portcall/testing'
import * as z from 'zod'

const server = createServer({ name: 'testing', version: '1.0.0' })
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`)

// #region pair
/** Tests a tool. */
export async function testAdd(): Promise<void> {
  const client = await connectPair(server)
  assertText(await client.callTool('add', { a: 1, b: 2 }), '3')
  await client.close()
}
// #endregion

// #region places
/** The same over HTTP, as a client of an older revision. */
export async function testEverywhere(): Promise<void> {
  for (const transport of ['memory', 'stdio', 'http'] as const) {
    await using client = await connectPair(server, { transport, protocolVersion: '2025-06-18', elicit: () => ({ name: 'Ada' }) })
    assertText(await client.callTool('add', { a: 1, b: 2 }), '3')
  }
}
// #endregion

// #region changes
/** Waits for a notification from the server. */
export async function testChanges(): Promise<void> {
  await using client = await connectPair(server)
  const changes = client.listen({ toolsListChanged: true })
  await changes.acknowledged
  server.tools.disable('add')
  await collectChanges(changes, 1)
  server.tools.enable('add')
}
// #endregion
