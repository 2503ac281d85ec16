import { decodeJwt } from 'jose'
import { afterEach, expect, test } from 'vitest'
import { openAuthorizationUrl, PUBLIC_CLIENT, post, REDIRECT_URI } from '../../../test-kit/auth/oauth-client.ts'
import { authorizationServer, type TestAuthorizationServer } from './authorization-server.ts'
import type { AuthorizationServerOptions } from './options.ts'

const running: TestAuthorizationServer[] = []

afterEach(async () => {
  for (const server of running.splice(0)) await server.close()
})

async function start(options: AuthorizationServerOptions = {}): Promise<TestAuthorizationServer> {
  const server = await authorizationServer({ clients: [PUBLIC_CLIENT], ...options })
  running.push(server)
  return server
}

const wellKnown = (server: TestAuthorizationServer): string => `${server.issuer}/.well-known/oauth-authorization-server`
const document = async (server: TestAuthorizationServer): Promise<any> => (await fetch(wellKnown(server))).json()

test('metadata is served at the configured locations only', async () => {
  const server = await start({ path: '/tenant', metadataLocations: ['oauth', 'openid', '/elsewhere.json'] })
  const { origin } = new URL(server.issuer)
  const statusOf = async (path: string): Promise<number> => (await fetch(origin + path)).status
  expect(await statusOf('/.well-known/oauth-authorization-server/tenant')).toBe(200)
  expect(await statusOf('/.well-known/openid-configuration/tenant')).toBe(200)
  expect(await statusOf('/elsewhere.json')).toBe(200)
  expect(await statusOf('/tenant/.well-known/openid-configuration')).toBe(404)
  expect(await statusOf('/.well-known/oauth-authorization-server')).toBe(404)
  expect(server.requestsTo('none').map(({ path }) => path)).toHaveLength(2)
})

test('members of metadata, redirects, token responses and claims are overridden and removed', async () => {
  const server = await start({ clients: [{ client_id: 'machine', client_secret: 's' }, PUBLIC_CLIENT] })
  server.setFaults({
    metadata: { issuer: 'https://evil.example', code_challenge_methods_supported: undefined },
    redirect: { iss: 'https://evil.example', state: undefined },
    token: { expires_in: undefined, extra: 1 },
    claims: { aud: 'https://other.example', jti: undefined },
  })
  const { issuer, code_challenge_methods_supported } = await document(server)
  expect([issuer, code_challenge_methods_supported]).toEqual(['https://evil.example', undefined])
  const redirect = await openAuthorizationUrl(server.metadata as any, {
    client_id: 'app',
    redirect_uri: REDIRECT_URI,
    state: 'a',
  })
  expect([redirect.searchParams.get('iss'), redirect.searchParams.get('state')]).toEqual(['https://evil.example', null])
  const form = { grant_type: 'client_credentials', client_id: 'machine', client_secret: 's' }
  const { json } = await post(`${server.issuer}/token`, form)
  expect(json).toMatchObject({ extra: 1, token_type: 'Bearer' })
  expect(json).not.toHaveProperty('expires_in')
  expect(decodeJwt(json.access_token)).toMatchObject({ aud: 'https://other.example', sub: 'machine' })
})

test('responses are replaced until the faults are removed', async () => {
  const server = await start()
  server.setFaults({
    responses: { metadata: { status: 302, headers: { location: 'http://10.0.0.1/' } }, jwks: { body: { keys: 'none' } } },
  })
  const response = await fetch(wellKnown(server), { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([302, 'http://10.0.0.1/'])
  expect(await (await fetch(`${server.issuer}/jwks`)).json()).toEqual({ keys: 'none' })
  server.setFaults({})
  expect((await document(server)).issuer).toBe(server.issuer)
})

test('a function decides for each request', async () => {
  const server = await start()
  let failures = 2
  server.setFaults({ responses: { metadata: () => (failures-- > 0 ? { status: 503 } : undefined) } })
  const statuses = [await fetch(wellKnown(server)), await fetch(wellKnown(server)), await fetch(wellKnown(server))]
  expect(statuses.map(({ status }) => status)).toEqual([503, 503, 200])
})

test('responses are delayed, padded, endless or suppressed, or the connection is reset', async () => {
  const server = await start()
  server.setFaults({ responses: { metadata: { delayMs: 50 } } })
  const startedAt = performance.now()
  expect((await document(server)).issuer).toBe(server.issuer)
  expect(performance.now() - startedAt).toBeGreaterThan(45)

  server.setFaults({ responses: { metadata: { paddingBytes: 200_000 } } })
  const text = await (await fetch(wellKnown(server))).text()
  expect(text.length).toBeGreaterThan(200_000)
  expect(JSON.parse(text).issuer).toBe(server.issuer)

  server.setFaults({ responses: { metadata: { endless: true } } })
  const reader = (await fetch(wellKnown(server))).body!.getReader()
  let bytes = 0
  while (bytes < 5_000_000) bytes += (await reader.read()).value!.length
  await reader.cancel()

  server.setFaults({ responses: { metadata: { hang: true } } })
  await expect(fetch(wellKnown(server), { signal: AbortSignal.timeout(100) })).rejects.toThrow('timeout')

  server.setFaults({ responses: { metadata: { reset: true } } })
  await expect(fetch(wellKnown(server))).rejects.toThrow('fetch failed')
})
