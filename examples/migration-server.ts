import { createServer, ToolError } from 'portcall'
import { type ListeningServer, serve } from 'portcall/node'
import * as z from 'zod'

const server = createServer({ name: 'shop', version: '1.0.0' })

server.tool(
  'divide',
  {
    description: 'Divide one number by another',
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ quotient: z.number() }),
  },
  ({ a, b }) => {
    if (b === 0) throw new ToolError('b must not be 0')
    return { quotient: a / b }
  },
)

server.tool('count', { input: z.object({ to: z.int() }) }, async ({ to }, call) => {
  for (let step = 1; step <= to; step++) await call.progress(step, to)
  return `Counted to ${to}`
})

server.tool('greet', {}, async (_, call) => {
  const { name } = await call.elicit('Who are you?', z.object({ name: z.string() }))
  return `Hello, ${name}!`
})

server.resource('note://{id}', { mimeType: 'text/plain' }, ({ id }) => `Note ${id}`)

server.prompt('review', { arguments: z.object({ code: z.string() }) }, ({ code }) => `Review this: ${code}`)

export const start = (port: number): Promise<ListeningServer> => serve(server, { port })
