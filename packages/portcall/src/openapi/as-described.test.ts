/** Requests are what descriptions mean, also where descriptions are unusual; what a tool does not do is an issue. */
import { expect, test } from 'vitest'
import { describeApi, param, sendOk, serve, startApi } from '../../test-kit/recording-api.ts'
import { checkIntegers } from './schemas/integers.ts'

test.each([
  ['{id}', [], 'id', '/p/a%2Fb', 'no parameter describes {id}'],
  ['{id}', [param('id')], 'id', '/p/a%2Fb', 'described as a part of the query'],
  ['{id}', [param('id', { in: 'header' })], 'id', '/p/a%2Fb', 'no parameter describes {id}'],
  ['{id:[0-9]+}', [param('id', { in: 'path' })], 'id', '/p/a%2Fb', undefined],
  ['{id?}', [], 'id', '/p/a%2Fb', 'no parameter describes {id}'],
  ['{proxy+}', [param('proxy', { in: 'path' })], 'proxy', '/p/a/b', undefined],
  ['{proxy+}', [param('proxy+', { in: 'path' })], 'proxy', '/p/a/b', undefined],
  ['{+name}', [param('name', { in: 'path' })], 'name', '/p/a/b', undefined],
  ['{name*}', [], 'name', '/p/a/b', 'no parameter describes {name}'],
  ['{file:path}', [], 'file', '/p/a/b', 'no parameter describes {file}'],
])('the placeholder %s with the parameters %j is the argument %s', async (placeholder, parameters, argument, path, problem) => {
  const api = await startApi()
  const { tool, call, problems } = await serve(describeApi({ [`/p/${placeholder}`]: { get: { parameters } } }), {
    baseUrl: api.url,
  })
  expect(tool?.inputSchema.required).toEqual([argument])
  await call({ [argument]: 'a/b' })
  expect(api.received[0]?.line).toBe(`GET ${path}`)
  expect(problems).toEqual(problem === undefined ? [] : [expect.stringContaining(problem)])
  for (const value of ['../x', 'a/../x', '%2e%2e', '']) expect((await call({ [argument]: value })).isError, value).toBe(true)
  expect(api.received).toHaveLength(1)
})

test.each([
  [param('x', { in: 'path' }), 'the path has no {x}'],
  [param('x', { in: 'body' }), 'is in "body", which is no place of OpenAPI 3'],
  [param('x', { in: 'formData' }), 'is in "formData"'],
])('a parameter that is left out is an issue: %j', async (parameter, problem) => {
  const { problems } = await serve(describeApi({ '/p': { get: { parameters: [parameter] } } }), { baseUrl: 'http://127.0.0.1:1' })
  expect(problems).toEqual([expect.stringContaining(problem)])
})

const SCHEMES = {
  bot: { type: 'apiKey', in: 'header', name: 'authorization' },
  key: { type: 'apiKey', in: 'query', name: 'key' },
}
test.each([
  [[{}, { bot: [] }], { bot: 'Bot abc' }, 'Bot abc'],
  [[{ bot: [] }, {}], { bot: 'Bot abc' }, 'Bot abc'],
  [[{}, { key: [] }, { bot: [] }], { bot: 'Bot abc' }, 'Bot abc'],
  [[{}, { bot: [] }], { bot: () => undefined }, undefined],
  [[{}], { bot: 'Bot abc' }, undefined],
])('security %j with %j sends %s', async (security, auth, expected) => {
  const api = await startApi()
  const description = describeApi({ '/p': { get: { security } } }, { components: { securitySchemes: SCHEMES } })
  const { call } = await serve(description, { baseUrl: api.url, auth })
  await call()
  expect(api.received[0]?.headers.authorization).toBe(expected)
})

