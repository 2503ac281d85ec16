import { runClient } from './run-client.mjs'

const CREATE_TRANSPORT = {
  async http({ loadHttp }, { url }) {
    const { StreamableHTTPClientTransport } = await loadHttp()
    return new StreamableHTTPClientTransport(new URL(url))
  },
  async stdio({ loadStdio }, { command, args }) {
    const { StdioClientTransport } = await loadStdio()
    return new StdioClientTransport({ command, args })
  },
  async memory({ loadServer }) {
    const { InMemoryTransport, McpServer } = await loadServer()
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
  },
}

/** Runs the client of a version of the official SDK, whose modules are loaded when their transport is used. */
export function runOfficialClient({ createClient, ...modules }) {
  return runClient(async (options) => {
    const client = createClient(options)
    await client.connect(await CREATE_TRANSPORT[options.transport](modules, options))
    return async (a, b) => (await client.callTool({ name: 'add', arguments: { a, b } })).structuredContent.sum
  })
}
