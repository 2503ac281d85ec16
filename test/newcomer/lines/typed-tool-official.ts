import { createServer } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'math', version: '1.0.0' })
  server.registerTool(
    'divide',
    {
      description: 'Divide two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ quotient: z.number() }),
    },
    ({ a, b }) => {
      const structuredContent = { quotient: a / b }
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
    },
  )
  return server
})

createServer(toNodeHandler(handler)).listen(Number(process.env.PORT), '127.0.0.1')