test('a parameter that has the name of a key is an argument where the operation needs no key', async () => {
  const api = await startApi()
  const get = { security: [], parameters: [param('key', { required: true })] }
  const description = describeApi({ '/p': { get } }, { components: { securitySchemes: SCHEMES }, security: [{ key: [] }] })
  const { call } = await serve(description, { baseUrl: api.url, auth: { key: 'secret' } })
  await call({ key: 'mine' })
  expect(api.received[0]?.line).toBe('GET /p?key=mine')
})

const MAIN = 'https://api.test/v1'
test.each([
  [[{ url: MAIN }], `${MAIN}/upload`, '/sandbox/upload/p'],
  [[{ url: MAIN }], MAIN, '/sandbox/p'],
  [[{ url: MAIN }], 'https://api.test', '/sandbox/p'],
  [[{ url: MAIN }], 'https://api.test/v2', '/sandbox/v2/p'],
  [[], 'https://api.test', '/sandbox/p'],
  [[{ url: 'http://docs.test' }], 'https://api.test', '/sandbox/p'],
  [[{ url: 'https://eu.test' }, { url: MAIN }], `${MAIN}/x`, '/sandbox/x/p'],
  [[{ url: 'https://{region}.test', variables: { region: { default: 'api' } } }], 'https://api.test/x', '/sandbox/x/p'],
])('baseUrl with the servers %j replaces the server %s of an operation', async (servers, own, path) => {
  const api = await startApi()
  const description = describeApi(
    { '/p': { get: { servers: [{ url: own }] } }, '/q': { get: { servers: [{ url: own }] } } },
    { servers },
  )
  const { call, problems } = await serve(description, { baseUrl: `${api.url}/sandbox/` })
  await call()
  expect(api.received[0]?.line).toBe(`GET ${path}`)
  expect(problems).toEqual([])
})

test('calls that would go elsewhere than baseUrl are refused, unless the user names the origin', async () => {
  const [api, other] = [await startApi(), await startApi()]
  const description = describeApi({ '/p': { get: { servers: [{ url: `${other.url}/up` }] } } }, { servers: [{ url: MAIN }] })
  const refused = await serve(description, { baseUrl: api.url })
  expect(refused.problems).toEqual([expect.stringContaining('is not the one that baseUrl replaces')])
  expect(JSON.stringify(await refused.call())).toContain(`baseUrls or credentialOrigins names ${other.url}`)
  expect(other.received).toEqual([])
  await (await serve(description, { baseUrl: api.url, baseUrls: { [other.url]: `${api.url}/files` } })).call()
  expect(api.received[0]?.line).toBe('GET /files/up/p')
  await (await serve(description, { baseUrl: api.url, credentialOrigins: [other.url] })).call()
  expect(other.received[0]?.line).toBe('GET /up/p')
})

const OBJECT = { type: 'object', properties: { long: { type: 'string', description: 'x'.repeat(500) } } }
test.each([
  [['application/json-patch+json', 'application/json', 'text/json', 'application/*+json'], OBJECT, { a: 1 }, 'application/json'],
  [['application/*+json'], OBJECT, { a: 1 }, 'application/json'],
  [['*/*'], OBJECT, { a: 1 }, 'application/json'],
  [['application/*'], OBJECT, { a: 1 }, 'application/json'],
  [['text/*'], { type: 'string' }, 'a', 'text/plain'],
  [['application/json; charset=utf-8'], OBJECT, { a: 1 }, 'application/json; charset=utf-8'],
  [['application/vnd.api+json', 'application/*+json'], OBJECT, { a: 1 }, 'application/vnd.api+json'],
  [['application/xml'], { $ref: '#/components/schemas/Big' }, '<a/>', 'application/xml'],
  [['text/xml'], { allOf: [{ $ref: '#/components/schemas/Big' }] }, '<a/>', 'text/xml'],
  [['application/xml', 'application/json'], OBJECT, { a: 1 }, 'application/json'],
])('a body of %j is sent as %4$s', async (types, schema, body, expected) => {
  const api = await startApi()
  const content = Object.fromEntries(types.map((type) => [type, { schema }]))
  const description = describeApi({ '/p': { post: { requestBody: { content } } } }, { components: { schemas: { Big: OBJECT } } })
  const { call } = await serve(description, { baseUrl: api.url })
  const result = await call({ body })
  expect(result.isError, JSON.stringify(result.content)).not.toBe(true)
  expect(api.received[0]).toMatchObject({ headers: { 'content-type': expected } })
  expect(api.received[0]?.body).toBe(typeof body === 'string' ? body : JSON.stringify(body))
})

