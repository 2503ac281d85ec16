/** The consent page of an OAuth proxy, its cookies, and the state at the identity provider. */
import { describe, expect, test } from 'vitest'
import { createBrowser, sealedRequestIn } from './support/browser.ts'
import { testProxy } from './support/proxy-server.ts'
import { openConsentPage, redirectParameters, signInUpstream } from './support/sign-in.ts'

describe('X05: before a user is sent to the identity provider', () => {
  test('the consent page shows the client and the recipient', async () => {
    const proxy = await testProxy()
    const { page } = await openConsentPage(proxy)
    expect(page.status).toBe(200)
    expect(page.body).toContain('App')
    expect(page.body).toContain('app.example')
    expect(proxy.upstream.requests).toEqual([])
  })

  test('the page forbids scripts, framing and caching', async () => {
    const { page } = await openConsentPage(await testProxy())
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.body).not.toContain('<script')
  })

  test('the metadata of a client is escaped', async () => {
    const proxy = await testProxy()
    const { id } = await proxy.register({ client_name: '<script>alert(1)</script>\u202e"><img src=x onerror=alert(1)>' })
    const page = await createBrowser(proxy.origin).get(await proxy.authorizationUrl(id))
    expect(page.body).not.toMatch(/<script|<img|\u202e/)
    expect(page.body).toContain('&lt;script&gt;')
  })

  test('the consent page is shown again for the same client and for another one', async () => {
    const proxy = await testProxy()
    const { browser, id } = await signInUpstream(proxy)
    const requestCount = proxy.upstream.requests.length
    const other = await openConsentPage(proxy, browser)
    const again = await browser.get(await proxy.authorizationUrl(id))
    for (const { status, body } of [other.page, again]) expect([status, body.includes('wants to use')]).toEqual([200, true])
    expect(proxy.upstream.requests).toHaveLength(requestCount)
  })

  test('a denial does not redirect to the client, which the user does not trust; a link leads there', async () => {
    const proxy = await testProxy()
    const { browser, page } = await openConsentPage(proxy)
    const denied = await browser.press(page, 'deny')
    expect([denied.status, denied.location]).toEqual([200, undefined])
    const link = new URL(/href="([^"]*)"/.exec(denied.body)?.[1]?.replaceAll('&amp;', '&') ?? '')
    expect(link.origin + link.pathname).toBe('https://app.example/back')
    const parameters = { error: 'access_denied', state: 'state-of-client', iss: proxy.origin }
    expect(Object.fromEntries(link.searchParams)).toEqual(parameters)
    expect(proxy.upstream.requests).toEqual([])
  })
})

describe('X05: cookies', () => {
  test('are restricted to this host, secure and hidden from scripts; the state cookie is set after consent', async () => {
    const proxy = await testProxy()
    const { browser, page } = await openConsentPage(proxy)
    const cookies = page.headers.getSetCookie()
    expect(cookies).toHaveLength(1)
    expect(cookies[0]).toMatch(/^__Host-[\w-]+=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=\d+$/)
    const [stateCookie = ''] = (await browser.press(page, 'allow')).headers.getSetCookie()
    expect(stateCookie).toMatch(/^__Host-[\w-]+=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/)
  })

  test('of another user, or none, do not complete a sign-in', async () => {
    const proxy = await testProxy()
    const victim = createBrowser(proxy.origin)
    const { callbackUrl } = await signInUpstream(proxy)
    const other = await signInUpstream(proxy)
    for (const browser of [victim, other.browser]) {
      const view = await browser.get(callbackUrl)
      expect([view.status, view.location]).toEqual([400, undefined])
    }
    expect(proxy.upstream.requestsTo('token')).toEqual([])
  })

  test('are authenticated and bound to one sign-in', async () => {
    const proxy = await testProxy()
    const { browser, callbackUrl } = await signInUpstream(proxy)
    const other = await signInUpstream(proxy)
    const [name = ''] = [...browser.cookies.keys()].filter((key) => key.includes('state'))
    const own = browser.cookies.get(name)!
    const [theirs = ''] = [...other.browser.cookies].flatMap(([key, value]) => (key.includes('state') ? [value] : []))
    for (const value of [theirs, `${own.slice(0, -4)}AAAA`, 'x', '']) {
      browser.cookies.set(name, value)
      expect((await browser.get(callbackUrl)).status).toBe(400)
    }
    browser.cookies.set(name, own)
    expect((await browser.get(callbackUrl)).status).toBe(303)
  })
})

