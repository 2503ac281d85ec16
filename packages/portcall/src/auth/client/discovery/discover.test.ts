import { describe, expect, test } from 'vitest'
import type { AuthError } from '../errors.ts'
import type { AuthFetch, AuthorizationServer } from '../types.ts'
import { discoverAuthorizationServer } from './discover.ts'
import { canonicalResource } from './resource-metadata.ts'

const ENDPOINT = new URL('https://api.example.com/team/mcp')
const LOGIN = 'https://login.example.com'

/** Serves documents, and records the requests in order. */
function web(documents: Record<string, unknown>): { fetch: AuthFetch; requested: string[]; headers: unknown[] } {
  const requested: string[] = []
  const headers: unknown[] = []
  const fetch: AuthFetch = async (url, init) => {
    requested.push(String(url))
    headers.push(init?.headers)
    const document = documents[String(url)]
    if (typeof document === 'number') return new Response('', { status: document })
    if (typeof document === 'string') return new Response(document)
    return document ? Response.json(document) : new Response('not found', { status: 404 })
  }
  return { fetch, requested, headers }
}

const find = (fetch: AuthFetch, resourceMetadata?: string, endpoint = ENDPOINT) =>
  discoverAuthorizationServer({ endpoint, challenge: { resourceMetadata }, fetch, signal: new AbortController().signal })
const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: AuthError) => error.reason,
  )

const PATH = 'https://api.example.com/.well-known/oauth-protected-resource/team/mcp'
const ROOT = 'https://api.example.com/.well-known/oauth-protected-resource'
const META = `${LOGIN}/.well-known/oauth-authorization-server`
const resource = (more = {}) => ({ resource: ENDPOINT.href, authorization_servers: [LOGIN], ...more })

