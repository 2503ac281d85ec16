import test from 'node:test'
import { createServer } from 'portcall'
import { bearerToken } from 'portcall/auth/client'
import { jwt, protect } from 'portcall/auth/server'
import { assertText, authorizationServer, connectPair } from 'portcall/testing'

const server = createServer({ name: 'notes', version: '1.0.0' })
server.tool('whoami', {}, (_, { auth }) => auth?.principal ?? 'anonymous')

test('a caller with a token is authenticated', async () => {
  const login = await authorizationServer()
  const { issuer } = login
  const resource = 'https://notes.example.com/mcp'
  const guard = protect({ resource, authorizationServers: [issuer], verify: jwt({ issuer, jwksUri: `${issuer}/jwks` }) })
  const token = await login.issue({ subject: 'ada', resources: [resource] })

  const client = await connectPair(server, { transport: 'http', serve: guard, auth: bearerToken(() => token) })
  assertText(await client.callTool('whoami'), `${issuer}#ada`)
  await client.close()
  await login.close()
})
