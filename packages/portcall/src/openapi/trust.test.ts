import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { connect } from 'portcall/client'
import { fromOpenAPI, type OpenApiOptions } from 'portcall/openapi'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createNodeSend } from '../auth/client/http/node-send.ts'
import { sendRequest } from './requests/send.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Starts an HTTP server on this machine and records the requests. */
async function startHost(answer: Answer) {
  const received: IncomingMessage[] = []
  const server = createHttpServer((request, response) => {
    received.push(request)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

const sendJson = (response: ServerResponse, body: unknown): void =>
  void response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
const SCHEMES = { key: { type: 'apiKey', in: 'query', name: 'api_key' } }
const createDescription = (get: object = {}, rest: object = {}): object => ({
  openapi: '3.2.0',
  info: { title: 'Pets', version: '1' },
  security: [{ key: [] }],
  components: { securitySchemes: SCHEMES },
  paths: { '/x': { get: { operationId: 'x', ...get } } },
  ...rest,
})

async function callOnly(description: object | string | URL, options: OpenApiOptions, args: Record<string, unknown> = {}) {
  const client = await connect(await fromOpenAPI(description, options))
  onTestFinished(() => client.close())
  return client.callTool('x', args)
}

describe('trust follows the URL that a description was loaded from', () => {
  test.each<[string, (other: string) => object]>([
    ['servers', (other) => createDescription({}, { servers: [{ url: other }] })],
    [
      '$self and a relative server',
      (other) => createDescription({}, { $self: `${other}/openapi.json`, servers: [{ url: '/rel' }] }),
    ],
    ['$self and servers', (other) => createDescription({}, { $self: `${other}/openapi.json`, servers: [{ url: other }] })],
    ['$self alone', (other) => createDescription({}, { $self: `${other}/openapi.json` })],
    ['servers of an operation', (other) => createDescription({ servers: [{ url: other }] })],
    [
      'a server variable',
      (other) => createDescription({}, { servers: [{ url: '{host}', variables: { host: { default: other } } }] }),
    ],
    ['documentation', (other) => createDescription({ externalDocs: { url: other } }, { externalDocs: { url: other } })],
  ])('%s cannot send requests or the key to another private address', async (_, describeAt) => {
    const other = await startHost((_request, response) => sendJson(response, {}))
    const host = await startHost((request, response) =>
      sendJson(response, request.url === '/openapi.json' ? describeAt(other.url) : { from: 'host' }),
    )
    const outcome = await callOnly(new URL(`${host.url}/openapi.json`), { auth: { key: 'key-of-host' } }).catch(String)
    expect(other.received).toEqual([])
    if (typeof outcome === 'string') expect(outcome).toContain('refers to the private address')
    else expect(outcome.structuredContent).toEqual({ from: 'host' })
  })

  test('with a base URL, the servers of an operation are checked as well', async () => {
    const other = await startHost((_request, response) => sendJson(response, {}))
    const description = createDescription({ servers: [{ url: other.url }] }, { servers: [{ url: '/' }] })
    const host = await startHost((_request, response) => sendJson(response, description))
    const source = new URL(`${host.url}/openapi.json`)
    await expect(fromOpenAPI(source, { baseUrl: host.url })).rejects.toThrow('refers to the private address')
    const options = { baseUrl: host.url, auth: { key: 'key-of-host' } }
    await callOnly(source, { ...options, credentialOrigins: [other.url] })
    expect(other.received[0]?.url).toBe('/x?api_key=key-of-host')
  })

  test('references of a description without a URL reach no private addresses', async () => {
    const other = await startHost((_request, response) => sendJson(response, {}))
    const description = createDescription({ parameters: [{ $ref: `${other.url}/parameters.json#/limit` }] })
    await expect(fromOpenAPI(description, { baseUrl: other.url, external: 'https' })).rejects.toThrow('cannot be loaded')
    expect(other.received).toEqual([])
  })

  test.each<[string, { trustedUrl: string; redirect?: string }]>([
    ['a server that a fetched description names', { trustedUrl: 'https://docs.test/openapi.json' }],
    ['a redirect of a public API', { trustedUrl: 'http://PUBLIC', redirect: 'http://rebound.test:PORT/' }],
    ['another port of the host of a description', { trustedUrl: 'https://rebound.test/openapi.json' }],
  ])('a name that resolves to a private address is refused: %s', async (_, { trustedUrl, redirect }) => {
    const host = await startHost((_request, response) => sendJson(response, {}))
    const { port } = new URL(host.url)
    const at = (text: string): URL => new URL(text.replace('PORT', port).replace('PUBLIC', 'api.test'))
    const resolve: LookupFunction = (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }], 4)
    const fetch = redirect === undefined ? undefined : async () => Response.redirect(at(redirect), 302)
    vi.spyOn(globalThis, 'fetch').mockImplementation(fetch ?? (() => Promise.reject(new Error('not checked'))))
    onTestFinished(() => void vi.restoreAllMocks())
    const url = redirect === undefined ? at('http://rebound.test:PORT/') : at(trustedUrl)
    const request = { method: 'GET', url, headers: {}, body: undefined }
    const { signal } = new AbortController()
    const options = { fetch: undefined, trustedUrl: at(trustedUrl), allow: [], timeoutMs: 60_000, maxBytes: 1000, signal }
    const sending = sendRequest(request, options, async (policy) => createNodeSend(policy, { resolve }))
    await expect(sending).rejects.toMatchObject({ cause: { reason: 'address_refused' } })
    expect(host.received).toEqual([])
    const allowed = { ...options, allow: ['rebound.test'] }
    expect(await sendRequest(request, allowed, async (policy) => createNodeSend(policy, { resolve }))).toMatchObject({
      status: 200,
    })
  })
})

describe('redirects', () => {
  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://metadata.google.internal/',
    'file:///etc/passwd',
  ])('a private API cannot redirect to %s', async (location) => {
    const host = await startHost((_request, response) => void response.writeHead(302, { location }).end())
    const result = await callOnly(createDescription(), { baseUrl: host.url, timeoutMs: 60_000 })
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.content)).toContain('must not refer to')
  })

  test('to another origin on this machine are followed without credentials, also on the way back', async () => {
    const other = await startHost((_request, response) => void response.writeHead(302, { location: `${host.url}/end` }).end())
    const host = await startHost((request, response) =>
      request.url === '/end' ? sendJson(response, { ok: true }) : void response.writeHead(302, { location: other.url }).end(),
    )
    const result = await callOnly(createDescription(), {
      baseUrl: host.url,
      auth: { key: 'key-of-host' },
      headers: { authorization: 'Bearer token-of-host', cookie: 'sid=cookie-of-host' },
    })
    expect(result.structuredContent).toEqual({ ok: true })
    for (const { headers, url } of [...other.received, ...host.received.slice(1)])
      expect(JSON.stringify([headers, url])).not.toMatch(/-of-host/)
  })
})

