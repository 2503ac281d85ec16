/** A server that signs its users in at an identity provider, for clients that the identity provider does not know. */
import { randomBytes } from 'node:crypto'
import { interactive } from 'portcall/auth/client'
import { describe, expect, test } from 'vitest'
import { call, open } from '../client/support/connection.ts'
import { watchNetwork } from './support/network.ts'
import { INSIDE } from './support/places.ts'
import { type Proxied, REDIRECT, testProxied, VERIFIER } from './support/proxied.ts'
import { openWindow, sealedIn, type View, type Window } from './support/window.ts'

/** A user of a client goes to the page of consent. */
async function beAsked(
  proxied: Proxied,
  window: Window = openWindow(proxied.origin),
): Promise<{ window: Window; page: View; id: string }> {
  const { id } = await proxied.register()
  return { window, id, page: await window.get(await proxied.start(id)) }
}

/** The user says yes, signs in at the identity provider, and is sent back here: to this address. */
async function signInUpstream(proxied: Proxied): Promise<{ window: Window; id: string; back: string }> {
  const { window, page, id } = await beAsked(proxied)
  const gone = await window.press(page, 'allow')
  const away = await window.get(gone.location!)
  return { window, id, back: away.location! }
}

/** All the way: the code that the client gets. */
async function getCode(proxied: Proxied): Promise<{ id: string; code: string }> {
  const { window, id, back } = await signInUpstream(proxied)
  const done = await window.get(back)
  return { id, code: new URL(done.location!).searchParams.get('code')! }
}

const parameters = ({ location }: View): Record<string, string> => Object.fromEntries(new URL(location!).searchParams)

describe('X05: before anybody is sent to the identity provider', () => {
  test('the user is asked, and sees who asks and where the answer goes', async () => {
    const proxied = await testProxied()
    const { page } = await beAsked(proxied)
    expect(page.status).toBe(200)
    expect(page.body).toContain('App')
    expect(page.body).toContain('app.example')
    expect(proxied.upstream.requests).toEqual([])
  })

  test('the page runs nothing, is put into no frame, and is kept nowhere', async () => {
    const { page } = await beAsked(await testProxied())
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.body).not.toContain('<script')
  })

  test('what a client says of itself is text', async () => {
    const proxied = await testProxied()
    const { id } = await proxied.register({ client_name: '<script>alert(1)</script>\u202e"><img src=x onerror=alert(1)>' })
    const page = await openWindow(proxied.origin).get(await proxied.start(id))
    expect(page.body).not.toMatch(/<script|<img|\u202e/)
    expect(page.body).toContain('&lt;script&gt;')
  })

  test('the user who has said yes to one client is asked for the next, and for the same one again', async () => {
    const proxied = await testProxied()
    const { window, id } = await signInUpstream(proxied)
    const asked = proxied.upstream.requests.length
    const other = await beAsked(proxied, window)
    const again = await window.get(await proxied.start(id))
    for (const { status, body } of [other.page, again]) expect([status, body.includes('wants to use')]).toEqual([200, true])
    expect(proxied.upstream.requests).toHaveLength(asked)
  })

  test('a no goes back to the client, and nowhere else', async () => {
    const proxied = await testProxied()
    const { window, page } = await beAsked(proxied)
    const gone = await window.press(page, 'deny')
    expect(gone.location).toMatch(/^https:\/\/app\.example\/back\?/)
    expect(parameters(gone)).toMatchObject({ error: 'access_denied', state: 'state-of-client', iss: proxied.origin })
    expect(proxied.upstream.requests).toEqual([])
  })
})

