import test from 'node:test'
import { createServer, ToolError } from 'portcall'
import { assertError, assertStructured, connectPair } from 'portcall/testing'
import * as z from 'zod'

const server = createServer({ name: 'calculator', version: '1.0.0' })
server.tool(
  'divide',
  { input: z.object({ a: z.number(), b: z.number() }), output: z.object({ quotient: z.number() }) },
  ({ a, b }) => {
    if (b === 0) throw new ToolError('Division by zero')
    return { quotient: a / b }
  },
)

test('divide returns the quotient', async () => {
  const client = await connectPair(server)
  assertStructured(await client.callTool('divide', { a: 3, b: 2 }), { quotient: 1.5 })
  await client.close()
})

test('divide rejects a divisor of 0', async () => {
  const client = await connectPair(server)
  assertError(await client.callTool('divide', { a: 1, b: 0 }), 'Division by zero')
  await client.close()
})
