import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterEach, describe, expect, test } from 'vitest'
import { type DpopServer, send, startDpopServer } from '../../../../test-kit/auth/dpop-server.ts'
import { authorizationServer, type TestAuthorizationServer } from '../../../testing/oauth/authorization-server.ts'
import { type EnterpriseManagedOptions, enterpriseManaged } from './enterprise-managed.ts'

const running: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.close()
})

interface Enterprise {
  readonly sso: TestAuthorizationServer
  readonly server: DpopServer
  auth(options?: Partial<EnterpriseManagedOptions>): ReturnType<typeof enterpriseManaged>
}

/** An enterprise with its identity provider, and a protected endpoint whose authorization server trusts it. */
async function start(): Promise<Enterprise> {
  const sso: TestAuthorizationServer = await authorizationServer({
    clients: [{ client_id: 'desk', client_secret: 'first', known_as: { toString: () => 'desk' } as never }],
  })
  const clients = [{ client_id: 'desk', client_secret: 'second' }]
  const server = await startDpopServer({ clients, trustedIssuers: [{ issuer: sso.issuer, keys: () => sso.keys }] })
  running.push(sso, server)
  const defaults: EnterpriseManagedOptions = {
    identityProvider: { issuer: sso.issuer, client: { clientId: 'desk', clientSecret: 'first' } },
    client: { clientId: 'desk', clientSecret: 'second' },
    subject: () => sso.sign({ sub: 'ada', aud: 'desk' }),
  }
  return { sso, server, auth: (options) => enterpriseManaged({ ...defaults, ...options }) }
}

const PREFIX = 'urn:ietf:params:oauth:'

describe('a user of an enterprise', () => {
  test('EMA-001 EMA-002 EMA-003 gets a token with an assertion of the identity provider, without interaction', async () => {
    const { sso, server, auth } = await start()
    expect(await send(auth({ scopes: ['notes:read'] }), server.endpoint)).toBe(200)
    expect(server.acceptedClaims).toMatchObject([
      { sub: 'ada', aud: server.endpoint.href, scope: 'notes:read', client_id: 'desk' },
    ])

    const [exchanged] = sso.requestsTo('token')
    const { subject_token: subject, ...exchange } = Object.fromEntries(exchanged!.parameters)
    expect(decodeJwt(subject!).sub).toBe('ada')
    expect(exchange).toEqual({
      grant_type: `${PREFIX}grant-type:token-exchange`,
      requested_token_type: `${PREFIX}token-type:id-jag`,
      subject_token_type: `${PREFIX}token-type:id_token`,
      audience: server.login.issuer,
      resource: server.endpoint.href,
      scope: 'notes:read',
    })
    expect(exchanged?.headers['authorization']).toBe(`Basic ${btoa('desk:first')}`)

    const [redeemed] = server.login.requestsTo('token')
    const { assertion, ...redemption } = Object.fromEntries(redeemed!.parameters)
    expect(decodeProtectedHeader(assertion!).typ).toBe('oauth-id-jag+jwt')
    expect(redemption).toEqual({
      grant_type: `${PREFIX}grant-type:jwt-bearer`,
      resource: server.endpoint.href,
      scope: 'notes:read',
    })
    expect(redeemed?.headers['authorization']).toBe(`Basic ${btoa('desk:second')}`)
  })

  test('EMA-001 can have another subject token, and the token endpoint can be configured', async () => {
    const { sso, server, auth } = await start()
    const { issuer } = sso
    const identityProvider = { issuer, tokenEndpoint: `${issuer}/token`, client: { clientId: 'desk', clientSecret: 'first' } }
    const subject = () => ({ token: 'saml', type: 'refresh_token' }) as const
    await expect(send(auth({ identityProvider, subject }), server.endpoint)).rejects.toMatchObject({ reason: 'token_refused' })
    expect(sso.requests).toHaveLength(1)
    expect(sso.requests[0]?.parameters.get('subject_token_type')).toBe(`${PREFIX}token-type:refresh_token`)
  })

  test('gets the error of the identity provider, and no request goes to the authorization server', async () => {
    const { sso, server, auth } = await start()
    const stranger = auth({ subject: () => sso.sign({ sub: 'ada', aud: 'another client' }) })
    await expect(send(stranger, server.endpoint)).rejects.toMatchObject({
      reason: 'token_refused',
      message: expect.stringContaining(sso.issuer),
      response: { error: 'invalid_grant' },
    })
    expect(server.login.requestsTo('token')).toEqual([])
  })

  test('EMA-001 exchanges nothing but an ID-JAG', async () => {
    const { sso, server, auth } = await start()
    for (const token of [
      { issued_token_type: `${PREFIX}token-type:access_token` },
      { issued_token_type: undefined },
      { access_token: 7 },
    ]) {
      sso.setFaults({ token })
      await expect(send(auth(), server.endpoint)).rejects.toMatchObject({ reason: 'token_refused' })
    }
    expect(server.login.requestsTo('token')).toEqual([])
  })

  test('C64 gets an assertion for the first authorization server only', async () => {
    const { sso, server, auth } = await start()
    const provider = auth()
    expect(await send(provider, server.endpoint)).toBe(200)
    const evil = await authorizationServer()
    running.push(evil)
    server.issuers = [evil.issuer]
    server.rejects = () => true
    await expect(send(provider, server.endpoint)).rejects.toMatchObject({ reason: 'registration_failed' })
    expect(sso.requestsTo('token')).toHaveLength(1)
    expect(evil.requestsTo('token')).toEqual([])
  })

  test('never reaches an identity provider without https, or a private address from its metadata', async () => {
    const { server, auth } = await start()
    const client = { clientId: 'desk' }
    const insecure = auth({ identityProvider: { issuer: 'http://sso.example.com', client } })
    await expect(send(insecure, server.endpoint)).rejects.toMatchObject({ reason: 'address_refused' })
    const requested: string[] = []
    const fetch = async (url: string | URL | Request) => {
      requested.push(String(url))
      return Response.json({ issuer: 'https://sso.example.com', token_endpoint: 'https://10.0.0.5/token' })
    }
    const guarded = auth({ identityProvider: { issuer: 'https://sso.example.com', client } })
    void guarded
    const { requestIdentityAssertion } = await import('./token-exchange.ts')
    const { createSafeFetch } = await import('../http/safe-fetch.ts')
    const safe = createSafeFetch({ trustedUrl: new URL('https://sso.example.com'), fetch: fetch as typeof globalThis.fetch })
    const context = {
      identityProvider: { issuer: 'https://sso.example.com', client },
      fetch: safe.fetch,
      signal: AbortSignal.timeout(60_000),
    }
    const request = { audience: 'a', resource: 'r', scope: undefined }
    await expect(requestIdentityAssertion('t', request, context)).rejects.toMatchObject({ reason: 'address_refused' })
    expect(requested).toEqual(['https://sso.example.com/.well-known/oauth-authorization-server'])
  })
})
