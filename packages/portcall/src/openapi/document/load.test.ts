import { connect } from 'portcall/client'
import { fromOpenAPI } from 'portcall/openapi'
import { expect, onTestFinished, test } from 'vitest'

async function toolOf(description: object | string, external?: (url: string) => Promise<string>) {
  const client = await connect(await fromOpenAPI(description, { baseUrl: 'http://127.0.0.1:1', ...(external && { external }) }))
  onTestFinished(() => client.close())
  const [tool] = await client.tools().toArray()
  return tool
}

const ELSEWHERE = { $ref: 'https://example.com/user.json' }
const describeBody = (schema: object, rest: object = {}, media: object = {}): object => ({
  openapi: '3.1.0',
  info: { title: 't', version: '1' },
  paths: { '/p': { post: { operationId: 'x', requestBody: { content: { 'application/json': { schema, ...media } } } } } },
  ...rest,
})

test.each<[string, object]>([
  ['an example', describeBody({ type: 'object', example: ELSEWHERE })],
  ['examples', describeBody({ type: 'object', examples: [ELSEWHERE, { a: 1 }] })],
  ['examples of a media type', describeBody({ type: 'object' }, {}, { examples: { a: ELSEWHERE, b: { value: ELSEWHERE } } })],
  ['a default', describeBody({ type: 'object', default: ELSEWHERE })],
  ['a constant', describeBody({ properties: { a: { const: ELSEWHERE } } })],
  ['an extension', describeBody({ type: 'object', 'x-docs': [ELSEWHERE] }, { 'x-logo': ELSEWHERE })],
  ['an unused schema', describeBody({ type: 'object' }, { components: { schemas: { U: { $ref: './missing.json' } } } })],
  [
    'an unused schema that refers to one',
    describeBody({}, { components: { schemas: { U: { items: ELSEWHERE }, V: { $ref: '#/components/schemas/U' } } } }),
  ],
])('%s with a reference refers to nothing', async (_, description) => {
  const read: string[] = []
  const external = async (url: string) => {
    read.push(url)
    return '{}'
  }
  expect(await toolOf(description)).toMatchObject({ name: 'x' })
  await toolOf(description, external)
  expect(read).toEqual([])
})

test.each<[string, object]>([
  ['a property named default', describeBody({ properties: { default: ELSEWHERE } })],
  ['a property named x-a', describeBody({ properties: { 'x-a': ELSEWHERE } })],
  [
    'a schema named example',
    describeBody({ $ref: '#/components/schemas/example' }, { components: { schemas: { example: { items: ELSEWHERE } } } }),
  ],
])('%s with a reference refers to another document', async (_, description) => {
  const read: string[] = []
  await toolOf(description, async (url) => {
    read.push(url)
    return '{"type":"string"}'
  })
  expect(read).toEqual(['https://example.com/user.json'])
  await expect(toolOf(description)).rejects.toThrow('The description refers to https://example.com/user.json')
})

test('a reference of a response named default is followed', async () => {
  const description = describeBody({}, {})
  const responses = { default: { $ref: './responses.json' } }
  const paths = { '/p': { get: { operationId: 'x', responses } } }
  await expect(toolOf({ ...description, paths })).rejects.toThrow('refers to')
})

test('merge keys of YAML are merged', async () => {
  const tool = await toolOf(`
openapi: 3.0.3
info: { title: t, version: '1' }
x-base: &base
  operationId: x
  parameters: [{ name: limit, in: query, schema: { type: integer } }]
x-more: &more { summary: More }
paths:
  /p:
    get:
      <<: [*base, *more]
      operationId: y
`)
  expect(tool).toMatchObject({ name: 'y', title: 'More', inputSchema: { properties: { limit: { type: 'integer' } } } })
})
