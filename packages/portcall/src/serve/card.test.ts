import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { canonicalJson } from '../../../util/src/canonical-json.ts'
import { protect } from '../auth/server/protect.ts'
import { CARD_TYPE, CATALOG_TYPE } from '../protocol/server-card.ts'
import { createServer } from '../server/server.ts'
import { insecureAnyHost } from '../transports/http/server/host-check.ts'
import type { HttpOptions } from '../transports/http/server/options.ts'
import { httpHandler } from './http.ts'
import { nodeHandler, serve } from './node.ts'

const createNotes = () => createServer({ name: 'notes', version: '1.2.3', title: 'Notes', description: 'Keeps notes.' })
const CARD = '/mcp/server-card'
const CATALOG = '/.well-known/ai-catalog.json'

/** The ways to serve, each as a function that sends a request to a path. */
const HANDLERS = {
  async serve(options: HttpOptions) {
    const server = await serve(createNotes(), { port: 0, ...options })
    onTestFinished(() => server.close())
    return (path: string, init?: RequestInit) => fetch(new URL(path, server.url), init)
  },
  async nodeHandler(options: HttpOptions) {
    const http = createHttpServer(nodeHandler(createNotes(), options))
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void http.close())
    const { port } = http.address() as AddressInfo
    return (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init)
  },
  async httpHandler(options: HttpOptions) {
    const handler = httpHandler(createNotes(), options)
    return (path: string, init?: RequestInit) => handler(new Request(new URL(path, 'http://localhost:3000'), init))
  },
}

describe.each(Object.keys(HANDLERS) as (keyof typeof HANDLERS)[])('card: true with %s', (name) => {
  const start = (options: HttpOptions = {}) => HANDLERS[name]({ card: true, ...options })

  test('CARD-001 CARD-002 CARD-010 CARD-012 serves the card of the server below its endpoint', async () => {
    const send = await start()
    const response = await send(CARD, { headers: { accept: CARD_TYPE } })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, CARD_TYPE])
    const card = await response.json()
    expect(card).toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
      name: expect.stringMatching(/^(localhost)\/notes$/),
      version: '1.2.3',
      title: 'Notes',
      description: 'Keeps notes.',
      remotes: [
        {
          type: 'streamable-http',
          url: expect.stringMatching(/^http:\/\/(127\.0\.0\.1|localhost):\d+\/mcp$/),
          supportedProtocolVersions: ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
        },
      ],
    })
  })

  test('CARD-024 CARD-025 CARD-026 CARD-028 CARD-033 CARD-034 serves a catalog that names the card', async () => {
    const send = await start({ publicUrl: 'https://api.example.com/notes/mcp' })
    const response = await send(CATALOG)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, CATALOG_TYPE])
    const url = 'https://api.example.com/notes/mcp/server-card'
    const text = await response.text()
    // No member is repeated: the canonical form is that of the text.
    expect(canonicalJson(JSON.parse(text))).toHaveLength(text.trim().length)
    expect(JSON.parse(text)).toEqual({
      specVersion: '1.0',
      entries: [{ identifier: 'urn:air:api.example.com:mcp:notes', type: CARD_TYPE, url }],
    })
  })

  test.each([CARD, CATALOG])(
    'CARD-004 CARD-014 CARD-015 CARD-019 %s: pages may read it, and caches may keep it',
    async (path) => {
      const send = await start()
      const response = await send(path, { headers: { origin: 'https://anywhere.example' } })
      const header = (one: string) => response.headers.get(one)
      expect(response.status).toBe(200)
      expect([header('access-control-allow-origin'), header('access-control-expose-headers')]).toEqual(['*', 'ETag'])
      expect(header('cache-control')).toBe('public, max-age=3600')
      const etag = header('etag') ?? ''
      expect(etag).toMatch(/^"[\w-]{22}"$/)
      for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await send(path, { headers: { 'if-none-match': tags } })
        expect([tags, again.status, again.headers.get('etag'), await again.text()]).toEqual([tags, 304, etag, ''])
      }
      const other = await send(path, { headers: { 'if-none-match': '"other"' } })
      expect(other.status).toBe(200)
      const head = await send(path, { method: 'HEAD' })
      expect([head.status, head.headers.get('etag')]).toEqual([200, etag])
    },
  )

  test('CARD-014 answers preflight requests, and refuses all methods but GET and HEAD', async () => {
    const send = await start()
    const headers = { origin: 'https://anywhere.example', 'access-control-request-method': 'GET' }
    const preflight = await send(CARD, { method: 'OPTIONS', headers })
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'Content-Type, If-None-Match',
    ])
    for (const method of ['POST', 'PUT', 'DELETE'])
      for (const path of [CARD, CATALOG]) {
        const { status, headers } = await send(path, { method })
        expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
      }
  })

  test('CARD-020 with a public URL, serves the card at its path and at that of the endpoint', async () => {
    const send = await start({
      publicUrl: 'https://api.example.com/notes/mcp',
      path: '/mcp',
      allowedOrigins: ['https://a.example'],
    })
    for (const path of ['/notes/mcp/server-card', CARD]) {
      const response = await send(path, { headers: { origin: 'https://b.example' } })
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      const card = await response.json()
      expect([card.name, card.remotes[0].url]).toEqual(['com.example.api/notes', 'https://api.example.com/notes/mcp'])
    }
  })

  test('CARD-009 lists only the newest version without the legacy revisions', async () => {
    const send = await start({ legacy: 'off' })
    const card = await (await send(CARD)).json()
    expect(card.remotes[0].supportedProtocolVersions).toEqual(['2026-07-28'])
  })

  test('CARD-021 serves the paths of others only with the profile "compatible"', async () => {
    const paths = ['/.well-known/mcp/server-card.json', '/.well-known/mcp-server-card', '/.well-known/mcp/catalog.json']
    const strict = await start()
    const compatible = await start({ card: { profile: 'compatible' } })
    for (const path of paths) {
      expect((await strict(path)).headers.get('content-type')).not.toMatch(/card|catalog/)
      expect((await compatible(path)).headers.get('content-type')).toMatch(/card|catalog/)
    }
  })

  test('serves neither without the option, and no catalog if it is off', async () => {
    const plain = await start({ card: false })
    for (const path of [CARD, CATALOG]) expect((await plain(path)).status).toBeGreaterThanOrEqual(400)
    const cardOnly = await start({ card: { catalog: false } })
    expect((await cardOnly(CARD)).status).toBe(200)
    expect((await cardOnly(CATALOG)).status).toBeGreaterThanOrEqual(400)
  })

  test('takes the rest of the card and of the catalog from the options', async () => {
    const entry = {
      identifier: 'urn:air:example.com:skill:x',
      type: 'application/agent-skills+zip',
      url: 'https://example.com/x.zip',
    }
    const host = { displayName: 'Example' }
    const headers = [{ name: 'X-Key', isRequired: true, isSecret: true }]
    const repository = { url: 'https://github.com/example/notes', source: 'github' }
    const send = await start({
      card: {
        name: 'com.example/notes',
        description: 'Notes of a team.',
        repository,
        headers,
        meta: { 'com.example/tier': 'free' },
        catalog: { host, entries: [entry] },
        cacheTtlMs: 60_000,
      },
    })
    const response = await send(CARD)
    expect(response.headers.get('cache-control')).toBe('public, max-age=60')
    expect(await response.json()).toMatchObject({
      name: 'com.example/notes',
      description: 'Notes of a team.',
      repository,
      remotes: [{ headers }],
      _meta: { 'com.example/tier': 'free' },
    })
    const catalog = await (await send(CATALOG)).json()
    expect(catalog).toMatchObject({ host, entries: [{ identifier: 'urn:air:example.com:mcp:notes' }, entry] })
  })
})

