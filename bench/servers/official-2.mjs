/** The official SDK 2.x: its handler for 2026-07-28, which responds with JSON where possible, and its transport for older revisions. */
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { serverArguments } from './arguments.mjs'
import { ADD, ASK, BLOB, blobOf, fillerDescription, fillerNames, MEASURE, PROGRESS, QUESTION } from './definitions.mjs'
import { SCHEMAS } from './schemas-zod.mjs'

const { transport, mode, tools, framing, framework, port } = serverArguments()
const text = (value) => ({ content: [{ type: 'text', text: value }] })
const defined = ({ description }, inputSchema) => ({ description, inputSchema })
const question = inputRequired.elicit({ message: QUESTION.message, requestedSchema: SCHEMAS.person })

function build() {
  const server = new McpServer({ name: 'official-2', version: '1.0.0' })
  const add = { ...defined(ADD, SCHEMAS.add.input), outputSchema: SCHEMAS.add.output }
  server.registerTool('add', add, ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }))
  server.registerTool('blob', defined(BLOB, SCHEMAS.blob), ({ bytes }) => text(blobOf(bytes)))
  server.registerTool('measure', defined(MEASURE, SCHEMAS.measure), (input) => text(String(input.text.length)))
  server.registerTool('progress', defined(PROGRESS, SCHEMAS.progress), async ({ count }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (let progress = 1; progress <= count; progress++)
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: count } })
    return text('done')
  })
  server.registerTool('ask', ASK, ({ mcpReq }) => {
    const person = acceptedContent(mcpReq.inputResponses, 'who', SCHEMAS.person)
    return person ? text(`Hello, ${person.name}`) : inputRequired({ inputRequests: { who: question } })
  })
  for (const name of fillerNames(tools))
    server.registerTool(name, defined({ description: fillerDescription(name) }, SCHEMAS.filler), ({ query }) => text(query))
  return server
}

async function serveHttp() {
  const { NodeStreamableHTTPServerTransport, toNodeHandler } = await import('@modelcontextprotocol/node')
  const { listen, serveSessions, serveStateless } = await import('./official-http.mjs')
  const open = async (settings) => {
    const opened = { transport: new NodeStreamableHTTPServerTransport(settings), server: build() }
    await opened.server.connect(opened.transport)
    return opened
  }
  if (mode === 'session') return serveSessions(open, { enableJsonResponse: framing === 'json' })
  if (mode === 'stateless') return serveStateless(open)
  const { createMcpHandler } = await import('@modelcontextprotocol/server')
  const handler = createMcpHandler(build)
  const node = toNodeHandler(handler)
  if (framework === 'none') return listen(node)
  const { OFFICIAL_MOUNTS } = await import('./frameworks.mjs')
  const { tellPort } = await import('./workers.mjs')
  tellPort(await OFFICIAL_MOUNTS[framework]({ node, fetch: handler.fetch }, port))
}

if (transport === 'http') await serveHttp()
else {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
  serveStdio(build)
}
