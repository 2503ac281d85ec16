/** Attacks that involve several parties, with real servers and an independent provider. */
import { randomUUID } from 'node:crypto'
import dns from 'node:dns'
import { createServer as createHttpServer, request as httpRequest, type RequestListener } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { authorizationCode, browserSignIn, createSafeFetch } from 'portcall/auth/client'
import { oauthProxy } from 'portcall/auth/proxy'
import { protect } from 'portcall/auth/server'
import { connect } from 'portcall/client'
import { httpHandler } from 'portcall/http'
import { memoryStores } from 'portcall/stores'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { createNotes, reserveUrl, serveNotes } from './support/notes.ts'
import { USER } from './support/provider.ts'
import { startTestServer, whoami } from './support/test-server.ts'

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Starts a web server and returns its origin. */
async function startWeb(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await portOf(createHttpServer(listener))}`
}

/** Makes a name resolve to other addresses with each lookup, and counts the lookups. */
function rebind(name: string, ...answers: string[][]): { readonly lookups: number } {
  const { lookup } = dns
  const state = { lookups: 0 }
  const fake = (host: string, options: dns.LookupAllOptions, callback: (...result: unknown[]) => void): void => {
    if (host !== name) return lookup(host, options, callback)
    const addresses = answers[Math.min(state.lookups++, answers.length - 1)] ?? []
    const entries = addresses.map((address) => ({ address, family: 4 }))
    if (options.all) callback(null, entries)
    else callback(null, entries[0]?.address, 4)
  }
  dns.lookup = fake as unknown as typeof dns.lookup
  syncBuiltinESMExports()
  onTestFinished(() => {
    dns.lookup = lookup
    syncBuiltinESMExports()
  })
  return state
}

describe('DNS answers that change', () => {
  /** Counts the connections to a service of the private network. */
  async function startVictim(): Promise<{ readonly port: number; readonly connections: () => number }> {
    let connections = 0
    const server = createTcpServer((socket) => {
      connections++
      socket.destroy()
    })
    return { port: await portOf(server), connections: () => connections }
  }

  test('X03 to a private address never lead the proxy there, whatever the order of the answers', async () => {
    const victim = await startVictim()
    const id = `https://evil.example:${victim.port}/app.json`
    for (const answers of [[['127.0.0.1']], [['192.0.2.1', '127.0.0.1']], [['127.0.0.1'], ['192.0.2.1']]]) {
      const state = rebind('evil.example', ...answers)
      const upstream = { authorizationEndpoint: 'https://idp.example/a', tokenEndpoint: 'https://idp.example/t', clientId: 'x' }
      const resource = 'https://api.example.com/mcp'
      const metadataDocuments = { ports: [victim.port] }
      const verify = oauthProxy({ resource, upstream, identify: () => ({ subject: USER }), metadataDocuments })
      const handler = httpHandler(createNotes(), protect({ resource, verify }))
      onTestFinished(() => handler.close(0))
      const query = new URLSearchParams({ client_id: id, redirect_uri: 'https://evil.example/cb' })
      const response = await handler(new Request(`${new URL(resource).origin}/authorize?${query}`))
      expect([response.status, response.headers.get('location')]).toEqual([401, null])
      expect(state.lookups).toBe(1)
    }
    expect(victim.connections()).toBe(0)
  })

  test('X03 between check and connection have no effect: the address that was checked is the one that is used', async () => {
    const hits: string[] = []
    const origin = await startWeb(({ headers }, response) => {
      hits.push(headers.host ?? '')
      response.end('{}')
    })
    const { port } = new URL(origin)
    const state = rebind('mcp.localhost', ['127.0.0.1'], ['10.0.0.5'])
    const { fetch } = createSafeFetch({ trustedUrl: new URL(origin) })
    expect((await fetch(`http://mcp.localhost:${port}/`)).status).toBe(200)
    await expect(fetch(`http://mcp.localhost:${port}/`)).rejects.toMatchObject({ reason: 'address_refused' })
    expect([hits.length, state.lookups]).toEqual([1, 2])
  })
})

