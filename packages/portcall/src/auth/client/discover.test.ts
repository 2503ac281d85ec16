import { describe, expect, test } from 'vitest'
import { discover } from './discover.ts'
import type { AuthError } from './errors.ts'
import { canonicalResource } from './resource.ts'
import type { AuthFetch, AuthorizationServer } from './types.ts'

const ENDPOINT = new URL('https://api.example.com/team/mcp')
const LOGIN = 'https://login.example.com'

/** Servers that have documents, and the order in which they were asked. */
function web(documents: Record<string, unknown>): { fetch: AuthFetch; asked: string[]; headers: unknown[] } {
  const asked: string[] = []
  const headers: unknown[] = []
  const fetch: AuthFetch = async (url, init) => {
    asked.push(String(url))
    headers.push(init?.headers)
    const document = documents[String(url)]
    if (typeof document === 'number') return new Response('', { status: document })
    if (typeof document === 'string') return new Response(document)
    return document ? Response.json(document) : new Response('not found', { status: 404 })
  }
  return { fetch, asked, headers }
}

const find = (fetch: AuthFetch, resourceMetadata?: string, endpoint = ENDPOINT) =>
  discover({ endpoint, demand: { resourceMetadata }, fetch, signal: new AbortController().signal })
const faultOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: AuthError) => error.fault,
  )

const PATH = 'https://api.example.com/.well-known/oauth-protected-resource/team/mcp'
const ROOT = 'https://api.example.com/.well-known/oauth-protected-resource'
const META = `${LOGIN}/.well-known/oauth-authorization-server`
const resource = (more = {}) => ({ resource: ENDPOINT.href, authorization_servers: [LOGIN], ...more })

describe('the metadata of a resource', () => {
  test('is looked for where the challenge says, then at the path, then at the root', async () => {
    const { fetch, asked, headers } = web({ [ROOT]: resource({ scopes_supported: ['a', 'b'] }), [META]: { issuer: LOGIN } })
    expect(await find(fetch, 'https://api.example.com/elsewhere')).toEqual({
      server: { issuer: LOGIN },
      resource: ENDPOINT.href,
      scope: 'a b',
    })
    expect(asked).toEqual(['https://api.example.com/elsewhere', PATH, ROOT, META])
    expect(headers[0]).toEqual({ accept: 'application/json', 'mcp-protocol-version': '2026-07-28' })
  })

  test('ends the search where it is found', async () => {
    const { fetch, asked } = web({ [PATH]: resource(), [META]: { issuer: LOGIN } })
    await find(fetch, 'no address')
    expect(asked).toEqual([PATH, META])
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
  ])('C55 is not believed when it is about %j', async (named) => {
    const { fetch, asked } = web({ [PATH]: resource({ resource: named }), [META]: { issuer: LOGIN } })
    expect(await faultOf(find(fetch))).toBe('resource_mismatch')
    expect(asked).toEqual([PATH])
  })

  test.each([
    ['https://api.example.com/team/mcp'],
    ['https://api.example.com/team/mcp/'],
    ['https://API.example.com/team/mcp'],
    ['https://api.example.com'],
    ['https://api.example.com/'],
    ['https://api.example.com/team'],
  ])('may call the server %j, and is quoted to the letter', async (named) => {
    const { fetch } = web({ [PATH]: resource({ resource: named }), [META]: { issuer: LOGIN } })
    expect(await find(fetch)).toMatchObject({ resource: named })
  })

  test('C55 from another origin has to name the server itself', async () => {
    const elsewhere = 'https://docs.example.com/metadata'
    const whole = web({ [elsewhere]: resource(), [META]: { issuer: LOGIN } })
    expect(await find(whole.fetch, elsewhere)).toMatchObject({ resource: ENDPOINT.href })
    const part = web({ [elsewhere]: resource({ resource: ENDPOINT.origin }), [META]: { issuer: LOGIN } })
    expect(await faultOf(find(part.fetch, elsewhere))).toBe('resource_mismatch')
  })

  test('that names no authorization server is of no use', async () => {
    for (const authorization_servers of [undefined, [], [7], 'x'])
      expect(await faultOf(find(web({ [PATH]: resource({ authorization_servers }) }).fetch))).toBe('discovery_failed')
  })
})

