/** Clients of an OAuth proxy with invalid redirect URIs or metadata documents. */
import { describe, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { watchNetwork } from './support/network.ts'
import { PRIVATE_URLS } from './support/private-urls.ts'
import { type ProxyServer, REDIRECT, testProxy } from './support/proxy-server.ts'

describe('X05: no user is redirected to a URI that the client has not registered:', () => {
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
    const proxy = await testProxy()
    const { id } = await proxy.register()
    const view = await createBrowser(proxy.origin).get(await proxy.authorizationUrl(id, { redirect_uri }))
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
    const proxy = await testProxy()
    expect((await proxy.register({ redirect_uris: [uri] })).status).toBe(400)
  })

  test('the port of a loopback URI may differ, and nothing else', async () => {
    const proxy = await testProxy()
    const { id } = await proxy.register({ redirect_uris: ['http://127.0.0.1:1000/back'] })
    const statusOf = async (redirect_uri: string): Promise<number> =>
      (await createBrowser(proxy.origin).get(await proxy.authorizationUrl(id, { redirect_uri }))).status
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

describe('X05: a client with a metadata document', () => {
  test.each(PRIVATE_URLS.filter((url) => url.startsWith('https:')))('is not fetched from %s', async (url) => {
    const proxy = await testProxy()
    const network = watchNetwork()
    const view = await createBrowser(proxy.origin).get(await proxy.authorizationUrl(new URL('client.json', url).href))
    expect([view.status, view.location]).toEqual([401, undefined])
    expect(network.connections).toEqual([])
  })

  const ID = 'https://client.example/client.json'
  const valid = { client_id: ID, client_name: 'App', redirect_uris: [REDIRECT] }
  const serving = (body: unknown, init: ResponseInit = {}): Promise<ProxyServer> => {
    const headers = { 'content-type': 'application/json' }
    const respond = (): Response => new Response(typeof body === 'string' ? body : JSON.stringify(body), { headers, ...init })
    return testProxy({ fetch: async () => respond() })
  }

  test('is shown with its host', async () => {
    const proxy = await serving(valid)
    const view = await createBrowser(proxy.origin).get(await proxy.authorizationUrl(ID))
    expect([view.status, view.body.includes('client.example')]).toEqual([200, true])
  })

  test.each<[string, unknown, ResponseInit?]>([
    ['belongs to another client', { ...valid, client_id: 'https://other.example/client.json' }],
    ['is a page', valid, { headers: { 'content-type': 'text/html' } }],
    ['redirects', '', { status: 302, headers: { location: 'https://other.example/' } }],
    ['is too large', `${' '.repeat(100_000)}${JSON.stringify(valid)}`],
    ['has no redirect URI', { client_id: ID, client_name: 'App' }],
    ['has an invalid redirect URI', { ...valid, redirect_uris: ['javascript:alert(1)'] }],
    ['is not an object', [valid]],
  ])('is unknown when the document %s', async (_, body, init) => {
    const proxy = await serving(body, init)
    const view = await createBrowser(proxy.origin).get(await proxy.authorizationUrl(ID))
    expect(view.status).toBeGreaterThanOrEqual(400)
    expect(view.location).toBeUndefined()
  })
})
