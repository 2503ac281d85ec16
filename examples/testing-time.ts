/** A test of a timeout that does not wait. */
import { createServer } from 'portcall'
import { assertRejects, connectPair, createFakeClock } from 'portcall/testing'

const server = createServer({ name: 'sleepy', version: '1.0.0' })
server.tool('sleep', {}, () => new Promise<string>(() => {}))

export async function testTimeout(): Promise<void> {
  const client = await connectPair(server)
  const clock = createFakeClock()
  const installed = clock.install()
  try {
    const rejected = assertRejects(client.callTool('sleep'), { code: 'TIMEOUT' })
    await clock.advance(60_000)
    await rejected
  } finally {
    installed.uninstall()
  }
  await client.close()
}
