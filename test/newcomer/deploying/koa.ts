import Koa from 'koa'
import { createServer } from 'portcall'
import { nodeHandler } from 'portcall/node'
import * as z from 'zod'

const server = createServer({ name: 'hello', version: '1.0.0' })

server.tool('greet', { description: 'Greet the user' }, async (_args, call) => {
  const { name } = await call.elicit('What is your name?', z.object({ name: z.string() }))
  return `Hello, ${name}!`
})

const mcp = nodeHandler(server)
const app = new Koa()
app.use((context, next) => {
  if (context.path !== '/mcp') return next()
  context.respond = false
  return mcp(context.req, context.res)
})

const port = Number(process.env.PORT ?? 3000)
const listening = app.listen(port, '127.0.0.1', () => console.log(`Listening at http://127.0.0.1:${port}/mcp`))

process.once('SIGTERM', async () => {
  listening.close()
  await mcp.close()
  listening.closeAllConnections()
})
