/** The official SDK 2.x, of both eras: over stdio, at `/mcp` (legacy requests without sessions), and at `/sessions` (legacy only, with them). */
import { randomUUID } from 'node:crypto'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import {
  acceptedContent,
  completable,
  createMcpHandler,
  inputRequired,
  inputResponse,
  isInitializeRequest,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'
import { listen, readBody } from './listen.ts'

const textResult = (text: string): any => ({ content: [{ type: 'text', text }] })
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const PERSON = z.object({ name: z.string(), age: z.number().int() })
const PROMPT = { messages: [{ role: 'user', content: { type: 'text', text: 'Say hi' } }], maxTokens: 10 } as const

let version = 1
let cancelled = 0
let late = false

/** How changes are announced. */
interface Announce {
  tools(server: McpServer): void
  resource(server: McpServer, uri: string): void
}

/** By a long-lived server, which announces its registrations itself. */
function own(): Announce {
  let known = late
  return {
    tools(server) {
      if (known) return server.sendToolListChanged()
      known = true
      addLate(server)
    },
    resource: (server, uri) => void server.server.sendResourceUpdated({ uri }),
  }
}

const addLate = (server: McpServer): void => void server.registerTool('late', {}, () => textResult('late'))

function build(era: 'legacy' | 'modern', announce: Announce): McpServer {
  const capabilities = {
    logging: {},
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    completions: {},
  }
  const server = new McpServer(
    { name: 'official-2', version: '1.0.0' },
    { capabilities, instructions: 'Made for other clients.' },
  )
  if (era === 'legacy')
    for (const method of ['resources/subscribe', 'resources/unsubscribe'])
      server.server.setRequestHandler(method as any, () => ({}))
  server.registerTool('era', {}, () => textResult(era))
  server.registerTool('change', {}, () => {
    version++
    late = true
    announce.resource(server, 'memo://a')
    announce.tools(server)
    return textResult('changed')
  })
  addPlainTools(server)
  addAskingTools(server)
  addOffers(server)
  return server
}

function addPlainTools(server: McpServer): void {
  const sum = { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) }
  server.registerTool('add', sum, ({ a, b }) => ({
    ...textResult(JSON.stringify({ sum: a + b })),
    structuredContent: { sum: a + b },
  }))
  server.registerTool('count', {}, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (let progress = 1; progress <= 3; progress++) {
      const params = { progressToken, progress, total: 3, message: `step ${progress}` }
      if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params } as any)
      await pause(20)
    }
    return textResult('counted')
  })
  server.registerTool('chat', {}, async ({ mcpReq }) => {
    await mcpReq.log('debug', 'quiet')
    await mcpReq.log('error', { loud: true }, 'chat')
    return textResult('chatted')
  })
  server.registerTool('wait', {}, async ({ mcpReq }) => {
    await new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve))
    cancelled++
    return textResult('cancelled')
  })
  server.registerTool('cancelled', {}, () => textResult(String(cancelled)))
  server.registerTool('exit', {}, () => process.exit(7))
  if (late) addLate(server)
}

function addAskingTools(server: McpServer): void {
  server.registerTool('greet', {}, ({ mcpReq }): any => {
    const person = acceptedContent(mcpReq.inputResponses, 'who', PERSON)
    const who = inputRequired.elicit({ message: 'Who are you?', requestedSchema: PERSON })
    return person ? textResult(`Hello ${person.name}, ${person.age}`) : inputRequired({ inputRequests: { who } })
  })
  server.registerTool('think', {}, ({ mcpReq }): any => {
    const thought = inputResponse(mcpReq.inputResponses, 'thought')
    if (thought.kind === 'sampling') return textResult((thought.result.content as any).text)
    return inputRequired({ inputRequests: { thought: inputRequired.createMessage(PROMPT as any) } })
  })
  server.registerTool('where', {}, ({ mcpReq }): any => {
    const places = inputResponse(mcpReq.inputResponses, 'places')
    if (places.kind === 'roots') return textResult(places.roots.map(({ uri }) => uri).join())
    return inputRequired({ inputRequests: { places: inputRequired.listRoots() } })
  })
}

function addOffers(server: McpServer): void {
  server.registerResource('logo', 'memo://logo', { mimeType: 'image/png' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: 'AQID' }],
  }))
  const template = new ResourceTemplate('memo://{name}', {
    list: undefined,
    complete: { name: (value) => ['alpha', 'beta'].filter((name) => name.startsWith(value)) },
  })
  server.registerResource('memo', template, { mimeType: 'text/plain' }, ({ href }, { name }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: `${name} v${version}` }],
  }))
  const language = completable(z.string(), (value, context) =>
    ['typescript', context?.arguments?.code ?? 'rust'].filter((one) => one.startsWith(value)),
  )
  server.registerPrompt('review', { argsSchema: z.object({ code: z.string(), language: language.optional() }) }, ({ code }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Review ${code}` } }],
  }))
}

const sessions = new Map<string, NodeStreamableHTTPServerTransport>()

async function openSession(): Promise<NodeStreamableHTTPServerTransport> {
  const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  })
  await build('legacy', own()).connect(transport)
  return transport
}

function serveHttp(): void {
  const shared: Announce = {
    tools: () => handler.notify.toolsChanged(),
    resource: (_server, uri) => handler.notify.resourceUpdated(uri),
  }
  const handler = createMcpHandler(({ era }) => build(era, shared))
  const both = toNodeHandler(handler)
  listen(async (request, response) => {
    if (request.url !== '/sessions') return both(request, response)
    const id = request.headers['mcp-session-id']
    const body = request.method === 'POST' ? await readBody(request) : undefined
    const session = typeof id === 'string' ? sessions.get(id) : isInitializeRequest(body) ? await openSession() : undefined
    if (session) await session.handleRequest(request, response, body)
    else response.writeHead(id === undefined ? 400 : 404).end()
  })
}

if (process.argv.includes('--stdio')) serveStdio(({ era }) => build(era, own()))
else serveHttp()
