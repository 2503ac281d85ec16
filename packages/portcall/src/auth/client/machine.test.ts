import { exportJWK, exportPKCS8, generateKeyPair } from 'jose'
import { afterEach, describe, expect, test } from 'vitest'
import { type AuthorizationServerOptions, authorizationServer } from '../../testing.ts'
import { clientCredentials } from './machine.ts'
import { type ProtectedSite, protectedSite, send } from './protected.test-kit.ts'
import { later } from './site.test-kit.ts'

const running: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.close()
})

const clients = [{ client_id: 'nightly: é&', client_secret: 'p@ss:wörd+%' }]
const client = { clientId: 'nightly: é&', clientSecret: 'p@ss:wörd+%' }

async function start(options: AuthorizationServerOptions = { clients }): Promise<ProtectedSite> {
  const site = await protectedSite(options)
  running.push(site)
  return site
}

describe('a program that acts for itself', () => {
  test('OCC-001 OCC-002 shows its secret in a header, and gets a token for this resource', async () => {
    const { login, endpoint, callers } = await start()
    expect(await send(clientCredentials({ client, scope: 'notes:read' }), endpoint)).toBe(200)
    expect(callers[0]).toMatchObject({ sub: client.clientId, aud: endpoint.href, scope: 'notes:read' })
    const [asked] = login.asked('token')
    expect(asked?.headers['authorization']).toMatch(/^Basic /)
    expect(Object.fromEntries(asked!.parameters)).toEqual({
      grant_type: 'client_credentials',
      resource: endpoint.href,
      scope: 'notes:read',
    })
    expect(login.asked('register')).toEqual([])
  })

  test('OCC-005 shows its secret in the body where nothing else is taken, or when it is told to', async () => {
    const { login, endpoint } = await start()
    expect(await send(clientCredentials({ client: { ...client, authentication: 'client_secret_post' } }), endpoint)).toBe(200)
    login.set({ metadata: { token_endpoint_auth_methods_supported: ['client_secret_post'] } })
    expect(await send(clientCredentials({ client }), endpoint)).toBe(200)
    for (const { parameters, headers } of login.asked('token')) {
      expect(parameters.get('client_secret')).toBe(client.clientSecret)
      expect(headers['authorization']).toBeUndefined()
    }
  })

  test('OCC-002 OCC-005 signs an assertion with a key in PEM, as a JWK or from the platform', async () => {
    for (const algorithm of ['ES256', 'RS256', 'EdDSA']) {
      const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
      const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: algorithm }] }
      const { login, endpoint } = await start({ clients: [{ client_id: 'nightly', jwks }] })
      const jwk = { ...(await exportJWK(privateKey)), alg: algorithm }
      for (const key of [await exportPKCS8(privateKey), privateKey, jwk]) {
        const auth = clientCredentials({ client: { clientId: 'nightly', privateKey: key, algorithm } })
        expect(await send(auth, endpoint)).toBe(200)
      }
      for (const { parameters } of login.asked('token')) expect(parameters.has('client_id')).toBe(false)
    }
  })

  test('asks once for many calls, and again when the token is refused', async () => {
    const site = await start()
    const auth = clientCredentials({ client })
    const many = () => Promise.all(Array.from({ length: 20 }, () => send(auth, site.endpoint)))
    expect(new Set(await many())).toEqual(new Set([200]))
    const old = new Set<string>()
    site.refuses = (token) => {
      if (old.size === 0) old.add(token)
      return old.has(token)
    }
    expect(new Set(await many())).toEqual(new Set([200]))
    expect(site.login.asked('token')).toHaveLength(2)
  })

  test('gets a new token before the old one expires, without a request that has none', async () => {
    const site = await start({ clients, lifetimes: { access: 60 } })
    const auth = clientCredentials({ client })
    await send(auth, site.endpoint)
    const empty: string[] = []
    site.refuses = (token) => {
      if (token === '') empty.push(token)
      return false
    }
    expect(await later(61_000, () => send(auth, site.endpoint))).toBe(200)
    expect(empty).toEqual([])
    expect(site.login.asked('token')).toHaveLength(2)
  })

  test('C66 gives up when a token is refused that was issued just now', async () => {
    const site = await start()
    site.refuses = () => true
    const sent = send(clientCredentials({ client }), site.endpoint)
    await expect(sent).rejects.toMatchObject({ code: 'AUTH_FAILED', fault: 'retries_exhausted' })
    expect(site.login.asked('token')).toHaveLength(1)
  })

  test('says what the authorization server has said', async () => {
    const site = await start({ clients, scopes: ['notes:read'] })
    const sent = send(clientCredentials({ client, scope: 'notes:all' }), site.endpoint)
    await expect(sent).rejects.toMatchObject({ fault: 'token_refused', refusal: { error: 'invalid_scope' } })
    const wrong = send(clientCredentials({ client: { ...client, clientSecret: 'canary' } }), site.endpoint)
    await expect(wrong).rejects.toMatchObject({ fault: 'token_refused', refusal: { error: 'invalid_client' } })
    await expect(wrong).rejects.not.toThrow(/canary/)
  })
})

describe('what proves a program', () => {
  test.each(['named', 'first'])('C64 is shown to one authorization server only: the %s one', async (which) => {
    const site = await start()
    const other = await authorizationServer({ clients })
    running.push(other)
    const auth = clientCredentials({ client: which === 'named' ? { ...client, issuer: site.login.issuer } : client })
    expect(await send(auth, site.endpoint)).toBe(200)
    site.issuers = [other.issuer]
    site.refuses = () => true
    await expect(send(auth, site.endpoint)).rejects.toMatchObject({ fault: 'registration_failed' })
    expect(other.asked('token')).toEqual([])
  })

  test('AUTH-023 is shown to the one of several that it is registered with', async () => {
    const site = await start()
    const other = await authorizationServer()
    running.push(other)
    site.issuers = [other.issuer, site.login.issuer]
    expect(await send(clientCredentials({ client: { ...client, issuer: site.login.issuer } }), site.endpoint)).toBe(200)
    expect(other.requests).toEqual([])
  })
})
