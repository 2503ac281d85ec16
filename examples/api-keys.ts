import { createServer } from 'portcall'
import { type ApiKey, apiKeys, createApiKey, protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'

const keys = new Map<string, ApiKey>() // use your database

/** Creates a key for a user. Only its hash is stored. */
async function issueKey(subject: string, scopes: readonly string[]): Promise<string> {
  const { key, hash } = await createApiKey()
  keys.set(hash, { hash, subject, scopes })
  return key
}

const server = createServer({ name: 'notes', version: '1.0.0' })

server.tool('whoami', { description: 'Return the caller', scopes: ['notes:read'] }, (_, call) => `You are ${call.auth?.subject}`)

const protection = protect({
  resource: process.env.RESOURCE ?? 'http://127.0.0.1:3000/mcp',
  verify: apiKeys((hash) => keys.get(hash)),
})

const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000), ...protection })
console.log(`Listening at ${url}`)
console.log(`The key of Ann is ${await issueKey('ann', ['notes:read'])}`)
