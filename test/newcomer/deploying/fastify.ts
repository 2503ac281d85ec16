import { fastify } from 'fastify'
import { nodeHandler } from 'portcall/node'
import { port, server } from './server.ts'

// #region app
const mcp = nodeHandler(server)
const app = fastify()
app.all('/mcp', (request, reply) => {
  reply.hijack()
  return mcp(request.raw, reply.raw, request.body)
})
await app.listen({ port, host: '127.0.0.1' })
// #endregion
export const listening = app.server
