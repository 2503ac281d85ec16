import { describe, expect, test } from 'vitest'
import { apiKeys, createApiKey, introspection, jwt, type ProtectOptions, protect } from '../../auth-server.ts'
import { ERAS, FRONTS, login, notes, RESOURCE, whoami } from './site.test-kit.ts'

const METADATA = 'https://api.example.com/.well-known/oauth-protected-resource/mcp'

async function site(front: keyof typeof FRONTS = 'fetch', options: Partial<ProtectOptions> = {}) {
  const as = await login()
  const { issuer } = as
  const verify = jwt({ issuer, jwksUri: `${issuer}/jwks` })
  const protection = protect({ resource: RESOURCE, authorizationServers: [issuer], verify, scopes: ['notes'], ...options })
  const send = await FRONTS[front](notes(), protection)
  const issue = (more: object = {}) => as.issue({ subject: 'ann', scope: 'notes', resources: [RESOURCE], ...more })
  return { as, issuer, send, issue }
}

const MATRIX = (['node', 'fetch'] as const).flatMap((front) =>
  (['modern', 'legacy'] as const).map((era) => [front, era] as const),
)

describe.each(MATRIX)('a protected server on the %s front, for %s clients,', (front, era) => {
  test('AUTH-015 AUTH-019 AUTH-061 tells who has no token where to get one', async () => {
    const { send } = await site(front)
    const response = await ERAS[era](send, 'whoami', {})
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe(`Bearer scope="notes", resource_metadata="${METADATA}"`)
    expect((await response.json()).error.code).toBe(-32600)
  })

  test('serves who has one', async () => {
    const { send, issue } = await site(front)
    const response = await ERAS[era](send, 'whoami', { authorization: `Bearer ${await issue()}` })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('#ann')
  })

  test('AUTH-066 AUTH-067 challenges who lacks scopes, with all that are needed', async () => {
    const { send, issue } = await site(front)
    const response = await ERAS[era](send, 'erase', { authorization: `Bearer ${await issue()}` })
    expect(response.status).toBe(403)
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", error_description="The token lacks scopes", scope="notes notes:write notes:erase", resource_metadata="${METADATA}"`,
    )
  })

  test('AUTH-086 refuses a token that does not hold', async () => {
    const { send, issue } = await site(front)
    const response = await ERAS[era](send, 'whoami', { authorization: `Bearer ${await issue({ lifetime: -60 })}` })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token", error_description="The token has expired"')
  })

  test('AUTH-016 AUTH-020 has metadata at both places, for everybody', async () => {
    const { send, issuer } = await site(front)
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

describe('who is calling', () => {
  test('has a name that no other issuer can give', async () => {
    const { send, issue, issuer } = await site()
    expect(await whoami(send, `Bearer ${await issue()}`)).toMatchObject({
      principal: `${issuer}#ann`,
      issuer,
      subject: 'ann',
      clientId: 'client',
      scopes: ['notes'],
    })
    const machine = await issue({ claims: { sub: undefined, client_id: 'ann' } })
    expect((await whoami(send, `Bearer ${machine}`)).principal).toBe(`client ${issuer}#ann`)
  })

  test('AUTH-068 has the scopes that others imply', async () => {
    const impliedScopes = { 'notes:admin': ['notes:write'], 'notes:write': ['notes', 'notes:admin'] }
    const { send, issue } = await site('fetch', { impliedScopes })
    const token = await issue({ scope: 'notes:admin' })
    expect((await whoami(send, `Bearer ${token}`)).scopes).toEqual(['notes:admin', 'notes:write', 'notes'])
    expect((await ERAS.modern(send, 'write', { authorization: `Bearer ${token}` })).status).toBe(200)
  })

  test('G11 is told to handlers, the token is not', async () => {
    const { send, issue } = await site()
    const token = await issue()
    expect(JSON.stringify(await whoami(send, `Bearer ${token}`))).not.toContain(token.slice(-20))
  })
})

describe('G07 a token', () => {
  const OTHER = 'https://other.example.com/mcp'
  test.each<[string, object, RegExp]>([
    ['that has expired', { lifetime: -31 }, /expired/],
    ['that is not good yet', { claims: { nbf: 4102444800 } }, /nbf/],
    ['without expiry', { claims: { exp: undefined } }, /exp/],
    ['for another resource', { resources: [OTHER] }, /another resource/],
    ['for several others', { resources: [OTHER, `${RESOURCE}/more`, 'https://api.example.com'] }, /another resource/],
    ['for nobody', { claims: { aud: undefined } }, /aud/],
    ['for an object', { claims: { aud: { [RESOURCE]: true } } }, /./],
    ['of nobody', { claims: { sub: undefined, client_id: undefined } }, /whose/],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }, /not known/],
    ['of an issuer that ends the same', { claims: { iss: 'https://evil.example/http://127.0.0.1' } }, /not known/],
    ['bound to a key', { jkt: 'thumb' }, /bound/],
    ['bound to a certificate', { claims: { cnf: { 'x5t#S256': 'thumb' } } }, /bound/],
  ])('%s is refused', async (_, more, reason) => {
    const { send, issue } = await site()
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
  ])('%s is no token', async (_, authorization, error) => {
    const { send } = await site()
    const response = await ERAS.modern(send, 'whoami', { authorization })
    expect(response.status).toBe(401)
    const challenge = response.headers.get('www-authenticate') ?? ''
    expect(/error="(\w+)"/.exec(challenge)?.[1] ?? 'none').toBe(error)
  })

  test('AUTH-083 in the query is not looked at', async () => {
    const { send, issue } = await site()
    const token = await issue()
    const query: typeof send = (_, init) => send(`/mcp?access_token=${token}&authorization=Bearer%20${token}`, init)
    expect((await ERAS.modern(query, 'whoami', {})).status).toBe(401)
  })

  test('for this resource and others, in any spelling of it, is good', async () => {
    const { send, issue } = await site()
    for (const resources of [[OTHER, RESOURCE], [`${RESOURCE}/`], ['HTTPS://API.example.com:443/mcp']])
      expect((await whoami(send, `Bearer ${await issue({ resources })}`)).subject).toBe('ann')
  })

  test('is asked for by every method at the endpoint', async () => {
    const { send } = await site()
    for (const method of ['GET', 'POST', 'DELETE']) expect((await send('/mcp', { method })).status).toBe(401)
  })
})

describe('several verifiers', () => {
  test('each speak for their own issuer', async () => {
    const [one, two] = [await login(), await login({ tokens: 'opaque', clients: [{ client_id: 'rs', client_secret: 's' }] })]
    const { key, hash } = await createApiKey()
    const verify = [
      jwt({ issuer: one.issuer, jwksUri: `${one.issuer}/jwks` }),
      apiKeys([{ hash, subject: 'ann' }]),
      introspection({ issuer: two.issuer, endpoint: `${two.issuer}/introspect`, clientId: 'rs', clientSecret: 's' }),
    ]
    const issuers = [one.issuer, two.issuer]
    const send = await FRONTS.fetch(notes(), protect({ resource: RESOURCE, authorizationServers: issuers, verify }))
    const wanted = { subject: 'ann', resources: [RESOURCE] }
    const tokens = [await one.issue(wanted), await two.issue(wanted), key]
    const principals = await Promise.all(tokens.map(async (token) => (await whoami(send, `Bearer ${token}`)).principal))
    expect(principals).toEqual([`${one.issuer}#ann`, `${two.issuer}#ann`, 'api-key#ann'])
  })

  test('are checked whoever wrote them', async () => {
    const issuer = 'https://login.example.com'
    const good = { issuer, audience: [RESOURCE], subject: 'ann', scopes: [] }
    const answers: Record<string, any> = {
      good,
      late: { ...good, expiresAt: 1 },
      never: { ...good, expiresAt: Number.NaN },
      other: { ...good, issuer: 'https://evil.example' },
      foreign: { ...good, audience: [] },
    }
    const protection = protect({ resource: RESOURCE, authorizationServers: [issuer], verify: async (token) => answers[token] })
    const send = await FRONTS.fetch(notes(), protection)
    const status = async (token: string) => (await ERAS.modern(send, 'whoami', { authorization: `Bearer ${token}` })).status
    expect(await Promise.all([...Object.keys(answers), 'unknown'].map(status))).toEqual([200, 401, 401, 401, 401, 401])
  })

  test('that fail say nothing to the caller', async () => {
    const verify = () => Promise.reject(new Error('secret'))
    const send = await FRONTS.fetch(notes(), protect({ resource: RESOURCE, verify }))
    const response = await ERAS.modern(send, 'whoami', { authorization: 'Bearer x' })
    expect([response.status, (await response.text()).includes('secret')]).toEqual([500, false])
  })
})

describe('a server with keys only', () => {
  test('has no metadata, and says so', async () => {
    const { key, hash } = await createApiKey()
    const send = await FRONTS.fetch(notes(), protect({ resource: RESOURCE, verify: apiKeys([{ hash, subject: 'ann' }]) }))
    const response = await ERAS.modern(send, 'whoami', {})
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect((await send('/.well-known/oauth-protected-resource')).status).toBe(404)
    expect((await whoami(send, `Bearer ${key}`)).subject).toBe('ann')
  })
})

describe('what could not protect a server', () => {
  const verify = jwt({ issuer: 'https://login.example.com', keys: { keys: [] } })
  test.each<[string, Partial<ProtectOptions>]>([
    ['a resource without TLS', { resource: 'http://api.example.com/mcp' }],
    ['a resource with a fragment', { resource: 'https://api.example.com/mcp#' }],
    ['a resource that is none', { resource: '/mcp' }],
    ['a resource with a password', { resource: 'https://a:b@api.example.com/mcp' }],
    ['an issuer without TLS', { authorizationServers: ['http://login.example.com'] }],
    ['a scope with a space', { scopes: ['a b'] }],
    ['offline_access', { scopes: ['offline_access'] }],
  ])('%s is refused at once', (_, options) => {
    expect(() => protect({ resource: RESOURCE, verify, ...options })).toThrow(TypeError)
  })

  test('secrets shared with the issuer are no way to sign', () => {
    expect(() => jwt({ issuer: 'https://x.example', keys: { keys: [] }, algorithms: ['HS256'] })).toThrow(/HS256/)
    expect(() => jwt({ issuer: 'https://x.example' })).toThrow(/jwksUri/)
  })
})

describe('pages of other origins', () => {
  test('read metadata and challenges, where they are allowed', async () => {
    const origin = 'https://app.example.com'
    const authorizationServers = ['https://login.example.com']
    const verify = async (): Promise<undefined> => undefined
    const protection = protect({ resource: RESOURCE, authorizationServers, verify, allowedOrigins: [origin] })
    const send = await FRONTS.fetch(notes(), protection)
    expect((await send('/mcp', { headers: { origin: 'https://api.example.com' } })).status).toBe(401)
    expect((await send('/mcp', { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    const metadata = await send('/.well-known/oauth-protected-resource', { headers: { origin } })
    const refused = await ERAS.modern(send, 'whoami', { origin })
    for (const { headers } of [metadata, refused]) expect(headers.get('access-control-allow-origin')).toBe(origin)
    expect(refused.headers.get('access-control-expose-headers')).toContain('www-authenticate')
    const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
    const preflight = await send('/mcp', { method: 'OPTIONS', headers: asked })
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'authorization'])
  })
})
