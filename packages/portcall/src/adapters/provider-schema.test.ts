import { Ajv2020 } from 'ajv/dist/2020.js'
import { aiTools } from 'portcall/ai'
import { anthropicTools } from 'portcall/anthropic'
import type { Tool } from 'portcall/client'
import { langchainTools } from 'portcall/langchain'
import { openaiTools } from 'portcall/openai'
import { expect, test, vi } from 'vitest'
import { judgeHosts } from '../diagnostics/quality/host-verdicts.ts'

type Schema = Record<string, unknown>

/** A server with one tool that records its arguments. */
function createSource(inputSchema: Schema) {
  const received: unknown[] = []
  const tool = { name: 'tool', inputSchema } as unknown as Tool
  const source = {
    tools: () => ({ toArray: async () => [tool] }),
    callTool: async (_name: string, args: unknown) => {
      received.push(args)
      return { content: [{ type: 'text' as const, text: 'done' }] }
    },
  }
  return { source: source as unknown as Parameters<typeof openaiTools>[0], received }
}

const EVENT = {
  anyOf: [
    {
      type: 'object',
      properties: { kind: { const: 'a' }, x: { type: 'number' } },
      required: ['kind', 'x'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: { kind: { const: 'b' }, y: { type: 'string' } },
      required: ['kind'],
      additionalProperties: false,
    },
  ],
}
const HOSTILE: readonly (readonly [string, Schema])[] = [
  ['no properties', { type: 'object' }],
  [
    'no properties below',
    { type: 'object', properties: { a: { type: 'object' }, b: { anyOf: [{ type: 'object' }, { type: 'null' }] } } },
  ],
  ['no items', { type: 'object', properties: { a: { type: 'array' }, b: { type: ['array', 'null'] } } }],
  ['anyOf at the root', { type: 'object', ...EVENT }],
  ['oneOf at the root, without a type', { oneOf: EVENT.anyOf }],
  [
    'allOf at the root',
    {
      type: 'object',
      allOf: [{ properties: { a: { type: 'string' } } }, { $ref: '#/$defs/B' }],
      $defs: { B: { properties: { b: {} } } },
    },
  ],
  ['enum and not at the root', { type: 'object', properties: { a: {} }, not: { required: ['a'] }, enum: [{}] }],
  [
    'a reference at the root',
    { $ref: '#/$defs/A', $defs: { A: { type: 'object', properties: { next: { $ref: '#/$defs/A' } } } } },
  ],
  [
    'a reference at the root to definitions',
    { $ref: '#/definitions/A', definitions: { A: { type: 'object', properties: { a: { type: 'string' } } } } },
  ],
  [
    'names of OData',
    {
      type: 'object',
      properties: { $filter: { type: 'string' }, filter: { type: 'string' }, 'page[size]': {}, 日本: {} },
      required: ['$filter'],
    },
  ],
  ['a long name', { type: 'object', properties: { ['x'.repeat(70)]: { type: 'string' }, ['x'.repeat(71)]: { type: 'string' } } }],
  [
    'a tuple of draft-07',
    {
      type: 'object',
      properties: { a: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false } },
    },
  ],
  ['draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: { a: { type: 'integer' } } }],
  ['boolean limits of draft-04', { type: 'object', properties: { a: { type: 'integer', minimum: 1, exclusiveMinimum: true } } }],
  [
    'lookaround',
    {
      type: 'object',
      properties: { a: { type: 'string', pattern: '^(?!x)(?<=y)z$' } },
      required: ['a'],
      additionalProperties: false,
    },
  ],
  [
    'a property named like a keyword',
    { type: 'object', properties: { items: { type: 'array', items: { type: 'string' } }, properties: { type: 'string' } } },
  ],
]
const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })

/** Reports what the OpenAI API refuses: https://platform.openai.com/docs/guides/function-calling */
function refusedByOpenai(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(refusedByOpenai)
  if (typeof schema !== 'object' || schema === null) return []
  const { type, properties, items, ...rest } = schema as Schema
  const types = [type].flat()
  return [
    ...(types.includes('object') && properties === undefined ? ['object schema missing properties'] : []),
    ...(types.includes('array') && items === undefined ? ['array schema missing items'] : []),
    ...Object.values((properties ?? {}) as Schema).flatMap(refusedByOpenai),
    ...refusedByOpenai(items),
    ...Object.values(rest).flatMap(refusedByOpenai),
  ]
}

test.each(HOSTILE)('APIs accept a tool with %s from each adapter', async (_, inputSchema) => {
  const { source } = createSource(inputSchema)
  const [openai] = await openaiTools(source)
  const [loose] = await openaiTools(source, { strict: false })
  const [anthropic] = await anthropicTools(source)
  const [langchain] = await langchainTools(source, { tool: (_call, fields) => fields })
  const ai = (await aiTools(source)).tool?.inputSchema['~standard'].jsonSchema.input()
  const schemas = {
    openai: openai?.function.parameters,
    loose: loose?.function.parameters,
    anthropic: anthropic?.input_schema,
    langchain: langchain?.schema,
    ai,
  }
  for (const [name, schema] of Object.entries(schemas)) {
    expect(ajv.validateSchema(schema as object), `${name}: ${ajv.errorsText()}`).toBe(true)
    expect(() => ajv.compile(schema as object), name).not.toThrow()
    const inventory = { discovered: {}, tools: [{ name: 'tool', inputSchema: schema }] } as unknown as Parameters<
      typeof judgeHosts
    >[0]
    const apis = judgeHosts(inventory).filter(({ host }) => / API/.test(host))
    expect(
      apis.map(({ host, verdict }) => [host, verdict]).filter(([, verdict]) => verdict !== 'accepts'),
      name,
    ).toEqual([])
    expect(schema, name).toMatchObject({ type: 'object', properties: {} })
    if (name !== 'anthropic') expect(refusedByOpenai(schema), name).toEqual([])
  }
  if (openai?.function.strict) expect(JSON.stringify(openai.function.parameters)).not.toMatch(/"pattern":"[^"]*\(\?/)
})

