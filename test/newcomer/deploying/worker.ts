import { createServer } from 'portcall'
import { httpHandler } from 'portcall/http'
import * as z from 'zod'

const server = createServer({ name: 'hello', version: '1.0.0' }, { sealingKeys: process.env.SEALING_KEYS?.split(',') })

server.tool('greet', { description: 'Greet a person', input: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}!`)

const mcp = httpHandler(server, {
  path: '/mcp',
  legacy: 'stateless',
  allowedHosts: ['mcp.example.com', 'my-server.my-account.workers.dev', 'localhost', '127.0.0.1'],
})

export default { fetch: mcp }
