import { createServer } from 'portcall'
import { jwt, protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'

const issuer = `${process.env.KEYCLOAK_URL}/realms/${process.env.KEYCLOAK_REALM}`
const resource = process.env.RESOURCE ?? 'https://notes.example.com/mcp'

const server = createServer({ name: 'notes', version: '1.0.0' })
server.tool('whoami', { description: 'Return the caller' }, (_, call) => `You are ${call.auth?.subject}`)

const protection = protect({
  resource,
  authorizationServers: [issuer],
  verify: jwt({ issuer, jwksUri: `${issuer}/protocol/openid-connect/certs` }),
  scopes: ['notes:read'],
})

const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000), ...protection })
console.log(`Listening at ${url}`)