describe('X05: a consent', () => {
  test.each<[string, Record<string, string>]>([
    ['from another page', { origin: 'https://evil.example' }],
    ['from an opaque origin', { origin: 'null' }],
    ['from a cross-site request', { 'sec-fetch-site': 'cross-site' }],
    ['from a same-site request', { 'sec-fetch-site': 'same-site' }],
  ])('%s is refused', async (_, headers) => {
    const proxy = await testProxy()
    const { browser, page } = await openConsentPage(proxy)
    const view = await browser.press(page, 'allow', { url: `${proxy.origin}/authorize`, headers })
    expect([view.status, view.location]).toEqual([403, undefined])
    expect(view.headers.getSetCookie()).toEqual([])
  })

  test('from another browser is refused', async () => {
    const proxy = await testProxy()
    const { page } = await openConsentPage(proxy)
    const other = await openConsentPage(proxy)
    for (const browser of [createBrowser(proxy.origin), other.browser])
      expect((await browser.press(page, 'allow')).status).toBe(403)
  })

  test('with a modified or missing request is refused', async () => {
    const proxy = await testProxy()
    const { browser, page } = await openConsentPage(proxy)
    const sealed = sealedRequestIn(page)
    for (const request of [`${sealed.slice(0, -4)}AAAA`, sealed.slice(1), 'x', ''])
      expect((await browser.press(page, 'allow', { url: `${proxy.origin}/authorize`, request })).status).toBe(403)
  })

  test('by GET is refused', async () => {
    const proxy = await testProxy()
    const { browser, page } = await openConsentPage(proxy)
    const url = `${proxy.origin}/authorize?decision=allow&request=${sealedRequestIn(page)}`
    expect((await browser.get(url)).location).toBeUndefined()
    expect(proxy.upstream.requests).toEqual([])
  })

  test('after ten minutes is refused', async () => {
    let now = Date.now()
    const proxy = await testProxy({ now: () => now })
    const { browser, page } = await openConsentPage(proxy)
    now += 10 * 60_000 + 1000
    expect((await browser.press(page, 'allow')).status).toBe(403)
  })
})

describe('X05: the state at the identity provider', () => {
  test('is random and new for each sign-in', async () => {
    const proxy = await testProxy()
    const { browser, page } = await openConsentPage(proxy)
    const states = await Promise.all(
      [1, 2].map(async () => new URL((await browser.press(page, 'allow')).location!).searchParams.get('state')),
    )
    expect(new Set(states).size).toBe(2)
    for (const state of states) expect(state).toMatch(/^[\w-]+\.[\w-]{43}$/)
  })

  test('is accepted once', async () => {
    const proxy = await testProxy()
    const { browser, callbackUrl } = await signInUpstream(proxy)
    expect((await browser.get(callbackUrl)).status).toBe(303)
    expect((await browser.get(callbackUrl)).status).toBe(400)
    expect(proxy.upstream.requestsTo('token')).toHaveLength(1)
  })

  test('expires after ten minutes', async () => {
    let now = Date.now()
    const proxy = await testProxy({ now: () => now })
    const { browser, callbackUrl } = await signInUpstream(proxy)
    now += 10 * 60_000 + 1000
    expect((await browser.get(callbackUrl)).status).toBe(400)
  })

  test('with another issuer is refused', async () => {
    const proxy = await testProxy()
    proxy.upstream.setFaults({ redirect: { iss: 'https://evil.example' } })
    const { browser, callbackUrl } = await signInUpstream(proxy)
    expect((await browser.get(callbackUrl)).status).toBe(400)
    expect(proxy.upstream.requestsTo('token')).toEqual([])
  })

  test('with an error leads to access_denied, without the text of the identity provider', async () => {
    const proxy = await testProxy()
    proxy.upstream.setFaults({ redirect: { error: 'x', error_description: 'EVIL', code: undefined } })
    const { browser, callbackUrl } = await signInUpstream(proxy)
    const view = await browser.get(callbackUrl)
    expect(redirectParameters(view)).toMatchObject({ error: 'access_denied' })
    expect(view.location).not.toContain('EVIL')
  })
})
