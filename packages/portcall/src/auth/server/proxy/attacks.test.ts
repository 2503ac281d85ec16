import { describe, expect, test } from 'vitest'
import { authorizePath, codeOf, locationOf, ORIGIN, REDIRECT, register, sealedOf, site, upToCallback } from './proxy.test-kit.ts'
import { isRegistered } from './redirects.ts'

describe('X05 the consent', () => {
  test('SEC-002 names the client, what it wants, and where the answer goes', async () => {
    const { send, browser, idp } = await site({ name: 'Notes & co' })
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
    expect(text).toContain('has registered itself')
  })

  test('AUTH-050 warns of programs on this computer', async () => {
    const { send, browser } = await site()
    const redirect_uri = 'http://127.0.0.1:1234/cb'
    const clientId = await register(send, { redirect_uris: ['http://127.0.0.1/cb'] })
    expect(await (await browser().get(authorizePath(clientId, { redirect_uri }))).text()).toContain('a program on this computer')
  })

  test('X09 shows names as text, whatever is in them', async () => {
    const { send, browser } = await site()
    const client_name = `<img src=x onerror=alert(1)>"'\u202eevil\u0000\u200b\u{e0041}${'x'.repeat(200)}`
    const text = await (await browser().get(authorizePath(await register(send, { client_name })))).text()
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;evilxx')
    expect(text).not.toMatch(/<img|\u202e|\u0000|\u200b|x{100}/u)
  })

  test('SEC-002 can be put into no frame, and runs nothing', async () => {
    const { send, browser } = await site()
    const { headers } = await browser().get(authorizePath(await register(send)))
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('SEC-001 AUTH-103 is asked for each time, for each client', async () => {
    const { send, browser } = await site()
    const visitor = browser()
    const clientId = await register(send)
    await codeOf(visitor, clientId)
    for (const id of [clientId, await register(send, { client_name: 'Evil' })]) {
      const again = await visitor.get(authorizePath(id))
      expect([again.status, again.headers.get('location')]).toEqual([200, null])
    }
  })

  test('SEC-005 SEC-006 comes before anything is begun', async () => {
    const { send, browser, entries, idp } = await site()
    const visitor = browser()
    await visitor.get(authorizePath(await register(send)))
    expect(visitor.setCookies.join()).not.toContain('state')
    expect(entries).toEqual([])
    expect(idp.requests).toEqual([])
  })

  test('SEC-003 is kept in cookies of this host alone', async () => {
    const { send, browser } = await site()
    const visitor = browser()
    await upToCallback(visitor, await register(send))
    expect(visitor.setCookies).toHaveLength(2)
    for (const cookie of visitor.setCookies)
      expect(cookie).toMatch(/^__Host-[\w-]+=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=(Lax|Strict); Max-Age=600$/)
  })

  test('SEC-002 cannot be given by another page', async () => {
    const { send, browser } = await site()
    const [victim, attacker] = [browser(), browser()]
    const clientId = await register(send)
    const stolen = await sealedOf(await attacker.get(authorizePath(clientId)))
    const own = await sealedOf(await victim.get(authorizePath(clientId)))
    const form = { request: own, decision: 'allow' }
    const refused = [
      await victim.post('/authorize', { ...form, request: stolen }),
      await browser().post('/authorize', form),
      await victim.post('/authorize', form, { 'sec-fetch-site': 'cross-site' }),
      await victim.post('/authorize', form, { origin: 'https://evil.example' }),
      await victim.post('/authorize', form, { origin: 'null' }),
      await victim.post('/authorize', form, { origin: 'http://localhost:5173' }),
      await victim.post('/authorize', { ...form, request: `${own}x` }),
      await victim.post('/authorize', { decision: 'allow' }),
    ]
    expect(refused.map(({ status, headers }) => [status, headers.get('location')])).toEqual(refused.map(() => [403, null]))
    expect((await victim.post('/authorize', form)).status).toBe(303)
  })

  test('is good for ten minutes', async () => {
    const { send, browser, clock } = await site()
    const visitor = browser()
    const request = await sealedOf(await visitor.get(authorizePath(await register(send))))
    clock.ahead += 601_000
    expect((await visitor.post('/authorize', { request, decision: 'allow' })).status).toBe(403)
  })
})

describe('X05 coming back', () => {
  test('SEC-005 is for the browser that gave its consent', async () => {
    const { send, browser } = await site()
    const [attacker, victim] = [browser(), browser()]
    const clientId = await register(send)
    const path = await upToCallback(attacker, clientId)
    await upToCallback(victim, clientId)
    for (const visitor of [browser(), victim]) {
      const response = await visitor.get(path)
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
    }
    expect((await attacker.get(path)).status).toBe(303)
  })

  test('SEC-005 is possible once, for ten minutes, with a state that nobody can guess', async () => {
    const { send, browser, clock } = await site()
    const visitor = browser()
    const clientId = await register(send)
    const path = await upToCallback(visitor, clientId)
    expect((await visitor.get(path)).status).toBe(303)
    expect((await visitor.get(path)).status).toBe(400)
    const late = await upToCallback(visitor, clientId)
    const states = [path, late].map((one) => new URLSearchParams(one.split('?')[1]).get('state'))
    expect(new Set(states).size).toBe(2)
    for (const state of states) expect(state).toMatch(/^[\w-]{43}$/)
    clock.ahead += 601_000
    expect((await visitor.get(late)).status).toBe(400)
  })

  test('without a state, or with one that is made up, leads nowhere', async () => {
    const { browser } = await site()
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
  ])('to %j is refused, and nobody is sent there', async (redirect_uri) => {
    const { send, browser } = await site()
    const response = await browser().get(authorizePath(await register(send), { redirect_uri }))
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    expect(response.headers.get('content-type')).toContain('text/plain')
  })

  test('on this machine may have another port, and nothing else', () => {
    const registered = ['http://127.0.0.1/cb', 'http://localhost:1234/cb', 'http://[::1]/cb', 'https://client.example/cb']
    for (const good of ['http://127.0.0.1:5/cb', 'http://localhost/cb', 'http://localhost:9/cb', 'http://[::1]:9/cb'])
      expect(isRegistered(good, registered)).toBe(true)
    for (const bad of [
      'http://127.0.0.2:5/cb',
      'http://127.0.0.1:5/cb2',
      'http://127.0.0.1:5@evil.example/cb',
      'http://127.0.0.1.evil.example/cb',
      'https://127.0.0.1/cb',
      'https://client.example:9/cb',
      'http://127.0.0.1:5/cb#x',
    ])
      expect(isRegistered(bad, registered)).toBe(false)
  })

  test('of a client that nobody knows leads nowhere', async () => {
    const { send, browser } = await site()
    const clientId = await register(send)
    for (const id of ['', 'x', 'dcr.x', `${clientId}x`, clientId.slice(0, -2)]) {
      const response = await browser().get(authorizePath(id))
      expect([response.status, response.headers.get('location')]).toEqual([401, null])
    }
    const twice = await browser().get(`${authorizePath(clientId)}&redirect_uri=${REDIRECT}`)
    expect([twice.status, twice.headers.get('location')]).toEqual([400, null])
  })
})

describe('a request that a client may not make', () => {
  test.each<[string, Record<string, string>, string]>([
    ['for tokens at once', { response_type: 'token' }, 'unsupported_response_type'],
    ['without PKCE', { code_challenge: '' }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['for a scope that there is not', { scope: 'notes:read admin' }, 'invalid_scope'],
    ['with a state without end', { state: 'x'.repeat(2049) }, 'invalid_request'],
  ])('%s is refused, at its own address', async (_, more, error) => {
    const { send, browser } = await site()
    const location = locationOf(await browser().get(authorizePath(await register(send), more)))
    expect(location.origin + location.pathname).toBe(REDIRECT)
    expect([location.searchParams.get('error'), location.searchParams.get('iss')]).toEqual([error, ORIGIN])
  })
})

describe('registration', () => {
  const attempt = (send: Awaited<ReturnType<typeof site>>['send'], body: unknown) =>
    send('/register', { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) })

  test.each<[string, unknown, string]>([
    ['no redirects', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['plain http', { redirect_uris: ['http://client.example/cb'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: [`${REDIRECT}#`] }, 'invalid_redirect_uri'],
    ['a password', { redirect_uris: ['https://a:b@client.example/'] }, 'invalid_redirect_uri'],
    ['one of many that is bad', { redirect_uris: [REDIRECT, 'data:text/html,x'] }, 'invalid_redirect_uri'],
    ['too many', { redirect_uris: new Array(6).fill(REDIRECT) }, 'invalid_redirect_uri'],
    ['no JSON', 'nonsense', 'invalid_client_metadata'],
    ['a list', [], 'invalid_client_metadata'],
  ])('with %s is refused', async (_, body, error) => {
    const { send } = await site()
    const response = await attempt(send, body)
    expect([response.status, (await response.json()).error]).toEqual([400, error])
  })

  test('fills nothing, however often', async () => {
    const { send, entries } = await site()
    for (let turn = 0; turn < 20; turn++) expect(await register(send)).toMatch(/^dcr\./)
    expect(entries).toEqual([])
  })

  test('can be closed', async () => {
    const { send } = await site({ registration: false })
    expect((await attempt(send, { redirect_uris: [REDIRECT] })).status).toBe(403)
    expect(await (await send('/.well-known/oauth-authorization-server')).json()).not.toHaveProperty('registration_endpoint')
  })
})

describe('CIMD a client with a document', () => {
  const ID = 'https://client.example/app.json'
  const document = { client_id: ID, client_name: 'Documented', redirect_uris: [REDIRECT] }
  const serving = (answer: () => Response | Promise<Response>) => {
    const asked: string[] = []
    const fetch = (async (url: string) => {
      asked.push(url)
      return answer()
    }) as typeof globalThis.fetch
    return { asked, fetch }
  }

  test('AUTH-045 AUTH-051 is known by it, and by where it is', async () => {
    const { asked, fetch } = serving(() => Response.json(document))
    const { browser } = await site({ fetch })
    const text = await (await browser().get(authorizePath(ID))).text()
    expect(text).toContain('Documented')
    expect(text).toContain('described at <strong>client.example</strong>')
    await browser().get(authorizePath(ID))
    expect(asked).toEqual([ID])
  })

  test.each<[string, () => Response]>([
    ['of another client', () => Response.json({ ...document, client_id: `${ID}2` })],
    ['that redirects', () => new Response(null, { status: 302, headers: { location: 'https://evil.example/app.json' } })],
    ['of 17 KB', () => Response.json({ ...document, padding: 'x'.repeat(17_000) })],
    ['in HTML', () => new Response(JSON.stringify(document), { headers: { 'content-type': 'text/html' } })],
    ['that is none', () => Response.json([])],
    ['that is not there', () => Response.json(document, { status: 404 })],
    ['with a secret', () => Response.json({ ...document, token_endpoint_auth_method: 'client_secret_basic' })],
    ['without redirects', () => Response.json({ client_id: ID })],
  ])('AUTH-046 %s is not served', async (_, answer) => {
    const { fetch } = serving(answer)
    const { browser } = await site({ fetch })
    const response = await browser().get(authorizePath(ID))
    expect([400, 401]).toContain(response.status)
    expect(response.headers.get('location')).toBeNull()
  })

  test('AUTH-049 is not looked for where somebody sends us on to', async () => {
    const away = new Response(null, { status: 302, headers: { location: 'https://other.example/app.json' } })
    const answers = [away, Response.json(document)]
    const { asked, fetch } = serving(() => answers.shift() ?? Response.error())
    const { browser } = await site({ fetch })
    expect((await browser().get(authorizePath(ID))).status).toBe(401)
    expect(asked).toEqual([ID])
  })

  test.each([
    'https://169.254.169.254/app.json',
    'https://10.0.0.5/app.json',
    'https://[::ffff:10.0.0.5]/app.json',
    'https://localhost/app.json',
    'https://metadata.google.internal/app.json',
    'https://client.example/',
    'https://client.example/a/../app.json',
    'https://client.example/app.json#x',
    'https://a:b@client.example/app.json',
    'http://client.example/app.json',
  ])('AUTH-049 X03 %s is never asked', async (id) => {
    const { asked, fetch } = serving(() => Response.json({ ...document, client_id: id }))
    const { browser } = await site({ fetch })
    expect((await browser().get(authorizePath(id))).status).toBe(401)
    expect(asked).toEqual([])
  })
})
