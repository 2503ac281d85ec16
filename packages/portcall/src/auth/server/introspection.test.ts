import { describe, expect, test } from 'vitest'
import { type IntrospectionOptions, insecureAnyAudience, introspection, protect } from '../../auth-server.ts'
import { memory } from '../../stores.ts'
import { ERAS, FRONTS, login, notes, RESOURCE, whoami } from './site.test-kit.ts'

async function site(options: Partial<IntrospectionOptions> = {}) {
  const as = await login({ tokens: 'opaque', clients: [{ client_id: 'notes server', client_secret: 'a:b c&d' }] })
  const endpoint = `${as.issuer}/introspect`
  const verify = introspection({ issuer: as.issuer, endpoint, clientId: 'notes server', clientSecret: 'a:b c&d', ...options })
  const send = await FRONTS.fetch(notes(), protect({ resource: RESOURCE, authorizationServers: [as.issuer], verify }))
  const status = async (token: string): Promise<number> =>
    (await ERAS.modern(send, 'whoami', { authorization: `Bearer ${token}` })).status
  const asked = (): number => as.asked('introspect').length
  return { as, send, status, asked, token: await as.issue({ subject: 'ann', scope: 'a', resources: [RESOURCE] }) }
}

describe('a token that its issuer is asked about', () => {
  test.each(['basic', 'post'] as const)('is good when it is active; the secret travels by %s', async (authentication) => {
    const { send, token, as } = await site({ authentication })
    expect(await whoami(send, `Bearer ${token}`)).toMatchObject({ principal: `${as.issuer}#ann`, scopes: ['a'] })
  })

  test('is asked about once, at a time and for a while', async () => {
    const { status, asked, token } = await site()
    expect(await Promise.all([token, token, token].map(status))).toEqual([200, 200, 200])
    await status(token)
    expect(asked()).toBe(1)
  })

  test('is refused when nobody knows it, and that is kept too', async () => {
    const { status, asked } = await site()
    expect([await status('x'), await status('x')]).toEqual([401, 401])
    expect(asked()).toBe(1)
  })

  test('is refused at once after it was revoked, where nothing is kept', async () => {
    const { as, status, token } = await site({ cacheMs: 0 })
    expect(await status(token)).toBe(200)
    as.revoke(token)
    expect(await status(token)).toBe(401)
  })

  test('rests nowhere itself', async () => {
    const { store } = memory()
    const keys: string[] = []
    const set: typeof store.set = (key, ...rest) => {
      keys.push(key)
      return store.set(key, ...rest)
    }
    const cache = { ...store, set }
    const { status, token } = await site({ cache })
    await status(token)
    expect(keys).toHaveLength(1)
    expect(keys[0]).not.toContain(token)
  })

  test('is refused when it is for another resource, or for none', async () => {
    const { as, status } = await site()
    const other = await as.issue({ resources: ['https://other.example.com/mcp'] })
    const none = await as.issue({ claims: { aud: undefined } })
    expect([await status(other), await status(none)]).toEqual([401, 401])
    const loose = await site({ audience: insecureAnyAudience })
    expect(await loose.status(await loose.as.issue({ claims: { aud: undefined } }))).toBe(200)
  })

  test('is refused when the answer names another issuer', async () => {
    const { as, status } = await site()
    expect(await status(await as.issue({ resources: [RESOURCE], claims: { iss: 'https://evil.example' } }))).toBe(401)
  })

  test.each([
    ['an error', { status: 500 }],
    ['a refusal of our own secret', { status: 401, body: { error: 'invalid_client' } }],
    ['no JSON', { body: '<html>' }],
    ['neither yes nor no', { body: { active: 'true', sub: 'ann', aud: RESOURCE } }],
    ['a redirect', { status: 307, headers: { location: 'https://evil.example/' } }],
    ['nothing', { resets: true }],
    ['more than fits', { endless: true }],
  ])('can be asked about again after %s', async (_, fault) => {
    const { as, send, status, token } = await site()
    as.set({ answers: { introspect: fault } })
    const response = await ERAS.modern(send, 'whoami', { authorization: `Bearer ${token}` })
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    as.set({})
    expect(await status(token)).toBe(200)
  })
})
