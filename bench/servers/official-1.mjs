/** The official SDK 1.x. In sessions it responds with streams, its faster option there; without sessions with JSON. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { serverArguments } from './arguments.mjs'
import { ADD, ASK, BLOB, blobOf, fillerDescription, fillerNames, MEASURE, PROGRESS, QUESTION } from './definitions.mjs'
import { SCHEMAS } from './schemas-zod.mjs'

const { transport, mode, tools } = serverArguments()
const text = (value) => ({ content: [{ type: 'text', text: value }] })
const defined = ({ description }, inputSchema) => ({ description, inputSchema })

function build() {
  const server = new McpServer({ name: 'official-1', version: '1.0.0' })
  const add = { ...defined(ADD, SCHEMAS.add.input), outputSchema: SCHEMAS.add.output }
  server.registerTool('add', add, ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }))
  server.registerTool('blob', defined(BLOB, SCHEMAS.blob), ({ bytes }) => text(blobOf(bytes)))
  server.registerTool('measure', defined(MEASURE, SCHEMAS.measure), (input) => text(String(input.text.length)))
  server.registerTool('progress', defined(PROGRESS, SCHEMAS.progress), async ({ count }, { _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken
    for (let progress = 1; progress <= count; progress++)
      await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: count } })
    return text('done')
  })
  server.registerTool('ask', ASK, async ({ requestId }) => {
    const form = { message: QUESTION.message, requestedSchema: QUESTION.form }
    const { content } = await server.server.elicitInput(form, { relatedRequestId: requestId })
    return text(`Hello, ${content.name}`)
  })
  for (const name of fillerNames(tools))
    server.registerTool(name, defined({ description: fillerDescription(name) }, SCHEMAS.filler), ({ query }) => text(query))
  return server
}

async function serveHttp() {
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js')
  const { serveSessions, serveStateless } = await import('./official-http.mjs')
  const open = async (settings) => {
    const opened = { transport: new StreamableHTTPServerTransport(settings), server: build() }
    await opened.server.connect(opened.transport)
    return opened
  }
  if (mode === 'session') serveSessions(open, { enableJsonResponse: false })
  else serveStateless(open)
}

if (transport === 'http') await serveHttp()
else {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
  await build().connect(new StdioServerTransport())
}
