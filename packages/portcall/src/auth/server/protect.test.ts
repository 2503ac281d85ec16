import { describe, expect, test } from 'vitest'
import { createNotesServer, ERAS, HANDLERS, RESOURCE, startIssuer, whoami } from '../../../test-kit/auth/protected-server.ts'
import { protect } from './protect.ts'
import type { ProtectOptions } from './protection.ts'
import { apiKeys, createApiKey } from './verifiers/api-keys.ts'
import { introspection } from './verifiers/introspection.ts'
import { jwt } from './verifiers/jwt.ts'

const METADATA = 'https://api.example.com/.well-known/oauth-protected-resource/mcp'

async function startServer(handler: keyof typeof HANDLERS = 'fetch', options: Partial<ProtectOptions> = {}) {
  const as = await startIssuer()
  const { issuer } = as
  const verify = jwt({ issuer, jwksUri: `${issuer}/jwks` })
  const protection = protect({ resource: RESOURCE, authorizationServers: [issuer], verify, scopes: ['notes'], ...options })
  const send = await HANDLERS[handler](createNotesServer(), protection)
  const issue = (more: object = {}) => as.issue({ subject: 'ann', scopes: ['notes'], resources: [RESOURCE], ...more })
  return { as, issuer, send, issue }
}

const MATRIX = (['node', 'fetch'] as const).flatMap((handler) =>
  (['modern', 'legacy'] as const).map((era) => [handler, era] as const),
)

describe.each(MATRIX)('a protected server with the %s handler, for %s clients,', (handler, era) => {
  test('AUTH-015 AUTH-019 AUTH-061 sends a challenge to callers without a token', async () => {
    const { send } = await startServer(handler)
    const response = await ERAS[era](send, 'whoami', {})
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe(`Bearer scope="notes", resource_metadata="${METADATA}"`)
    expect((await response.json()).error.code).toBe(-32600)
  })

  test('serves callers with a token', async () => {
    const { send, issue } = await startServer(handler)
    const response = await ERAS[era](send, 'whoami', { authorization: `Bearer ${await issue()}` })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('#ann')
  })

  test('AUTH-066 AUTH-067 sends a challenge with all required scopes to callers that lack some', async () => {
    const { send, issue } = await startServer(handler)
    const response = await ERAS[era](send, 'erase', { authorization: `Bearer ${await issue()}` })
    expect(response.status).toBe(403)
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", error_description="The token lacks scopes", scope="notes notes:write notes:erase", resource_metadata="${METADATA}"`,
    )
  })

  test('AUTH-086 refuses an expired token', async () => {
    const { send, issue } = await startServer(handler)
    const response = await ERAS[era](send, 'whoami', { authorization: `Bearer ${await issue({ ttlMs: -60_000 })}` })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token", error_description="The token has expired"')
  })

  test('AUTH-016 AUTH-020 serves metadata at both well-known paths', async () => {
    const { send, issuer } = await startServer(handler)
    for (const path of ['', '/mcp']) {
      const response = await send(`/.well-known/oauth-protected-resource${path}`)
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({
        resource: RESOURCE,
        authorization_servers: [issuer],
        scopes_supported: ['notes'],
        bearer_methods_supported: ['header'],
      })
    }
    expect((await send('/.well-known/oauth-protected-resource/other')).status).toBe(404)
    expect((await send('/.well-known/oauth-protected-resource', { method: 'POST' })).status).toBe(405)
  })
})

describe('the caller', () => {
  test('has a principal that is unique across issuers', async () => {
    const { send, issue, issuer } = await startServer()
    expect(await whoami(send, `Bearer ${await issue()}`)).toMatchObject({
      principal: `${issuer}#ann`,
      issuer,
      subject: 'ann',
      clientId: 'client',
      scopes: ['notes'],
    })
  })

  test('AUTH-068 has implied scopes', async () => {
    const impliedScopes = { 'notes:admin': ['notes:write'], 'notes:write': ['notes', 'notes:admin'] }
    const { send, issue } = await startServer('fetch', { impliedScopes })
    const token = await issue({ scopes: ['notes:admin'] })
    expect((await whoami(send, `Bearer ${token}`)).scopes).toEqual(['notes:admin', 'notes:write', 'notes'])
    expect((await ERAS.modern(send, 'write', { authorization: `Bearer ${token}` })).status).toBe(200)
  })

  test('G11 is passed to handlers without the token', async () => {
    const { send, issue } = await startServer()
    const token = await issue()
    expect(JSON.stringify(await whoami(send, `Bearer ${token}`))).not.toContain(token.slice(-20))
  })
})