describe('X05: cookies', () => {
  test('are for this host, for encrypted connections, and not for scripts; the state comes with the yes', async () => {
    const proxied = await testProxied()
    const { window, page } = await beAsked(proxied)
    const asked = page.headers.getSetCookie()
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatch(/^__Host-[\w-]+=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=\d+$/)
    const [given = ''] = (await window.press(page, 'allow')).headers.getSetCookie()
    expect(given).toMatch(/^__Host-[\w-]+=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/)
  })

  test('of somebody else do not finish a sign-in, and neither does none', async () => {
    const proxied = await testProxied()
    const victim = openWindow(proxied.origin)
    const { back } = await signInUpstream(proxied)
    const other = await signInUpstream(proxied)
    for (const window of [victim, other.window]) {
      const view = await window.get(back)
      expect([view.status, view.location]).toEqual([400, undefined])
    }
    expect(proxied.upstream.asked('token')).toEqual([])
  })

  test('are signed, and belong to one client', async () => {
    const proxied = await testProxied()
    const { window, back } = await signInUpstream(proxied)
    const other = await signInUpstream(proxied)
    const [name = ''] = [...window.cookies.keys()].filter((key) => key.includes('state'))
    const own = window.cookies.get(name)!
    const [theirs = ''] = [...other.window.cookies].flatMap(([key, value]) => (key.includes('state') ? [value] : []))
    for (const value of [theirs, `${own.slice(0, -4)}AAAA`, 'x', '']) {
      window.cookies.set(name, value)
      expect((await window.get(back)).status).toBe(400)
    }
    window.cookies.set(name, own)
    expect((await window.get(back)).status).toBe(303)
  })
})

describe('X05: a yes that comes', () => {
  test.each<[string, Record<string, string>]>([
    ['from another page', { origin: 'https://evil.example' }],
    ['from nowhere', { origin: 'null' }],
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from beside this site', { 'sec-fetch-site': 'same-site' }],
  ])('%s does not count', async (_, headers) => {
    const proxied = await testProxied()
    const { window, page } = await beAsked(proxied)
    const view = await window.press(page, 'allow', { url: `${proxied.origin}/authorize`, headers })
    expect([view.status, view.location]).toEqual([403, undefined])
    expect(view.headers.getSetCookie()).toEqual([])
  })

  test('from another browser does not count', async () => {
    const proxied = await testProxied()
    const { page } = await beAsked(proxied)
    const other = await beAsked(proxied)
    for (const window of [openWindow(proxied.origin), other.window]) expect((await window.press(page, 'allow')).status).toBe(403)
  })

  test('with a request that was changed, or none, does not count', async () => {
    const proxied = await testProxied()
    const { window, page } = await beAsked(proxied)
    const sealed = sealedIn(page)
    for (const request of [`${sealed.slice(0, -4)}AAAA`, sealed.slice(1), 'x', ''])
      expect((await window.press(page, 'allow', { url: `${proxied.origin}/authorize`, request })).status).toBe(403)
  })

  test('by GET does not count', async () => {
    const proxied = await testProxied()
    const { window, page } = await beAsked(proxied)
    const url = `${proxied.origin}/authorize?decision=allow&request=${sealedIn(page)}`
    expect((await window.get(url)).location).toBeUndefined()
    expect(proxied.upstream.requests).toEqual([])
  })

  test('too late does not count', async () => {
    let now = Date.now()
    const proxied = await testProxied({ now: () => now })
    const { window, page } = await beAsked(proxied)
    now += 10 * 60_000 + 1000
    expect((await window.press(page, 'allow')).status).toBe(403)
  })
})

describe('X05: the state at the identity provider', () => {
  test('is random, new each time, and not that of the client', async () => {
    const proxied = await testProxied()
    const { window, page } = await beAsked(proxied)
    const states = await Promise.all(
      [1, 2].map(async () => new URL((await window.press(page, 'allow')).location!).searchParams.get('state')),
    )
    expect(new Set(states).size).toBe(2)
    for (const state of states) expect(state).toMatch(/^[\w-]{43,}$/)
  })

  test('is good once', async () => {
    const proxied = await testProxied()
    const { window, back } = await signInUpstream(proxied)
    expect((await window.get(back)).status).toBe(303)
    expect((await window.get(back)).status).toBe(400)
    expect(proxied.upstream.asked('token')).toHaveLength(1)
  })

  test('is good for ten minutes', async () => {
    let now = Date.now()
    const proxied = await testProxied({ now: () => now })
    const { window, back } = await signInUpstream(proxied)
    now += 10 * 60_000 + 1000
    expect((await window.get(back)).status).toBe(400)
  })

  test('with another issuer is none', async () => {
    const proxied = await testProxied()
    proxied.upstream.set({ redirect: { iss: 'https://evil.example' } })
    const { window, back } = await signInUpstream(proxied)
    expect((await window.get(back)).status).toBe(400)
    expect(proxied.upstream.asked('token')).toEqual([])
  })

  test('with an error says to the client that it was refused, and nothing that the identity provider has said', async () => {
    const proxied = await testProxied()
    proxied.upstream.set({ redirect: { error: 'x', error_description: 'EVIL', code: undefined } })
    const { window, back } = await signInUpstream(proxied)
    const view = await window.get(back)
    expect(parameters(view)).toMatchObject({ error: 'access_denied' })
    expect(view.location).not.toContain('EVIL')
  })
})

