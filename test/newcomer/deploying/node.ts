import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import * as z from 'zod'

const server = createServer({ name: 'hello', version: '1.0.0' })

server.tool('greet', { description: 'Greet the user' }, async (_args, call) => {
  const { name } = await call.elicit('What is your name?', z.object({ name: z.string() }))
  return `Hello, ${name}!`
})

const { url } = await serve(server, {
  port: Number(process.env.PORT ?? 3000),
  allowedHosts: ['mcp.example.com', 'localhost', '127.0.0.1'],
})
console.log(`Listening at ${url}`)
