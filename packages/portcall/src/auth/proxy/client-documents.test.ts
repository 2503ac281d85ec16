import { describe, expect, test } from 'vitest'
import { authorizePath, REDIRECT, startProxy } from '../../../test-kit/auth/proxy.ts'
import type { OAuthProxyOptions } from './options.ts'

describe('CIMD a client with a metadata document', () => {
  const ID = 'https://client.example/app.json'
  const document = { client_id: ID, client_name: 'Documented', redirect_uris: [REDIRECT] }
  const serving = (respond: () => Response | Promise<Response>) => {
    const requested: string[] = []
    const fetch = (async (url: string) => {
      requested.push(url)
      return respond()
    }) as typeof globalThis.fetch
    return { requested, fetch }
  }

  test('AUTH-045 AUTH-051 is shown with its name and the host of the document', async () => {
    const { requested, fetch } = serving(() => Response.json(document))
    const { browser } = await startProxy({ fetch })
    const text = await (await browser().get(authorizePath(ID))).text()
    expect(text).toContain('Documented')
    expect(text).toContain('described at <strong>client.example</strong>')
    await browser().get(authorizePath(ID))
    expect(requested).toEqual([ID])
  })

  test.each<[string, () => Response]>([
    ['of another client', () => Response.json({ ...document, client_id: `${ID}2` })],
    ['that redirects', () => new Response(null, { status: 302, headers: { location: 'https://evil.example/app.json' } })],
    ['of 17 KB', () => Response.json({ ...document, padding: 'x'.repeat(17_000) })],
    ['in HTML', () => new Response(JSON.stringify(document), { headers: { 'content-type': 'text/html' } })],
    ['that is not an object', () => Response.json([])],
    ['with status 404', () => Response.json(document, { status: 404 })],
    ['with a secret', () => Response.json({ ...document, token_endpoint_auth_method: 'client_secret_basic' })],
    ['with a method that is not supported', () => Response.json({ ...document, token_endpoint_auth_method: 'tls_client_auth' })],
    ['without redirects', () => Response.json({ client_id: ID })],
  ])('AUTH-046 %s is refused', async (_, respond) => {
    const { fetch } = serving(respond)
    const { browser } = await startProxy({ fetch })
    const response = await browser().get(authorizePath(ID))
    expect([400, 401]).toContain(response.status)
    expect(response.headers.get('location')).toBeNull()
  })

  test('AUTH-049 is not fetched from a redirect', async () => {
    const redirect = new Response(null, { status: 302, headers: { location: 'https://other.example/app.json' } })
    const responses = [redirect, Response.json(document)]
    const { requested, fetch } = serving(() => responses.shift() ?? Response.error())
    const { browser } = await startProxy({ fetch })
    expect((await browser().get(authorizePath(ID))).status).toBe(401)
    expect(requested).toEqual([ID])
  })

  test.each([
    'https://169.254.169.254/app.json',
    'https://10.0.0.5/app.json',
    'https://[::ffff:10.0.0.5]/app.json',
    'https://localhost/app.json',
    'https://client.example:8443/app.json',
    'https://client.example:80/app.json',
    'https:client.example/app.json',
    'https://@client.example/app.json',
    'https://metadata.google.internal/app.json',
    'https://client.example/',
    'https://client.example/a/../app.json',
    'https://client.example/app.json#x',
    'https://a:b@client.example/app.json',
    'http://client.example/app.json',
  ])('AUTH-049 X03 %s is never fetched', async (id) => {
    const { requested, fetch } = serving(() => Response.json({ ...document, client_id: id }))
    const { browser } = await startProxy({ fetch })
    expect((await browser().get(authorizePath(id))).status).toBe(401)
    expect(requested).toEqual([])
  })
})

