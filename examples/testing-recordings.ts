/** A recording of a server, and a client that is tested with it. */
import { createServer } from 'portcall'
import { assertText, pair, playExchange, recordExchange } from 'portcall/testing'
import * as z from 'zod'

const server = createServer({ name: 'testing', version: '1.0.0' })
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`)

// #region record
/** Records a server once, and tests a client without it from then on. */
export async function recordAndPlay(): Promise<string> {
  const recorded = recordExchange(server.exchange)
  await using client = await pair({ exchange: recorded })
  await client.callTool('add', { a: 1, b: 2 })

  await using played = await pair({ exchange: playExchange(recorded.text()) })
  assertText(await played.callTool('add', { a: 1, b: 2 }), '3')
  return recorded.text()
}
// #endregion