const json = { 'application/json': {} }
test.each([
  [{ 200: { $ref: '#/components/responses/Ok' } }, 'application/json, */*;q=0.1'],
  [{ 200: { content: { 'application/json; charset=utf-8': {} } } }, 'application/json, */*;q=0.1'],
  [
    { 200: { content: { 'application/vnd.es+json;compatible-with=9': {} } } },
    'application/vnd.es+json; compatible-with=9, */*;q=0.1',
  ],
  [{ 200: { content: { 'text/csv': {}, ...json } } }, 'application/json, text/csv, */*;q=0.1'],
])('the responses %j are accepted as %s', async (responses, expected) => {
  const api = await startApi()
  const description = describeApi({ '/p': { get: { responses } } }, { components: { responses: { Ok: { content: json } } } })
  await (await serve(description, { baseUrl: api.url })).call()
  expect(api.received[0]?.headers.accept).toBe(expected)
})

test.each([
  ['POST', 307, '/p/', 'POST /p/', '{"a":1}'],
  ['DELETE', 308, '/p/', 'DELETE /p/', '{"a":1}'],
  ['POST', 303, '/done', 'GET /done', ''],
  ['GET', 301, '/p/', 'GET /p/', ''],
])('%s follows %d to %s', async (method, status, location, expected, body) => {
  const api = await startApi((request, response) =>
    request.url === '/p' ? void response.writeHead(status, { location }).end() : sendOk(request, response),
  )
  const requestBody = { content: { 'application/json': {} } }
  const { call } = await serve(describeApi({ '/p': { [method.toLowerCase()]: { requestBody } } }), { baseUrl: api.url })
  expect(await call({ body: { a: 1 } })).toMatchObject({ structuredContent: { ok: true } })
  expect(api.received[1]).toMatchObject({ line: expected, body })
  expect(api.received[1]?.headers['content-type']).toBe(body === '' ? undefined : 'application/json')
})

test.each([
  [301, '/p/'],
  [307, 'https://other.test/p'],
])('a POST that is redirected with %d to %s fails and names the target', async (status, location) => {
  const api = await startApi((_request, response) => void response.writeHead(status, { location }).end())
  const { call } = await serve(describeApi({ '/p': { post: {} } }), { baseUrl: api.url })
  expect(JSON.stringify((await call()).content)).toContain(`Location: ${location}`)
  expect(api.received).toHaveLength(1)
})

test('an operation with too many parameters for a URI becomes a tool', async () => {
  const parameters = Array.from({ length: 70 }, (_, index) => param(`p${index}`))
  const options = { baseUrl: 'http://127.0.0.1:1', routes: [{ methods: ['GET'], to: 'resource' as const }] }
  const { tool, problems } = await serve(describeApi({ '/p': { get: { operationId: 'many', parameters } } }), options)
  expect(tool?.name).toBe('many')
  expect(problems).toEqual([expect.stringContaining('too many parameters for a URI')])
})

