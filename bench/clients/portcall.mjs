/** Portcall's client with its defaults; in memory, with its server in the same process. */
import { connect } from 'portcall/client'
import { runClient } from './run-client.mjs'

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

await runClient(async (options) => {
  const target = await TARGETS[options.transport](options)
  const client = await connect(target, options.mode === 'session' ? { protocolVersion: '2025-11-25' } : {})
  return async (a, b) => (await client.callTool('add', { a, b })).structuredContent.sum
})
