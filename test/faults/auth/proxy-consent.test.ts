/** A server that signs its users in at an identity provider, for clients that the identity provider does not know: users are asked first. */
import { describe, expect, test } from 'vitest'
import { testProxied } from './support/proxied.ts'
import { beAsked, parameters, signInUpstream } from './support/visits.ts'
import { openWindow, sealedIn } from './support/window.ts'

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
