import { FastMCP } from 'fastmcp'
import * as z from 'zod'

const server = new FastMCP({ name: 'math', version: '1.0.0' })

server.addTool({
  name: 'divide',
  description: 'Divide two numbers',
  parameters: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ quotient: z.number() }),
  execute: async ({ a, b }) => ({ quotient: a / b }),
})

await server.start({ transportType: 'httpStream', httpStream: { port: Number(process.env.PORT) } })
