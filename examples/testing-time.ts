import test from 'node:test'
import { createServer } from 'portcall'
import { assertError, connectPair, createFakeClock } from 'portcall/testing'

const server = createServer({ name: 'sleepy', version: '1.0.0' })
server.tool('sleep', { timeoutMs: 50_000 }, () => new Promise<string>(() => {}))

test('sleep times out after 50 seconds', async () => {
  const client = await connectPair(server)
  const clock = createFakeClock()
  const restore = clock.install()
  try {
    const result = client.callTool('sleep')
    await clock.advance(55_000)
    assertError(await result, /did not finish within 50000 ms/)
  } finally {
    restore()
  }
  await client.close()
})
