import { createServer } from 'portcall'
import { httpHandler } from 'portcall/http'
import * as z from 'zod'

const server = createServer({ name: 'hello', version: '1.0.0' })

server.tool('greet', { description: 'Greet the user' }, async (_args, call) => {
  const { name } = await call.elicit('What is your name?', z.object({ name: z.string() }))
  return `Hello, ${name}!`
})

export default {
  hostname: '127.0.0.1',
  port: Number(process.env.PORT ?? 3000),
  idleTimeout: 60,
  fetch: httpHandler(server, { path: '/mcp' }),
}
