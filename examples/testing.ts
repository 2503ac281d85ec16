/** Tests of a server, without a port and without a process. */
import { createServer } from 'portcall'
import { assertText, collectChanges, pair } from 'portcall/testing'
import * as z from 'zod'

const server = createServer({ name: 'testing', version: '1.0.0' })
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`)

// #region pair
/** A tool's test. */
export async function testAdd(): Promise<void> {
  const client = await pair(server)
  assertText(await client.callTool('add', { a: 1, b: 2 }), '3')
  await client.close()
}
// #endregion

// #region places
/** The same over bytes, and as a client of an older revision. */
export async function testEverywhere(): Promise<void> {
  for (const transport of ['memory', 'stdio', 'http'] as const) {
    await using client = await pair(server, { transport, revision: '2025-06-18', elicit: () => ({ name: 'Ada' }) })
    assertText(await client.callTool('add', { a: 1, b: 2 }), '3')
  }
}
// #endregion

// #region changes
/** Waits for what a server tells by itself. */
export async function testChanges(): Promise<void> {
  await using client = await pair(server)
  const changes = client.listen({ toolsListChanged: true })
  await changes.honoured
  server.tools.disable('add')
  await collectChanges(changes, 1)
  server.tools.enable('add')
}
// #endregion
