import { createServer } from 'portcall'
import { httpHandler } from 'portcall/http'
import * as z from 'zod'

const server = createServer({ name: 'hello', version: '1.0.0' }, { sealingKeys: process.env.SEALING_KEYS?.split(',') })

server.tool('greet', { description: 'Greet a person', input: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}!`)

server.tool('introduce', { description: 'Ask for a name' }, async (_args, call) => {
  const { name } = await call.elicit('What is your name?', z.object({ name: z.string() }))
  return `Hello, ${name}!`
})

const mcp = httpHandler(server, { legacy: 'stateless', allowedHosts: ['mcp.example.com', 'localhost', '127.0.0.1'] })

export { mcp as DELETE, mcp as GET, mcp as OPTIONS, mcp as POST }
