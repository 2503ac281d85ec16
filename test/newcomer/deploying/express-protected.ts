import express from 'express'
import { createServer } from 'portcall'
import { jwt, protect } from 'portcall/auth/server'
import { nodeHandler } from 'portcall/node'

const issuer = process.env.ISSUER ?? 'https://login.example.com'
const port = Number(process.env.PORT ?? 3000)

const server = createServer({ name: 'notes', version: '1.0.0' })
server.tool('whoami', { description: 'Return the name of the caller' }, (_args, call) => `You are ${call.auth?.subject}`)

const protection = protect({
  resource: process.env.RESOURCE ?? `http://127.0.0.1:${port}/mcp`,
  authorizationServers: [issuer],
  verify: jwt({ issuer, jwksUri: `${issuer}/jwks` }),
})

const app = express()
app.all(['/mcp', '/.well-known/{*path}'], nodeHandler(server, protection))
app.listen(port, '127.0.0.1', () => console.log(`Listening at http://127.0.0.1:${port}/mcp`))
