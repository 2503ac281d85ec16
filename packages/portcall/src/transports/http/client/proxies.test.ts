import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { CERTIFICATE } from '../../../../test-kit/certificate.ts'
import { type ConnectProxyOptions, startConnectProxy } from '../../../../test-kit/connect-proxy.ts'
import { createNodeSend } from '../../../auth/client/http/node-send.ts'
import { createSafeFetch, type SafeFetchOptions } from '../../../auth/client/http/safe-fetch.ts'
import { connect } from '../../../connect/connect.ts'
import type { ConnectOptions } from '../../../connect/options.ts'

const TOOLS = [{ name: 'greet', inputSchema: { type: 'object' } }]
const RESULTS: { readonly [method: string]: object } = {
  'server/discover': {
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    serverInfo: { name: 'origin', version: '1' },
    ttlMs: 0,
    cacheScope: 'private',
  },
  'tools/list': { tools: TOOLS, resultType: 'complete', ttlMs: 0, cacheScope: 'private' },
}

/** An MCP server that says what it received. */
async function startOrigin(isSecure: boolean): Promise<{ port: number; seen: IncomingHttpHeaders[] }> {
  const seen: IncomingHttpHeaders[] = []
  const listener: RequestListener = (request, response) => {
    let body = ''
    seen.push(request.headers)
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      if (request.method === 'GET') return response.setHeader('content-type', 'application/json').end('{"found":true}')
      const { id, method } = JSON.parse(body)
      const message = JSON.stringify({ jsonrpc: '2.0', id, result: RESULTS[method] })
      response.writeHead(200, { 'content-type': 'application/json' }).end(message)
    })
  }
  const server = isSecure ? createTlsServer(CERTIFICATE, listener) : createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, seen }
}

async function startProxy(options?: ConnectProxyOptions): Promise<Awaited<ReturnType<typeof startConnectProxy>>> {
  const proxy = await startConnectProxy(options)
  onTestFinished(() => proxy.close())
  return proxy
}

/** Sets variables of this process until the end of the test. */
function setEnv(values: { readonly [name: string]: string }): void {
  for (const [name, value] of Object.entries(values)) {
    const before = process.env[name]
    process.env[name] = value
    onTestFinished(() => void (before === undefined ? delete process.env[name] : (process.env[name] = before)))
  }
}

/** Trusts the certificate of the tests. */
const trustEverything = (): void => setEnv({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })

async function listTools(url: string, options: ConnectOptions): Promise<string[]> {
  const client = await connect(url, options)
  try {
    for (let calls = 0; calls < 3; calls++) await client.tools().toArray()
    return (await client.tools().toArray()).map(({ name }) => name)
  } finally {
    await client.close()
  }
}

test.each([
  ['http', false],
  ['http', true],
  ['https', false],
  ['https', true],
])('%s through a proxy with TLS: %s', async (scheme, isSecure) => {
  trustEverything()
  const origin = await startOrigin(scheme === 'https')
  const proxy = await startProxy({ isSecure })
  const address = `mcp.test:${origin.port}`
  expect(await listTools(`${scheme}://${address}/mcp?a=b`, { proxy: proxy.url })).toEqual(['greet'])
  const [first] = proxy.requests
  if (scheme === 'https') expect(first).toMatchObject({ method: 'CONNECT', target: address })
  else expect(first).toMatchObject({ method: 'POST', target: `http://${address}/mcp?a=b` })
  expect(origin.seen[0]).toMatchObject({ host: address })
  // A tunnel carries many requests.
  expect(origin.seen).toHaveLength(5)
  if (scheme === 'https') expect(proxy.requests.length).toBeLessThan(3)
})

test('https: the certificate of the server is checked', async () => {
  const origin = await startOrigin(true)
  const proxy = await startProxy()
  const opening = listTools(`https://mcp.test:${origin.port}/mcp`, { proxy: proxy.url })
  await expect(opening).rejects.toThrow(/certificate is self-signed.*NODE_EXTRA_CA_CERTS/)
  expect(origin.seen).toEqual([])
})

test.each(['http', 'https'])('%s: user name and password go to the proxy only', async (scheme) => {
  trustEverything()
  const origin = await startOrigin(scheme === 'https')
  const authorization = `Basic ${Buffer.from('us er:p@ss').toString('base64')}`
  const proxy = await startProxy({ authorization })
  const url = `${scheme}://mcp.test:${origin.port}/mcp`
  const withPassword = proxy.url.replace('://', '://us%20er:p%40ss@')
  expect(await listTools(url, { proxy: withPassword })).toEqual(['greet'])
  expect(JSON.stringify(origin.seen)).not.toContain('proxy-authorization')

  const wrong = proxy.url.replace('://', '://someone:hunter2@')
  const error = await listTools(url, { proxy: wrong }).catch((reason: unknown) => reason)
  expect(String(error)).toContain('407')
  expect(String(error)).not.toContain('hunter2')
})

test.each<[name: string, ConnectProxyOptions, message: RegExp]>([
  ['refuses', { status: 403 }, /The proxy http:\/\/127\.0\.0\.1:\d+ refused to connect to mcp\.test:9 \(HTTP 403\)/],
  ['fails', { status: 502 }, /refused to connect to mcp\.test:9 \(HTTP 502\)/],
  ['wants a password', { authorization: 'x' }, /requires a user name and a password in its URL \(HTTP 407\)/],
  ['does not answer', { isSilent: true }, /did not connect to mcp\.test:9 within 300 ms/],
])('the error says that the proxy %s', async (_, options, message) => {
  const proxy = await startProxy(options)
  const opening = listTools('https://mcp.test:9/mcp', { proxy: proxy.url, http: { connectTimeoutMs: 300 } })
  await expect(opening).rejects.toMatchObject({ code: 'CONNECTION_LOST', message: expect.stringMatching(message) })
})

