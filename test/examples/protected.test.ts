import { createHash } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'portcall'
import { apiKeys, createApiKey, jwt, protect } from 'portcall/auth/server'
import type { JsonObject } from 'portcall/jsonrpc'
import { serve } from 'portcall/node'
import { type AuthorizationServerOptions, authorizationServer, type TestAuthorizationServer } from 'portcall/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { protection as bound } from '../../examples/protected-dpop.ts'
import { server as scoped } from '../../examples/protected-scopes.ts'
import { tokenInfo } from '../../examples/verifier-custom.ts'
import { protection as several } from '../../examples/verifiers.ts'
import { startExample, startServer } from '../support/example.ts'
import { createRequester } from '../support/tool-requester.ts'

const RESOURCE = 'https://notes.example.com/mcp'
const ORIGIN = 'https://notes.example.com'

async function logInAt(options: AuthorizationServerOptions = {}): Promise<TestAuthorizationServer> {
  const login = await authorizationServer(options)
  onTestFinished(() => login.close())
  return login
}

test('protected', async () => {
  const login = await logInAt()
  const url = await startServer('protected', { env: { ISSUER: login.issuer, RESOURCE } })
  const call = createRequester(url)
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url))
  expect(await metadata.json()).toMatchObject({ resource: RESOURCE, authorization_servers: [login.issuer] })
  expect((await call('list')).status).toBe(401)
  const token = await login.issue({ subject: 'ann', scopes: ['notes:read'], resources: [RESOURCE] })
  expect(await call('list', token)).toMatchObject({ status: 200, text: 'Notes of ann' })
  expect(await call('erase', token)).toMatchObject({
    status: 403,
    challenge: expect.stringContaining('scope="notes:read notes:write"'),
  })
})

test('api-keys', async () => {
  const example = await startExample('api-keys', { env: { RESOURCE } })
  const [, url = '', key] = /Listening at (\S+)\nThe key of Ann is (\S+)\n/.exec(await example.until('Ann is key_')) ?? []
  const call = createRequester(url)
  expect(await call('whoami', key)).toMatchObject({ status: 200, text: 'You are ann' })
  expect((await call('whoami', `${key}x`)).status).toBe(401)
})

test('protected-scopes', async () => {
  const { key, hash } = await createApiKey()
  const protection = protect({ resource: RESOURCE, verify: apiKeys([{ hash, subject: 'ann', scopes: ['notes:read'] }]) })
  const { url, close } = await serve(scoped, { port: 0, handleProcessSignals: false, ...protection })
  onTestFinished(close)
  expect(await createRequester(url)('erase', key)).toMatchObject({ status: 200, text: expect.stringContaining('Unknown tool') })
})

