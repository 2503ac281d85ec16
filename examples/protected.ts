import { createServer } from 'portcall'
import { jwt, protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'

const issuer = process.env.ISSUER ?? 'https://login.example.com'
const resource = process.env.RESOURCE ?? 'https://notes.example.com/mcp'

const server = createServer({ name: 'notes', version: '1.0.0' })

server.tool('list', { description: 'List notes', scopes: ['notes:read'] }, (_, call) => `Notes of ${call.auth?.subject}`)

server.tool('erase', { description: 'Delete all notes', scopes: ['notes:write'] }, () => 'All notes were deleted')

const protection = protect({
  resource,
  authorizationServers: [issuer],
  verify: jwt({ issuer, jwksUri: `${issuer}/jwks` }),
  scopes: ['notes:read'],
})

const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000), ...protection })
console.log(`Listening at ${url}`)