test('the error says that the proxy cannot be reached', async () => {
  const proxy = await startConnectProxy()
  proxy.close()
  for (const scheme of ['https', 'http']) {
    const opening = listTools(`${scheme}://mcp.test:9/mcp`, { proxy: proxy.url })
    await expect(opening).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      message: expect.stringContaining(`The proxy ${proxy.url} could not be reached (ECONNREFUSED)`),
    })
  }
})

test('the refusal of credentials is one of the proxy, not of the server', async () => {
  const proxy = await startProxy({ authorization: 'x' })
  for (const scheme of ['https', 'http']) {
    const opening = listTools(`${scheme}://mcp.test:9/mcp`, { proxy: proxy.url.replace('://', '://someone:50%off@') })
    await expect(opening).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      message: expect.stringContaining(`The proxy ${proxy.url} rejects the user name or the password in its URL (HTTP 407)`),
    })
  }
})

test('a connection attempt that waits for the proxy can be aborted', async () => {
  const proxy = await startProxy({ isSilent: true })
  const reason = new Error('no longer wanted')
  const abort = new AbortController()
  const opening = listTools('https://mcp.test:9/mcp', { proxy: proxy.url, signal: abort.signal })
  await expect.poll(() => proxy.requests.length).toBe(1)
  abort.abort(reason)
  await expect(opening).rejects.toBe(reason)
})

test('the environment is used when an option or NODE_USE_ENV_PROXY asks for it', async () => {
  const origin = await startOrigin(false)
  const proxy = await startProxy()
  const url = `http://mcp.test:${origin.port}/mcp`
  setEnv({ HTTP_PROXY: proxy.url, NO_PROXY: 'other.test' })
  const unused = await listTools(url, {}).catch((error: unknown) => error)
  expect(String(unused)).toContain('HTTP_PROXY is set, but was not used')
  expect(await listTools(url, { proxy: 'env' })).toEqual(['greet'])
  setEnv({ NODE_USE_ENV_PROXY: '1' })
  expect(await listTools(url, {})).toEqual(['greet'])
  await expect(listTools(url, { proxy: false })).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
  setEnv({ NO_PROXY: '.test' })
  const count = proxy.requests.length
  await expect(listTools(url, {})).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
  expect(proxy.requests).toHaveLength(count)
})

test('this machine is never requested through a proxy', async () => {
  const origin = await startOrigin(false)
  const proxy = await startProxy()
  expect(await listTools(`http://127.0.0.1:${origin.port}/mcp`, { proxy: proxy.url })).toEqual(['greet'])
  expect(proxy.requests).toEqual([])
})

/** Fetches as the sign-in does, with a resolver that knows one name. */
const safeFetch = (proxy: string, address: string | undefined, options: Partial<SafeFetchOptions> = {}) =>
  createSafeFetch({ trustedUrl: new URL('https://mcp.test'), ...options }, async (policy) =>
    createNodeSend(policy, {
      proxy,
      resolve: (_name, _options, settle) => {
        if (address === undefined) settle(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), '', 4)
        else settle(null, [{ address, family: 4 }])
      },
    }),
  ).fetch

test.each([
  ['a name that only the proxy can resolve', undefined],
  ['a name with a public address', '203.0.113.7'],
])('sign-in: %s is requested through the proxy', async (_, address) => {
  trustEverything()
  const origin = await startOrigin(true)
  const proxy = await startProxy()
  const fetch = safeFetch(proxy.url, address === '203.0.113.7' ? '93.184.215.14' : address)
  const response = await fetch(`https://mcp.test:${origin.port}/.well-known/oauth-authorization-server`)
  expect(await response.json()).toEqual({ found: true })
  expect(proxy.requests).toHaveLength(1)
})

test.each(['10.0.0.5', '169.254.169.254', '127.0.0.1'])(
  'sign-in: a name of another origin that resolves to %s is refused before the proxy sees it',
  async (address) => {
    const proxy = await startProxy()
    const fetch = safeFetch(proxy.url, address)
    await expect(fetch('https://evil.example/metadata')).rejects.toMatchObject({ reason: 'address_refused' })
    expect(proxy.requests).toEqual([])
  },
)

test.each(['https://10.0.0.5/', 'https://169.254.169.254/latest', 'https://vault.internal/', 'http://evil.example/'])(
  'sign-in: %s is refused with a proxy as without',
  async (url) => {
    const proxy = await startProxy()
    await expect(safeFetch(proxy.url, undefined)(url)).rejects.toMatchObject({ reason: 'address_refused' })
    expect(proxy.requests).toEqual([])
  },
)

test('sign-in: errors name the proxy, without its password', async () => {
  const proxy = await startProxy({ authorization: 'x' })
  const fetch = safeFetch(proxy.url.replace('://', '://someone:hunter2@'), undefined)
  const error = await fetch('https://mcp.test:9/').catch((reason: unknown) => reason)
  expect(error).toMatchObject({
    reason: 'unreachable',
    message: expect.stringContaining('rejects the user name or the password'),
  })
  expect(JSON.stringify([String(error), String((error as Error).cause)])).not.toContain('hunter2')
  const send = createNodeSend({ resolutionError: () => undefined } as never, { proxy: proxy.url })
  const sending = send(new URL('http://mcp.test:9/'), { method: 'GET', headers: {} } as never)
  await expect(sending).rejects.toMatchObject({ code: 'PROXY_FAILED', message: expect.stringContaining('HTTP 407') })
})
