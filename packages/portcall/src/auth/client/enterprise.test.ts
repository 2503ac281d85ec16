import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterEach, describe, expect, test } from 'vitest'
import { authorizationServer, type TestAuthorizationServer } from '../../testing.ts'
import { type EnterpriseOptions, enterprise } from './enterprise.ts'
import { type ProtectedSite, protectedSite, send } from './protected.test-kit.ts'

const running: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.close()
})

interface Company {
  readonly sso: TestAuthorizationServer
  readonly site: ProtectedSite
  auth(options?: Partial<EnterpriseOptions>): ReturnType<typeof enterprise>
}

/** A company with its identity provider, and a protected endpoint whose authorization server believes that one. */
async function start(): Promise<Company> {
  const sso: TestAuthorizationServer = await authorizationServer({
    clients: [{ client_id: 'desk', client_secret: 'first', known_as: { toString: () => 'desk' } as never }],
  })
  const clients = [{ client_id: 'desk', client_secret: 'second' }]
  const site = await protectedSite({ clients, trusted: [{ issuer: sso.issuer, keys: () => sso.keys }] })
  running.push(sso, site)
  const given: EnterpriseOptions = {
    identityProvider: { issuer: sso.issuer, client: { clientId: 'desk', clientSecret: 'first' } },
    client: { clientId: 'desk', clientSecret: 'second' },
    subject: () => sso.sign({ sub: 'ada', aud: 'desk' }),
  }
  return { sso, site, auth: (options) => enterprise({ ...given, ...options }) }
}

const PREFIX = 'urn:ietf:params:oauth:'

describe('a user of an enterprise', () => {
  test('EMA-001 EMA-002 EMA-003 gets a token by an assertion of the identity provider, without being asked', async () => {
    const { sso, site, auth } = await start()
    expect(await send(auth({ scope: 'notes:read' }), site.endpoint)).toBe(200)
    expect(site.callers).toMatchObject([{ sub: 'ada', aud: site.endpoint.href, scope: 'notes:read', client_id: 'desk' }])

    const [exchanged] = sso.asked('token')
    const { subject_token: subject, ...exchange } = Object.fromEntries(exchanged!.parameters)
    expect(decodeJwt(subject!).sub).toBe('ada')
    expect(exchange).toEqual({
      grant_type: `${PREFIX}grant-type:token-exchange`,
      requested_token_type: `${PREFIX}token-type:id-jag`,
      subject_token_type: `${PREFIX}token-type:id_token`,
      audience: site.login.issuer,
      resource: site.endpoint.href,
      scope: 'notes:read',
    })
    expect(exchanged?.headers['authorization']).toBe(`Basic ${btoa('desk:first')}`)

    const [redeemed] = site.login.asked('token')
    const { assertion, ...redemption } = Object.fromEntries(redeemed!.parameters)
    expect(decodeProtectedHeader(assertion!).typ).toBe('oauth-id-jag+jwt')
    expect(redemption).toEqual({
      grant_type: `${PREFIX}grant-type:jwt-bearer`,
      resource: site.endpoint.href,
      scope: 'notes:read',
    })
    expect(redeemed?.headers['authorization']).toBe(`Basic ${btoa('desk:second')}`)
  })

  test('EMA-001 may have signed in otherwise; the token endpoint may be told', async () => {
    const { sso, site, auth } = await start()
    const { issuer } = sso
    const identityProvider = { issuer, tokenEndpoint: `${issuer}/token`, client: { clientId: 'desk', clientSecret: 'first' } }
    const subject = () => ({ token: 'saml', type: 'refresh_token' }) as const
    await expect(send(auth({ identityProvider, subject }), site.endpoint)).rejects.toMatchObject({ fault: 'token_refused' })
    expect(sso.requests).toHaveLength(1)
    expect(sso.requests[0]?.parameters.get('subject_token_type')).toBe(`${PREFIX}token-type:refresh_token`)
  })

  test('is told who has refused, and the authorization server is then not asked', async () => {
    const { sso, site, auth } = await start()
    const stranger = auth({ subject: () => sso.sign({ sub: 'ada', aud: 'another client' }) })
    await expect(send(stranger, site.endpoint)).rejects.toMatchObject({
      fault: 'token_refused',
      message: expect.stringContaining(sso.issuer),
      refusal: { error: 'invalid_grant' },
    })
    expect(site.login.asked('token')).toEqual([])
  })

  test('EMA-001 sends on nothing but an assertion', async () => {
    const { sso, site, auth } = await start()
    for (const token of [
      { issued_token_type: `${PREFIX}token-type:access_token` },
      { issued_token_type: undefined },
      { access_token: 7 },
    ]) {
      sso.set({ token })
      await expect(send(auth(), site.endpoint)).rejects.toMatchObject({ fault: 'token_refused' })
    }
    expect(site.login.asked('token')).toEqual([])
  })

  test('C64 is not vouched for to another authorization server than the first', async () => {
    const { sso, site, auth } = await start()
    const provider = auth()
    expect(await send(provider, site.endpoint)).toBe(200)
    const evil = await authorizationServer()
    running.push(evil)
    site.issuers = [evil.issuer]
    site.refuses = () => true
    await expect(send(provider, site.endpoint)).rejects.toMatchObject({ fault: 'registration_failed' })
    expect(sso.asked('token')).toHaveLength(1)
    expect(evil.asked('token')).toEqual([])
  })

  test('is not sent to an identity provider without https, or to a private one by its metadata', async () => {
    const { site, auth } = await start()
    const client = { clientId: 'desk' }
    const plain = auth({ identityProvider: { issuer: 'http://sso.example.com', client } })
    await expect(send(plain, site.endpoint)).rejects.toMatchObject({ fault: 'address_refused' })
    const dialled: string[] = []
    const fetch = async (url: string | URL | Request) => {
      dialled.push(String(url))
      return Response.json({ issuer: 'https://sso.example.com', token_endpoint: 'https://10.0.0.5/token' })
    }
    const guarded = auth({ identityProvider: { issuer: 'https://sso.example.com', client } })
    void guarded
    const { exchangeSubject } = await import('./exchange.ts')
    const { createGuard } = await import('./http/fetch.ts')
    const guard = createGuard({ given: new URL('https://sso.example.com'), fetch: fetch as typeof globalThis.fetch })
    const context = {
      identityProvider: { issuer: 'https://sso.example.com', client },
      fetch: guard.fetch,
      signal: AbortSignal.timeout(60_000),
    }
    const wanted = { audience: 'a', resource: 'r', scope: undefined }
    await expect(exchangeSubject('t', wanted, context)).rejects.toMatchObject({ fault: 'address_refused' })
    expect(dialled).toEqual(['https://sso.example.com/.well-known/oauth-authorization-server'])
  })
})
