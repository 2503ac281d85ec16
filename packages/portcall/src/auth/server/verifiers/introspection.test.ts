import { describe, expect, test } from 'vitest'
import { createNotesServer, ERAS, HANDLERS, RESOURCE, startIssuer, whoami } from '../../../../test-kit/auth/protected-server.ts'
import { memoryStores } from '../../../stores/memory/memory.ts'
import { protect } from '../protect.ts'
import { insecureAnyAudience } from '../types.ts'
import { type IntrospectionOptions, introspection } from './introspection.ts'

async function startServer(options: Partial<IntrospectionOptions> = {}) {
  const as = await startIssuer({ tokenFormat: 'opaque', clients: [{ client_id: 'notes server', client_secret: 'a:b c&d' }] })
  const endpoint = `${as.issuer}/introspect`
  const verify = introspection({ issuer: as.issuer, endpoint, clientId: 'notes server', clientSecret: 'a:b c&d', ...options })
  const send = await HANDLERS.fetch(
    createNotesServer(),
    protect({ resource: RESOURCE, authorizationServers: [as.issuer], verify }),
  )
  const status = async (token: string): Promise<number> =>
    (await ERAS.modern(send, 'whoami', { authorization: `Bearer ${token}` })).status
  const requestCount = (): number => as.requestsTo('introspect').length
  return { as, send, status, requestCount, token: await as.issue({ subject: 'ann', scopes: ['a'], resources: [RESOURCE] }) }
}

describe('an introspected token', () => {
  test.each(['basic', 'post'] as const)('is accepted if it is active, with %s authentication', async (authentication) => {
    const { send, token, as } = await startServer({ authentication })
    expect(await whoami(send, `Bearer ${token}`)).toMatchObject({ principal: `${as.issuer}#ann`, scopes: ['a'] })
  })

  test('shares one request between concurrent calls, and caches the response', async () => {
    const { status, requestCount, token } = await startServer()
    expect(await Promise.all([token, token, token].map(status))).toEqual([200, 200, 200])
    await status(token)
    expect(requestCount()).toBe(1)
  })

  test('is refused if it is inactive, which is cached too', async () => {
    const { status, requestCount } = await startServer()
    expect([await status('x'), await status('x')]).toEqual([401, 401])
    expect(requestCount()).toBe(1)
  })

  test('is refused immediately after its revocation, without a cache', async () => {
    const { as, status, token } = await startServer({ cacheTtlMs: 0 })
    expect(await status(token)).toBe(200)
    as.revoke(token)
    expect(await status(token)).toBe(401)
  })

  test('is not stored itself', async () => {
    const { store } = memoryStores()
    const keys: string[] = []
    const set: typeof store.set = (key, ...rest) => {
      keys.push(key)
      return store.set(key, ...rest)
    }
    const cache = { ...store, set }
    const { status, token } = await startServer({ cache })
    await status(token)
    expect(keys).toHaveLength(1)
    expect(keys[0]).not.toContain(token)
  })

  test('is refused if it is for another resource or for none', async () => {
    const { as, status } = await startServer()
    const other = await as.issue({ resources: ['https://other.example.com/mcp'] })
    const none = await as.issue({ claims: { aud: undefined } })
    expect([await status(other), await status(none)]).toEqual([401, 401])
    const loose = await startServer({ audience: insecureAnyAudience })
    expect(await loose.status(await loose.as.issue({ claims: { aud: undefined } }))).toBe(200)
  })

  test('is refused if the response names another issuer', async () => {
    const { as, status } = await startServer()
    expect(await status(await as.issue({ resources: [RESOURCE], claims: { iss: 'https://evil.example' } }))).toBe(401)
  })

  test.each([
    ['an error', { status: 500 }],
    ['an invalid client secret', { status: 401, body: { error: 'invalid_client' } }],
    ['no JSON', { body: '<html>' }],
    ['no valid `active`', { body: { active: 'true', sub: 'ann', aud: RESOURCE } }],
    ['a redirect', { status: 307, headers: { location: 'https://evil.example/' } }],
    ['a connection reset', { reset: true }],
    ['a response that is too large', { endless: true }],
  ])('leads to 503 after %s, and can be verified later', async (_, fault) => {
    const { as, send, status, token } = await startServer()
    as.setFaults({ responses: { introspect: fault } })
    const response = await ERAS.modern(send, 'whoami', { authorization: `Bearer ${token}` })
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    as.setFaults({})
    expect(await status(token)).toBe(200)
  })
})
