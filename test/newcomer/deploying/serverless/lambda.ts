import { Hono } from 'hono'
import { handle } from 'hono/aws-lambda'
import { createServer } from 'portcall'
import { httpHandler } from 'portcall/http'
import * as z from 'zod'

const server = createServer({ name: 'hello', version: '1.0.0' }, { sealingKeys: process.env.SEALING_KEYS?.split(',') })

server.tool('greet', { description: 'Greet a person', input: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}!`)

const mcp = httpHandler(server, {
  legacy: 'stateless',
  maxSubscriptions: 0,
  allowedHosts: (process.env.ALLOWED_HOSTS ?? 'localhost').split(','),
})
const app = new Hono()
app.all('/mcp', (context) => mcp(context.req.raw))

export const handler = handle(app)
