/** Authorization codes and tokens of an OAuth proxy, and tokens that must not pass through it. */
import { randomBytes } from 'node:crypto'
import { authorizationCode } from 'portcall/auth/client'
import { describe, expect, test } from 'vitest'
import { call, open } from '../client/support/connection.ts'
import { createBrowser } from './support/browser.ts'
import { type ProxyServer, REDIRECT, testProxy, VERIFIER } from './support/proxy-server.ts'
import { obtainCode } from './support/sign-in.ts'

describe('X05: an authorization code', () => {
  const form = (id: string, code: string, overrides: Record<string, string> = {}): Record<string, string> => ({
    grant_type: 'authorization_code',
    client_id: id,
    code,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
    ...overrides,
  })

  test.each<[string, Record<string, string>]>([
    ['another verifier', { code_verifier: 'w'.repeat(43) }],
    ['no verifier', { code_verifier: '' }],
    ['another redirect URI', { redirect_uri: 'https://app.example/other' }],
    ['another client', { client_id: 'dcr.x' }],
    ['another resource', { resource: 'https://other.example/mcp' }],
  ])('with %s is refused', async (_, overrides) => {
    const proxy = await testProxy()
    const { id, code } = await obtainCode(proxy)
    expect((await proxy.requestTokens(form(id, code, overrides))).status).toBe(400)
  })

  test('can be redeemed once; its reuse revokes the tokens', async () => {
    const proxy = await testProxy()
    const { id, code } = await obtainCode(proxy)
    const { json } = await proxy.requestTokens(form(id, code))
    const send = (): Promise<Response> =>
      fetch(proxy.url, { method: 'POST', headers: { authorization: `Bearer ${json.access_token}` } })
    expect((await send()).status).not.toBe(401)
    expect((await proxy.requestTokens(form(id, code))).json.error).toBe('invalid_grant')
    expect((await send()).status).toBe(401)
    expect(
      (await proxy.requestTokens({ grant_type: 'refresh_token', client_id: id, refresh_token: json.refresh_token! })).status,
    ).toBe(400)
  })

  test('leads to a refresh token that can be used once; its reuse revokes the grant', async () => {
    const proxy = await testProxy()
    const { id, code } = await obtainCode(proxy)
    const { json } = await proxy.requestTokens(form(id, code))
    const refresh = (token = ''): ReturnType<ProxyServer['requestTokens']> =>
      proxy.requestTokens({ grant_type: 'refresh_token', client_id: id, refresh_token: token })
    const second = await refresh(json.refresh_token)
    expect(second.status).toBe(200)
    expect((await refresh(json.refresh_token)).json.error).toBe('invalid_grant')
    expect((await refresh(second.json.refresh_token)).json.error).toBe('invalid_grant')
  })
})

test('G11: tokens of clients are not sent to the identity provider, and its tokens are not sent to clients', async () => {
  const upstreamSecret = randomBytes(16).toString('hex')
  const proxy = await testProxy()
  proxy.upstream.setFaults({ token: { access_token: upstreamSecret, refresh_token: `refresh-${upstreamSecret}` } })
  const browser = createBrowser(proxy.origin)
  const seen: string[] = []
  const authorize = async (url: URL): Promise<string> => {
    const page = await browser.get(url.href)
    const signedIn = await browser.get((await browser.press(page, 'allow')).location!)
    const returned = await browser.get(signedIn.location!)
    seen.push(JSON.stringify([page, returned, [...browser.cookies]]))
    return returned.location!
  }
  const recordingFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    seen.push(await response.clone().text())
    return response
  }
  const tokens: string[] = []
  const auth = authorizationCode({ redirectUri: REDIRECT, authorize, fetch: recordingFetch })
  const { client } = await open(proxy.url, { auth })
  expect(await call(client, 'data')).toBe('data')
  for (const text of seen) tokens.push(...(/"(?:access|refresh)_token":"([^"]+)"/g.exec(text)?.slice(1) ?? []))

  expect(proxy.api.requests.map(({ headers }) => headers['authorization'])).toEqual([`Bearer ${upstreamSecret}`])
  expect(seen.join()).not.toContain(upstreamSecret)
  expect(tokens.length).toBeGreaterThan(0)
  const out = JSON.stringify([
    proxy.upstream.requests.map(({ headers, parameters: sent, body }) => [headers, [...sent], body]),
    proxy.api.requests,
  ])
  for (const token of tokens) expect(out).not.toContain(token)
})

test('G11: a token of the identity provider is refused', async () => {
  const proxy = await testProxy()
  const token = await proxy.upstream.issue({ resources: [proxy.url] })
  const response = await fetch(proxy.url, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
  expect(response.status).toBe(401)
})