test('a key is removed from results in each encoding, in links, errors and headers', async () => {
  const key = 'S3cr+t/Key="1&é'
  const echoes = [
    new URLSearchParams({ key }).toString(),
    encodeURIComponent(key),
    key,
    `?key=${encodeURIComponent(key).replaceAll(/%../g, (triplet) => triplet.toLowerCase())}`,
  ]
  const body = { next: `https://api.test/?api_key=${encodeURIComponent(key)}&cursor=2`, echoes, [key]: 1 }
  const link = `<https://api.test/x?api_key=${encodeURIComponent(key)}&cursor=${encodeURIComponent(key)}>; rel="next"`
  const answers: readonly Answer[] = [
    (_request, response) => sendJson(response.setHeader('link', link), body),
    (_request, response) =>
      void response.writeHead(400, 'Bad', { 'retry-after': encodeURIComponent(key) }).end(JSON.stringify(body)),
    (_request, response) => void response.setHeader('content-type', 'text/html').end(echoes.join('\n')),
    (_request, response) => void response.setHeader('content-type', 'application/pdf').end(`%PDF ${encodeURIComponent(key)}`),
    (_request, response) => void response.writeHead(204, { location: link }).end(),
  ]
  for (const method of ['get', 'head'])
    for (const answer of answers) {
      const host = await startHost(answer)
      const operation = { operationId: 'x', parameters: [{ name: 'cursor', in: 'query', schema: {} }] }
      const description = createDescription({}, { paths: { '/x': { [method]: operation } } })
      const result = JSON.stringify(await callOnly(description, { baseUrl: host.url, auth: { key } }))
      expect(result, String(answer)).not.toMatch(/S3cr|Key=|%2Ft|%2ft/)
      if (method === 'get') expect(result).toMatch(/\[secret\]|credential|204/)
    }
})

