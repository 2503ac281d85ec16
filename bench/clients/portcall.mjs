/** Portcall's client with its defaults; in memory with its server in the same process. */
import { connect } from 'portcall/client'
import { runClient } from './harness.mjs'

/** A server in this process. */
async function serverInMemory() {
  const { createServer } = await import('portcall')
  const { ADD } = await import('../servers/definitions.mjs')
  const server = createServer({ name: 'memory', version: '1.0.0' })
  server.tool('add', ADD, ({ a, b }) => ({ sum: a + b }))
  return server
}

const TARGETS = {
  http: ({ url }) => url,
  stdio: ({ command, args }) => ({ command, args }),
  memory: serverInMemory,
}

await runClient(async (given) => {
  const target = await TARGETS[given.transport](given)
  const client = await connect(target, given.mode === 'session' ? { revision: '2025-11-25' } : {})
  return async (a, b) => (await client.callTool('add', { a, b })).structuredContent.sum
})
