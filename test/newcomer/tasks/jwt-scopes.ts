import { createServer } from 'portcall'
import { jwt, protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'

const issuer = String(process.env.ISSUER)
const server = createServer({ name: 'tasks', version: '1.0.0' })
server.tool('list', { scopes: ['notes:read'] }, (_args, call) => `Notes of ${call.auth?.subject}`)
server.tool('erase', { scopes: ['notes:write'] }, () => 'All notes were deleted')

const protection = protect({
  resource: `http://127.0.0.1:${process.env.PORT}/mcp`,
  authorizationServers: [issuer],
  verify: jwt({ issuer, jwksUri: `${issuer}/jwks` }),
  scopes: ['notes:read'],
})
await serve(server, { port: Number(process.env.PORT), ...protection })