test('names that can stay stay, whatever comes before them', async () => {
  const api = await startApi()
  const names = ['$filter', 'filter', 'StartTime<', 'StartTime', 'StartTime>']
  const description = describeApi({ '/p': { get: { parameters: names.map((name) => param(name)) } } })
  const { tool, call } = await serve(description, { baseUrl: api.url })
  const properties = tool?.inputSchema.properties as Record<string, { description?: string }>
  expect(Object.keys(properties)).toEqual(['query_filter', 'filter', 'query_StartTime', 'StartTime', 'StartTime_2'])
  expect(properties.query_filter?.description).toBe('Sent as $filter.')
  expect(properties.filter?.description).toBeUndefined()
  await call({ query_filter: 'a', filter: 'b', StartTime_2: 'c' })
  expect(api.received[0]?.line).toBe('GET /p?%24filter=a&filter=b&StartTime%3E=c')
})

test('a header that cannot be sent is named', async () => {
  const { call } = await serve(describeApi({ '/p': { get: { parameters: [param('X-N', { in: 'header' })] } } }), {
    baseUrl: 'http://127.0.0.1:1',
  })
  expect(JSON.stringify((await call({ 'X-N': '日本' })).content)).toContain('The header x-n cannot contain')
})

const text = { type: 'string' }
const closed = (name: string): object => ({
  type: 'object',
  properties: { [name]: text },
  required: [name],
  additionalProperties: false,
})
const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` })

test.each([
  ['two closed parts', { allOf: [reference('A'), reference('B')] }],
  ['a closed part beside properties', { type: 'object', properties: { b: text }, allOf: [reference('A')] }],
  ['a closed whole with a part', { ...closed('b'), allOf: [{ properties: { a: text } }] }],
  ['closed parts of a part', { allOf: [{ allOf: [reference('A')] }, reference('B')] }],
  [
    'a closed whole without properties of its own',
    { additionalProperties: false, allOf: [{ properties: { a: text, b: text } }] },
  ],
  ['closed parts in place', { allOf: [closed('a'), closed('b')] }],
  ['closed alternatives beside properties', { type: 'object', properties: { b: text }, oneOf: [reference('A'), reference('C')] }],
  ['closed alternatives in a part', { allOf: [{ oneOf: [reference('A'), reference('C')] }, reference('B')] }],
])('a body of %s can be sent', async (_name, schema) => {
  const api = await startApi()
  const paths = {
    '/p': { post: { operationId: 'x', requestBody: { required: true, content: { 'application/json': { schema } } } } },
  }
  const components = { schemas: { A: closed('a'), B: closed('b'), C: closed('c') } }
  const { call } = await serve(describeApi(paths, { components }), { baseUrl: api.url })
  expect((await call({ body: { a: '1', b: '2' } })).isError).not.toBe(true)
  expect(JSON.parse(api.received[0]?.body ?? '')).toEqual({ a: '1', b: '2' })
})

test.each([
  ['closed parts', (next: object[]) => ({ ...closed('a'), allOf: next })],
  ['open parts', (next: object[]) => ({ properties: { a: text }, allOf: next })],
  ['alternatives', (next: object[]) => ({ properties: { a: text }, anyOf: next })],
  ['alternatives of which one is meant', (next: object[]) => ({ properties: { a: text }, oneOf: next })],
  ['properties that are read-only', (next: object[]) => ({ properties: { z: { ...text, readOnly: true } }, allOf: next })],
])(
  'the time for %s does not depend on the number of paths to them',
  async (_name, make) => {
    const api = await startApi()
    // The last of 30 schemas is reached on 4^30 paths.
    const chain = Array.from({ length: 30 }, (_, index) => [`S${index}`, make(new Array(4).fill(reference(`S${index + 1}`)))])
    const components = { schemas: { ...Object.fromEntries(chain), S30: { type: 'object' } } }
    const form = { 'multipart/form-data': { schema: { properties: { field: reference('S0') }, allOf: [reference('S0')] } } }
    const paths = {
      '/p': { post: { operationId: 'x', requestBody: { content: { 'application/json': { schema: reference('S0') } } } } },
      '/form': { post: { operationId: 'y', requestBody: { content: form } } },
    }
    const { tool } = await serve(describeApi(paths, { components }), { baseUrl: api.url })
    expect(() => checkIntegers({ body: { a: 2 ** 60 } }, tool?.inputSchema ?? {})).toThrow('body.a')
  },
  60_000,
)

test.each([
  ['one part', { allOf: [reference('A')] }],
  ['two parts', { allOf: [reference('A'), closed('b')] }],
  ['alternatives', { ...closed('a'), anyOf: [{ required: ['a'] }, { required: ['b'] }] }],
])('a closed schema with %s still refuses unknown properties', async (_name, schema) => {
  const api = await startApi()
  const paths = {
    '/p': { post: { operationId: 'x', requestBody: { required: true, content: { 'application/json': { schema } } } } },
  }
  const { call } = await serve(describeApi(paths, { components: { schemas: { A: closed('a') } } }), { baseUrl: api.url })
  expect(await call({ body: { a: '1', b: '1', z: '2' } })).toMatchObject({ isError: true })
  expect(api.received).toEqual([])
})

test.each([
  [{ minimum: 1 }, { '0': false, '-1': false, '1': true, '9007199254740993': true }],
  [{ minimum: 0 }, { '0': true, '-1': false }],
  [{ exclusiveMinimum: 0 }, { '0': false, '1': true }],
  [
    { minimum: 0, exclusiveMinimum: true },
    { '0': false, '1': true },
  ],
  [{}, { '0': true, '-1': true }],
])('digits of an integer of 64 bits with %j', async (limits, digits) => {
  const api = await startApi()
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64', ...limits } }
  const { call } = await serve(describeApi({ '/p/{id}': { get: { operationId: 'x', parameters: [id] } } }), { baseUrl: api.url })
  for (const [value, isAccepted] of Object.entries(digits))
    expect(((await call({ id: value })).isError ?? false) === !isAccepted, value).toBe(true)
})

test.each(['', 'applicationjson;version=1'])('a body of the media type %j is sent as JSON', async (key) => {
  const api = await startApi()
  const content = { [key]: { schema: { type: 'object', properties: { a: text } } } }
  const { call, problems } = await serve(describeApi({ '/p': { post: { operationId: 'x', requestBody: { content } } } }), {
    baseUrl: api.url,
  })
  await call({ body: { a: '1' } })
  expect(api.received[0]).toMatchObject({ body: '{"a":"1"}', headers: { 'content-type': 'application/json' } })
  expect(problems).toEqual([`${JSON.stringify(key)} is no media type; the body is sent as application/json`])
})

test('a form that the description calls a string is sent as the model wrote it', async () => {
  const api = await startApi()
  const content = { 'application/x-www-form-urlencoded': { schema: { type: 'string' } } }
  const paths = { '/p': { post: { operationId: 'x', requestBody: { required: true, content } } } }
  const { call } = await serve(describeApi(paths), { baseUrl: api.url })
  await call({ body: 'text=two+words' })
  expect(api.received[0]).toMatchObject({
    body: 'text=two+words',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
})

test.each([
  ['Authorization', {}, {}, true],
  ['Cookie', {}, {}, true],
  ['Authorization', { headers: { authorization: 'Bearer x' } }, {}, false],
  ['Authorization', {}, { security: [{ token: [] }] }, false],
  ['Content-Type', {}, {}, false],
])('a required header %s that only the configuration can set is an issue', async (name, options, members, isIssue) => {
  const api = await startApi()
  const parameters = [param(name, { in: 'header', required: true })]
  const securitySchemes = 'security' in members ? { token: { type: 'http', scheme: 'bearer' } } : {}
  const paths = { '/p': { get: { operationId: 'x', parameters, ...members } } }
  const description = describeApi(paths, { components: { securitySchemes } })
  const { problems } = await serve(description, { baseUrl: api.url, ...options })
  const issue = `the model cannot set the header ${name}; set it with "headers"`
  expect(problems.includes(issue)).toBe(isIssue)
})
