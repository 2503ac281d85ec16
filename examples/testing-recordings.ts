/** A client tested against a recording of its server. */
import { createServer } from 'portcall'
import { assertText, connectPair, recordExchange, replayExchange } from 'portcall/testing'
import * as z from 'zod'

const server = createServer({ name: 'calculator', version: '1.0.0' })
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`)

/** Records a call. Save the recording in a file. */
export async function record(): Promise<string> {
  const recorded = recordExchange(server.exchange)
  const client = await connectPair({ exchange: recorded })
  await client.callTool('add', { a: 1, b: 2 })
  await client.close()
  return recorded.text()
}

/** Repeats the call without the server. */
export async function replay(recording: string): Promise<void> {
  const client = await connectPair({ exchange: replayExchange(recording) })
  assertText(await client.callTool('add', { a: 1, b: 2 }), '3')
  await client.close()
}
