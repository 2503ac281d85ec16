import { jwt, protect } from 'portcall/auth/server'
import { connect } from 'portcall/client'
import { callerIdentity, createGateway } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { authorizationServer } from 'portcall/testing'
import { expect, onTestFinished, test } from 'vitest'
import { findPort, startProtectedUpstream } from './support/protected-upstream.ts'

/** Starts a gateway that exchanges the tokens of its callers for those of one server. */
async function startExchangingGateway() {
  const company = await authorizationServer()
  const upstream = await startProtectedUpstream({
    clients: [{ client_id: 'gateway', client_secret: 'secret' }],
    trustedIssuers: [{ issuer: company.issuer, keys: company.keys }],
  })
  const port = await findPort()
  const resource = `http://127.0.0.1:${port}/mcp`
  const client = { clientId: 'gateway', clientSecret: 'secret', issuer: upstream.login.issuer }
  const { credentials, middleware } = callerIdentity({ client })
  const gateway = createGateway({ servers: { notes: { target: upstream.url, credentials } }, middleware: [middleware] })
  const verify = jwt({ issuer: company.issuer, jwksUri: `${company.issuer}/jwks` })
  const protection = protect({ resource, authorizationServers: [company.issuer], verify })
  const { close } = await serve(gateway, { ...protection, port, handleProcessSignals: false, drainTimeoutMs: 0 })
  onTestFinished(async () => {
    await close()
    await gateway.close()
    await company.close()
  })
  return { company, upstream, resource }
}

test('the token of the caller is exchanged for one of the server, and does not reach the server', async () => {
  const { company, upstream, resource } = await startExchangingGateway()
  for (const user of ['ada', 'eve']) {
    const token = await company.issue({ subject: user, resources: [resource] })
    const caller = await connect(resource, { headers: { authorization: `Bearer ${token}` } })
    onTestFinished(() => caller.close())
    expect(await caller.callTool('notes__whoami', {})).toMatchObject({ content: [{ text: user }] })
    expect(upstream.wire.filter((line) => line.includes(token))).toEqual([])
  }
})

test('without an issuer, no authorization server may receive the tokens of callers', () => {
  expect(() => callerIdentity({ client: { clientId: 'gateway' } })).toThrow('client.issuer is required')
})

test('each token of a user is exchanged by itself: one with fewer rights never gets what another one was exchanged for', async () => {
  const { company, upstream, resource } = await startExchangingGateway()
  const issue = (options: object) => company.issue({ subject: 'ada', resources: [resource], ...options })
  const tokens = await Promise.all([
    issue({ clientId: 'admin-app', scopes: ['admin'] }),
    issue({ clientId: 'reader', scopes: ['read'] }),
    issue({ clientId: 'admin-app', scopes: ['read'] }),
    // The gateway sees no difference, but the authorization server may.
    issue({ clientId: 'admin-app', scopes: ['admin'], claims: { jti: 'another' } }),
  ])
  const call = async (token: string): Promise<void> => {
    const caller = await connect(resource, { headers: { authorization: `Bearer ${token}` } })
    await caller.callTool('notes__whoami', {})
    await caller.close()
  }
  for (const token of [...tokens, ...tokens]) await call(token)
  const exchanged = upstream.login.requestsTo('token').map(({ parameters }) => parameters.get('subject_token'))
  expect(exchanged).toEqual(tokens)
  const used = upstream.wire.flatMap((line) => /"[Bb]earer ([^"]+)"/.exec(line)?.[1] ?? [])
  expect(new Set(used).size).toBe(tokens.length)
})
