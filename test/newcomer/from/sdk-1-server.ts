import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import express from 'express'
import * as z from 'zod'

export function createShop(): McpServer {
  const server = new McpServer({ name: 'shop', version: '1.0.0' })

  server.registerTool(
    'divide',
    {
      description: 'Divide one number by another',
      inputSchema: { a: z.number(), b: z.number() },
      outputSchema: { quotient: z.number() },
    },
    ({ a, b }) => {
      if (b === 0) return { isError: true, content: [{ type: 'text', text: 'b must not be 0' }] }
      const structuredContent = { quotient: a / b }
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
    },
  )

  server.registerTool('count', { inputSchema: { to: z.int() } }, async ({ to }, { _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken
    for (let step = 1; step <= to; step++)
      if (progressToken !== undefined)
        await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: step, total: to } })
    return { content: [{ type: 'text', text: `Counted to ${to}` }] }
  })

  server.registerTool('greet', {}, async ({ requestId }) => {
    const requestedSchema = {
      type: 'object' as const,
      properties: { name: { type: 'string' as const } },
      required: ['name'],
    }
    const asked = { message: 'Who are you?', requestedSchema }
    const { action, content } = await server.server.elicitInput(asked, { relatedRequestId: requestId })
    const text = action === 'accept' ? `Hello, ${content?.name}!` : 'Nobody said who they are'
    return { content: [{ type: 'text', text }] }
  })

  server.registerResource('note', new ResourceTemplate('note://{id}', { list: undefined }), {}, (uri, { id }) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: `Note ${id}` }],
  }))

  server.registerPrompt('review', { argsSchema: { code: z.string() } }, ({ code }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Review this: ${code}` } }],
  }))
  return server
}

export function start(port: number): Server {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const app = express()
  app.use(express.json())
  app.all('/mcp', async (request, response) => {
    const id = request.header('mcp-session-id')
    let transport = id === undefined ? undefined : sessions.get(id)
    if (id !== undefined && !transport) return void response.status(404).end()
    if (!transport) {
      const opened = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (name) => void sessions.set(name, opened),
        onsessionclosed: (name) => void sessions.delete(name),
      })
      transport = opened
      await createShop().connect(transport)
    }
    await transport.handleRequest(request, response, request.body)
  })
  return app.listen(port, '127.0.0.1')
}