describe('the metadata of a resource', () => {
  test('is requested from the URL in the challenge, then for the path, then for the root', async () => {
    const { fetch, requested, headers } = web({ [ROOT]: resource({ scopes_supported: ['a', 'b'] }), [META]: { issuer: LOGIN } })
    expect(await find(fetch, 'https://api.example.com/elsewhere')).toEqual({
      server: { issuer: LOGIN },
      resource: ENDPOINT.href,
      scope: 'a b',
    })
    expect(requested).toEqual(['https://api.example.com/elsewhere', PATH, ROOT, META])
    expect(headers[0]).toEqual({ accept: 'application/json', 'mcp-protocol-version': '2026-07-28' })
  })

  test('is used as soon as one URL has it', async () => {
    const { fetch, requested } = web({ [PATH]: resource(), [META]: { issuer: LOGIN } })
    await find(fetch, 'https://:no address')
    expect(requested).toEqual([PATH, META])
  })

  test.each([
    ['https://evil.example.com/team/mcp'],
    ['https://api.example.com/other'],
    ['https://api.example.com/te'],
    ['https://api.example.com/team/mcp/more'],
    ['https://api.example.com:8443/team/mcp'],
    ['https://api.example.com/team/mcp?tenant=x'],
    ['https://api.example.com/team/mcp#x'],
    ['http://api.example.com/team/mcp'],
    ['no address'],
    [undefined],
    [7],
    ['https://user@api.example.com/team/mcp'],
    ['https:api.example.com/team/mcp'],
  ])('C55 is refused if its resource is %j', async (identifier) => {
    const { fetch, requested } = web({ [PATH]: resource({ resource: identifier }), [META]: { issuer: LOGIN } })
    expect(await reasonOf(find(fetch))).toBe('resource_mismatch')
    expect(requested).toEqual([PATH])
  })

  test.each([
    ['https://api.example.com/team/mcp'],
    ['https://api.example.com/team/mcp/'],
    ['https://API.example.com/team/mcp'],
    ['https://api.example.com'],
    ['https://api.example.com/'],
    ['https://api.example.com/team'],
  ])('may have the resource %j, which is sent verbatim', async (identifier) => {
    const { fetch } = web({ [PATH]: resource({ resource: identifier }), [META]: { issuer: LOGIN } })
    expect(await find(fetch)).toMatchObject({ resource: identifier })
  })

  test('C55 from another origin must name the endpoint itself', async () => {
    const elsewhere = 'https://docs.example.com/metadata'
    const whole = web({ [elsewhere]: resource(), [META]: { issuer: LOGIN } })
    expect(await find(whole.fetch, elsewhere)).toMatchObject({ resource: ENDPOINT.href })
    const part = web({ [elsewhere]: resource({ resource: ENDPOINT.origin }), [META]: { issuer: LOGIN } })
    expect(await reasonOf(find(part.fetch, elsewhere))).toBe('resource_mismatch')
  })

  test.each([{}, { error: 'not found' }, '<html>', 502])(
    'U1 is looked for at the next URL if one responds with %j',
    async (document) => {
      const { fetch } = web({ [PATH]: document, [ROOT]: resource(), [META]: { issuer: LOGIN } })
      expect(await find(fetch)).toMatchObject({ resource: ENDPOINT.href })
    },
  )

  test.each(['https://api.example.com/gone', '/gone', "'", 'https://:no address'])(
    'U2 that a challenge names as %s and that is not usable is never replaced by guesses',
    async (url) => {
      const { fetch, requested } = web({})
      expect(await reasonOf(find(fetch, url))).toBe('discovery_failed')
      expect(requested).not.toContain('https://api.example.com/.well-known/oauth-authorization-server')
    },
  )

  test.each(['/meta', '../meta', 'https://api.example.com/meta'])('U2 is found at %s', async (url) => {
    const { fetch, requested } = web({ 'https://api.example.com/meta': resource(), [META]: { issuer: LOGIN } })
    expect(await find(fetch, url)).toMatchObject({ resource: ENDPOINT.href })
    expect(requested).toEqual(['https://api.example.com/meta', META])
  })

  test('is refused if it names no authorization server', async () => {
    for (const authorization_servers of [undefined, [], [7], 'x'])
      expect(await reasonOf(find(web({ [PATH]: resource({ authorization_servers }) }).fetch))).toBe('discovery_failed')
  })
})

