/** A client tested against a recording of its server. */
import { createServer } from 'portcall'
import { assertText, connectPair, recordExchange, replayExchange } from 'portcall/testing'
import * as z from 'zod'

const server = createServer({ name: 'testing', version: '1.0.0' })
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`)

// #region record
/** Records a server once, then tests a client without it. */
export async function recordAndPlay(): Promise<string> {
  const recorded = recordExchange(server.exchange)
  await using client = await connectPair({ exchange: recorded })
  await client.callTool('add', { a: 1, b: 2 })

  await using played = await connectPair({ exchange: replayExchange(recorded.text()) })
  assertText(await played.callTool('add', { a: 1, b: 2 }), '3')
  return recorded.text()
}
// #endregion