test('CARD-018 a card does not weaken the check of the host', async () => {
  const handler = httpHandler(createNotes(), { card: true })
  for (const path of [CARD, CATALOG]) expect((await handler(new Request(`https://evil.example${path}`))).status).toBe(403)
})

test('the card names the host that was called, over https unless it is this machine', async () => {
  const handler = httpHandler(createNotes(), {
    card: true,
    allowedHosts: ['a.example', 'b.example:8443', 'localhost'],
    path: '/v1/mcp',
  })
  const urlAt = async (origin: string) => {
    const response = await handler(new Request(`${origin}/v1/mcp/server-card`))
    return (await response.json()).remotes[0].url
  }
  expect(await urlAt('http://a.example')).toBe('https://a.example/v1/mcp')
  expect(await urlAt('http://b.example:8443')).toBe('https://b.example:8443/v1/mcp')
  expect(await urlAt('http://localhost:1234')).toBe('http://localhost:1234/v1/mcp')
})

test('a protected server serves its card to everybody, with its public URL', async () => {
  const protection = protect({
    resource: 'https://api.example.com/mcp',
    authorizationServers: ['https://login.example.com'],
    verify: () => ({ active: false }) as never,
  })
  const handler = httpHandler(createNotes(), { ...protection, card: true })
  const send = (path: string) => handler(new Request(`http://localhost:3000${path}`))
  expect((await send('/mcp')).status).toBe(401)
  const card = await (await send(CARD)).json()
  expect(card.remotes[0].url).toBe('https://api.example.com/mcp')
})

test.each([
  [
    'an unknown host',
    { card: true, allowedHosts: insecureAnyHost },
    "card: pass the URL of the endpoint too, publicUrl: 'https://api.example.com/mcp'",
  ],
  ['a public URL without TLS', { card: true, publicUrl: 'http://api.example.com/mcp' }, 'publicUrl must be an https URL'],
  ['a public URL with a query', { card: true, publicUrl: 'https://api.example.com/mcp?x=1' }, 'publicUrl must not have a query'],
  ['a name without a slash', { card: { name: 'notes' } }, 'name must be a name such as com.example/weather'],
  ['a long description', { card: { description: 'x'.repeat(101) } }, 'description must be a text of 1 to 100 characters'],
  [
    'two entries of one name',
    {
      card: {
        catalog: {
          entries: [
            { identifier: 'a', type: 'b' },
            { identifier: 'a', type: 'c' },
          ],
        },
      },
    },
    'different identifiers',
  ],
  ['an unknown option', { card: { titel: 'x' } }, 'unknown option "titel"'],
  ['the URL in the wrong place', { card: { url: 'x' } }, 'Pass "publicUrl" beside "card"'],
])('refuses %s when it starts', (_, options, message) => {
  expect(() => httpHandler(createNotes(), options as HttpOptions)).toThrow(message)
})
