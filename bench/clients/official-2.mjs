/** The client of the official SDK 2.x. */
import { Client } from '@modelcontextprotocol/client'
import { runClient } from './run-client.mjs'

async function serverInMemory() {
  const { InMemoryTransport, McpServer } = await import('@modelcontextprotocol/server')
  const { SCHEMAS } = await import('../servers/schemas-zod.mjs')
  const server = new McpServer({ name: 'memory', version: '1.0.0' })
  const schemas = { inputSchema: SCHEMAS.add.input, outputSchema: SCHEMAS.add.output }
  server.registerTool('add', schemas, ({ a, b }) => {
    const structuredContent = { sum: a + b }
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  })
  const [transport, other] = InMemoryTransport.createLinkedPair()
  await server.connect(other)
  return transport
}

const TRANSPORTS = {
  async http({ url }) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    return new StreamableHTTPClientTransport(new URL(url))
  },
  async stdio({ command, args }) {
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
    return new StdioClientTransport({ command, args })
  },
  memory: serverInMemory,
}

await runClient(async (options) => {
  const mode = options.mode === 'modern' ? 'auto' : 'legacy'
  const client = new Client({ name: 'official-2', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(await TRANSPORTS[options.transport](options))
  return async (a, b) => (await client.callTool({ name: 'add', arguments: { a, b } })).structuredContent.sum
})
