/** A test of a tool that asks the user. */
import { createServer } from 'portcall'
import { assertText, connectPair } from 'portcall/testing'
import * as z from 'zod'

const server = createServer({ name: 'welcome', version: '1.0.0' })
server.tool('greet', {}, async (_, call) => {
  const { name } = await call.elicit('What is your name?', z.object({ name: z.string() }))
  return `Hello, ${name}!`
})

export async function testInput(): Promise<void> {
  const client = await connectPair(server, { elicit: () => ({ name: 'Ada' }) })
  assertText(await client.callTool('greet'), 'Hello, Ada!')
  await client.close()

  const declining = await connectPair(server, { elicit: () => 'decline' })
  const { isError } = await declining.callTool('greet')
  if (!isError) throw new Error('The call should fail when the user declines')
  await declining.close()
}
