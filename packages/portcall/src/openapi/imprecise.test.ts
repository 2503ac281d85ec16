/** Descriptions that are imprecise: requests are what the API can only have meant. */
import { expect, test } from 'vitest'
import { describeApi, param, type Received, serve, startApi } from '../../test-kit/recording-api.ts'

const PICTURE = { data: 'iVBORw0KGgo=', contentType: 'image/png' }
const BYTES = Buffer.from(PICTURE.data, 'base64').toString()
test.each([
  ['*/*', {}, PICTURE, 'image/png', BYTES],
  ['*/*', { description: 'A picture' }, PICTURE, 'image/png', BYTES],
  ['application/*', {}, { text: 'a', contentType: 'application/xml' }, 'application/xml', 'a'],
  ['*/*', {}, { text: 'a' }, 'application/json', '{"text":"a"}'],
  ['*/*', {}, 'a', 'application/json', '"a"'],
  ['*/*', { type: 'object' }, PICTURE, 'application/json', JSON.stringify(PICTURE)],
  ['*/*', { type: 'string', format: 'binary' }, { data: PICTURE.data }, 'application/octet-stream', BYTES],
  ['*/*', { type: 'string' }, 'a "b"', 'text/plain', 'a "b"'],
  ['application/json', { type: 'string' }, 'a', 'application/json', '"a"'],
])('a body of %s with the schema %j and the value %j is sent as %s', async (key, schema, body, type, expected) => {
  const api = await startApi()
  const requestBody = { content: { [key]: { schema } } }
  const { call } = await serve(describeApi({ '/p': { post: { operationId: 'x', requestBody } } }), { baseUrl: api.url })
  expect((await call({ body })).isError).not.toBe(true)
  expect(api.received[0]).toMatchObject({ headers: { 'content-type': type }, body: expected })
})

test.each([
  ['query', 'GET /p?key=a&token=b'],
  ['header', 'GET /p'],
  ['cookie', 'GET /p'],
])('keys in the %s that are required as parameters are sent, also where they are alternatives', async (place, line) => {
  const api = await startApi()
  const schemes = { one: { type: 'apiKey', in: place, name: 'key' }, two: { type: 'apiKey', in: place, name: 'token' } }
  const parameters = [param('key', { in: place, required: true }), param('token', { in: place, required: true })]
  const get = { operationId: 'x', security: [{ one: [] }, { two: [] }], parameters }
  const description = describeApi({ '/p': { get } }, { components: { securitySchemes: schemes } })
  const { call } = await serve(description, { baseUrl: api.url, auth: { one: 'a', two: () => 'b' } })
  await call()
  const { headers } = api.received[0] as Received
  expect(api.received[0]?.line).toBe(line)
  if (place === 'header') expect(headers).toMatchObject({ key: 'a', token: 'b' })
  if (place === 'cookie') expect(headers.cookie).toBe('key=a; token=b')
})

test.each([
  [
    'an array',
    { type: 'array', items: { type: 'string' } },
    ['the form has the type array, so its fields have no names; the caller names them'],
  ],
  [
    'a file',
    { type: 'string', format: 'binary' },
    ['the form has the type string, so its fields have no names; it is sent as the field "file"'],
  ],
  [
    'a list of files',
    { type: 'array', items: { type: 'string', format: 'binary' } },
    ['the form has the type array, so its fields have no names; it is sent as the field "file"'],
  ],
  ['an object', { type: 'object', properties: { a: {} } }, []],
  ['anything', {}, []],
])('a multipart form that is described as %s', async (_, schema, issues) => {
  const requestBody = { content: { 'multipart/form-data': { schema } } }
  const { problems } = await serve(describeApi({ '/p': { post: { operationId: 'x', requestBody } } }), {
    baseUrl: 'http://127.0.0.1:1',
  })
  expect(problems).toEqual(issues)
})
