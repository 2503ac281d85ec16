import { connect } from 'portcall/client'
import { fromOpenAPI } from 'portcall/openapi'
import { expect, onTestFinished, test } from 'vitest'

/** A description whose body refers to many schemas with long names that refer to each other. */
function describeMany(count: number): object {
  const schemas = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `A_schema_with_a_rather_long_name_${index}`,
      {
        type: 'object',
        description: 'x'.repeat(450),
        properties: Object.fromEntries(
          [1, 2, 3].map((step) => [
            `p${step}`,
            { $ref: `#/components/schemas/A_schema_with_a_rather_long_name_${(index * 3 + step) % count}` },
          ]),
        ),
      },
    ]),
  )
  const schema = { $ref: '#/components/schemas/A_schema_with_a_rather_long_name_0' }
  const paths = { '/p': { post: { operationId: 'x', requestBody: { content: { 'application/json': { schema } } } } } }
  return { openapi: '3.1.0', info: { title: 't', version: '1' }, paths, components: { schemas } }
}

test.each([
  [10, 32_768],
  [300, 32_768],
  [300, 5000],
  [1000, 10_000],
])('the input schema of %d schemas stays below %d characters', async (count, maxInputSchemaChars) => {
  const server = await fromOpenAPI(describeMany(count), { baseUrl: 'http://127.0.0.1:1', maxInputSchemaChars })
  const client = await connect(server)
  onTestFinished(() => client.close())
  const [tool] = await client.tools().toArray()
  const text = JSON.stringify(tool?.inputSchema)
  expect(text.length).toBeLessThanOrEqual(maxInputSchemaChars)
  const names = new Set(Object.keys(tool?.inputSchema.$defs ?? {}))
  for (const [, name] of text.matchAll(/"#\/\$defs\/([^"]*)"/g)) expect(names).toContain(name)
  expect(server.openapi.issues.length).toBe(count === 10 ? 0 : 1)
})

/** A description with one operation whose body is the first of some schemas. */
function describeBody(schemas: { readonly [name: string]: object }): object {
  const schema = { $ref: `#/components/schemas/${Object.keys(schemas)[0]}` }
  const paths = {
    '/p': { post: { operationId: 'x', requestBody: { required: true, content: { 'application/json': { schema } } } } },
  }
  return { openapi: '3.1.0', info: { title: 't', version: '1' }, paths, components: { schemas } }
}

/** Properties that each refer to a schema. */
const references = (count: number, target: (index: number) => string) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`p${index}`, { $ref: `#/components/schemas/${target(index)}` }]),
  )

test.each([
  [
    'in the body',
    {
      a: { type: 'object', properties: references(1500, () => 'b') },
      b: { type: 'object', properties: references(2, () => 'b') },
    },
  ],
  [
    'in what it refers to',
    Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`s${at}`, { type: 'object', properties: references(50, (index) => `s${index}`) }]),
    ),
  ],
])('an input schema has at most 1000 references, so that it can be validated: more are %s', async (_, schemas) => {
  const server = await fromOpenAPI(describeBody(schemas), { baseUrl: 'http://127.0.0.1:1', maxInputSchemaChars: 200_000 })
  const client = await connect(server)
  onTestFinished(() => client.close())
  const [tool] = await client.tools().toArray()
  expect(JSON.stringify(tool?.inputSchema).match(/"\$ref"/g)?.length).toBeLessThanOrEqual(1000)
  expect(server.openapi.issues).toEqual([
    expect.objectContaining({ problem: 'the input schema is too large; parts of it accept any value' }),
  ])
})

test('an input schema with as many references as it may have is validated', async () => {
  const schemas = {
    a: { type: 'object', properties: references(990, () => 'b') },
    b: { type: 'object', description: 'x'.repeat(450) },
  }
  const server = await fromOpenAPI(describeBody(schemas), { baseUrl: 'http://127.0.0.1:1', maxInputSchemaChars: 200_000 })
  const client = await connect(server)
  onTestFinished(() => client.close())
  expect(server.openapi.issues).toEqual([])
  const result = await client.callTool('x', { body: { p0: 7 } } as never)
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('p0') }] })
})

