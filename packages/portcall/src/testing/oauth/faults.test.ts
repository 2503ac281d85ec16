import { decodeJwt } from 'jose'
import { afterEach, expect, test } from 'vitest'
import { type AuthorizationServerOptions, authorizationServer, type TestAuthorizationServer } from '../../testing.ts'
import { PUBLIC, post, REDIRECT, visit } from './client.test-kit.ts'

const open: TestAuthorizationServer[] = []

afterEach(async () => {
  for (const login of open.splice(0)) await login.close()
})

async function start(options: AuthorizationServerOptions = {}): Promise<TestAuthorizationServer> {
  const login = await authorizationServer({ clients: [PUBLIC], ...options })
  open.push(login)
  return login
}

const wellKnown = (login: TestAuthorizationServer): string => `${login.issuer}/.well-known/oauth-authorization-server`
const document = async (login: TestAuthorizationServer): Promise<any> => (await fetch(wellKnown(login))).json()

test('metadata is where it is chosen to be, and nowhere else', async () => {
  const login = await start({ path: '/tenant', metadata: ['oauth', 'openid', '/elsewhere.json'] })
  const { origin } = new URL(login.issuer)
  const statusOf = async (path: string): Promise<number> => (await fetch(origin + path)).status
  expect(await statusOf('/.well-known/oauth-authorization-server/tenant')).toBe(200)
  expect(await statusOf('/.well-known/openid-configuration/tenant')).toBe(200)
  expect(await statusOf('/elsewhere.json')).toBe(200)
  expect(await statusOf('/tenant/.well-known/openid-configuration')).toBe(404)
  expect(await statusOf('/.well-known/oauth-authorization-server')).toBe(404)
  expect(login.asked('none').map(({ path }) => path)).toHaveLength(2)
})

test('members are laid over metadata, callbacks, token responses and claims, and taken away', async () => {
  const login = await start({ clients: [{ client_id: 'machine', client_secret: 's' }, PUBLIC] })
  login.set({
    metadata: { issuer: 'https://evil.example', code_challenge_methods_supported: undefined },
    redirect: { iss: 'https://evil.example', state: undefined },
    token: { expires_in: undefined, extra: 1 },
    claims: { aud: 'https://other.example', jti: undefined },
  })
  const { issuer, code_challenge_methods_supported } = await document(login)
  expect([issuer, code_challenge_methods_supported]).toEqual(['https://evil.example', undefined])
  const back = await visit(login.metadata as any, { client_id: 'app', redirect_uri: REDIRECT, state: 'a' })
  expect([back.searchParams.get('iss'), back.searchParams.get('state')]).toEqual(['https://evil.example', null])
  const form = { grant_type: 'client_credentials', client_id: 'machine', client_secret: 's' }
  const { json } = await post(`${login.issuer}/token`, form)
  expect(json).toMatchObject({ extra: 1, token_type: 'Bearer' })
  expect(json).not.toHaveProperty('expires_in')
  expect(decodeJwt(json.access_token)).toMatchObject({ aud: 'https://other.example', sub: 'machine' })
})

test('another answer comes in the place of the right one, until it is mended', async () => {
  const login = await start()
  login.set({
    answers: { metadata: { status: 302, headers: { location: 'http://10.0.0.1/' } }, jwks: { body: { keys: 'none' } } },
  })
  const response = await fetch(wellKnown(login), { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([302, 'http://10.0.0.1/'])
  expect(await (await fetch(`${login.issuer}/jwks`)).json()).toEqual({ keys: 'none' })
  login.set({})
  expect((await document(login)).issuer).toBe(login.issuer)
})

test('a function decides for each request', async () => {
  const login = await start()
  let left = 2
  login.set({ answers: { metadata: () => (left-- > 0 ? { status: 503 } : undefined) } })
  const statuses = [await fetch(wellKnown(login)), await fetch(wellKnown(login)), await fetch(wellKnown(login))]
  expect(statuses.map(({ status }) => status)).toEqual([503, 503, 200])
})

test('answers come late, behind much, without end, not at all, or the connection is reset', async () => {
  const login = await start()
  login.set({ answers: { metadata: { delayMs: 50 } } })
  const begin = performance.now()
  expect((await document(login)).issuer).toBe(login.issuer)
  expect(performance.now() - begin).toBeGreaterThan(45)

  login.set({ answers: { metadata: { padding: 200_000 } } })
  const text = await (await fetch(wellKnown(login))).text()
  expect(text.length).toBeGreaterThan(200_000)
  expect(JSON.parse(text).issuer).toBe(login.issuer)

  login.set({ answers: { metadata: { endless: true } } })
  const reader = (await fetch(wellKnown(login))).body!.getReader()
  let bytes = 0
  while (bytes < 5_000_000) bytes += (await reader.read()).value!.length
  await reader.cancel()

  login.set({ answers: { metadata: { hangs: true } } })
  await expect(fetch(wellKnown(login), { signal: AbortSignal.timeout(100) })).rejects.toThrow('timeout')

  login.set({ answers: { metadata: { resets: true } } })
  await expect(fetch(wellKnown(login))).rejects.toThrow('fetch failed')
})
