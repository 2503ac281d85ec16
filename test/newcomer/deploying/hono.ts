import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createServer } from 'portcall'
import { httpHandler } from 'portcall/http'
import * as z from 'zod'

const server = createServer({ name: 'hello', version: '1.0.0' })

server.tool('greet', { description: 'Greet the user' }, async (_args, call) => {
  const { name } = await call.elicit('What is your name?', z.object({ name: z.string() }))
  return `Hello, ${name}!`
})

const mcp = httpHandler(server)
const app = new Hono()
app.all('/mcp', (context) => mcp(context.req.raw))

const port = Number(process.env.PORT ?? 3000)
const listening = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () =>
  console.log(`Listening at http://127.0.0.1:${port}/mcp`),
)

process.once('SIGTERM', async () => {
  listening.close()
  await mcp.close()
})