test('verifier-custom', async () => {
  const statuses: Record<string, number> = { unknown: 404, revoked: 401, broken: 500 }
  const service = createHttpServer((request, response) => {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    const info = { user: 'ann', audience: RESOURCE, scopes: ['notes:read'], expires: 4_102_444_800 }
    response.writeHead(statuses[token] ?? 200).end(JSON.stringify(info))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => service.once('listening', resolve))
  onTestFinished(() => void service.close())
  const verify = tokenInfo(`http://127.0.0.1:${(service.address() as AddressInfo).port}`)
  const server = createServer({ name: 'notes', version: '1.0.0' })
  server.tool('whoami', {}, (_, call) => `You are ${call.auth?.subject}`)
  const protection = protect({ resource: RESOURCE, verify })
  const { url, close } = await serve(server, { port: 0, handleProcessSignals: false, ...protection })
  onTestFinished(close)
  const call = createRequester(url)
  expect(await call('whoami', 'good')).toMatchObject({ status: 200, text: 'You are ann' })
  for (const [token, status] of Object.entries({ unknown: 401, revoked: 401, broken: 503 }))
    expect((await call('whoami', token)).status).toBe(status)
})

test('protected-dpop and verifiers', async () => {
  expect([bound.path, several.path]).toEqual(['/mcp', '/mcp'])
  const { url, close } = await serve(scoped, { port: 0, handleProcessSignals: false, ...bound })
  onTestFinished(close)
  const response = await fetch(url, { method: 'POST' })
  expect(response.headers.get('www-authenticate')).toMatch(/^DPoP /)
})

/** An identity provider with an API: it signs in the user `login`, and resolves tokens to their users. */
async function identityProvider(login: TestAuthorizationServer): Promise<{ url: string; tokens: string[] }> {
  const tokens: string[] = []
  const http = createHttpServer(async (request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/authorize')) return void response.writeHead(302, { location: login.issuer + path }).end()
    if (path === '/token') {
      const { authorization = '' } = request.headers
      const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await fetch(`${login.issuer}/token`, { method: 'POST', headers, body: await textOf(request) })
      return void response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    }
    tokens.push(request.headers.authorization ?? '')
    response.writeHead(200, { 'content-type': 'application/json' }).end(path === '/userinfo' ? '{"sub":"ann"}' : '["a.txt"]')
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void http.close())
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, tokens }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

/** Gives consent on the page of a proxy, and returns the URL of the identity provider that it redirects to, and the cookie. */
async function consent(url: string, query: URLSearchParams): Promise<{ location: string; cookie: string }> {
  const page = await fetch(new URL(`/authorize?${query}`, url), { redirect: 'manual' })
  const request = /name="request" value="([^"]*)"/.exec(await page.text())?.[1] ?? ''
  const body = new URLSearchParams({ request, decision: 'allow' })
  const init = { method: 'POST', body, headers: { cookie: cookieOf(page), origin: ORIGIN }, redirect: 'manual' } as const
  const allowed = await fetch(new URL('/authorize', url), init)
  return { location: allowed.headers.get('location') ?? '', cookie: cookieOf(allowed) }
}

const cookieOf = (response: Response): string => response.headers.get('set-cookie')?.split(';')[0] ?? ''
const REDIRECT_URI = 'http://127.0.0.1:7/callback'

/** Registers a client with a proxy, and returns its authorization request. */
async function register(url: string, verifier: string): Promise<URLSearchParams> {
  const body = JSON.stringify({ redirect_uris: [REDIRECT_URI], client_name: 'Editor' })
  const { client_id } = await (await fetch(new URL('/register', url), { method: 'POST', body })).json()
  const code_challenge = createHash('sha256').update(verifier).digest('base64url')
  const request = { client_id, response_type: 'code', redirect_uri: REDIRECT_URI, code_challenge, code_challenge_method: 'S256' }
  return new URLSearchParams(request)
}

test('oauth-proxy', async () => {
  const clients = [{ client_id: 'notes', client_secret: 'secret', redirect_uris: [`${ORIGIN}/authorize/callback`] }]
  const provider = await identityProvider(await logInAt({ clients }))
  const url = await startServer('oauth-proxy', { env: { LOGIN: provider.url, RESOURCE } })
  const verifier = 'v'.repeat(43)
  const request = await register(url, verifier)
  const { location, cookie } = await consent(url, request)
  const signedIn = await follow(location)
  const back = await fetch(new URL(signedIn.pathname + signedIn.search, url), { headers: { cookie }, redirect: 'manual' })
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: request.get('client_id') ?? '',
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT_URI,
  })
  const tokens = await (await fetch(new URL('/token', url), { method: 'POST', body })).json()
  expect(await createRequester(url)('files', tokens.access_token)).toMatchObject({ status: 200, text: '["a.txt"]' })
  expect(provider.tokens.join()).not.toContain(tokens.access_token)
})

/** Follows redirects like a browser, up to the callback. */
async function follow(location: string): Promise<URL> {
  const response = await fetch(location, { redirect: 'manual' })
  const next = response.headers.get('location') ?? ''
  return next.startsWith(ORIGIN) ? new URL(next) : follow(next)
}

const PROVIDER_ENV = {
  RESOURCE,
  AUTH0_DOMAIN: 'acme.eu.auth0.com',
  KEYCLOAK_URL: 'https://keycloak.example.com',
  KEYCLOAK_REALM: 'acme',
  OKTA_DOMAIN: 'acme.okta.com',
  TENANT_ID: '4a1c',
  COGNITO_DOMAIN: 'acme',
  AWS_REGION: 'eu-west-1',
  USER_POOL_ID: 'eu-west-1_Pool',
  CLIENT_ID: 'notes-client',
  CLIENT_SECRET: 'secret',
}
const env = PROVIDER_ENV

