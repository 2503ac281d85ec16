import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { createServer } from 'portcall'
import { authorizationCode } from 'portcall/auth/client'
import { jwt, protect } from 'portcall/auth/server'
import { connect } from 'portcall/client'
import { nodeHandler } from 'portcall/node'
import { assertText, authorizationServer } from 'portcall/testing'

const server = createServer({ name: 'notes', version: '1.0.0' })
server.tool('whoami', {}, (_, { auth }) => auth?.principal ?? 'anonymous')

test('a client signs in', async () => {
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
  const endpoints = login.requests.map(({ endpoint }) => endpoint)
  assert.deepEqual(endpoints, ['metadata', 'register', 'authorize', 'token', 'jwks'])
  await client.close()
  http.close()
  await login.close()
})