describe('G07 a token', () => {
  const OTHER = 'https://other.example.com/mcp'
  test.each<[string, object, RegExp]>([
    ['that has expired', { ttlMs: -31_000 }, /expired/],
    ['that is not yet valid', { claims: { nbf: 4102444800 } }, /nbf/],
    ['without expiry', { claims: { exp: undefined } }, /exp/],
    ['for another resource', { resources: [OTHER] }, /another resource/],
    ['for several others', { resources: [OTHER, `${RESOURCE}/more`, 'https://api.example.com'] }, /another resource/],
    ['for a URL with a user name', { resources: ['https://user@api.example.com/mcp'] }, /another resource/],
    ['for a URL with a password', { resources: ['https://:x@api.example.com/mcp'] }, /another resource/],
    ['for a URL with a fragment', { resources: [`${RESOURCE}#`] }, /another resource/],
    ['for a URL without slashes', { resources: ['https:api.example.com/mcp'] }, /another resource/],
    ['for a URL with backslashes', { resources: ['https:\\\\api.example.com\\mcp'] }, /another resource/],
    ['for a URL with a line break', { resources: ['https://api.example.com/\nmcp'] }, /another resource/],
    ['without an audience', { claims: { aud: undefined } }, /aud/],
    ['with an object as its audience', { claims: { aud: { [RESOURCE]: true } } }, /./],
    ['without subject and client id', { claims: { sub: undefined, client_id: undefined } }, /neither a subject/],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }, /unknown/],
    ['of an issuer that ends the same', { claims: { iss: 'https://evil.example/http://127.0.0.1' } }, /unknown/],
    ['bound to a key', { jkt: 'thumb' }, /bound/],
    ['bound to a certificate', { claims: { cnf: { 'x5t#S256': 'thumb' } } }, /bound/],
  ])('%s is refused', async (_, more, reason) => {
    const { send, issue } = await startServer()
    const response = await ERAS.modern(send, 'whoami', { authorization: `Bearer ${await issue(more)}` })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(reason)
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  test.each([
    ['no scheme', 'x', 'none'],
    ['another scheme', 'Basic YTpi', 'none'],
    ['no token', 'Bearer', 'invalid_token'],
    ['two tokens', 'Bearer a b', 'invalid_token'],
    ['a list', 'Bearer a, Bearer b', 'invalid_token'],
    ['nonsense', 'Bearer nonsense', 'invalid_token'],
    ['a fabricated key', 'Bearer sk-x', 'invalid_token'],
    ['17 KB', `Bearer ${'x'.repeat(17_000)}`, 'invalid_token'],
  ])('%s is not accepted as a token', async (_, authorization, error) => {
    const { send } = await startServer()
    const response = await ERAS.modern(send, 'whoami', { authorization })
    expect(response.status).toBe(401)
    const challenge = response.headers.get('www-authenticate') ?? ''
    expect(/error="(\w+)"/.exec(challenge)?.[1] ?? 'none').toBe(error)
  })

  test('AUTH-083 in the query is ignored', async () => {
    const { send, issue } = await startServer()
    const token = await issue()
    const query: typeof send = (_, init) => send(`/mcp?access_token=${token}&authorization=Bearer%20${token}`, init)
    expect((await ERAS.modern(query, 'whoami', {})).status).toBe(401)
  })

  test('for several resources including this one, in any spelling, is accepted', async () => {
    const { send, issue } = await startServer()
    for (const resources of [[OTHER, RESOURCE], [`${RESOURCE}/`], ['HTTPS://API.example.com:443/mcp']])
      expect((await whoami(send, `Bearer ${await issue({ resources })}`)).subject).toBe('ann')
  })

  test('is required for every HTTP method', async () => {
    const { send } = await startServer()
    for (const method of ['GET', 'POST', 'DELETE']) expect((await send('/mcp', { method })).status).toBe(401)
  })
})

