import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'portcall/client'
import { fromOpenAPI, type OpenApiOptions } from 'portcall/openapi'
import { expect, onTestFinished, test } from 'vitest'

interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Starts an API that records requests and answers all of them with one response. */
async function startApi(response: { status?: number; headers?: Record<string, string>; body?: unknown } = {}) {
  const received: Received[] = []
  const server = createHttpServer(async (request, reply) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ method: request.method, url: request.url, headers: request.headers, body })
    const { status = 200, headers = { 'content-type': 'application/json' }, body: content = { ok: true } } = response
    reply.writeHead(status, headers).end(typeof content === 'string' ? content : JSON.stringify(content))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

const describe = (paths: object, rest: object = {}): object => ({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths,
  ...rest,
})

/** Calls the only tool of a description. */
async function callOnly(description: object, args: object, options: OpenApiOptions) {
  const server = await fromOpenAPI(description, options)
  const client = await connect(server)
  onTestFinished(() => client.close())
  const [tool] = await client.tools().toArray()
  return client.callTool(tool?.name ?? '', args as Record<string, unknown>)
}

const parameter = (name: string, members: object) => ({ name, in: 'query', schema: {}, ...members })

test.each([
  [parameter('id', { in: 'path', required: true }), { id: 'a/b c' }, '/x/a%2Fb%20c'],
  [parameter('id', { in: 'path', style: 'label' }), { id: [1, 2] }, '/x/.1,2'],
  [parameter('id', { in: 'path', style: 'label', explode: true }), { id: { r: 1, g: 2 } }, '/x/.r=1.g=2'],
  [parameter('id', { in: 'path', style: 'matrix' }), { id: [1, 2] }, '/x/;id=1,2'],
  [parameter('id', { in: 'path', style: 'matrix', explode: true }), { id: [1, 2] }, '/x/;id=1;id=2'],
  [parameter('id', { in: 'path', explode: true }), { id: { r: 1, g: 2 } }, '/x/r=1,g=2'],
  [parameter('q', {}), { q: ['a', 'b&c'] }, '/x/{id}?q=a&q=b%26c'],
  [parameter('q', { explode: false }), { q: ['a', 'b,c'] }, '/x/{id}?q=a,b%2Cc'],
  [parameter('q', { style: 'spaceDelimited', explode: false }), { q: [1, 2] }, '/x/{id}?q=1%202'],
  [parameter('q', { style: 'pipeDelimited', explode: false }), { q: [1, 2] }, '/x/{id}?q=1%7C2'],
  [parameter('q', { style: 'deepObject' }), { q: { a: { b: 1 }, c: [2] } }, '/x/{id}?q[a][b]=1&q[c][0]=2'],
  [parameter('q', { allowReserved: true }), { q: 'a/b:c' }, '/x/{id}?q=a/b:c'],
  [parameter('q', { schema: undefined, content: { 'application/json': {} } }), { q: { a: 1 } }, '/x/{id}?q=%7B%22a%22%3A1%7D'],
  [parameter('filter[name]', {}), { filter_name: 'x' }, '/x/{id}?filter%5Bname%5D=x'],
])('a parameter %j with %j is sent as %s', async (declared, args, expected) => {
  const { url, received } = await startApi()
  const description = describe({ '/x/{id}': { get: { operationId: 'x', parameters: [declared], responses: {} } } })
  await callOnly(description, { id: '-', ...args }, { baseUrl: url })
  expect(received[0]?.url).toBe(expected.replace('{id}', '-'))
})

test('headers and cookies are sent', async () => {
  const { url, received } = await startApi()
  const parameters = [parameter('X-Ids', { in: 'header' }), parameter('session', { in: 'cookie' })]
  await callOnly(describe({ '/x': { get: { parameters } } }), { 'X-Ids': [1, 2], session: 'a b' }, { baseUrl: url })
  expect(received[0]?.headers).toMatchObject({ 'x-ids': '1,2', cookie: 'session=a%20b' })
})

test.each([
  ['application/json', { a: [1] }, '{"a":[1]}'],
  ['application/x-www-form-urlencoded', { a: 'b c', d: [1, 2], e: { f: 1 } }, 'a=b+c&d=1&d=2&e=%7B%22f%22%3A1%7D'],
  ['text/plain', 'hello', 'hello'],
  ['application/octet-stream', { data: btoa('bytes') }, 'bytes'],
])('a body of %s is sent', async (mediaType, body, expected) => {
  const { url, received } = await startApi()
  const operation = { requestBody: { required: true, content: { [mediaType]: { schema: {} } } } }
  await callOnly(describe({ '/x': { post: operation } }), { body }, { baseUrl: url })
  expect(received[0]?.body).toBe(expected)
  expect(received[0]?.headers['content-type']).toBe(mediaType)
})

