/** A connection that is cut in the middle of an answer. */
import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { faultyProxy, pair } from 'portcall/testing'
import * as z from 'zod'

const server = createServer({ name: 'testing', version: '1.0.0' })
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`)

// #region faults
/** Cuts the connection in the middle of an answer. */
export async function cutConnection(): Promise<unknown> {
  await using near = await pair(server, { transport: 'http' })
  const proxy = await faultyProxy({ target: near.url ?? '' })
  await using client = await connect(proxy.url)
  proxy.set({ toClient: { resetAfterBytes: 100 } })
  const lost = await client.callTool('add', { a: 1, b: 2 }).catch((error: unknown) => error)
  await proxy.close()
  return lost
}
// #endregion
