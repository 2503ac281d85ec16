import { createServer } from 'portcall'
import { apiKeys, createApiKey, protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'

// Your database would contain the keys of all users, by hash.
const { key, hash } = await createApiKey()
const keys = new Map([[hash, { hash, subject: 'ann', scopes: ['notes:read'] }]])

const server = createServer({ name: 'notes', version: '1.0.0' })

server.tool('whoami', { description: 'Return the caller', scopes: ['notes:read'] }, (_, call) => `You are ${call.auth?.subject}`)

const protection = protect({
  resource: process.env.RESOURCE ?? 'http://127.0.0.1:3000/mcp',
  verify: apiKeys((hash) => keys.get(hash)),
})

const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000), ...protection })
console.log(`Listening at ${url}`)
console.log(`The key of Ann is ${key}`)
