import test from 'node:test'
import { createServer } from 'portcall'
import { assertText, connectPair } from 'portcall/testing'
import * as z from 'zod'

const server = createServer({ name: 'calculator', version: '1.0.0' })
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`)

for (const transport of ['memory', 'stdio', 'http'] as const)
  for (const protocolVersion of ['2025-06-18', '2026-07-28'])
    test(`add, ${transport}, ${protocolVersion}`, async () => {
      const client = await connectPair(server, { transport, protocolVersion })
      assertText(await client.callTool('add', { a: 1, b: 2 }), '3')
      await client.close()
    })
