import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DEFAULT_MIN_VERSION } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { discoverServers } from '../cards/client/discover.ts'
import { MODERN_VERSION, SUPPORTED_VERSIONS } from '../protocol/revisions.ts'
import { CARD_SCHEMA, CARD_TYPE, CATALOG_PATH, CATALOG_TYPE } from '../protocol/server-card.ts'
import { createServer } from '../server/server.ts'
import { createNodeHandler } from '../transports/http/server/node/handler.ts'
import { connect } from './connect.ts'

type Answers = { readonly [path: string]: unknown }

/** The answer of a site at a path: a document with its type, or what answers the request. */
const json = (type: string, value: unknown, headers: object = {}) => ({ type, value, headers })
const HOME: RequestListener = (_, response) => response.writeHead(405, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')

/** Starts a web site, and records the requests. */
async function startSite(answers: (origin: string) => Answers) {
  const requests: string[] = []
  const headers: IncomingMessage['headers'][] = []
  let table: Answers = {}
  const server = createHttpServer((request: IncomingMessage, response: ServerResponse) => {
    const [path = ''] = (request.url ?? '').split('?')
    requests.push(`${request.method} ${path}`)
    headers.push(request.headers)
    const answer = table[path]
    if (typeof answer === 'function') return answer(request, response)
    if (!answer) return path === '/' ? HOME(request, response) : response.writeHead(404).end()
    const { type, value, headers: more } = answer as ReturnType<typeof json>
    response.writeHead(200, { 'content-type': type, ...more }).end(typeof value === 'string' ? value : JSON.stringify(value))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  table = answers(origin)
  return { origin, requests, headers }
}

const cardOf = (url: string, more: object = {}) => ({
  $schema: CARD_SCHEMA,
  name: 'com.example/notes',
  version: '1.0.0',
  description: 'Keeps notes.',
  title: 'Notes',
  remotes: [{ type: 'streamable-http', url }],
  ...more,
})
const catalogOf = (...entries: object[]) => ({ specVersion: '1.0', entries })
const entryOf = (url: string, identifier = 'urn:air:example.com:mcp:notes') => ({ identifier, type: CARD_TYPE, url })

function notesHandler() {
  const server = createServer({ name: 'com.example/notes', version: '1.0.0' })
  server.tool('latest', {}, () => 'Buy milk')
  const handler = createNodeHandler(server.exchange, { methodOf: server.methodOf })
  onTestFinished(() => handler.close(0))
  return handler
}

/** A site with a catalog, a card and an endpoint. */
const startNotes = (change: (answers: Answers, origin: string) => Answers = (answers) => answers) =>
  startSite((origin) =>
    change(
      {
        [CATALOG_PATH]: json(CATALOG_TYPE, catalogOf(entryOf(`${origin}/v1/mcp/server-card`))),
        '/v1/mcp/server-card': json(CARD_TYPE, cardOf(`${origin}/v1/mcp`)),
        '/v1/mcp': notesHandler(),
      },
      origin,
    ),
  )

describe('connect with a domain', () => {
  test.each(SUPPORTED_VERSIONS)(
    'CARD-036 finds the endpoint through catalog and card, for clients of %s',
    async (protocolVersion) => {
      const site = await startNotes()
      const events: string[] = []
      await using client = await connect(site.origin, {
        // With the newest version alone, `connect` sends no request that could fail.
        ...(protocolVersion !== MODERN_VERSION && { protocolVersion }),
        onEvent: (event) => event.type === 'warning' && events.push(event.message),
      })
      expect(await client.callTool('latest', {})).toMatchObject({ content: [{ text: 'Buy milk' }] })
      expect(client.protocolVersion).toBe(protocolVersion)
      expect(events).toEqual([`Connecting to ${site.origin}/v1/mcp, which the server card of ${new URL(site.origin).host} names`])
    },
  )

  test('asks for no document if the URL is that of an endpoint, or has a path', async () => {
    const site = await startSite(() => ({ '/': notesHandler() }))
    await using client = await connect(site.origin)
    expect(await client.callTool('latest', {})).toMatchObject({ content: [{ text: 'Buy milk' }] })
    await expect(connect(`${site.origin}/other`)).rejects.toMatchObject({ code: 'HTTP_STATUS' })
    expect(site.requests.filter((request) => /well-known|server-card/.test(request))).toEqual([])
  })

  test('CARD-037 asks for none with discovery: false, or if the server wants a sign-in', async () => {
    const site = await startNotes()
    await expect(connect(site.origin, { discovery: false })).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 405 })
    const closed = await startNotes((answers) => ({
      ...answers,
      '/': (_: unknown, response: ServerResponse) => response.writeHead(401).end(),
    }))
    await expect(connect(closed.origin)).rejects.toMatchObject({ status: 401 })
    for (const { requests } of [site, closed]) expect(requests.filter((request) => request.includes('well-known'))).toEqual([])
  })

  test('throws the error of the connection if there is no card, and says so', async () => {
    const site = await startSite(() => ({}))
    const error = await connect(site.origin).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'HTTP_STATUS', status: 405 })
    expect((error as Error).message).toContain(`${site.origin} has no catalog and no server card`)
  })

  test('sends credentials to the origin that they are for', async () => {
    const site = await startNotes()
    await using client = await connect(site.origin, { headers: { authorization: 'Bearer x' } })
    expect(await client.callTool('latest', {})).toMatchObject({ content: [{ text: 'Buy milk' }] })
    expect(site.headers.at(-1)?.authorization).toBe('Bearer x')
    const documents = site.headers.filter(
      (_, at) => site.requests[at]?.startsWith('GET /.well-known') || site.requests[at]?.endsWith('card'),
    )
    expect(documents.length).toBeGreaterThan(1)
    for (const headers of documents) expect(headers.authorization).toBeUndefined()
  })

  test('CARD-038 does not connect to another domain without consent, and does with it', async () => {
    const other = await startSite(() => ({ '/mcp': notesHandler() }))
    const site = await startSite((origin) => ({
      [CATALOG_PATH]: json(CATALOG_TYPE, catalogOf(entryOf(`${origin}/card`))),
      '/card': json(CARD_TYPE, cardOf(`${other.origin}/mcp`)),
    }))
    const error = await connect(site.origin).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'DISCOVERY_FAILED', retryable: false })
    expect((error as Error).message).toContain('names a server of another domain')
    expect(other.requests).toEqual([])
    const asked: unknown[] = []
    const confirm = (answer: boolean) => (server: { title: string }, endpoint: { url: string; relation: unknown }) => {
      asked.push([server.title, endpoint.url, endpoint.relation])
      return answer
    }
    await expect(connect(site.origin, { discovery: { confirm: confirm(false) } })).rejects.toMatchObject({
      code: 'DISCOVERY_FAILED',
    })
    await using client = await connect(site.origin, { discovery: { confirm: confirm(true) } })
    expect(await client.callTool('latest', {})).toMatchObject({ content: [{ text: 'Buy milk' }] })
    expect(asked).toEqual(new Array(2).fill(['Notes', `${other.origin}/mcp`, 'other-domain']))
  })

  test('CARD-003 takes the card for a hint: the name, the versions and the tools are those of the server', async () => {
    const lies = { name: 'com.example/other', version: '9.9.9', title: 'Other', tools: [{ name: 'delete_all' }] }
    const site = await startNotes((answers, origin) => {
      const remotes = [{ type: 'streamable-http', url: `${origin}/v1/mcp`, supportedProtocolVersions: ['2024-11-05'] }]
      return { ...answers, '/v1/mcp/server-card': json(CARD_TYPE, cardOf('', { ...lies, remotes })) }
    })
    await using client = await connect(site.origin)
    expect((await client.discover()).serverInfo).toEqual({ name: 'com.example/notes', version: '1.0.0' })
    expect(client.protocolVersion).toBe(MODERN_VERSION)
    expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['latest'])
  })

  test('CARD-035 a signature that nobody has verified is no consent', async () => {
    const other = await startSite(() => ({ '/mcp': notesHandler() }))
    const signature = { signer: 'example.com', profile: 'jws', issuedAt: '2026-11-29T00:00:00Z', jws: 'e30..AAAA' }
    const site = await startSite((origin) => ({
      [CATALOG_PATH]: json(CATALOG_TYPE, {
        ...catalogOf({ ...entryOf(`${origin}/card`), trustManifests: [{ contributor: 'example.com', signature }] }),
        signature,
      }),
      '/card': json(CARD_TYPE, cardOf(`${other.origin}/mcp`)),
    }))
    await expect(connect(site.origin)).rejects.toThrow('names a server of another domain')
    expect(other.requests).toEqual([])
  })

  test('does not choose among several servers', async () => {
    const site = await startNotes((answers, origin) => ({
      ...answers,
      [CATALOG_PATH]: json(CATALOG_TYPE, catalogOf(entryOf(`${origin}/v1/mcp/server-card`), entryOf(`${origin}/b`, 'b'))),
      '/b': json(CARD_TYPE, cardOf(`${origin}/b/mcp`)),
    }))
    await expect(connect(site.origin)).rejects.toThrow(`has 2 servers: ${site.origin}/v1/mcp, ${site.origin}/b/mcp`)
    const confirm = (_: unknown, { url }: { url: string }) => url.endsWith('/v1/mcp')
    await using client = await connect(site.origin, { discovery: { confirm } })
    expect(await client.callTool('latest', {})).toMatchObject({ content: [{ text: 'Buy milk' }] })
  })

  test('finds a server of this library, which names its path in an error', async () => {
    const server = createServer({ name: 'com.example/notes', version: '1.0.0' })
    server.tool('latest', {}, () => 'Buy milk')
    const endpoint = createNodeHandler(server.exchange, { methodOf: server.methodOf, path: '/mcp' })
    onTestFinished(() => endpoint.close(0))
    const site = await startSite((origin) => ({
      '/': endpoint,
      '/mcp': endpoint,
      [CATALOG_PATH]: json(CATALOG_TYPE, catalogOf(entryOf(`${origin}/mcp/server-card`))),
      '/mcp/server-card': json(CARD_TYPE, cardOf(`${origin}/mcp`)),
    }))
    await using client = await connect(site.origin)
    expect(await client.callTool('latest', {})).toMatchObject({ content: [{ text: 'Buy milk' }] })
  })

  test('uses the option fetch for the documents, too', async () => {
    const site = await startNotes()
    const urls: string[] = []
    const send: typeof fetch = (url, init) => {
      urls.push(new URL(String(url)).pathname)
      return fetch(url, init)
    }
    await using client = await connect(site.origin, { fetch: send as never })
    expect(await client.callTool('latest', {})).toMatchObject({ content: [{ text: 'Buy milk' }] })
    expect(urls).toContain(CATALOG_PATH)
  })
})

