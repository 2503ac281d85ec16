/** Testing protected servers, and clients that sign in. */
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'portcall'
import { authorizationCode, bearerToken } from 'portcall/auth/client'
import { jwt, protect } from 'portcall/auth/server'
import { connect } from 'portcall/client'
import { nodeHandler } from 'portcall/node'
import { assertText, authorizationServer, connectPair } from 'portcall/testing'

const server = createServer({ name: 'notes', version: '1.0.0' })
server.tool('whoami', {}, (_, { auth }) => auth?.principal ?? 'anonymous')

// #region token
/** Calls a protected server with a token issued for the test. */
export async function testWithToken(): Promise<void> {
  const login = await authorizationServer()
  const { issuer } = login
  const resource = 'https://notes.example.com/mcp'
  const guard = protect({ resource, authorizationServers: [issuer], verify: jwt({ issuer, jwksUri: `${issuer}/jwks` }) })
  const ada = await login.issue({ subject: 'ada', resources: [resource] })

  const client = await connectPair(server, { transport: 'http', serve: guard, auth: bearerToken(() => ada) })
  assertText(await client.callTool('whoami'), `${issuer}#ada`)
  await client.close()
  await login.close()
}
// #endregion

// #region sign-in
/** Signs in with a client that discovers everything itself, and returns the requests that the authorization server received. */
export async function testSignIn(): Promise<string[]> {
  const login = await authorizationServer({ decide: () => ({ subject: 'ada' }) })
  const { issuer } = login
  const http = createHttpServer((request, response) => handler(request, response)).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const resource = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  const verify = jwt({ issuer, jwksUri: `${issuer}/jwks` })
  const handler = nodeHandler(server, protect({ resource, authorizationServers: [issuer], verify }))

  const auth = authorizationCode({
    redirectUri: 'http://127.0.0.1:8080/callback',
    authorize: async (url) => (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '',
  })
  const client = await connect(resource, { auth })
  assertText(await client.callTool('whoami'), `${issuer}#ada`)
  await client.close()
  http.close()
  await login.close()
  return login.requests.map(({ endpoint }) => endpoint)
}
// #endregion
