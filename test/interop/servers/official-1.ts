/** The official SDK 1.x: over stdio, or at `/mcp` with sessions and at `/sse` in the manner of the first revision. */
import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { completable } from '@modelcontextprotocol/sdk/server/completable.js'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { isInitializeRequest, SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'
import { listen, readBody } from './listen.ts'

const textResult = (text: string): any => ({ content: [{ type: 'text', text }] })
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const QUESTION = {
  message: 'Who are you?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } }, required: ['name'] },
} as const
const PROMPT = { messages: [{ role: 'user', content: { type: 'text', text: 'Say hi' } }], maxTokens: 10 } as const

let version = 1
let cancelled = 0

function build(): McpServer {
  const capabilities = {
    logging: {},
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    completions: {},
  }
  const server = new McpServer(
    { name: 'official-1', version: '1.0.0' },
    { capabilities, instructions: 'Made for other clients.' },
  )
  for (const schema of [SubscribeRequestSchema, UnsubscribeRequestSchema])
    server.server.setRequestHandler(schema as any, () => ({}))
  addPlainTools(server)
  addAskingTools(server)
  addOffers(server)
  return server
}

function addPlainTools(server: McpServer): void {
  const sum = { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } }
  server.registerTool('add', sum, ({ a, b }) => ({
    ...textResult(JSON.stringify({ sum: a + b })),
    structuredContent: { sum: a + b },
  }))
  server.registerTool('count', {}, async ({ _meta, sendNotification }: any) => {
    for (let progress = 1; progress <= 3; progress++) {
      const params = { progressToken: _meta?.progressToken, progress, total: 3, message: `step ${progress}` }
      if (_meta?.progressToken !== undefined) await sendNotification({ method: 'notifications/progress', params })
      await pause(20)
    }
    return textResult('counted')
  })
  server.registerTool('chat', {}, async ({ sessionId }: any) => {
    await server.sendLoggingMessage({ level: 'debug', data: 'quiet' }, sessionId)
    await server.sendLoggingMessage({ level: 'error', data: { loud: true }, logger: 'chat' }, sessionId)
    return textResult('chatted')
  })
  server.registerTool('wait', {}, async ({ signal }: any) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    cancelled++
    return textResult('cancelled')
  })
  server.registerTool('cancelled', {}, () => textResult(String(cancelled)))
  server.registerTool('era', {}, () => textResult('legacy'))
  server.registerTool('exit', {}, () => process.exit(7))
  let late = false
  server.registerTool('change', {}, async () => {
    version++
    await server.server.sendResourceUpdated({ uri: 'memo://a' })
    if (!late) server.registerTool('late', {}, () => textResult('late'))
    late = true
    return textResult('changed')
  })
}

function addAskingTools(server: McpServer): void {
  server.registerTool('greet', {}, async ({ requestId }: any) => {
    const { content } = await server.server.elicitInput(QUESTION as any, { relatedRequestId: requestId })
    return textResult(`Hello ${content?.name}, ${content?.age}`)
  })
  server.registerTool('think', {}, async ({ requestId }: any) => {
    const { content }: any = await server.server.createMessage(PROMPT as any, { relatedRequestId: requestId })
    return textResult(content.text)
  })
  server.registerTool('where', {}, async ({ requestId }: any) => {
    const { roots } = await server.server.listRoots({}, { relatedRequestId: requestId })
    return textResult(roots.map(({ uri }) => uri).join())
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
  const language = completable(z.string().optional(), (value, context) =>
    ['typescript', context?.arguments?.code ?? 'rust'].filter((one) => one.startsWith(value ?? '')),
  )
  server.registerPrompt('review', { argsSchema: { code: z.string(), language } }, ({ code }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Review ${code}` } }],
  }))
}

const sessions = new Map<string, StreamableHTTPServerTransport>()
const streams = new Map<string, SSEServerTransport>()

async function openSession(): Promise<StreamableHTTPServerTransport> {
  const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  })
  await build().connect(transport as any)
  return transport
}

const refuse = (response: any, status: number, message: string): void => {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }))
}

const answer: RequestListener = async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname === '/sse') {
    if (request.method !== 'GET') return void response.writeHead(405).end()
    const transport = new SSEServerTransport('/messages', response)
    streams.set(transport.sessionId, transport)
    await build().connect(transport)
    return
  }
  if (pathname === '/messages') return void streams.get(searchParams.get('sessionId') ?? '')?.handlePostMessage(request, response)
  const id = request.headers['mcp-session-id']
  const body = request.method === 'POST' ? await readBody(request) : undefined
  const session = typeof id === 'string' ? sessions.get(id) : isInitializeRequest(body) ? await openSession() : undefined
  if (session) await session.handleRequest(request, response, body)
  else if (id === undefined) refuse(response, 400, 'Bad Request: No valid session ID provided')
  else refuse(response, 404, 'Session not found')
}

if (process.argv.includes('--stdio')) await build().connect(new StdioServerTransport())
else listen(answer)
