import { createServer, type Server } from 'node:http'
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node'
import { acceptedContent, createMcpHandler, inputRequired, McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import * as z from 'zod'

export function createShop(): McpServer {
  const server = new McpServer({ name: 'shop', version: '1.0.0' })

  server.registerTool(
    'divide',
    {
      description: 'Divide one number by another',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ quotient: z.number() }),
    },
    ({ a, b }) => {
      if (b === 0) return { isError: true, content: [{ type: 'text', text: 'b must not be 0' }] }
      const structuredContent = { quotient: a / b }
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
    },
  )

  server.registerTool('count', { inputSchema: z.object({ to: z.int() }) }, async ({ to }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (let step = 1; step <= to; step++)
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: step, total: to } })
    return { content: [{ type: 'text', text: `Counted to ${to}` }] }
  })

  const person = z.object({ name: z.string() })
  server.registerTool('greet', {}, ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, 'who', person)
    if (given) return { content: [{ type: 'text', text: `Hello, ${given.name}!` }] }
    return inputRequired({
      inputRequests: { who: inputRequired.elicit({ message: 'Who are you?', requestedSchema: person }) },
    })
  })

  server.registerResource('note', new ResourceTemplate('note://{id}', { list: undefined }), {}, (uri, { id }) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: `Note ${id}` }],
  }))

  server.registerPrompt('review', { argsSchema: z.object({ code: z.string() }) }, ({ code }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Review this: ${code}` } }],
  }))
  return server
}

export function start(port: number): Server {
  const handler = toNodeHandler(createMcpHandler(createShop))
  const isHostValid = localhostHostValidation()
  const isOriginValid = localhostOriginValidation()
  return createServer((request, response) => {
    if (isHostValid(request, response) && isOriginValid(request, response)) void handler(request, response)
  }).listen(port, '127.0.0.1')
}
