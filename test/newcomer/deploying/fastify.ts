import { fastify } from 'fastify'
import { createServer } from 'portcall'
import { nodeHandler } from 'portcall/node'
import * as z from 'zod'

const server = createServer({ name: 'hello', version: '1.0.0' })

server.tool('greet', { description: 'Greet the user' }, async (_args, call) => {
  const { name } = await call.elicit('What is your name?', z.object({ name: z.string() }))
  return `Hello, ${name}!`
})

const mcp = nodeHandler(server)
const app = fastify({ bodyLimit: 4 * 1024 * 1024, forceCloseConnections: true })
app.all('/mcp', (request, reply) => {
  reply.hijack()
  return mcp(request.raw, reply.raw, request.body)
})
app.addHook('preClose', () => mcp.close())

await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`Listening at ${app.listeningOrigin}/mcp`)

process.once('SIGTERM', () => app.close())
