/** Codes and tokens of an OAuth proxy, and tokens that must not pass through it. */
import { randomBytes } from 'node:crypto'
import { interactive } from 'portcall/auth/client'
import { describe, expect, test } from 'vitest'
import { call, open } from '../client/support/connection.ts'
import { type Proxied, REDIRECT, testProxied, VERIFIER } from './support/proxied.ts'
import { getCode } from './support/visits.ts'
import { openWindow } from './support/window.ts'

describe('X05: a code', () => {
  const form = (id: string, code: string, over: Record<string, string> = {}): Record<string, string> => ({
    grant_type: 'authorization_code',
    client_id: id,
    code,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
    ...over,
  })

  test.each<[string, Record<string, string>]>([
    ['another verifier', { code_verifier: 'w'.repeat(43) }],
    ['no verifier', { code_verifier: '' }],
    ['another address', { redirect_uri: 'https://app.example/other' }],
    ['another client', { client_id: 'dcr.x' }],
    ['another resource', { resource: 'https://other.example/mcp' }],
  ])('with %s is none', async (_, over) => {
    const proxied = await testProxied()
    const { id, code } = await getCode(proxied)
    expect((await proxied.token(form(id, code, over))).status).toBe(400)
  })

  test('is good once, and what it gave is good no more when it comes again', async () => {
    const proxied = await testProxied()
    const { id, code } = await getCode(proxied)
    const { json } = await proxied.token(form(id, code))
    const ask = (): Promise<Response> =>
      fetch(proxied.url, { method: 'POST', headers: { authorization: `Bearer ${json.access_token}` } })
    expect((await ask()).status).not.toBe(401)
    expect((await proxied.token(form(id, code))).json.error).toBe('invalid_grant')
    expect((await ask()).status).toBe(401)
    expect((await proxied.token({ grant_type: 'refresh_token', client_id: id, refresh_token: json.refresh_token! })).status).toBe(
      400,
    )
  })

  test('gives a refresh token that is good once; one that comes again ends all', async () => {
    const proxied = await testProxied()
    const { id, code } = await getCode(proxied)
    const { json } = await proxied.token(form(id, code))
    const refresh = (token = ''): ReturnType<Proxied['token']> =>
      proxied.token({ grant_type: 'refresh_token', client_id: id, refresh_token: token })
    const second = await refresh(json.refresh_token)
    expect(second.status).toBe(200)
    expect((await refresh(json.refresh_token)).json.error).toBe('invalid_grant')
    expect((await refresh(second.json.refresh_token)).json.error).toBe('invalid_grant')
  })
})

test('G11: no token that came in goes out, and none of the identity provider goes to a client', async () => {
  const upstreamSecret = randomBytes(16).toString('hex')
  const proxied = await testProxied()
  proxied.upstream.set({ token: { access_token: upstreamSecret, refresh_token: `refresh-${upstreamSecret}` } })
  const window = openWindow(proxied.origin)
  const seen: string[] = []
  const authorize = async (url: URL): Promise<string> => {
    const page = await window.get(url.href)
    const away = await window.get((await window.press(page, 'allow')).location!)
    const done = await window.get(away.location!)
    seen.push(JSON.stringify([page, done, [...window.cookies]]))
    return done.location!
  }
  const fetched: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    seen.push(await response.clone().text())
    return response
  }
  const tokens: string[] = []
  const auth = interactive({ redirectUri: REDIRECT, authorize, fetch: fetched })
  const { client } = await open(proxied.url, { auth })
  expect(await call(client, 'data')).toBe('data')
  for (const text of seen) tokens.push(...(/"(?:access|refresh)_token":"([^"]+)"/g.exec(text)?.slice(1) ?? []))

  expect(proxied.api.requests.map(({ headers }) => headers['authorization'])).toEqual([`Bearer ${upstreamSecret}`])
  expect(seen.join()).not.toContain(upstreamSecret)
  expect(tokens.length).toBeGreaterThan(0)
  const out = JSON.stringify([
    proxied.upstream.requests.map(({ headers, parameters: sent, body }) => [headers, [...sent], body]),
    proxied.api.requests,
  ])
  for (const token of tokens) expect(out).not.toContain(token)
})

test('G11: a token of the identity provider is no token here', async () => {
  const proxied = await testProxied()
  const token = await proxied.upstream.issue({ resources: [proxied.url] })
  const response = await fetch(proxied.url, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
  expect(response.status).toBe(401)
})
