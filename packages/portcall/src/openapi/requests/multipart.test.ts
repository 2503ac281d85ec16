import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'portcall/client'
import { fromOpenAPI } from 'portcall/openapi'
import { expect, onTestFinished, test } from 'vitest'

type Part = readonly [name: string, content: string]

/** Starts an API that reads a form as `Request` does, and records its parts: files are `FILE name content`. */
async function startApi() {
  const forms: Part[][] = []
  const raw: string[] = []
  const server = createHttpServer(async (request, reply) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    raw.push(body.toString())
    const headers = { 'content-type': request.headers['content-type'] ?? '' }
    const form = await new Response(body, { headers }).formData()
    const parts = [...form].map(async ([name, value]): Promise<Part> => {
      return typeof value === 'string' ? [name, value] : [name, `FILE ${value.name} ${await value.text()}`]
    })
    forms.push(await Promise.all(parts))
    reply.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, forms, raw }
}

/** Sends a form whose body has a schema, and returns what the API received. */
async function sendForm(
  { schema, encoding = {}, rest = {} }: { schema: object; encoding?: object; rest?: object },
  body: object,
) {
  const api = await startApi()
  const requestBody = { content: { 'multipart/form-data': { schema, encoding } } }
  const paths = { '/x': { post: { operationId: 'x', requestBody } } }
  const client = await connect(
    await fromOpenAPI({ openapi: '3.1.0', info: { title: 't', version: '1' }, paths, ...rest }, { baseUrl: api.url }),
  )
  onTestFinished(() => client.close())
  return { result: await client.callTool('x', { body }), parts: api.forms[0], raw: api.raw[0] ?? '' }
}

const BINARY = { type: 'string', format: 'binary' }
const NULL = { type: 'null' }
const FILE = { text: 'hi', filename: 'a.txt' }
const components = { schemas: { File: BINARY, Optional: { anyOf: [{ $ref: '#/components/schemas/File' }, NULL] } } }

test.each<[string, object, object?]>([
  ['a binary string', BINARY],
  ['a binary string or null', { anyOf: [BINARY, NULL] }],
  ['one of them', { oneOf: [NULL, BINARY] }],
  [
    'a media type or null, as FastAPI writes it',
    { anyOf: [{ type: 'string', contentMediaType: 'application/octet-stream' }, NULL] },
  ],
  ['a list of types', { type: ['string', 'null'], format: 'binary' }],
  ['nullable of OpenAPI 3.0', { ...BINARY, nullable: true }],
  ['a part of allOf', { allOf: [BINARY, { description: 'The file' }] }],
  ['a reference', { $ref: '#/components/schemas/File' }],
  ['a reference to an optional file', { $ref: '#/components/schemas/Optional' }],
  ['nested unions', { anyOf: [{ oneOf: [{ $ref: '#/components/schemas/Optional' }] }, NULL] }],
  ['a file or a URL', { oneOf: [BINARY, { type: 'string', format: 'uri' }] }],
  ['a file or a list of files', { oneOf: [BINARY, { type: 'array', items: BINARY }] }],
  ['a file or an object', { anyOf: [BINARY, { type: 'object', properties: { url: { type: 'string' } } }] }],
  ['an encoding object', {}, { f: { contentType: 'image/png, image/jpeg' } }],
])('a field is a file: %s', async (_, field, encoding = {}) => {
  const schema = { type: 'object', properties: { f: field } }
  const { parts, result } = await sendForm({ schema, encoding, rest: { components } }, { f: FILE })
  expect(result.isError, JSON.stringify(result.content)).not.toBe(true)
  expect(parts).toEqual([['f', 'FILE a.txt hi']])
})

test.each<[string, object]>([
  ['a list', { type: 'array', items: BINARY }],
  ['a list or null', { anyOf: [{ type: 'array', items: BINARY }, NULL] }],
  ['a list of optional files', { type: 'array', items: { anyOf: [BINARY, NULL] } }],
])('a field has several files: %s', async (_, field) => {
  const { parts } = await sendForm({ schema: { type: 'object', properties: { f: field } } }, { f: [FILE, { data: btoa('b') }] })
  expect(parts).toEqual([
    ['f', 'FILE a.txt hi'],
    ['f', 'FILE f b'],
  ])
})

test.each<[string, object]>([
  [
    'alternatives',
    {
      oneOf: [
        { type: 'object', properties: { f: BINARY } },
        { type: 'object', properties: { url: { type: 'string' } } },
      ],
    },
  ],
  ['parts', { allOf: [{ type: 'object', properties: { f: BINARY } }, { properties: { url: { type: 'string' } } }] }],
])('a form of %s has all of their fields', async (_, schema) => {
  const { parts } = await sendForm({ schema }, { f: FILE, url: 'u' })
  expect(parts).toEqual([
    ['f', 'FILE a.txt hi'],
    ['url', 'u'],
  ])
})

const COMMENT = { type: 'object', properties: { text: { type: 'string' }, data: {}, lang: { type: 'string' } } }
test.each<[string, object, unknown, string, object?]>([
  ['an object', { type: 'object' }, { a: 1 }, '{"a":1}'],
  ['an object with a member text', COMMENT, { text: 'hi', lang: 'en' }, '{"text":"hi","lang":"en"}'],
  ['an object with a member data', COMMENT, { data: 'abc' }, '{"data":"abc"}'],
  ['an object that looks like a file', COMMENT, { text: 'hi' }, '{"text":"hi"}'],
  ['a list of objects', { type: 'array', items: COMMENT }, [{ text: 'hi' }], '{"text":"hi"}'],
  ['a text with a media type', { type: 'string' }, 'k', 'k', { f: { contentType: 'text/plain' } }],
  ['JSON as a text', { type: 'string' }, '{}', '{}', { f: { contentType: 'application/json' } }],
  ['a number', { type: 'integer' }, 7, '7'],
  ['one of some values', { enum: ['a', 'b'] }, 'a', 'a', { f: { contentType: 'application/octet-stream' } }],
])('a field is no file: %s', async (_, field, value, expected, encoding = {}) => {
  const { parts, raw } = await sendForm({ schema: { type: 'object', properties: { f: field } }, encoding }, { f: value })
  expect(parts).toEqual([['f', expected]])
  expect(raw).not.toContain('filename')
})

test('null is left out, a file without content is refused, and names cannot end a header', async () => {
  const properties = { f: { anyOf: [BINARY, NULL] }, note: { type: ['string', 'null'] } }
  expect((await sendForm({ schema: { type: 'object', properties } }, { f: null, note: null })).parts).toEqual([])
  const { result } = await sendForm({ schema: { type: 'object', properties } }, { f: { filename: 'x' } })
  expect(JSON.stringify(result)).toContain('must have its content')
  const name = 'a"\r\nX-Evil: 1'
  const open = { type: 'object', additionalProperties: BINARY }
  const { raw } = await sendForm({ schema: open }, { [name]: { text: 'hi', filename: name } })
  expect(raw).not.toMatch(/^X-Evil/m)
})

test.each([
  [BINARY, FILE, [['file', 'FILE a.txt hi']]],
  [
    { type: 'array', items: BINARY },
    [FILE, { text: 'ho', filename: 'b.txt' }],
    [
      ['file', 'FILE a.txt hi'],
      ['file', 'FILE b.txt ho'],
    ],
  ],
])('a form that is described as %j has one field, for files', async (schema, file, expected) => {
  const { parts } = await sendForm({ schema }, { file })
  expect(parts).toEqual(expected)
})
