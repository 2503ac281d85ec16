import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import * as z from 'zod'

const server = createServer({ name: 'math', version: '1.0.0' })

server.tool(
  'divide',
  {
    description: 'Divide two numbers',
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ quotient: z.number() }),
  },
  ({ a, b }) => ({ quotient: a / b }),
)

await serve(server, { port: Number(process.env.PORT) })
