/** Clients of an OAuth proxy that are not what they say, or would have users sent elsewhere. */
import { describe, expect, test } from 'vitest'
import { watchNetwork } from './support/network.ts'
import { INSIDE } from './support/places.ts'
import { type Proxied, REDIRECT, testProxied } from './support/proxied.ts'
import { openWindow } from './support/window.ts'

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
