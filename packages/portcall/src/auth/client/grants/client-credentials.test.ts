import { exportJWK, exportPKCS8, generateKeyPair } from 'jose'
import { afterEach, describe, expect, test } from 'vitest'
import { type DpopServer, send, startDpopServer } from '../../../../test-kit/auth/dpop-server.ts'
import { atLaterTime } from '../../../../test-kit/auth/scripted-protected-server.ts'
import { authorizationServer } from '../../../testing/oauth/authorization-server.ts'
import type { AuthorizationServerOptions } from '../../../testing/oauth/options.ts'
import { clientCredentials } from './client-credentials.ts'

const running: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.close()
})

const clients = [{ client_id: 'nightly: é&', client_secret: 'p@ss:wörd+%' }]
const client = { clientId: 'nightly: é&', clientSecret: 'p@ss:wörd+%' }

async function start(options: AuthorizationServerOptions = { clients }): Promise<DpopServer> {
  const server = await startDpopServer(options)
  running.push(server)
  return server
}

describe('a program that acts on its own behalf', () => {
  test('OCC-001 OCC-002 sends its secret in a header, and gets a token for this resource', async () => {
    const { login, endpoint, acceptedClaims } = await start()
    expect(await send(clientCredentials({ client, scopes: ['notes:read'] }), endpoint)).toBe(200)
    expect(acceptedClaims[0]).toMatchObject({ sub: client.clientId, aud: endpoint.href, scope: 'notes:read' })
    const [request] = login.requestsTo('token')
    expect(request?.headers['authorization']).toMatch(/^Basic /)
    expect(Object.fromEntries(request!.parameters)).toEqual({
      grant_type: 'client_credentials',
      resource: endpoint.href,
      scope: 'notes:read',
    })
    expect(login.requestsTo('register')).toEqual([])
  })

  test('OCC-005 sends its secret in the body if the server supports nothing else or the client is configured so', async () => {
    const { login, endpoint } = await start()
    expect(await send(clientCredentials({ client: { ...client, authentication: 'client_secret_post' } }), endpoint)).toBe(200)
    login.setFaults({ metadata: { token_endpoint_auth_methods_supported: ['client_secret_post'] } })
    expect(await send(clientCredentials({ client }), endpoint)).toBe(200)
    for (const { parameters, headers } of login.requestsTo('token')) {
      expect(parameters.get('client_secret')).toBe(client.clientSecret)
      expect(headers['authorization']).toBeUndefined()
    }
  })

  test('OCC-002 OCC-005 signs an assertion with a PEM key, a JWK or a CryptoKey', async () => {
    for (const algorithm of ['ES256', 'RS256', 'EdDSA']) {
      const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
      const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: algorithm }] }
      const { login, endpoint } = await start({ clients: [{ client_id: 'nightly', jwks }] })
      const jwk = { ...(await exportJWK(privateKey)), alg: algorithm }
      for (const key of [await exportPKCS8(privateKey), privateKey, jwk]) {
        const auth = clientCredentials({ client: { clientId: 'nightly', privateKey: key, algorithm } })
        expect(await send(auth, endpoint)).toBe(200)
      }
      for (const { parameters } of login.requestsTo('token')) expect(parameters.has('client_id')).toBe(false)
    }
  })

  test('requests one token for concurrent calls, and another one when it is rejected', async () => {
    const server = await start()
    const auth = clientCredentials({ client })
    const many = () => Promise.all(Array.from({ length: 20 }, () => send(auth, server.endpoint)))
    expect(new Set(await many())).toEqual(new Set([200]))
    const old = new Set<string>()
    server.rejects = (token) => {
      if (old.size === 0) old.add(token)
      return old.has(token)
    }
    expect(new Set(await many())).toEqual(new Set([200]))
    expect(server.login.requestsTo('token')).toHaveLength(2)
  })

  test('requests a new token before the old one expires, and never calls without a token', async () => {
    const server = await start({ clients, accessTokenTtlMs: 60_000 })
    const auth = clientCredentials({ client })
    await send(auth, server.endpoint)
    const empty: string[] = []
    server.rejects = (token) => {
      if (token === '') empty.push(token)
      return false
    }
    expect(await atLaterTime(61_000, () => send(auth, server.endpoint))).toBe(200)
    expect(empty).toEqual([])
    expect(server.login.requestsTo('token')).toHaveLength(2)
  })

  test('C66 fails when a token is rejected that was just issued', async () => {
    const server = await start()
    server.rejects = () => true
    const sent = send(clientCredentials({ client }), server.endpoint)
    await expect(sent).rejects.toMatchObject({ code: 'AUTH_FAILED', reason: 'retries_exhausted' })
    expect(server.login.requestsTo('token')).toHaveLength(1)
  })

  test('reports the error of the authorization server', async () => {
    const server = await start({ clients, scopes: ['notes:read'] })
    const sent = send(clientCredentials({ client, scopes: ['notes:all'] }), server.endpoint)
    await expect(sent).rejects.toMatchObject({ reason: 'token_refused', response: { error: 'invalid_scope' } })
    const wrong = send(clientCredentials({ client: { ...client, clientSecret: 'canary' } }), server.endpoint)
    await expect(wrong).rejects.toMatchObject({ reason: 'token_refused', response: { error: 'invalid_client' } })
    await expect(wrong).rejects.not.toThrow(/canary/)
  })
})

describe('the credentials of a program', () => {
  test.each(['configured', 'first'])('C64 are sent to one authorization server only: the %s one', async (which) => {
    const server = await start()
    const other = await authorizationServer({ clients })
    running.push(other)
    const auth = clientCredentials({ client: which === 'configured' ? { ...client, issuer: server.login.issuer } : client })
    expect(await send(auth, server.endpoint)).toBe(200)
    server.issuers = [other.issuer]
    server.rejects = () => true
    await expect(send(auth, server.endpoint)).rejects.toMatchObject({ reason: 'registration_failed' })
    expect(other.requestsTo('token')).toEqual([])
  })

  test('AUTH-023 are sent to the one of several authorization servers that the client is registered with', async () => {
    const server = await start()
    const other = await authorizationServer()
    running.push(other)
    server.issuers = [other.issuer, server.login.issuer]
    expect(await send(clientCredentials({ client: { ...client, issuer: server.login.issuer } }), server.endpoint)).toBe(200)
    expect(other.requests).toEqual([])
  })
})