describe('the fetches of client documents', () => {
  const documentAt = (id: string): Response => Response.json({ client_id: id, client_name: 'App', redirect_uris: [REDIRECT] })
  const urlAt = (host: string, path: number | string): string => `https://${host}/${path}.json`

  /** Starts a proxy that fetches documents from a fake network, on request of senders with the addresses in a header. */
  async function start(metadataDocuments: OAuthProxyOptions['metadataDocuments'] = {}, respond = documentAt) {
    const fetched: string[] = []
    const fetch = (async (url: string) => {
      fetched.push(url)
      return respond(url)
    }) as typeof globalThis.fetch
    const { send, clock } = await startProxy({
      fetch,
      metadataDocuments:
        typeof metadataDocuments === 'object'
          ? { requesterAddress: ({ header }) => header('x-real-ip'), ...metadataDocuments }
          : metadataDocuments,
    })
    const statusOf = async (id: string, address = '203.0.113.7'): Promise<number> =>
      (await send(authorizePath(id), { headers: { 'x-real-ip': address } })).status
    return { fetched, clock, statusOf }
  }

  test('are shared by requests at the same time', async () => {
    const { fetched, statusOf } = await start()
    const id = urlAt('client.example', 'app')
    expect(await Promise.all(Array.from({ length: 20 }, () => statusOf(id)))).toEqual(Array.from({ length: 20 }, () => 200))
    expect(fetched).toEqual([id])
  })

  test.each<[string, () => Response]>([
    ['that is missing', () => new Response(null, { status: 404 })],
    ['whose host fails', () => Response.error()],
    ['that is not JSON', () => new Response('nonsense', { headers: { 'content-type': 'application/json' } })],
  ])('do not repeat for a document %s, for a minute', async (_, respond) => {
    const { fetched, clock, statusOf } = await start({}, respond)
    const id = urlAt('client.example', 'app')
    for (let attempt = 0; attempt < 5; attempt++) expect(await statusOf(id)).toBe(401)
    expect(fetched).toHaveLength(1)
    clock.ahead += 61_000
    expect(await statusOf(id)).toBe(401)
    expect(fetched).toHaveLength(2)
  })

  test('are limited for each host, whoever requests them', async () => {
    const { fetched, clock, statusOf } = await start({ maxHostFetches: 3 })
    const statuses: number[] = []
    for (let index = 0; index < 5; index++) statuses.push(await statusOf(urlAt('victim.example', index), `203.0.113.${index}`))
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    expect(fetched).toHaveLength(3)
    expect(await statusOf(urlAt('other.example', 1))).toBe(200)
    clock.ahead += 61_000
    expect(await statusOf(urlAt('victim.example', 9))).toBe(200)
  })

  test('are limited for each requester, an IPv6 network being one', async () => {
    const { fetched, statusOf } = await start({ maxRequesterFetches: 2 })
    for (const [address, other] of [
      ['203.0.113.7', '::ffff:203.0.113.7'],
      ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
    ] as const) {
      const before = fetched.length
      const statuses: number[] = []
      for (let index = 0; index < 4; index++)
        statuses.push(await statusOf(urlAt(`${before}-${index}.example`, 'app'), index % 2 === 0 ? address : other))
      expect(statuses).toEqual([200, 200, 429, 429])
      expect(fetched).toHaveLength(before + 2)
    }
    expect(await statusOf(urlAt('else.example', 'app'), '2001:db8:1:3::1')).toBe(200)
  })

  test('that the limits refuse lock out no client that is known', async () => {
    const { fetched, clock, statusOf } = await start({ maxHostFetches: 2 })
    const id = urlAt('client.example', 'app')
    expect(await statusOf(id)).toBe(200)
    clock.ahead += 6 * 60_000
    for (const index of [1, 2, 3]) await statusOf(urlAt('client.example', index), '198.51.100.1')
    expect(await statusOf(id)).toBe(200)
    expect(fetched).toHaveLength(3)
    expect(await statusOf(urlAt('client.example', 4))).toBe(429)
  })

  test('use other ports only if they are configured', async () => {
    const { fetched, statusOf } = await start({ ports: [8443] })
    expect(await statusOf(urlAt('client.example:8443', 'app'))).toBe(200)
    expect(await statusOf(urlAt('client.example:9443', 'app'))).toBe(401)
    expect(fetched).toEqual(['https://client.example:8443/app.json'])
  })

  test('can be disabled', async () => {
    const { fetched, statusOf } = await start(false)
    expect(await statusOf(urlAt('client.example', 'app'))).toBe(401)
    expect(fetched).toEqual([])
  })

  test('are limited by the address of the connection by default', async () => {
    const fetched: string[] = []
    const fetch = (async (url: string) => {
      fetched.push(url)
      return documentAt(url)
    }) as typeof globalThis.fetch
    const { send } = await startProxy({ fetch, metadataDocuments: { maxRequesterFetches: 1 } }, {}, 'node')
    const statuses: number[] = []
    for (const host of ['a.example', 'b.example']) statuses.push((await send(authorizePath(urlAt(host, 'app')))).status)
    expect(statuses).toEqual([200, 429])
  })
})
