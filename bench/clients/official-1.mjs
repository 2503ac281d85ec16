/** The client of the official SDK 1.x. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { runClient } from './run-client.mjs'

async function serverInMemory() {
  const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js')
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js')
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
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
    return new StreamableHTTPClientTransport(new URL(url))
  },
  async stdio({ command, args }) {
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js')
    return new StdioClientTransport({ command, args })
  },
  memory: serverInMemory,
}

await runClient(async (options) => {
  const client = new Client({ name: 'official-1', version: '1.0.0' })
  await client.connect(await TRANSPORTS[options.transport](options))
  return async (a, b) => (await client.callTool({ name: 'add', arguments: { a, b } })).structuredContent.sum
})
