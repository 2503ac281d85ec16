/** Tests of protected servers, and of clients that sign in. */
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'portcall'
import { interactive, token } from 'portcall/auth/client'
import { jwt, protect } from 'portcall/auth/server'
import { connect } from 'portcall/client'
import { nodeHandler } from 'portcall/node'
import { assertText, authorizationServer, pair } from 'portcall/testing'

const server = createServer({ name: 'notes', version: '1.0.0' })
server.tool('whoami', {}, (_, { auth }) => auth?.principal ?? 'nobody')

// #region token
/** Calls a protected server with a token that was made for the test. */
export async function testWithToken(): Promise<void> {
  const login = await authorizationServer()
  const { issuer } = login
  const resource = 'https://notes.example.com/mcp'
  const guard = protect({ resource, authorizationServers: [issuer], verify: jwt({ issuer, jwksUri: `${issuer}/jwks` }) })
  const ada = await login.issue({ subject: 'ada', resources: [resource] })

  const client = await pair(server, { transport: 'http', serve: guard, auth: token(() => ada) })
  assertText(await client.callTool('whoami'), `${issuer}#ada`)
  await client.close()
  await login.close()
}
// #endregion

// #region sign-in
/** Signs in as a client does that finds out everything by itself; gives what the authorization server was asked. */
export async function testSignIn(): Promise<string[]> {
  const login = await authorizationServer({ decide: () => ({ subject: 'ada' }) })
  const { issuer } = login
  const http = createHttpServer((request, response) => handler(request, response)).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const resource = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  const verify = jwt({ issuer, jwksUri: `${issuer}/jwks` })
  const handler = nodeHandler(server, protect({ resource, authorizationServers: [issuer], verify }))

  const auth = interactive({
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