describe('the metadata of an authorization server', () => {
  const discoverFrom = (issuer: string, documents: Record<string, unknown>) => {
    const { fetch, requested } = web({ [PATH]: resource({ authorization_servers: [issuer] }), ...documents })
    return { requested, result: find(fetch) }
  }

  test('is requested from two URLs for an issuer without a path, and from three for one with a path', async () => {
    for (const issuer of [LOGIN, `${LOGIN}/`]) {
      const { requested, result } = discoverFrom(issuer, {})
      expect(await reasonOf(result)).toBe('discovery_failed')
      expect(requested.slice(1)).toEqual([META, `${LOGIN}/.well-known/openid-configuration`])
    }
    for (const issuer of [`${LOGIN}/a/b`, `${LOGIN}/a/b/`]) {
      const { requested, result } = discoverFrom(issuer, {})
      expect(await reasonOf(result)).toBe('discovery_failed')
      expect(requested.slice(1)).toEqual([
        `${META}/a/b`,
        `${LOGIN}/.well-known/openid-configuration/a/b`,
        `${LOGIN}/a/b/.well-known/openid-configuration`,
      ])
    }
  })

  test.each([`${LOGIN}/x`, 'http://login.example.com', `${LOGIN}:8443`, 'https://evil.example.com', undefined, 7])(
    'C56 is refused if its issuer is %j',
    async (issuer) => expect(await reasonOf(discoverFrom(LOGIN, { [META]: { issuer } }).result)).toBe('issuer_mismatch'),
  )

  test.each([
    [LOGIN, `${LOGIN}/`],
    [`${LOGIN}/`, LOGIN],
    [LOGIN, 'https://LOGIN.example.com'],
    [LOGIN, `${LOGIN}:443`],
  ])('F1 of %s may have the issuer %s, which is kept as it is written', async (listed, issuer) => {
    expect(await discoverFrom(listed, { [META]: { issuer } }).result).toMatchObject({ server: { issuer } })
  })

  test('F1 of an issuer with a path has to name exactly this path', async () => {
    for (const issuer of [`${LOGIN}/a/`, `${LOGIN}/A`, LOGIN]) {
      const { result } = discoverFrom(`${LOGIN}/a`, { [`${META}/a`]: { issuer } })
      expect(await reasonOf(result)).toBe('issuer_mismatch')
    }
  })

  test.each([{}, { error: 'not found' }, '<html>', 502, { issuer: 'https://other.example.com' }])(
    'U1 is looked for at the next URL if one responds with %j',
    async (document) => {
      const openid = `${LOGIN}/.well-known/openid-configuration`
      const { result } = discoverFrom(LOGIN, { [META]: document, [openid]: { issuer: LOGIN } })
      expect(await result).toMatchObject({ server: { issuer: LOGIN } })
    },
  )

  test('is required unless the server of revision 2025-03-26 has none', async () => {
    expect(await reasonOf(discoverFrom(LOGIN, { [META]: 503 }).result)).toBe('discovery_failed')
    expect(await reasonOf(discoverFrom('login', {}).result)).toBe('discovery_failed')
    expect(await reasonOf(find(web({ [PATH]: 500 }).fetch))).toBe('discovery_failed')
  })

  test('counts as absent if it is not a JSON object, and so do members with wrong types', async () => {
    const openid = `${LOGIN}/.well-known/openid-configuration`
    const malformed = { issuer: LOGIN, token_endpoint: 7, scopes_supported: ['a', 1], code_challenge_methods_supported: ['S256'] }
    for (const [text, document] of Object.entries({ '<html>': malformed, '[]': malformed })) {
      const { server } = await discoverFrom(LOGIN, { [META]: text, [openid]: document }).result
      expect(server).toEqual({ issuer: LOGIN, code_challenge_methods_supported: ['S256'] } satisfies AuthorizationServer)
    }
  })
})

describe('a server without metadata of its own', () => {
  test('is its own authorization server, with metadata at its origin', async () => {
    const own = 'https://api.example.com'
    const { fetch, requested } = web({
      [`${own}/.well-known/oauth-authorization-server`]: { issuer: own, token_endpoint: `${own}/t` },
    })
    expect(await find(fetch)).toMatchObject({ server: { issuer: own, token_endpoint: `${own}/t` }, resource: ENDPOINT.href })
    expect(requested).toEqual([PATH, ROOT, `${own}/.well-known/oauth-authorization-server`])
  })

  test('has endpoints at the default paths without any metadata', async () => {
    const { server } = await find(web({}).fetch)
    expect(server).toMatchObject({
      issuer: 'https://api.example.com',
      authorization_endpoint: 'https://api.example.com/authorize',
      token_endpoint: 'https://api.example.com/token',
      registration_endpoint: 'https://api.example.com/register',
    })
  })

  test('C56 must not name another issuer', async () => {
    const document = { issuer: 'https://evil.example.com' }
    const { fetch } = web({ 'https://api.example.com/.well-known/oauth-authorization-server': document })
    expect(await reasonOf(find(fetch))).toBe('issuer_mismatch')
  })

  test.each([
    ['https://API.example.com/mcp#x', 'https://api.example.com/mcp'],
    ['https://api.example.com:443/', 'https://api.example.com'],
    ['https://api.example.com/mcp/', 'https://api.example.com/mcp'],
    ['https://api.example.com:8443/a?b=c', 'https://api.example.com:8443/a?b=c'],
  ])('%s has the resource identifier %s', (endpoint, name) => expect(canonicalResource(new URL(endpoint))).toBe(name))
})