test('arguments get their own names back', async () => {
  const properties = {
    $filter: { type: 'string' },
    filter: { type: 'string' },
    'page[size]': { type: 'integer', description: 'How many.' },
  }
  const { source, received } = createSource({ type: 'object', properties, required: ['$filter'] })
  const [tool] = await anthropicTools(source)
  expect(tool?.input_schema).toMatchObject({
    properties: {
      filter_2: { description: 'Sent as "$filter".' },
      filter: {},
      page_size: { description: 'How many. Sent as "page[size]".' },
    },
    required: ['filter_2'],
  })
  await tool?.run({ filter_2: 'a', filter: 'b', page_size: 3 })
  expect(received).toEqual([{ $filter: 'a', filter: 'b', 'page[size]': 3 }])
})

test('alternatives at the root become one object that says which arguments belong together', async () => {
  const [tool] = await anthropicTools(createSource({ type: 'object', ...EVENT }).source)
  expect(tool?.input_schema).toEqual({
    type: 'object',
    description: 'Pass one of these groups of arguments: kind = "a", x | kind = "b", y (optional)',
    properties: { kind: { type: 'string', enum: ['a', 'b'] }, x: { type: 'number' }, y: { type: 'string' } },
    required: ['kind'],
  })
})

test('a tool with a schema that no API accepts is left out, with the reason', async () => {
  const { source } = createSource({ type: 'object', properties: { a: { $ref: '#/$defs/Missing' } } })
  const left: string[] = []
  expect(await anthropicTools(source, { onUnsupported: ({ name }, reason) => left.push(`${name}: ${reason}`) })).toEqual([])
  expect(left).toEqual([expect.stringContaining('tool: $ref')])
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  expect(await openaiTools(source)).toEqual([])
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('does not get the tool tool'))
  warn.mockRestore()
})

const NULLABLE = {
  anyOf: [{ type: 'object', properties: { name: { type: ['string', 'null'] } }, required: ['name'] }, { type: 'null' }],
}
const NODE = {
  type: 'object',
  properties: { value: { type: 'number' }, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
  required: ['value', 'next'],
}
test.each<[string, Schema, Schema, Schema]>([
  [
    'required in a union',
    { type: 'object', properties: { owner: NULLABLE }, required: ['owner'] },
    { owner: { name: null } },
    { owner: { name: null } },
  ],
  ['required itself', { type: 'object', properties: { owner: NULLABLE }, required: ['owner'] }, { owner: null }, { owner: null }],
  [
    'required in a recursive schema',
    NODE,
    { value: 1, next: { value: 2, next: null } },
    { value: 1, next: { value: 2, next: null } },
  ],
  ['optional', { type: 'object', properties: { a: { type: 'string' } } }, { a: null }, {}],
  [
    'optional in a union',
    {
      type: 'object',
      properties: { o: { anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { type: 'null' }] } },
      required: ['o'],
    },
    { o: { a: null } },
    { o: {} },
  ],
  [
    'optional in a list',
    {
      type: 'object',
      properties: { l: { type: 'array', items: { $ref: '#/$defs/I' } } },
      required: ['l'],
      $defs: { I: { type: 'object', properties: { a: { enum: [1] } } } },
    },
    { l: [{ a: null }, { a: 1 }] },
    { l: [{}, { a: 1 }] },
  ],
])('strict mode keeps the meaning of null: %s', async (_, schema, sent, expected) => {
  const [tool] = await openaiTools(createSource(schema).source)
  expect(tool?.function.strict).toBe(true)
  expect(tool?.function.parse(JSON.stringify(sent))).toEqual(expected)
  expect(ajv.validate(schema, expected)).toBe(true)
})

test('a tool with an optional argument that may be null is not strict, and null stays', async () => {
  const [tool] = await openaiTools(createSource({ type: 'object', properties: { note: { type: ['string', 'null'] } } }).source)
  expect(tool?.function.strict).toBe(false)
  expect(tool?.function.parse('{"note":null}')).toEqual({ note: null })
  expect(tool?.function.parse('{}')).toEqual({})
})

test('a rejected call is a text for the model of OpenAI, unless the run was aborted', async () => {
  const { source } = createSource({ type: 'object' })
  const failing = { ...source, callTool: () => Promise.reject(new Error('Unknown tool: nope')) }
  const [tool] = await openaiTools(failing)
  expect(await tool?.function.function({})).toBe('Error: Unknown tool: nope')
  const controller = new AbortController()
  controller.abort()
  await expect(tool?.function.function({}, { controller })).rejects.toThrow('Unknown tool')
})
