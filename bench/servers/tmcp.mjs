/** tmcp, which responds with streams only; over HTTP behind srvx, the faster of the two hosts that it documents for Node. */
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { McpServer } from 'tmcp'
import { tool } from 'tmcp/utils'
import { serverArguments } from './arguments.mjs'
import { ADD, ASK, BLOB, blobOf, fillerDescription, fillerNames, MEASURE, PROGRESS, QUESTION } from './definitions.mjs'
import { SCHEMAS } from './schemas-zod.mjs'

const { transport, tools, port } = serverArguments()
const server = new McpServer(
  { name: 'tmcp', version: '1.0.0', description: 'A server of the bench' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } },
)
const defined = (name, { description }, schema) => ({ name, description, ...(schema && { schema }) })

const add = { ...defined('add', ADD, SCHEMAS.add.input), outputSchema: SCHEMAS.add.output }
server.tool(add, ({ a, b }) => tool.structured({ sum: a + b }))
server.tool(defined('blob', BLOB, SCHEMAS.blob), ({ bytes }) => tool.text(blobOf(bytes)))
server.tool(defined('measure', MEASURE, SCHEMAS.measure), ({ text }) => tool.text(String(text.length)))
server.tool(defined('progress', PROGRESS, SCHEMAS.progress), ({ count }) => {
  for (let progress = 1; progress <= count; progress++) server.progress(progress, count)
  return tool.text('done')
})
server.tool({ ...defined('ask', ASK), replayable: true }, async () => {
  const { content } = await server.elicitation(QUESTION.message, SCHEMAS.person)
  return tool.text(`Hello, ${content.name}`)
})
for (const name of fillerNames(tools))
  server.tool(defined(name, { description: fillerDescription(name) }, SCHEMAS.filler), ({ query }) => tool.text(query))

if (transport === 'stdio') {
  const { StdioTransport } = await import('@tmcp/transport-stdio')
  new StdioTransport(server).listen()
} else {
  const { HttpTransport } = await import('@tmcp/transport-http')
  const { serve } = await import('srvx')
  const mcp = new HttpTransport(server, { path: '/mcp', allowedOrigins: [] })
  const fetch = async (request) => (await mcp.respond(request)) ?? new Response(null, { status: 404 })
  const listening = serve({ port, hostname: '127.0.0.1', silent: true, fetch })
  await listening.ready()
  console.log(JSON.stringify({ port: Number(new URL(listening.url).port) }))
}
