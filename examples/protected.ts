/** A server that requires an access token. */
import { createServer } from 'portcall'
import { jwt, protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'

const issuer = process.env.ISSUER ?? 'https://login.example.com'
const resource = process.env.RESOURCE ?? 'https://notes.example.com/mcp'

// #region server
const server = createServer({ name: 'notes', version: '1.0.0' })
server.tool('list', { scopes: ['notes:read'] }, (_, call) => `Notes of ${call.auth?.subject}`)
server.tool('erase', { scopes: ['notes:write'] }, () => 'All notes were deleted')

const verify = jwt({ issuer, jwksUri: `${issuer}/jwks` })
const protection = protect({ resource, authorizationServers: [issuer], verify, scopes: ['notes:read'] })
const serving = await serve(server, { port: Number(process.env.PORT ?? 3000), ...protection })
// #endregion
console.log(serving.url)