describe('the metadata of an authorization server', () => {
  const places = (issuer: string, found: Record<string, unknown>) => {
    const { fetch, asked } = web({ [PATH]: resource({ authorization_servers: [issuer] }), ...found })
    return { asked, found: find(fetch) }
  }

  test('is looked for in two places when the issuer has no path, in three when it has one', async () => {
    for (const issuer of [LOGIN, `${LOGIN}/`]) {
      const { asked, found } = places(issuer, {})
      expect(await faultOf(found)).toBe('discovery_failed')
      expect(asked.slice(1)).toEqual([META, `${LOGIN}/.well-known/openid-configuration`])
    }
    for (const issuer of [`${LOGIN}/a/b`, `${LOGIN}/a/b/`]) {
      const { asked, found } = places(issuer, {})
      expect(await faultOf(found)).toBe('discovery_failed')
      expect(asked.slice(1)).toEqual([
        `${META}/a/b`,
        `${LOGIN}/.well-known/openid-configuration/a/b`,
        `${LOGIN}/a/b/.well-known/openid-configuration`,
      ])
    }
  })

  test.each([`${LOGIN}/`, 'https://LOGIN.example.com', `${LOGIN}:443`, 'https://evil.example.com', undefined, 7])(
    'C56 is not believed when it says that it is %j',
    async (issuer) => expect(await faultOf(places(LOGIN, { [META]: { issuer } }).found)).toBe('issuer_mismatch'),
  )

  test('is not guessed when its server is out of order, or was never named', async () => {
    expect(await faultOf(places(LOGIN, { [META]: 503 }).found)).toBe('discovery_failed')
    expect(await faultOf(places('login', {}).found)).toBe('discovery_failed')
    expect(await faultOf(find(web({ [PATH]: 500 }).fetch))).toBe('discovery_failed')
  })

  test('counts as absent where it is something else, and so do its members', async () => {
    const openid = `${LOGIN}/.well-known/openid-configuration`
    const strange = { issuer: LOGIN, token_endpoint: 7, scopes_supported: ['a', 1], code_challenge_methods_supported: ['S256'] }
    for (const [text, document] of Object.entries({ '<html>': strange, '[]': strange })) {
      const { server } = await places(LOGIN, { [META]: text, [openid]: document }).found
      expect(server).toEqual({ issuer: LOGIN, code_challenge_methods_supported: ['S256'] } satisfies AuthorizationServer)
    }
  })
})

describe('a server without metadata of its own', () => {
  test('is its own authorization server, at its origin', async () => {
    const own = 'https://api.example.com'
    const { fetch, asked } = web({
      [`${own}/.well-known/oauth-authorization-server`]: { issuer: own, token_endpoint: `${own}/t` },
    })
    expect(await find(fetch)).toMatchObject({ server: { issuer: own, token_endpoint: `${own}/t` }, resource: ENDPOINT.href })
    expect(asked).toEqual([PATH, ROOT, `${own}/.well-known/oauth-authorization-server`])
  })

  test('has endpoints at the default paths when it does not tell', async () => {
    const { server } = await find(web({}).fetch)
    expect(server).toMatchObject({
      issuer: 'https://api.example.com',
      authorization_endpoint: 'https://api.example.com/authorize',
      token_endpoint: 'https://api.example.com/token',
      registration_endpoint: 'https://api.example.com/register',
    })
  })

  test('C56 is not somebody else', async () => {
    const document = { issuer: 'https://evil.example.com' }
    const { fetch } = web({ 'https://api.example.com/.well-known/oauth-authorization-server': document })
    expect(await faultOf(find(fetch))).toBe('issuer_mismatch')
  })

  test.each([
    ['https://API.example.com/mcp#x', 'https://api.example.com/mcp'],
    ['https://api.example.com:443/', 'https://api.example.com'],
    ['https://api.example.com/mcp/', 'https://api.example.com/mcp'],
    ['https://api.example.com:8443/a?b=c', 'https://api.example.com:8443/a?b=c'],
  ])('%s is called %s', (endpoint, name) => expect(canonicalResource(new URL(endpoint))).toBe(name))
})