describe('DNS rebinding against a server on this machine', () => {
  const PATHS = ['/mcp', '/authorize', '/authorize/callback', '/token', '/register', '/revoke']
  const DOCUMENTS = ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource', '/nothing']
  const HOSTS = [
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'localhost.',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
    '127.1',
  ]

  const send = (port: number, method: string, path: string, headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const request = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      request.on('error', reject)
      request.end(method === 'POST' ? '{}' : undefined)
    })

  test('H24 reaches none of its endpoints, in no era', async () => {
    const { url: resource, port } = await reserveUrl()
    const upstream = { authorizationEndpoint: 'http://127.0.0.1:9/a', tokenEndpoint: 'http://127.0.0.1:9/t', clientId: 'x' }
    const verify = oauthProxy({ resource, upstream, identify: () => ({ subject: USER }) })
    const serving = await serveNotes(port, { verify })
    onTestFinished(() => serving.close())
    const eras = [{}, { 'mcp-protocol-version': '2026-07-28' }, { 'mcp-session-id': 'x' }]
    for (const name of HOSTS)
      for (const path of [...PATHS, ...DOCUMENTS])
        for (const [method, era] of [
          ...eras.map((one) => ['POST', one] as const),
          ['GET', {}] as const,
          ['OPTIONS', {}] as const,
        ]) {
          const host = `${name}:${port}`
          const headers = { host, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...era }
          expect([name, method, path, await send(port, method, path, headers)]).toEqual([name, method, path, 403])
        }
    const own = { host: `127.0.0.1:${port}` }
    expect(await send(port, 'GET', DOCUMENTS[0] ?? '', own)).toBe(200)
    expect(await send(port, 'GET', DOCUMENTS[0] ?? '', { ...own, origin: `http://evil.example:${port}` })).toBe(403)
    expect(await send(port, 'GET', `http://evil.example:${port}${DOCUMENTS[0]}`, own)).toBe(403)
  })

  test('does not reach the port on which a client waits for its user', async () => {
    const server = await startTestServer()
    const browser = createBrowser()
    const statuses: number[] = []
    const open = async (url: URL): Promise<void> => {
      const target = new URL(url.searchParams.get('redirect_uri') ?? '')
      const state = url.searchParams.get('state') ?? ''
      const path = `${target.pathname}?${new URLSearchParams({ code: 'stolen', state })}`
      for (const host of [`evil.example:${target.port}`, 'evil.example', `localhost:${target.port}`, '127.0.0.1'])
        statuses.push(await send(Number(target.port), 'GET', path, { host }))
      await browser.open(url.href)
    }
    const client = await server.connect({ auth: browserSignIn({ open, timeoutMs: 10_000 }) })
    expect(await whoami(client)).toMatchObject({ subject: USER })
    expect(statuses).toEqual([404, 404, 404, 404])
  })
})

describe('a mix-up of two issuers', () => {
  /** Starts an issuer of an attacker, which sends its users to an honest one, to have their codes sent to its own token endpoint. */
  async function startEvilIssuer(honest: string, client: () => string, advertisesIssuer: boolean) {
    const tokenRequests: string[] = []
    const origin: string = await startWeb((request, response) => {
      const json = (body: object): void =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      if (request.url === '/token') {
        tokenRequests.push('code')
        return json({ access_token: 'x', token_type: 'Bearer' })
      }
      if (request.url === '/register') return json({ client_id: client(), redirect_uris: [] })
      json({
        issuer: origin,
        authorization_endpoint: `${honest}/auth`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        ...(advertisesIssuer && { authorization_response_iss_parameter_supported: true }),
      })
    })
    return { origin, tokenRequests }
  }

  test.each([true, false])(
    'C63 sends no code to the attacker, whose metadata has `iss` support: %s',
    async (advertisesIssuer) => {
      const redirectUri = 'http://127.0.0.1:9/callback'
      const victim = {
        client_id: 'victim',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      }
      const honest = await startTestServer({ clients: [victim as never] })
      const evil = await startEvilIssuer(honest.provider.issuer, () => victim.client_id, advertisesIssuer)
      const evilServer = await startWeb((request, response) => {
        const resource = `http://${request.headers.host}/mcp`
        if (request.method === 'GET')
          return void response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(JSON.stringify({ resource, authorization_servers: [evil.origin], scopes_supported: ['notes:read'] }))
        response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
      })
      const browser = createBrowser({ stopAt: redirectUri })
      const returned: URL[] = []
      const auth = authorizationCode({
        redirectUri,
        authorize: async (url) => {
          // The attacker makes the honest issuer believe that the user wants to use the honest server.
          url.searchParams.set('resource', honest.url)
          returned.push(new URL((await browser.open(url.href)).url))
          return returned[0]
        },
      })
      const calling = fetchWith(auth, `${evilServer}/mcp`)
      await expect(calling).rejects.toMatchObject({ reason: 'issuer_mismatch' })
      expect(returned[0]?.searchParams.get('code')).toBeTruthy()
      expect(returned[0]?.searchParams.get('iss')).toBe(honest.provider.issuer)
      expect([evil.tokenRequests, honest.provider.grants]).toEqual([[], []])
    },
  )
})

/** Sends a request with the authorization of a provider, and repeats it as long as the provider says so. */
async function fetchWith(auth: ReturnType<typeof authorizationCode>, endpoint: string): Promise<number> {
  const url = new URL(endpoint)
  const authorizer = auth.authorizer(url)
  for (let retries = 0; retries < 5; retries++) {
    const headers = await authorizer.headers({ method: 'POST', url })
    const response = await fetch(url, { method: 'POST', headers: { ...headers } })
    const head = { status: response.status, header: (name: string) => response.headers.get(name) ?? undefined }
    if (!(await authorizer.onResponse(head, { method: 'POST', url, headers, retries }))) return response.status
  }
  return 0
}