describe('X05: nobody is sent to an address that the client has not registered:', () => {
  test.each([
    'https://evil.example/back',
    'https://app.example/back/',
    'https://app.example/back/../evil',
    'https://app.example/BACK',
    'https://app.example/back?x=1',
    'https://app.example:8443/back',
    'http://app.example/back',
    'https://app.example.evil.example/back',
    'https://app.example@evil.example/back',
    'https://evil.example\\@app.example/back',
    '//app.example/back',
    'javascript:alert(1)',
    '',
  ])('%s', async (redirect_uri) => {
    const proxied = await testProxied()
    const { id } = await proxied.register()
    const view = await openWindow(proxied.origin).get(await proxied.start(id, { redirect_uri }))
    expect([view.status, view.location]).toEqual([400, undefined])
    if (redirect_uri !== '') expect(view.body).not.toContain(redirect_uri)
  })

  test.each([
    'javascript:alert(1)',
    'http://app.example/back',
    'file:///etc/passwd',
    'https://u:p@app.example/',
    'https://app.example/#x',
    'x',
  ])('%s, which cannot be registered', async (uri) => {
    const proxied = await testProxied()
    expect((await proxied.register({ redirect_uris: [uri] })).status).toBe(400)
  })

  test('a port of this machine may be another one, and nothing else', async () => {
    const proxied = await testProxied()
    const { id } = await proxied.register({ redirect_uris: ['http://127.0.0.1:1000/back'] })
    const statusOf = async (redirect_uri: string): Promise<number> =>
      (await openWindow(proxied.origin).get(await proxied.start(id, { redirect_uri }))).status
    expect(await statusOf('http://127.0.0.1:2000/back')).toBe(200)
    for (const uri of [
      'http://localhost:1000/back',
      'http://127.0.0.1:1000/other',
      'https://127.0.0.1:1000/back',
      'http://127.0.0.2:1000/back',
    ])
      expect(await statusOf(uri)).toBe(400)
  })
})

describe('X05: a client that is known by its document', () => {
  test.each(INSIDE.filter((url) => url.startsWith('https:')))('is not looked for at %s', async (place) => {
    const proxied = await testProxied()
    const network = watchNetwork()
    const view = await openWindow(proxied.origin).get(await proxied.start(new URL('client.json', place).href))
    expect([view.status, view.location]).toEqual([401, undefined])
    expect(network.dialled).toEqual([])
  })

  const ID = 'https://client.example/client.json'
  const good = { client_id: ID, client_name: 'App', redirect_uris: [REDIRECT] }
  const answering = (body: unknown, init: ResponseInit = {}): Promise<Proxied> => {
    const headers = { 'content-type': 'application/json' }
    const answer = (): Response => new Response(typeof body === 'string' ? body : JSON.stringify(body), { headers, ...init })
    return testProxied({ fetch: async () => answer() })
  }

  test('is asked about by its host', async () => {
    const proxied = await answering(good)
    const view = await openWindow(proxied.origin).get(await proxied.start(ID))
    expect([view.status, view.body.includes('client.example')]).toEqual([200, true])
  })

  test.each<[string, unknown, ResponseInit?]>([
    ['is that of another client', { ...good, client_id: 'https://other.example/client.json' }],
    ['is a page', good, { headers: { 'content-type': 'text/html' } }],
    ['is elsewhere', '', { status: 302, headers: { location: 'https://other.example/' } }],
    ['is too large', `${' '.repeat(100_000)}${JSON.stringify(good)}`],
    ['names no place to go back to', { client_id: ID, client_name: 'App' }],
    ['names a place that is none', { ...good, redirect_uris: ['javascript:alert(1)'] }],
    ['is no object', [good]],
  ])('is unknown when the document %s', async (_, body, init) => {
    const proxied = await answering(body, init)
    const view = await openWindow(proxied.origin).get(await proxied.start(ID))
    expect(view.status).toBeGreaterThanOrEqual(400)
    expect(view.location).toBeUndefined()
  })
})

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
