/** Results contain what the API sent: a call that succeeded is never an error, digits and messages are complete. */
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'portcall/client'
import { fromOpenAPI } from 'portcall/openapi'
import { expect, onTestFinished, test } from 'vitest'

interface Reply {
  readonly status?: number
  readonly type?: string
  readonly body?: string | Buffer
}

/** Serves one operation of an API that always sends one reply. */
async function serve(operation: object, { status = 200, type = 'application/json', body = '{}' }: Reply = {}) {
  const received: { line: string; body: string }[] = []
  const api = createHttpServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    received.push({ line: `${request.method} ${request.url}`, body: text })
    response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(status === 204 ? undefined : body)
  })
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void api.close())
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }]
  const paths = { '/p/{id}': { post: { operationId: 'x', parameters, ...operation } } }
  const baseUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
  const client = await connect(await fromOpenAPI({ openapi: '3.1.0', info: { title: 't', version: '1' }, paths }, { baseUrl }))
  onTestFinished(() => client.close())
  const call = (args: object = {}) => client.callTool('x', { id: 1, ...args })
  return { call, received, client }
}

const respond = (schema: object) => ({ responses: { 200: { description: 'ok', content: { 'application/json': { schema } } } } })
const USER = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
}

test.each<[string, object, Reply, unknown]>([
  ['an empty body', USER, { body: '' }, {}],
  ['204', USER, { status: 204 }, {}],
  ['304', USER, { status: 304, body: '' }, {}],
  ['another content type', USER, { type: 'text/html; charset=utf-8', body: '{"name":"a"}' }, { name: 'a' }],
  ['no content type', USER, { type: '', body: '{"name":"a"}' }, { name: 'a' }],
  [
    'a new value of an enum',
    { type: 'object', properties: { s: { enum: ['a'] }, c: { const: 1 } } },
    { body: '{"s":"new","c":2}' },
    { s: 'new', c: 2 },
  ],
  ['null', USER, { body: '{"name":null,"age":1}' }, { age: 1 }],
  ['null in a list of objects', { type: 'array', items: USER }, { body: '[{"name":null},{"age":2}]' }, [{}, { age: 2 }]],
  [
    'a text instead of a number',
    USER,
    { body: '{"name":"a","age":"12 years"}' },
    { name: 'a', _unexpected: { '/age': '12 years' } },
  ],
  ['a wrong item', USER, { body: '{"tags":["a",1]}' }, { _unexpected: { '/tags': ['a', 1] } }],
  [
    'an object instead of a text, deep inside',
    { type: 'object', properties: { u: USER } },
    { body: '{"u":{"name":{},"age":1}}' },
    { u: { age: 1 }, _unexpected: { '/u/name': {} } },
  ],
  ['a list instead of an object', USER, { body: '[1]' }, { _unexpected: { '': [1] } }],
  ['an object instead of a list', { type: 'array', items: { type: 'string' } }, { body: '{"a":1}' }, []],
  ['a text instead of JSON', USER, { type: 'text/plain', body: 'OK' }, { _unexpected: { '': 'OK' } }],
  [
    'an integer beyond 2^53',
    { type: 'object', properties: { id: { type: 'integer', format: 'int64' } } },
    { body: '{"id":9007199254740993}' },
    { id: '9007199254740993' },
  ],
])('a call that succeeded is no error: %s', async (_, schema, reply, expected) => {
  const { call } = await serve(respond(schema), reply)
  const result = await call()
  expect(result.isError, JSON.stringify(result.content)).not.toBe(true)
  expect(result.structuredContent).toEqual(expected)
  const [text] = result.content
  const sent = String(reply.body ?? '')
  if (sent.startsWith('{'))
    expect(JSON.parse(text?.type === 'text' ? text.text : '')).toEqual(JSON.parse(sent.replace(/\d{16,}/, '"$&"')))
})

test.each([
  ['9007199254740993', '9007199254740993'],
  ['-1234567890123456789', '-1234567890123456789'],
  ['7', '7'],
])('digits of an integer of 64 bits arrive as they are: %s', async (id, expected) => {
  const schema = {
    type: 'object',
    properties: { id: { type: 'integer', format: 'int64' }, name: { type: 'string' } },
  }
  const { call, received } = await serve({ requestBody: { content: { 'application/json': { schema } } } })
  await call({ id, body: { id, name: id, other: id } })
  expect(received[0]).toEqual({ line: `POST /p/${expected}`, body: `{"id":${expected},"name":"${id}","other":"${id}"}` })
})

test('a number that has lost digits is refused with advice', async () => {
  const { call, received } = await serve({ requestBody: { content: { 'application/json': { schema: { type: 'object' } } } } })
  expect(JSON.stringify(await call({ id: 2 ** 60 }))).toContain('is larger than 2^53')
  expect(JSON.stringify(await call({ id: 2 ** 60 }))).toContain('pass it as a string of digits')
  expect(JSON.stringify(await call({ body: { a: [{ b: 2 ** 60 }] } }))).toContain('body.a[0].b')
  expect(JSON.stringify(await call({ id: '12x' }))).toContain('id')
  expect(received).toEqual([])
  await call({ body: { a: 1.5, b: 1e300, c: 2 ** 53 - 1 } })
  expect(received[0]?.body).toBe('{"a":1.5,"b":1e+300,"c":9007199254740991}')
})

test.each([
  ['FastAPI', { detail: [{ loc: ['body', 'age'], msg: 'field required' }] }, ['field required', '"loc":["body","age"]']],
  [
    'ASP.NET',
    { title: 'One or more errors', errors: { Age: ['The Age field is required.'] } },
    ['One or more errors', 'The Age field is required.'],
  ],
  [
    'GitHub',
    { message: 'Validation Failed', errors: [{ field: 'title', code: 'missing_field' }] },
    ['Validation Failed', '"field":"title"'],
  ],
  ['a list', [{ code: 'E1' }], ['E1']],
])('an error of %s has its details', async (_, body, parts) => {
  const { call } = await serve({}, { status: 422, body: JSON.stringify(body) })
  const text = (await call()).content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  for (const part of parts) expect(text).toContain(part)
})

test('a body that is only a message is not repeated', async () => {
  const { call } = await serve({}, { status: 400, body: '{"error":{"message":"No such user"}}' })
  expect((await call()).content).toEqual([{ type: 'text', text: 'POST /p/{id} failed: 400 Bad Request\nNo such user' }])
})

test('texts are decoded by their charset', async () => {
  const { call } = await serve({}, { type: 'text/plain; charset=iso-8859-1', body: Buffer.from('café', 'latin1') })
  expect((await call()).content).toEqual([{ type: 'text', text: 'café' }])
})

test('examples that are references are left out', async () => {
  const schema = { type: 'object', examples: [{ $ref: '#/components/examples/A' }, { a: 1 }] }
  const { client } = await serve({ requestBody: { content: { 'application/json': { schema } } } })
  const [tool] = await client.tools().toArray()
  expect(tool?.inputSchema.properties).toMatchObject({ body: { examples: [{ a: 1 }] } })
})