describe('two resources of one issuer', () => {
  test('G11 receive only their own tokens from a client, and refuse those of the other', async () => {
    const first = await startTestServer()
    const second = await startTestServer({ provider: first.provider })
    const { store } = memoryStores()
    const browser = createBrowser()
    const auth = browserSignIn({ store, timeoutMs: 10_000, open: async (url) => void (await browser.open(url.href)) })
    for (const server of [first, second]) expect(await whoami(await server.connect({ auth }))).toMatchObject({ subject: USER })
    expect(first.provider.grants).toEqual(['authorization_code', 'authorization_code'])
    const tokens = new Map<string, string>()
    for (const key of await store.list('portcall:tokens:'))
      for (const { url } of [first, second])
        if (key.includes(url)) tokens.set(url, JSON.parse((await store.get(key)) ?? '').accessToken)
    expect(new Set(tokens.values()).size).toBe(2)
    const statusOf = async (url: string, token: string | undefined): Promise<number> => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      }
      const body = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method: 'ping' })
      return (await fetch(url, { method: 'POST', headers, body })).status
    }
    for (const { url } of [first, second])
      for (const [resource, token] of tokens) expect((await statusOf(url, token)) === 401).toBe(resource !== url)
  })

  test('C55 cannot make a client get tokens for each other', async () => {
    const honest = await startTestServer()
    const opened: string[] = []
    const auth = browserSignIn({ timeoutMs: 5000, open: (url) => void opened.push(url.href) })
    for (const resource of [honest.url, honest.url.replace('http://', 'http://x@'), `${honest.url}#`]) {
      const evil = await startWeb((request, response) => {
        const document = { resource, authorization_servers: [honest.provider.issuer] }
        if (request.method === 'GET')
          return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
        response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
      })
      await expect(fetchWith(auth as never, `${evil}/mcp`)).rejects.toMatchObject({ reason: 'resource_mismatch' })
    }
    expect(opened).toEqual([])
  })
})

describe('DPoP with nonces', () => {
  test('AUX-002 a server that always demands another nonce does not keep a client busy', async () => {
    const server = await startTestServer({ protect: { dpop: { required: true, nonce: true } } })
    const browser = createBrowser()
    const auth = browserSignIn({ dpop: true, timeoutMs: 10_000, open: async (url) => void (await browser.open(url.href)) })
    const client = await server.connect({ auth })
    expect(await whoami(client)).toMatchObject({ subject: USER })
    let requests = 0
    const headers = { 'dpop-nonce': '', 'www-authenticate': 'DPoP error="use_dpop_nonce"' }
    const evil = await startWeb((request, response) => {
      if (request.method === 'GET')
        return void response.writeHead(200, { 'content-type': 'application/json' }).end(
          JSON.stringify({
            resource: `http://${request.headers.host}/mcp`,
            authorization_servers: [server.provider.issuer],
            scopes_supported: ['notes:read'],
          }),
        )
      requests++
      response.writeHead(401, { ...headers, 'dpop-nonce': randomUUID() }).end()
    })
    const calling = connect(`${evil}/mcp`, { auth, protocolVersion: '2026-07-28' }).then((one) => one.callTool('whoami'))
    await expect(calling).rejects.toThrow()
    expect(requests).toBeGreaterThan(2)
    expect(requests).toBeLessThan(10)
  })

  test('a stolen token and a stolen proof are worthless, also while the proof is new', async () => {
    const stolen: { authorization?: string | undefined; dpop?: string | undefined }[] = []
    const server = await startTestServer({ protect: { dpop: { required: true, nonce: true } } })
    const browser = createBrowser()
    const auth = browserSignIn({ dpop: true, timeoutMs: 10_000, open: async (url) => void (await browser.open(url.href)) })
    const authorizer = auth.authorizer(new URL(server.url))
    const spy = {
      authorizer: () => ({
        ...authorizer,
        headers: async (request: Parameters<typeof authorizer.headers>[0]) => {
          const headers = await authorizer.headers(request)
          stolen.push(headers)
          return headers
        },
      }),
    }
    expect(await whoami(await server.connect({ auth: spy }))).toMatchObject({ subject: USER })
    const used = stolen.filter(({ dpop }) => dpop !== undefined)
    expect(used.length).toBeGreaterThan(1)
    const base = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    for (const { authorization = '', dpop = '' } of used) {
      const [, token = ''] = authorization.split(' ')
      for (const headers of [
        { authorization, dpop },
        { authorization: `Bearer ${token}` },
        { authorization: `Bearer ${token}`, dpop },
      ])
        expect((await fetch(server.url, { method: 'POST', headers: { ...base, ...headers }, body })).status).toBe(401)
    }
  })
})
