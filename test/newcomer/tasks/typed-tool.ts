import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import * as z from 'zod'

const server = createServer({ name: 'tasks', version: '1.0.0' })

server.tool(
  'area',
  {
    description: 'Computes the area of a rectangle',
    input: z.object({ width: z.number(), height: z.number() }),
    output: z.object({ area: z.number() }),
  },
  ({ width, height }) => ({ area: width * height }),
)

await serve(server, { port: Number(process.env.PORT) })