test('a multipart form has files', async () => {
  const { url, received } = await startApi()
  const schema = { type: 'object', properties: { file: { type: 'string', format: 'binary' }, note: { type: 'string' } } }
  const operation = { requestBody: { content: { 'multipart/form-data': { schema } } } }
  const body = { file: { text: 'content', filename: 'a.txt', contentType: 'text/csv' }, note: 'n' }
  await callOnly(describe({ '/x': { post: operation } }), { body }, { baseUrl: url })
  expect(received[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
  expect(received[0]?.body).toMatch(/name="file"; filename="a.txt"\r\nContent-Type: text\/csv\r\n\r\ncontent/)
})

test('a path argument cannot lead to another path', async () => {
  const { url, received } = await startApi()
  const parameters = [parameter('id', { in: 'path', required: true })]
  for (const id of ['..', '.', ''])
    expect(await callOnly(describe({ '/x/{id}/y': { get: { parameters } } }), { id }, { baseUrl: url })).toMatchObject({
      isError: true,
    })
  expect(received).toEqual([])
})

const SCHEMES = {
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'token' },
  basic: { type: 'http', scheme: 'basic' },
  oauth: { type: 'oauth2', flows: {} },
}

test.each([
  [[{ key: [] }], { key: 'secret' }, { 'x-key': 'secret' }],
  [
    [{ basic: [] }],
    { basic: { username: 'u', password: 'pässword' } },
    { authorization: `Basic ${Buffer.from('u:pässword').toString('base64')}` },
  ],
  [[{ oauth: ['read'] }], { oauth: () => 'token' }, { authorization: 'Bearer token' }],
  [[{ key: [], oauth: [] }, { basic: [] }], { basic: 'u:p1234' }, { authorization: `Basic ${btoa('u:p1234')}` }],
])('security %j with %j sends %j', async (security, auth, expected) => {
  const { url, received } = await startApi()
  await callOnly(
    describe({ '/x': { get: { security } } }, { components: { securitySchemes: SCHEMES } }),
    {},
    { baseUrl: url, auth },
  )
  expect(received[0]?.headers).toMatchObject(expected)
})

test('errors have the status and the message of the API, and no secrets', async () => {
  const body = { error: { message: 'The token sesame-open is unknown', code: 'bad' } }
  const { url, received } = await startApi({ status: 401, body })
  const description = describe({ '/x': { get: { security: [{ query: [] }] } } }, { components: { securitySchemes: SCHEMES } })
  const result = await callOnly(description, {}, { baseUrl: url, auth: { query: 'sesame-open' } })
  expect(received[0]?.url).toBe('/x?token=sesame-open')
  expect(result).toMatchObject({ isError: true, content: [{ type: 'text' }] })
  expect(JSON.stringify(result.content)).toContain('GET /x failed: 401 Unauthorized')
  expect(JSON.stringify(result.content)).toContain('The token [secret] is unknown')
})

test('credentials are not sent to the servers of single operations', async () => {
  const [api, other] = [await startApi(), await startApi()]
  const get = { security: [{ key: [] }], servers: [{ url: other.url }] }
  const description = describe({ '/x': { get } }, { components: { securitySchemes: SCHEMES }, servers: [{ url: api.url }] })
  await callOnly(description, {}, { auth: { key: 'secret' }, headers: { 'x-static': 'secret' } })
  expect(other.received[0]?.headers).not.toHaveProperty('x-key')
  expect(other.received[0]?.headers).not.toHaveProperty('x-static')
  await callOnly(description, {}, { auth: { key: 'secret' }, credentialOrigins: [other.url] })
  expect(other.received[1]?.headers).toHaveProperty('x-key', 'secret')
})

test('long responses are shortened, and pages continue', async () => {
  const body = { items: Array.from({ length: 500 }, (_, id) => ({ id, text: 'x'.repeat(100) })), next_cursor: 'abc' }
  const { url } = await startApi({ body })
  const description = describe({ '/x': { get: { parameters: [parameter('cursor', {})] } } })
  const { content, structuredContent } = await callOnly(description, {}, { baseUrl: url, maxResultChars: 10_000 })
  expect(JSON.stringify(structuredContent).length).toBeLessThan(10_000)
  expect(content.slice(1)).toEqual([
    { type: 'text', text: 'Shortened: items: 50 of 500 items.' },
    { type: 'text', text: 'There are more results. For the next page, call again with cursor = "abc".' },
  ])
})

test('routes, selection and fixed arguments change what is served', async () => {
  const { url, received } = await startApi({ body: [{ id: 1, owner: { login: 'ann', email: 'x' } }] })
  const description = describe({
    '/pets': { get: { operationId: 'listPets', tags: ['pets'], parameters: [parameter('limit', {})] } },
    '/pets/{id}': { get: { operationId: 'getPet', parameters: [parameter('id', { in: 'path', required: true })] } },
    '/admin': { delete: { operationId: 'drop' } },
  })
  const server = await fromOpenAPI(description, {
    baseUrl: url,
    routes: [
      { path: '/admin', to: 'exclude' },
      { path: /\{id\}$/, to: 'resource' },
    ],
    customize: ({ operationId }) =>
      operationId === 'listPets' ? { name: 'pets', fixed: { limit: 5 }, select: ['id', 'owner.login'] } : {},
  })
  const client = await connect(server)
  onTestFinished(() => client.close())
  const tools = await client.tools().toArray()
  expect(tools).toMatchObject([{ name: 'pets', inputSchema: { properties: {} }, annotations: { readOnlyHint: true } }])
  expect((await client.callTool('pets', {})).structuredContent).toEqual([{ id: 1, owner: { login: 'ann' } }])
  expect(received[0]?.url).toBe('/pets?limit=5')
  const [template] = await client.resourceTemplates().toArray()
  expect(template?.uriTemplate).toBe(`api://${new URL(url).host}/pets/{id}`)
  await client.readResource(`api://${new URL(url).host}/pets/7`)
  expect(received[1]?.url).toBe('/pets/7')
})

test('schemas of OpenAPI 3.0 become JSON Schema 2020-12', async () => {
  const schemas = {
    Node: {
      type: 'object',
      required: ['id', 'next'],
      properties: { id: { type: 'integer', readOnly: true }, next: { $ref: '#/components/schemas/Node' } },
    },
    Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }, { type: 'object', properties: { claws: { type: 'integer' } } }] },
    Pet: {
      type: 'object',
      discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } },
      properties: { kind: { type: 'string' } },
    },
  }
  const schema = {
    type: 'object',
    properties: {
      size: { type: 'integer', minimum: 0, exclusiveMinimum: true, nullable: true },
      color: { type: 'string', enum: ['red'], nullable: true },
      node: { $ref: '#/components/schemas/Node' },
      pet: { $ref: '#/components/schemas/Pet' },
    },
  }
  const post = { requestBody: { content: { 'application/json': { schema } } } }
  const server = await fromOpenAPI(
    { ...describe({ '/x': { post } }, { components: { schemas } }), openapi: '3.0.3' },
    { baseUrl: 'http://127.0.0.1' },
  )
  const client = await connect(server)
  onTestFinished(() => client.close())
  const [tool] = await client.tools().toArray()
  expect(tool?.inputSchema).toMatchObject({
    properties: {
      body: {
        properties: {
          size: { type: ['integer', 'null'], exclusiveMinimum: 0 },
          color: { type: ['string', 'null'], enum: ['red', null] },
          node: { $ref: '#/$defs/Node' },
        },
      },
    },
    $defs: { Node: { required: ['next'], properties: { next: { $ref: '#/$defs/Node' } } } },
  })
  expect(JSON.stringify(tool?.inputSchema)).toContain('{"kind":{"const":"cat"}}')
})