describe('several verifiers', () => {
  test('each verify the tokens of their own issuer', async () => {
    const [one, two] = [
      await startIssuer(),
      await startIssuer({ tokenFormat: 'opaque', clients: [{ client_id: 'rs', client_secret: 's' }] }),
    ]
    const { key, hash } = await createApiKey()
    const verify = [
      jwt({ issuer: one.issuer, jwksUri: `${one.issuer}/jwks` }),
      apiKeys([{ hash, subject: 'ann' }]),
      introspection({ issuer: two.issuer, endpoint: `${two.issuer}/introspect`, clientId: 'rs', clientSecret: 's' }),
    ]
    const issuers = [one.issuer, two.issuer]
    const send = await HANDLERS.fetch(createNotesServer(), protect({ resource: RESOURCE, authorizationServers: issuers, verify }))
    const options = { subject: 'ann', resources: [RESOURCE] }
    const tokens = [await one.issue(options), await two.issue(options), key]
    const principals = await Promise.all(tokens.map(async (token) => (await whoami(send, `Bearer ${token}`)).principal))
    expect(principals).toEqual([`${one.issuer}#ann`, `${two.issuer}#ann`, 'api-key#ann'])
  })

  test('have their results checked', async () => {
    const issuer = 'https://login.example.com'
    const good = { issuer, audience: [RESOURCE], subject: 'ann', scopes: [] }
    const tokens: Record<string, any> = {
      good,
      expired: { ...good, expiresAt: 1 },
      invalidExpiry: { ...good, expiresAt: Number.NaN },
      other: { ...good, issuer: 'https://evil.example' },
      foreign: { ...good, audience: [] },
    }
    const protection = protect({ resource: RESOURCE, authorizationServers: [issuer], verify: async (token) => tokens[token] })
    const send = await HANDLERS.fetch(createNotesServer(), protection)
    const status = async (token: string) => (await ERAS.modern(send, 'whoami', { authorization: `Bearer ${token}` })).status
    expect(await Promise.all([...Object.keys(tokens), 'unknown'].map(status))).toEqual([200, 401, 401, 401, 401, 401])
  })

  test('that throw do not reveal their error to the caller', async () => {
    const verify = () => Promise.reject(new Error('secret'))
    const send = await HANDLERS.fetch(createNotesServer(), { ...protect({ resource: RESOURCE, verify }), onError() {} })
    const response = await ERAS.modern(send, 'whoami', { authorization: 'Bearer x' })
    expect([response.status, (await response.text()).includes('secret')]).toEqual([500, false])
  })
})

describe('a server with API keys only', () => {
  test('has no metadata and no metadata URL in challenges', async () => {
    const { key, hash } = await createApiKey()
    const send = await HANDLERS.fetch(
      createNotesServer(),
      protect({ resource: RESOURCE, verify: apiKeys([{ hash, subject: 'ann' }]) }),
    )
    const response = await ERAS.modern(send, 'whoami', {})
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect((await send('/.well-known/oauth-protected-resource')).status).toBe(404)
    expect((await whoami(send, `Bearer ${key}`)).subject).toBe('ann')
  })
})

describe('invalid options', () => {
  const verify = jwt({ issuer: 'https://login.example.com', keys: { keys: [] } })
  test.each<[string, Partial<ProtectOptions>]>([
    ['a resource without TLS', { resource: 'http://api.example.com/mcp' }],
    ['a resource with a fragment', { resource: 'https://api.example.com/mcp#' }],
    ['a resource that is not a URL', { resource: '/mcp' }],
    ['a resource with a password', { resource: 'https://a:b@api.example.com/mcp' }],
    ['an issuer without TLS', { authorizationServers: ['http://login.example.com'] }],
    ['a scope with a space', { scopes: ['a b'] }],
    ['offline_access', { scopes: ['offline_access'] }],
  ])('%s throws a TypeError', (_, options) => {
    expect(() => protect({ resource: RESOURCE, verify, ...options })).toThrow(TypeError)
  })

  test('symmetric algorithms and missing keys are refused', () => {
    expect(() => jwt({ issuer: 'https://x.example', keys: { keys: [] }, algorithms: ['HS256'] })).toThrow(/HS256/)
    expect(() => jwt({ issuer: 'https://x.example' })).toThrow(/jwksUri/)
  })
})

describe('pages of other origins', () => {
  test('can read metadata and challenges if they are allowed', async () => {
    const origin = 'https://app.example.com'
    const authorizationServers = ['https://login.example.com']
    const verify = async (): Promise<undefined> => undefined
    const protection = protect({ resource: RESOURCE, authorizationServers, verify, allowedOrigins: [origin] })
    const send = await HANDLERS.fetch(createNotesServer(), protection)
    expect((await send('/mcp', { headers: { origin: 'https://api.example.com' } })).status).toBe(401)
    expect((await send('/mcp', { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    const metadata = await send('/.well-known/oauth-protected-resource', { headers: { origin } })
    const refused = await ERAS.modern(send, 'whoami', { origin })
    for (const { headers } of [metadata, refused]) expect(headers.get('access-control-allow-origin')).toBe(origin)
    expect(refused.headers.get('access-control-expose-headers')).toContain('www-authenticate')
    const headers = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
    const preflight = await send('/mcp', { method: 'OPTIONS', headers })
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'authorization'])
  })
})
