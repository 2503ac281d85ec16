import { createServer } from 'portcall'
import { httpHandler } from 'portcall/http'
import * as z from 'zod'

const server = createServer({ name: 'hello', version: '1.0.0' })

server.tool('greet', { description: 'Greet the user' }, async (_args, call) => {
  const { name } = await call.elicit('What is your name?', z.object({ name: z.string() }))
  return `Hello, ${name}!`
})

export class Endpoint {
  fetch = httpHandler(server, { path: '/mcp', allowedHosts: ['mcp.example.com', 'localhost', '127.0.0.1'] })
}

interface Env {
  ENDPOINT: { getByName(name: string): Endpoint }
}

export default {
  fetch: (request: Request, env: Env): Promise<Response> => env.ENDPOINT.getByName('mcp').fetch(request),
}
