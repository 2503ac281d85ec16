/** A connection that breaks in the middle of a response. */
import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { connectPair, faultyProxy } from 'portcall/testing'
import * as z from 'zod'

const server = createServer({ name: 'testing', version: '1.0.0' })
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`)

// #region faults
/** Breaks the connection in the middle of a response. */
export async function cutConnection(): Promise<unknown> {
  await using near = await connectPair(server, { transport: 'http' })
  const proxy = await faultyProxy({ target: near.url ?? '' })
  await using client = await connect(proxy.url)
  proxy.setFaults({ toClient: { resetAfterBytes: 100 } })
  const lost = await client.callTool('add', { a: 1, b: 2 }).catch((error: unknown) => error)
  await proxy.close()
  return lost
}
// #endregion