test('a description cannot make the validation of arguments take exponential time', async () => {
  const twice = (name: string) => ({
    allOf: [{ $ref: `#/components/schemas/${name}` }, { $ref: `#/components/schemas/${name}` }],
  })
  const schemas = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `d${at}`,
      at === 39 ? { type: 'object', description: 'x'.repeat(450) } : twice(`d${at + 1}`),
    ]),
  )
  const server = await fromOpenAPI(describeBody(schemas), { baseUrl: 'http://127.0.0.1:1' })
  const client = await connect(server)
  onTestFinished(() => client.close())
  const result = await client.callTool('x', { body: {} } as never)
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('takes too many steps to validate') }],
  })
})

test('issues say which schema has a pattern, reference or keyword that is not used, and what is accepted', async () => {
  const shared = {
    name: { type: 'string', pattern: '^(?!admin)\\w+$', description: 'x'.repeat(500) },
    loop: { $ref: '#/components/schemas/round' },
    round: { $ref: '#/components/schemas/loop' },
    flags: { type: 'object', properties: { a: { $dynamicRef: '#node' }, b: { pattern: '^[\\w-.]$' } } },
    labels: { type: 'object', patternProperties: { '^x-': { type: 'string' }, '^(?!y)z': true }, additionalProperties: false },
    odd: { type: 'object', patternProperties: { '^[': {}, '^x': { type: 'string' } }, additionalProperties: false },
    open: { type: 'object', patternProperties: { '^x': {} }, unevaluatedProperties: false },
  }
  const properties = references(7, (index) => Object.keys(shared)[index] ?? '')
  const server = await fromOpenAPI(describeBody({ body: { type: 'object', properties }, ...shared }), {
    baseUrl: 'http://127.0.0.1:1',
  })
  const problemAt = (at: string): string[] =>
    server.openapi.issues.filter(({ where }) => where === at).map(({ problem }) => problem)
  expect(problemAt('#/components/schemas/loop')).toEqual(['the reference leads to itself; any value is accepted'])
  expect(problemAt('#/components/schemas/flags')).toEqual([
    '$dynamicRef is not supported; it is left out',
    'the pattern "^[\\\\w-.]$" is not a regular expression of JavaScript with the flag u; it is left out',
  ])
  expect(problemAt('#/components/schemas/odd')[0]).toContain('the pattern "^["')
  const unchecked = problemAt('POST /p')
  expect(unchecked).toEqual([
    expect.stringMatching(/^patternProperties "\^\(\?!y\)z" of body.p4 is not checked: .*look-around.*accepted/),
    expect.stringMatching(/^unevaluatedProperties of body.p6 is not checked: .* accepted$/),
    expect.stringMatching(/^pattern "\^\(\?!admin\).*" of name is not checked: .*any text is accepted$/),
  ])
  const client = await connect(server)
  onTestFinished(() => client.close())
  const call = async (body: object): Promise<string> => JSON.stringify((await client.callTool('x', { body })).content)
  expect(await call({ p4: { 'x-a': 1 } })).toContain('body.p4.x-a: expected string, got 1')
  expect(await call({ p5: { y: 1, xa: 1 } })).toContain('body.p5.xa: expected string, got 1')
  expect(await call({ p0: 'admin', p1: 7, p4: { 'x-a': 'b', y: 1 } })).toMatch(/could not be reached|failed/)
})

test('names that no pattern allows are refused', async () => {
  const labels = { type: 'object', patternProperties: { '^(x-)+$': { type: 'string' } }, additionalProperties: false }
  const server = await fromOpenAPI(describeBody({ labels }), { baseUrl: 'http://127.0.0.1:1' })
  const client = await connect(server)
  onTestFinished(() => client.close())
  expect(server.openapi.issues).toEqual([])
  const { content } = await client.callTool('x', { body: { 'x-x-': 1, other: 1 } })
  expect(JSON.stringify(content)).toContain('body.x-x-: expected string, got 1')
  expect(JSON.stringify(content)).toContain('body.other: not a known property')
})
