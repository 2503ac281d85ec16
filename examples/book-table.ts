import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import * as z from 'zod'

const server = createServer({ name: 'restaurant', version: '1.0.0' })

server.tool(
  'book_table',
  {
    description: 'Book a table',
    input: z.object({ guests: z.int() }),
    output: z.object({ time: z.string() }),
  },
  async ({ guests }, call) => {
    const question = `When do you want the table for ${guests}?`
    return await call.elicit(question, z.object({ time: z.string() }))
  },
)

const port = Number(process.env.PORT ?? 3000)
const { url } = await serve(server, { port })
console.log(`Listening at ${url}`)