describe('discoverServers', () => {
  const outcomes = async (site: { origin: string }, options: object = {}) => {
    const { servers, attempts } = await discoverServers(site.origin, options)
    return {
      servers: servers.map(({ title }) => title),
      attempts: attempts.map(({ url, outcome, reason }) => [url.replace(site.origin, ''), outcome, reason]),
    }
  }

  test('CARD-015 CARD-016 confirms what it knows by its tag, and remembers what is absent', async () => {
    const tags: unknown[] = []
    const site = await startSite((origin) => ({
      [CATALOG_PATH]: (request: IncomingMessage, response: ServerResponse) => {
        tags.push(request.headers['if-none-match'])
        const headers = { etag: '"a"', 'cache-control': 'max-age=0', 'content-type': CATALOG_TYPE }
        if (request.headers['if-none-match'] === '"a"') return response.writeHead(304, headers).end()
        return response.writeHead(200, headers).end(JSON.stringify(catalogOf(entryOf(`${origin}/card`))))
      },
      '/card': json(CARD_TYPE, cardOf(`${origin}/mcp`), { 'cache-control': 'public, max-age=60' }),
    }))
    for (let n = 0; n < 3; n++) expect((await outcomes(site)).servers).toEqual(['Notes'])
    expect(tags).toEqual([undefined, '"a"', '"a"'])
    expect(site.requests.filter((one) => one === 'GET /card')).toHaveLength(1)
    const empty = await startSite(() => ({}))
    await discoverServers(empty.origin)
    const before = empty.requests.length
    await discoverServers(empty.origin)
    expect(empty.requests).toHaveLength(before)
  })

  test('CARD-021 reads the paths and the formats of earlier drafts', async () => {
    const old = { specVersion: 'draft', entries: [{ identifier: 'a', displayName: 'Old', mediaType: CARD_TYPE, url: '/c' }] }
    for (const answers of [
      (origin: string) => ({ '/.well-known/mcp/server-card.json': json('application/json', cardOf(`${origin}/mcp`)) }),
      (origin: string) => ({ '/server-card': json('application/json; charset=utf-8', cardOf(`${origin}/mcp`)) }),
      (origin: string) => ({
        '/.well-known/mcp/catalog.json': json('application/json', {
          ...old,
          entries: [{ ...old.entries[0], url: `${origin}/c` }],
        }),
        '/c': json(CARD_TYPE, cardOf(`${origin}/mcp`)),
      }),
    ])
      expect((await outcomes(await startSite(answers))).servers).toHaveLength(1)
  })

  test('CARD-026 CARD-030 CARD-032 reads embedded cards, and prefers the name that the catalog gives', async () => {
    const site = await startSite((origin) => ({
      [CATALOG_PATH]: json(
        CATALOG_TYPE,
        catalogOf(
          { identifier: 'a', type: CARD_TYPE, data: cardOf(`${origin}/mcp`), displayName: 'Listed' },
          { identifier: 'b', type: CARD_TYPE, data: { ...cardOf(`${origin}/mcp`), name: 1 } },
          { identifier: 'c', type: CARD_TYPE, data: {}, url: 'https://example.com' },
          { identifier: 'd', type: 'application/a2a-agent-card+json', url: 'https://example.com' },
        ),
      ),
    }))
    const { servers, attempts } = await outcomes(site)
    expect(servers).toEqual(['Listed'])
    expect(attempts).toEqual([
      [CATALOG_PATH, 'found', 'entries[2] must have either url or data'],
      [`${CATALOG_PATH}#a`, 'found', undefined],
      [`${CATALOG_PATH}#b`, 'invalid', expect.stringContaining('name must be a name such as')],
    ])
  })

  test('CARD-023 keeps members that it does not know', async () => {
    const more = { webhooks: { signingKeys: [{ kid: 'a' }] }, _meta: { 'com.example/tier': 'gold' } }
    const site = await startSite((origin) => ({
      [CATALOG_PATH]: json(CATALOG_TYPE, { ...catalogOf({ ...entryOf(`${origin}/card`), future: 1 }), future: {} }),
      '/card': json(CARD_TYPE, cardOf(`${origin}/mcp`, more)),
    }))
    expect((await discoverServers(site.origin)).servers.map(({ card }) => card)).toEqual([cardOf(`${site.origin}/mcp`, more)])
  })

  test('CARD-029 CARD-031 ends at loops, at depth, at newer formats and at 50 documents', async () => {
    const nested = (url: string) => ({ identifier: url, type: CATALOG_TYPE, url })
    const loop = await startSite((origin) => ({
      [CATALOG_PATH]: json(CATALOG_TYPE, catalogOf(nested(`${origin}/2`), nested(`${origin}${CATALOG_PATH}`))),
      ...Object.fromEntries(
        [2, 3, 4, 5, 6].map((n) => [`/${n}`, json(CATALOG_TYPE, catalogOf(nested(`${origin}/${n + 1}`), nested(`${origin}/2`)))]),
      ),
    }))
    const { attempts } = await outcomes(loop)
    expect(attempts.slice(0, 5).map(([path, outcome]) => [path, outcome])).toEqual([
      [CATALOG_PATH, 'found'],
      ['/2', 'found'],
      ['/3', 'found'],
      ['/4', 'found'],
      ['/5', 'refused'],
    ])
    const newer = await startSite(() => ({ [CATALOG_PATH]: json(CATALOG_TYPE, { specVersion: '2.0', entries: [] }) }))
    expect((await outcomes(newer)).attempts[0]).toEqual([CATALOG_PATH, 'invalid', 'specVersion is newer than this program'])
    const many = await startSite((origin) => ({
      [CATALOG_PATH]: json(
        CATALOG_TYPE,
        catalogOf(...Array.from({ length: 2000 }, (_, n) => entryOf(`${origin}/c${n}`, `${n}`))),
      ),
    }))
    await discoverServers(many.origin)
    expect(many.requests.length).toBe(50)
  })

  test('CARD-039 reads no large, endless or deep document', async () => {
    const large = 'x'.repeat(10 * 1024 * 1024)
    const sites = [
      [json(CATALOG_TYPE, catalogOf({ large })), 'unreachable', /is larger than 1048576 bytes/],
      [json(CATALOG_TYPE, '['.repeat(1000) + ']'.repeat(1000)), 'invalid', /nested deeper/],
      [json(CATALOG_TYPE, '{"specVersion":'), 'invalid', /not JSON/],
      [json('text/html', '<html>'), 'absent', /a page/],
      [json('text/plain', '{}'), 'invalid', /content type/],
      [json(CATALOG_TYPE, []), 'invalid', /must be a JSON object/],
      [json(CATALOG_TYPE, { specVersion: 1, entries: [] }), 'invalid', /specVersion is missing/],
      [json(CATALOG_TYPE, { specVersion: '1.0', entries: {} }), 'invalid', /entries must be an array/],
      [() => {}, 'unreachable', /did not respond within 300 ms/, 300],
      [(_: unknown, response: ServerResponse) => response.writeHead(500).end(), 'unreachable', /HTTP 500/],
      [(request: IncomingMessage) => request.socket.destroy(), 'unreachable', /could not be reached/],
    ] as readonly (readonly [unknown, string, RegExp, number?])[]
    for (const [answer, outcome, reason, documentTimeoutMs] of sites) {
      const site = await startSite(() => ({ [CATALOG_PATH]: answer }))
      const { attempts } = await outcomes(site, { documentTimeoutMs })
      expect(attempts[0]).toEqual([CATALOG_PATH, outcome, expect.stringMatching(reason)])
    }
  })

  test('CARD-017 CARD-039 a public domain leads to no address without TLS and to no private one: by entries, redirects, names and endpoints', async () => {
    expect(DEFAULT_MIN_VERSION).toBe('TLSv1.2')
    const loopback = await startSite(() => ({ '/card': json(CARD_TYPE, cardOf('https://example.com/mcp')) }))
    const publicSite =
      (answers: { [url: string]: Response }): typeof fetch =>
      async (url) =>
        answers[String(url)]?.clone() ?? new Response(null, { status: 404 })
    const document = (type: string, value: unknown) => new Response(JSON.stringify(value), { headers: { 'content-type': type } })
    const entries = [
      `${loopback.origin}/card`,
      'https://10.0.0.1/card',
      'http://example.org/card',
      'https://metadata.internal/card',
      'https://example.com/moved',
    ]
    const { servers, attempts } = await discoverServers('example.com', {
      fetch: publicSite({
        'https://example.com/.well-known/ai-catalog.json': document(
          CATALOG_TYPE,
          catalogOf(...entries.map((url) => entryOf(url, url))),
        ),
        'https://example.com/moved': new Response(null, { status: 302, headers: { location: `${loopback.origin}/card` } }),
      }),
    })
    expect(servers).toEqual([])
    expect(attempts.slice(1).map(({ url, outcome }) => [url, outcome])).toEqual(entries.map((url) => [url, 'refused']))
    expect(loopback.requests).toEqual([])

    const remotes = [
      `${loopback.origin}/mcp`,
      'https://192.168.0.1/mcp',
      'http://example.com/mcp',
      'https://user:pass@example.com/mcp',
      'https://{tenant}.example.com/mcp',
      'https://mcp.example.com/mcp',
      'https://example.com.evil.example/mcp',
      'https://example.com/mcp',
    ]
    const card = cardOf('', { remotes: remotes.map((url) => ({ type: 'streamable-http', url, variables: { tenant: {} } })) })
    const found = await discoverServers('example.com', {
      fetch: publicSite({ 'https://example.com/server-card': document(CARD_TYPE, card) }),
    })
    expect(found.servers[0]?.endpoints.map(({ relation, problem }) => [relation, problem !== undefined])).toEqual([
      ['other-domain', true],
      ['other-domain', true],
      ['other-domain', true],
      [undefined, true],
      [undefined, true],
      ['subdomain', false],
      ['other-domain', false],
      ['same-origin', false],
    ])
  })

  test('refuses what is no domain', async () => {
    for (const domain of ['', 'a b', 'https://user:pass@example.com', 'ftp://example.com/x y'])
      await expect(discoverServers(domain)).rejects.toThrow(TypeError)
    await expect(discoverServers('example.com', { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
  })
})