test.each([
  ['authorization', `Basic ${btoa('ada:pa+ss/word')}`, 'pa+ss/word'],
  ['Authorization', 'Bearer to+ken/1', 'to+ken/1'],
  ['Cookie', 'tenant=acme-1; sid=se+ssion', 'se+ssion'],
  ['X-Key', 'ke+y1', 'ke+y1'],
])('a configured header %s is removed from results', async (name, value, secret) => {
  const host = await startHost((_request, response) =>
    sendJson(response, { value, secret, url: `/?a=${encodeURIComponent(secret)}` }),
  )
  const result = JSON.stringify(await callOnly(createDescription(), { baseUrl: host.url, headers: { [name]: value } }))
  for (const text of [value, secret, encodeURIComponent(secret)]) expect(result).not.toContain(text)
})

test('a secret at the place where a text is cut leaves no part of it', async () => {
  const key = 'abcdefghijklmnopqrstuvwxyz'
  const host = await startHost((_request, response) => sendJson(response, { text: `${'x'.repeat(45)}${key.repeat(400)}` }))
  const result = await callOnly(createDescription(), { baseUrl: host.url, auth: { key }, maxResultChars: 200 })
  expect(JSON.stringify(result)).not.toContain('abcd')
})

test('arguments that are not declared are dropped, also hidden and fixed ones', async () => {
  const host = await startHost((_request, response) => sendJson(response, {}))
  const parameters = ['tenant', 'debug', 'q'].map((name) => ({ name, in: 'query', schema: { type: 'string' } }))
  const options: OpenApiOptions = { baseUrl: host.url, customize: () => ({ fixed: { tenant: 'acme' }, hide: ['debug'] }) }
  const args = { q: 'a', wait_for_previous: true, tenant: 'evil', debug: '1', body: {}, __proto__: { x: 1 } }
  expect(await callOnly(createDescription({ parameters }), options, args)).not.toHaveProperty('isError')
  expect(host.received[0]?.url).toBe('/x?tenant=acme&q=a')
  const client = await connect(await fromOpenAPI(createDescription({ parameters }), options))
  onTestFinished(() => client.close())
  const [tool] = await client.tools().toArray()
  expect(tool?.inputSchema).toMatchObject({ properties: { q: {} }, additionalProperties: false })
  const wrong = await client.callTool('x', { q: 1, wait_for_previous: true })
  expect(JSON.stringify(wrong)).toContain('q: expected string')
})

const NESTED = 200_000
test.each<[string, object | string]>([
  ['a cyclic YAML alias', 'openapi: 3.1.0\ninfo: {title: t, version: "1"}\npaths: &p\n  /x: *p\n'],
  ['a cyclic alias in a schema', 'openapi: 3.1.0\ninfo: {}\npaths: {}\ncomponents: {schemas: {A: &a {properties: {a: *a}}}}\n'],
  [
    'a cyclic object',
    (() => {
      const schema: { properties: object } = { properties: {} }
      schema.properties = { schema }
      return createDescription({}, { components: { schemas: { schema } } })
    })(),
  ],
  ['deep JSON', `{"openapi":"3.1.0","info":{},"paths":${'{"a":'.repeat(NESTED)}1${'}'.repeat(NESTED)}}`],
  ['deep JSON that is cut off', '{"a":'.repeat(NESTED)],
  ['deep lists', `{"openapi":"3.1.0","x":${'['.repeat(NESTED)}${']'.repeat(NESTED)}}`],
])('%s is an OpenApiError', async (_, description) => {
  await expect(fromOpenAPI(description, { baseUrl: 'http://127.0.0.1' })).rejects.toMatchObject({ name: 'OpenApiError' })
})

test('a deep response is returned as text', async () => {
  const deep = '['.repeat(NESTED) + ']'.repeat(NESTED)
  for (const status of [200, 400]) {
    const host = await startHost(
      (_request, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(deep),
    )
    const result = await callOnly(createDescription(), { baseUrl: host.url })
    expect(JSON.stringify(result.content)).toContain('[[[[')
  }
})
