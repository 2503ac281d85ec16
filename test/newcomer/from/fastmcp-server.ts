import { FastMCP, UserError } from 'fastmcp'
import * as z from 'zod'

const server = new FastMCP({ name: 'shop', version: '1.0.0' })

server.addTool({
  name: 'divide',
  description: 'Divide one number by another',
  parameters: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ quotient: z.number() }),
  execute: async ({ a, b }) => {
    if (b === 0) throw new UserError('b must not be 0')
    return { quotient: a / b }
  },
})

server.addTool({
  name: 'count',
  parameters: z.object({ to: z.int() }),
  execute: async ({ to }, { reportProgress }) => {
    for (let step = 1; step <= to; step++) await reportProgress({ progress: step, total: to })
    return `Counted to ${to}`
  },
})

server.addTool({
  name: 'greet',
  execute: async (_, { elicit }) => {
    const { action, content } = await elicit({
      message: 'Who are you?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    })
    return action === 'accept' ? `Hello, ${content?.name}!` : 'Nobody said who they are'
  },
})

server.addResourceTemplate({
  uriTemplate: 'note://{id}',
  name: 'note',
  mimeType: 'text/plain',
  arguments: [{ name: 'id', required: true }],
  load: async ({ id }) => ({ text: `Note ${id}` }),
})

server.addPrompt({
  name: 'review',
  arguments: [{ name: 'code', required: true }],
  load: async ({ code }) => `Review this: ${code}`,
})

export const start = (port: number): Promise<void> =>
  server.start({ transportType: 'httpStream', httpStream: { port, host: '127.0.0.1' } })

export const stop = (): Promise<void> => server.stop()