describe('identity providers', () => {
  test('provider-auth0 and provider-keycloak name their issuer, exactly as in tokens', async () => {
    const issuers = {
      auth0: ['https://acme.eu.auth0.com/', await startServer('provider-auth0', { env })],
      keycloak: ['https://keycloak.example.com/realms/acme', await startServer('provider-keycloak', { env })],
    }
    for (const [issuer, url] of Object.values(issuers)) {
      const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url))
      const expected = { resource: RESOURCE, authorization_servers: [issuer], scopes_supported: ['notes:read'] }
      expect(await metadata.json()).toMatchObject(expected)
      expect((await createRequester(url ?? '')('whoami')).challenge).toContain('scope="notes:read"')
    }
  })

  test.each([
    ['okta', 'https://acme.okta.com/oauth2/default/v1/authorize', () => startServer('provider-okta', { env })],
    ['entra', 'https://login.microsoftonline.com/4a1c/oauth2/v2.0/authorize', () => startServer('provider-entra', { env })],
    ['google', 'https://accounts.google.com/o/oauth2/v2/auth', () => startServer('provider-google', { env })],
    ['cognito', 'https://acme.auth.eu-west-1.amazoncognito.com/oauth2/authorize', () => startServer('provider-cognito', { env })],
  ])('provider-%s sends users to the provider', async (_, endpoint, start) => {
    const url = await start()
    const { location } = await consent(url, await register(url, 'v'.repeat(43)))
    const { origin, pathname, searchParams } = new URL(location)
    expect(origin + pathname).toBe(endpoint)
    expect(searchParams.get('client_id')).toBe('notes-client')
    expect(searchParams.get('redirect_uri')).toBe(`${ORIGIN}/authorize/callback`)
    expect(searchParams.get('scope')).toContain('openid')
    expect(searchParams.get('code_challenge_method')).toBe('S256')
    expect(searchParams.has('resource')).toBe(false)
  })

  /** Sends a token with these claims to a server that accepts the tokens of its issuer. */
  async function accepts(claims: JsonObject, options: { audience?: string } = {}): Promise<boolean> {
    const login = await logInAt()
    const verify = jwt({ issuer: login.issuer, jwksUri: `${login.issuer}/jwks`, ...options })
    const server = createServer({ name: 'notes', version: '1.0.0' })
    server.tool('whoami', {}, (_, call) => `You are ${call.auth?.subject}`)
    const protection = protect({ resource: RESOURCE, authorizationServers: [login.issuer], verify, scopes: ['notes:read'] })
    const { url, close } = await serve(server, { port: 0, handleProcessSignals: false, ...protection })
    onTestFinished(close)
    const token = await login.issue({ subject: 'ann', claims })
    return (await createRequester(url)('whoami', token)).status === 200
  }

  test.each<[string, JsonObject, { audience?: string }, boolean]>([
    [
      'Auth0, with the API identifier as the audience',
      { aud: [RESOURCE, 'https://acme/userinfo'], scope: 'openid notes:read' },
      {},
      true,
    ],
    ['Keycloak, with an audience mapper', { aud: [RESOURCE, 'account'], scope: 'notes:read' }, {}, true],
    ['Keycloak, without an audience mapper', { aud: 'account', scope: 'notes:read' }, {}, false],
    ['Entra ID, version 2', { aud: '00000000-client', scp: 'notes:read' }, { audience: '00000000-client' }, true],
    ['Entra ID, without the option `audience`', { aud: '00000000-client', scp: 'notes:read' }, {}, false],
    ['Okta, with scopes in a list', { aud: 'api://default', scp: ['notes:read'] }, { audience: 'api://default' }, true],
    ['Cognito, without an audience', { aud: undefined, client_id: 'app', scope: 'notes:read' }, { audience: 'app' }, false],
    ['Cognito, with a bound resource', { aud: RESOURCE, client_id: 'app', scope: 'notes:read' }, {}, true],
  ])('a token of %s', async (_, claims, options, isAccepted) => {
    expect(await accepts(claims, options)).toBe(isAccepted)
  })
})
