/** tmcp, of both eras: over stdio, or at `/mcp`, and at `/sse` (legacy only). */

import { toWebRequest } from '@modelcontextprotocol/node'
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { HttpTransport } from '@tmcp/transport-http'
import { SseTransport } from '@tmcp/transport-sse'
import { StdioTransport } from '@tmcp/transport-stdio'
import { McpServer } from 'tmcp'
import { complete, prompt, resource, tool } from 'tmcp/utils'
import * as z from 'zod'
import { listen, reply } from './listen.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const capabilities = {
  logging: {},
  completions: {},
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
}
const server = new McpServer(
  { name: 'tmcp', version: '1.0.0', description: 'Made for other clients' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities, instructions: 'Made for other clients.' },
)
let version = 1
let cancelled = 0

const sum = { schema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) }
server.tool({ name: 'add', description: 'Adds', ...sum }, ({ a, b }) => tool.structured({ sum: a + b }))
server.tool({ name: 'count', description: 'Counts to three' }, async () => {
  for (let step = 1; step <= 3; step++) {
    server.progress(step, 3, `step ${step}`)
    await pause(20)
  }
  return tool.text('counted')
})
server.tool({ name: 'chat', description: 'Logs' }, () => {
  server.log('debug', 'quiet')
  server.log('error', { loud: true }, 'chat')
  return tool.text('chatted')
})
server.tool({ name: 'greet', description: 'Asks for a name', replayable: true }, async () => {
  const { content } = await server.elicitation('Who are you?', z.object({ name: z.string(), age: z.number() }))
  return tool.text(`Hello ${content?.name}, ${content?.age}`)
})
server.tool({ name: 'think', description: 'Asks the model', replayable: true }, async () => {
  const { content } = await server.message({
    messages: [{ role: 'user', content: { type: 'text', text: 'Say hi' } }],
    maxTokens: 10,
  })
  return tool.text('text' in content ? String(content.text) : 'nothing')
})
server.tool({ name: 'where', description: 'Asks for roots', replayable: true }, async () => {
  await server.refreshRoots()
  return tool.text(server.roots.map(({ uri }) => uri).join())
})
server.tool({ name: 'wait', description: 'Waits until it is cancelled' }, async () => {
  await new Promise((resolve) => server.ctx.signal?.addEventListener('abort', resolve))
  cancelled++
  return tool.text('cancelled')
})
server.tool({ name: 'cancelled', description: 'How often wait was cancelled' }, () => tool.text(String(cancelled)))
server.tool({ name: 'era', description: 'The era that is spoken' }, () =>
  tool.text(server.ctx.protocolVersion === undefined ? 'legacy' : 'modern'),
)
server.tool({ name: 'exit', description: 'Ends the process' }, () => process.exit(7))
server.tool({ name: 'change', description: 'Changes memo a, and the list of tools' }, () => {
  version++
  server.changed('resource', 'memo://a')
  server.tool({ name: 'late', description: 'Came later' }, () => tool.text('late'))
  return tool.text('changed')
})
server.resource({ name: 'logo', description: 'A picture', uri: 'memo://logo', mimeType: 'image/png' }, (uri) =>
  resource.blob(uri, 'AQID', 'image/png'),
)
server.resource({ name: 'a', description: 'Changes', uri: 'memo://a' }, (uri) =>
  resource.text(uri, `a v${version}`, 'text/plain'),
)
const names = { name: (value: string) => complete.values(['alpha', 'beta'].filter((name) => name.startsWith(value))) }
server.template({ name: 'memo', description: 'Memos', uri: 'memo://{name}', complete: names }, (uri, { name }) =>
  resource.text(uri, `${name} v${version}`, 'text/plain'),
)
const languages = {
  language: (value: string, context: any) =>
    complete.values(['typescript', context?.arguments?.code ?? 'rust'].filter((one) => one.startsWith(value))),
}
server.prompt(
  {
    name: 'review',
    description: 'Reviews code',
    schema: z.object({ code: z.string(), language: z.string().optional() }),
    complete: languages,
  },
  ({ code }) => prompt.message(`Review ${code}`),
)

if (process.argv.includes('--stdio')) new StdioTransport(server).listen()
else {
  const http = new HttpTransport(server, { path: '/mcp', allowedOrigins: [] })
  const sse = new SseTransport(server, { path: '/sse', endpoint: '/message' } as any)
  listen(async (request, response) => {
    const asked = await toWebRequest(request)
    await reply(response, (await http.respond(asked)) ?? (await sse.respond(asked)) ?? new Response(null, { status: 404 }))
  })
}
