import { describe, expect, test } from 'vitest'
import {
  authorizePath,
  locationOf,
  ORIGIN,
  obtainCode,
  REDIRECT,
  register,
  sealedRequestOf,
  signInUpstream,
  startProxy,
} from '../../../test-kit/auth/proxy.ts'
import { isRegisteredRedirectUri } from './redirects.ts'

describe('X05 the consent page', () => {
  test('SEC-002 names the client, the scopes and the recipient', async () => {
    const { send, browser, idp } = await startProxy({ name: 'Notes & co' })
    const page = await browser().get(authorizePath(await register(send), {}))
    const text = await page.text()
    for (const part of [
      'Notes app',
      'Notes &amp; co',
      'client.example',
      REDIRECT,
      'notes:read',
      'repo',
      new URL(idp.issuer).host,
    ])
      expect(text).toContain(part)
    expect(text).toContain('It registered itself')
  })

  test('AUTH-050 warns about programs on this computer', async () => {
    const { send, browser } = await startProxy()
    const redirect_uri = 'http://127.0.0.1:1234/cb'
    const clientId = await register(send, { redirect_uris: ['http://127.0.0.1/cb'] })
    expect(await (await browser().get(authorizePath(clientId, { redirect_uri }))).text()).toContain('a program on this computer')
  })

  test('X09 escapes names', async () => {
    const { send, browser } = await startProxy()
    const client_name = `<img src=x onerror=alert(1)>"'\u202eevil\u0000\u200b\u{e0041}${'x'.repeat(200)}`
    const text = await (await browser().get(authorizePath(await register(send, { client_name })))).text()
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;evilxx')
    expect(text).not.toMatch(/<img|\u202e|\u0000|\u200b|x{100}/u)
  })

  test('SEC-002 forbids framing and scripts', async () => {
    const { send, browser } = await startProxy()
    const { headers } = await browser().get(authorizePath(await register(send)))
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('SEC-001 AUTH-103 is shown each time, for each client', async () => {
    const { send, browser } = await startProxy()
    const visitor = browser()
    const clientId = await register(send)
    await obtainCode(visitor, clientId)
    for (const id of [clientId, await register(send, { client_name: 'Evil' })]) {
      const again = await visitor.get(authorizePath(id))
      expect([again.status, again.headers.get('location')]).toEqual([200, null])
    }
  })

  test('SEC-005 SEC-006 is shown before anything is stored or requested', async () => {
    const { send, browser, entries, idp } = await startProxy()
    const visitor = browser()
    await visitor.get(authorizePath(await register(send)))
    expect(visitor.setCookies.join()).not.toContain('state')
    expect(entries).toEqual([])
    expect(idp.requests).toEqual([])
  })

  test('SEC-003 uses cookies of this host only', async () => {
    const { send, browser } = await startProxy()
    const visitor = browser()
    await signInUpstream(visitor, await register(send))
    expect(visitor.setCookies).toHaveLength(2)
    for (const cookie of visitor.setCookies)
      expect(cookie).toMatch(/^__Host-[\w-]+=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=(Lax|Strict); Max-Age=600$/)
  })

  test('SEC-002 cannot be submitted by another page', async () => {
    const { send, browser } = await startProxy()
    const [victim, attacker] = [browser(), browser()]
    const clientId = await register(send)
    const stolen = await sealedRequestOf(await attacker.get(authorizePath(clientId)))
    const own = await sealedRequestOf(await victim.get(authorizePath(clientId)))
    const form = { request: own, decision: 'allow' }
    const refused = [
      await victim.post('/authorize', { ...form, request: stolen }),
      await browser().post('/authorize', form),
      await victim.post('/authorize', form, { 'sec-fetch-site': 'cross-site' }),
      await victim.post('/authorize', form, { origin: 'https://evil.example' }),
      await victim.post('/authorize', form, { origin: 'null' }),
      await victim.post('/authorize', form, { origin: '' }),
      await victim.post('/authorize', form, { origin: ORIGIN, 'sec-fetch-site': 'same-site' }),
      await victim.post('/authorize', form, { origin: 'http://localhost:5173' }),
      await victim.post('/authorize', { ...form, request: `${own}x` }),
      await victim.post('/authorize', { decision: 'allow' }),
    ]
    expect(refused.map(({ status, headers }) => [status, headers.get('location')])).toEqual(refused.map(() => [403, null]))
    expect((await victim.post('/authorize', form)).status).toBe(303)
  })

  test('cannot be submitted without a header that says where the form comes from, even with a planted cookie', async () => {
    const { send, browser } = await startProxy()
    const [victim, attacker] = [browser(), browser()]
    const stolen = await sealedRequestOf(await attacker.get(authorizePath(await register(send))))
    for (const [name, value] of attacker.cookies) victim.cookies.set(name, value)
    const cookie = [...victim.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const body = new URLSearchParams({ request: stolen, decision: 'allow' })
    const response = await send('/authorize', { method: 'POST', body, headers: { cookie } })
    expect([response.status, response.headers.get('location')]).toEqual([403, null])
    expect(
      (await victim.post('/authorize', { request: stolen, decision: 'allow' }, { origin: 'https://evil.example' })).status,
    ).toBe(403)
  })

  test('is not answered by a link', async () => {
    const { send, browser, idp } = await startProxy()
    const victim = browser()
    const path = authorizePath(await register(send))
    const request = await sealedRequestOf(await victim.get(path))
    const query = new URLSearchParams({ request, decision: 'allow' })
    for (const link of [`${path}&${query}`, `/authorize?${query}`])
      expect((await victim.get(link, { origin: ORIGIN })).headers.get('location')).toBeNull()
    expect(idp.requests).toEqual([])
  })

  test('is refused when a cookie was set twice, as by a page on another port or subdomain', async () => {
    const { send, browser } = await startProxy()
    const victim = browser()
    const request = await sealedRequestOf(await victim.get(authorizePath(await register(send))))
    const [[name, value] = ['', '']] = victim.cookies
    for (const cookie of [`${name}=x; ${name}=${value}`, `${name}=${value}; ${name}=${value}`, `${name.slice(7)}=${value}`]) {
      const response = await victim.post('/authorize', { request, decision: 'allow' }, { cookie })
      expect([response.status, response.headers.get('location')]).toEqual([403, null])
    }
  })

  test('replaces a cookie that this server cannot have set', async () => {
    const { send, browser } = await startProxy()
    const victim = browser()
    const path = authorizePath(await register(send))
    await victim.get(path)
    const [[name] = ['']] = victim.cookies
    for (const planted of ['', 'x', 'x'.repeat(44), '"'.repeat(43)]) {
      victim.cookies.set(name, planted)
      await victim.get(path)
      expect(victim.cookies.get(name)).toMatch(/^[\w-]{43}$/)
    }
  })

  test('is for one client and its whole request: no part of it can be changed afterwards', async () => {
    const { send, browser } = await startProxy()
    const visitor = browser()
    const evil = await register(send, { client_name: 'Evil', redirect_uris: ['https://evil.example/cb'] })
    const request = await sealedRequestOf(await visitor.get(authorizePath(await register(send))))
    const more = { client_id: evil, redirect_uri: 'https://evil.example/cb', scope: 'notes:write', state: 'evil' }
    const allowed = await visitor.post('/authorize', { request, decision: 'allow', ...more })
    const callback = locationOf(await fetch(locationOf(allowed), { redirect: 'manual' }))
    const redirect = locationOf(await visitor.get(callback.pathname + callback.search))
    expect([redirect.origin + redirect.pathname, redirect.searchParams.get('state')]).toEqual([REDIRECT, 'client state'])
  })

  test('expires after ten minutes', async () => {
    const { send, browser, clock } = await startProxy()
    const visitor = browser()
    const request = await sealedRequestOf(await visitor.get(authorizePath(await register(send))))
    clock.ahead += 601_000
    expect((await visitor.post('/authorize', { request, decision: 'allow' })).status).toBe(403)
  })
})

describe('X05 the callback', () => {
  test('SEC-005 is accepted from the browser that gave consent', async () => {
    const { send, browser } = await startProxy()
    const [attacker, victim] = [browser(), browser()]
    const clientId = await register(send)
    const path = await signInUpstream(attacker, clientId)
    await signInUpstream(victim, clientId)
    for (const visitor of [browser(), victim]) {
      const response = await visitor.get(path)
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
    }
    expect((await attacker.get(path)).status).toBe(303)
  })

  test('SEC-005 is accepted once, for ten minutes, with a random state', async () => {
    const { send, browser, clock } = await startProxy()
    const visitor = browser()
    const clientId = await register(send)
    const path = await signInUpstream(visitor, clientId)
    expect((await visitor.get(path)).status).toBe(303)
    expect((await visitor.get(path)).status).toBe(400)
    const second = await signInUpstream(visitor, clientId)
    const states = [path, second].map((one) => new URLSearchParams(one.split('?')[1]).get('state'))
    expect(new Set(states).size).toBe(2)
    for (const state of states) expect(state).toMatch(/^[\w-]{22}\.[\w-]{43}$/)
    clock.ahead += 601_000
    expect((await visitor.get(second)).status).toBe(400)
  })

  test('is not accepted with the cookie of another sign-in of the same browser', async () => {
    const { send, browser } = await startProxy()
    const visitor = browser()
    const clientId = await register(send)
    const first = await signInUpstream(visitor, clientId)
    const second = await signInUpstream(visitor, clientId)
    const names = [...visitor.cookies.keys()].filter((name) => name.includes('state'))
    const [one = '', two = ''] = names.map((name) => visitor.cookies.get(name) ?? '')
    const swapped = `${names[0]}=${two}; ${names[1]}=${one}`
    for (const path of [first, second]) expect((await visitor.get(path, { cookie: swapped })).status).toBe(400)
    for (const path of [first, second]) expect((await visitor.get(path)).status).toBe(303)
  })

  test('is refused without a valid state', async () => {
    const { browser } = await startProxy()
    for (const query of ['', '?code=x', '?code=x&state=x', '?state=x&state=y&code=x', '?error=x']) {
      const response = await browser().get(`/authorize/callback${query}`)
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
    }
  })
})

describe('AUTH-101 SEC-004 a redirect', () => {
  test.each([
    `${REDIRECT}/`,
    `${REDIRECT}?x=1`,
    `${REDIRECT}#x`,
    `${REDIRECT}/../evil`,
    'https://client.example/Callback',
    'https://client.example.evil.example/callback',
    'https://client.example@evil.example/callback',
    'https://client.example:8443/callback',
    'http://client.example/callback',
    'https://client.example\\@evil.example/callback',
    'javascript:alert(1)',
    '//evil.example',
    '',
  ])('to %j is refused without a redirect', async (redirect_uri) => {
    const { send, browser } = await startProxy()
    const response = await browser().get(authorizePath(await register(send), { redirect_uri }))
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    expect(response.headers.get('content-type')).toContain('text/plain')
  })

  test('on loopback may differ in its port only', () => {
    const registered = ['http://127.0.0.1/cb', 'http://localhost:1234/cb', 'http://[::1]/cb', 'https://client.example/cb']
    for (const good of ['http://127.0.0.1:5/cb', 'http://localhost/cb', 'http://localhost:9/cb', 'http://[::1]:9/cb'])
      expect(isRegisteredRedirectUri(good, registered)).toBe(true)
    for (const bad of [
      'http://127.0.0.2:5/cb',
      'http://127.0.0.1:5/cb2',
      'http://127.0.0.1:5@evil.example/cb',
      'http://127.0.0.1.evil.example/cb',
      'https://127.0.0.1/cb',
      'https://client.example:9/cb',
      'http://127.0.0.1:5/cb#x',
    ])
      expect(isRegisteredRedirectUri(bad, registered)).toBe(false)
  })

  test('of an unknown client is refused', async () => {
    const { send, browser } = await startProxy()
    const clientId = await register(send)
    for (const id of ['', 'x', 'dcr.x', `${clientId}x`, clientId.slice(0, -2)]) {
      const response = await browser().get(authorizePath(id))
      expect([response.status, response.headers.get('location')]).toEqual([401, null])
    }
    const repeated = await browser().get(`${authorizePath(clientId)}&redirect_uri=${REDIRECT}`)
    expect([repeated.status, repeated.headers.get('location')]).toEqual([400, null])
  })
})

describe('an invalid authorization request', () => {
  test.each<[string, Record<string, string>, string]>([
    ['with another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['without PKCE', { code_challenge: '' }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['for an unknown scope', { scope: 'notes:read admin' }, 'invalid_scope'],
    ['with a state that is too long', { state: 'x'.repeat(2049) }, 'invalid_request'],
  ])('%s gets an error page and is never redirected to the client', async (_, more, error) => {
    const { send, browser } = await startProxy()
    const response = await browser().get(authorizePath(await register(send), more))
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    expect(response.headers.get('content-type')).toContain('text/plain')
    expect(await response.text()).toContain(`(${error})`)
  })

  test('gets an error page for a client with a metadata document and for a program on this computer too', async () => {
    const id = 'https://client.example/app.json'
    const fetch = (async () => Response.json({ client_id: id, redirect_uris: [REDIRECT] })) as typeof globalThis.fetch
    const { send, browser } = await startProxy({ fetch })
    const redirect_uri = 'http://127.0.0.1/cb'
    const local = await register(send, { redirect_uris: [redirect_uri] })
    for (const path of [authorizePath(id, { scope: 'x' }), authorizePath(local, { redirect_uri, scope: 'x' })]) {
      const response = await browser().get(path)
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
    }
  })
})

describe('registration', () => {
  const attempt = (send: Awaited<ReturnType<typeof startProxy>>['send'], body: unknown) =>
    send('/register', { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) })

  test.each<[string, unknown, string]>([
    ['no redirect URIs', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['plain http', { redirect_uris: ['http://client.example/cb'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: [`${REDIRECT}#`] }, 'invalid_redirect_uri'],
    ['a password', { redirect_uris: ['https://a:b@client.example/'] }, 'invalid_redirect_uri'],
    ['a host without slashes', { redirect_uris: ['https:evil'] }, 'invalid_redirect_uri'],
    ['one slash', { redirect_uris: ['https:/evil.example/cb'] }, 'invalid_redirect_uri'],
    ['three slashes', { redirect_uris: ['https:///evil.example/cb'] }, 'invalid_redirect_uri'],
    ['backslashes', { redirect_uris: ['https:\\\\evil.example/cb'] }, 'invalid_redirect_uri'],
    ['an encoded host', { redirect_uris: ['https://%65vil.example/cb'] }, 'invalid_redirect_uri'],
    ['a host outside of ASCII', { redirect_uris: ['https://\u24d4vil.example/cb'] }, 'invalid_redirect_uri'],
    ['a line break', { redirect_uris: ['https://client.example\n/cb'] }, 'invalid_redirect_uri'],
    ['an empty user name', { redirect_uris: ['https://@client.example/cb'] }, 'invalid_redirect_uri'],
    ['one invalid redirect URI of two', { redirect_uris: [REDIRECT, 'data:text/html,x'] }, 'invalid_redirect_uri'],
    ['too many redirect URIs', { redirect_uris: new Array(6).fill(REDIRECT) }, 'invalid_redirect_uri'],
    ['no JSON', 'nonsense', 'invalid_client_metadata'],
    ['a list', [], 'invalid_client_metadata'],
  ])('with %s is refused', async (_, body, error) => {
    const { send } = await startProxy()
    const response = await attempt(send, body)
    expect([response.status, (await response.json()).error]).toEqual([400, error])
  })

  test('takes no memory', async () => {
    const { send, entries } = await startProxy()
    for (let attempt = 0; attempt < 20; attempt++) expect(await register(send)).toMatch(/^dcr\./)
    expect(entries).toEqual([])
  })

  test('can be disabled', async () => {
    const { send } = await startProxy({ dynamicRegistration: false })
    expect((await attempt(send, { redirect_uris: [REDIRECT] })).status).toBe(403)
    expect(await (await send('/.well-known/oauth-authorization-server')).json()).not.toHaveProperty('registration_endpoint')
  })
})
