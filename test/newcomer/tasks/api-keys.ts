import { createServer } from 'portcall'
import { apiKeys, createApiKey, protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'

const server = createServer({ name: 'tasks', version: '1.0.0' })
server.tool('whoami', {}, (_args, call) => `You are ${call.auth?.subject}`)

const { key, hash } = await createApiKey()
const protection = protect({
  resource: `http://127.0.0.1:${process.env.PORT}/mcp`,
  verify: apiKeys([{ hash, subject: 'ada', scopes: [] }]),
})
await serve(server, { port: Number(process.env.PORT), ...protection })
console.log(key)
