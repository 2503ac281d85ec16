import test from 'node:test'
import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { assertRejects, connectPair, faultyProxy } from 'portcall/testing'
import * as z from 'zod'

const server = createServer({ name: 'calculator', version: '1.0.0' })
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`)

test('a lost connection is reported', async () => {
  const direct = await connectPair(server, { transport: 'http' })
  const proxy = await faultyProxy({ target: direct.url ?? '' })
  const client = await connect(proxy.url)

  proxy.setFaults({ toClient: { resetAfterBytes: 100 } })
  await assertRejects(client.callTool('add', { a: 1, b: 2 }), { code: 'CONNECTION_LOST' })

  await client.close()
  await proxy.close()
  await direct.close()
})
