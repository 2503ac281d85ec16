import { jwt, protect } from 'portcall/auth/server'
import { connect } from 'portcall/client'
import { callerIdentity, createGateway } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { authorizationServer } from 'portcall/testing'
import { expect, onTestFinished, test } from 'vitest'
import { findPort, startProtectedUpstream } from './support/protected-upstream.ts'

test('the token of the caller is exchanged for one of the server, and does not reach the server', async () => {
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