test('a property that one part of allOf hides is not required by another part', async () => {
  const Base = { type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer' }, name: { type: 'string' } } }
  const schema = { allOf: [{ $ref: '#/components/schemas/Base' }, { properties: { id: { readOnly: true } } }] }
  const { url, received } = await startApi()
  const post = { requestBody: { content: { 'application/json': { schema } } } }
  const description = describe({ '/x': { post } }, { components: { schemas: { Base } } })
  expect(await callOnly(description, { body: { name: 'a' } }, { baseUrl: url })).not.toHaveProperty('isError')
  expect(received[0]?.body).toBe('{"name":"a"}')
})

test('references to other documents are refused, or followed by a function', async () => {
  const description = describe({ '/x': { get: { parameters: [{ $ref: './parameters.yaml#/limit' }] } } })
  const options = { baseUrl: 'http://127.0.0.1', url: 'file:///api/openapi.json' }
  await expect(fromOpenAPI(description, options)).rejects.toThrow("Pass external: 'https'")
  const read: string[] = []
  const external = async (url: string): Promise<string> => {
    read.push(url)
    return 'limit: { name: limit, in: query, schema: { type: integer } }'
  }
  const client = await connect(await fromOpenAPI(description, { ...options, external }))
  onTestFinished(() => client.close())
  expect((await client.tools().toArray())[0]?.inputSchema).toMatchObject({ properties: { limit: { type: 'integer' } } })
  expect(read).toHaveLength(1)
})

test.each([
  [{ swagger: '2.0' }, 'Swagger 2.0 is not supported'],
  [{ openapi: '4.0' }, '"openapi" must be 3.0, 3.1 or 3.2'],
  [describe({ '/x': { get: {} } }), 'pass baseUrl'],
  ['{ not: [yaml', 'An OpenAPI description is neither JSON nor YAML'],
  ['- a list', 'An OpenAPI description must be an object'],
  [
    '<!doctype html><title>API</title>',
    'An OpenAPI description is a web page or XML: look there for the address of its JSON or YAML',
  ],
])('a description %j is refused', async (description, message) => {
  await expect(fromOpenAPI(description)).rejects.toThrow(message)
})

test('an error names the address of a description, without its parameters', async () => {
  const refused = fromOpenAPI('{ not: [yaml', { url: 'https://api.example.com/openapi.yaml?key=k1' })
  await expect(refused).rejects.toThrow(
    /^The OpenAPI description https:\/\/api\.example\.com\/openapi\.yaml is neither JSON nor YAML: /,
  )
})
