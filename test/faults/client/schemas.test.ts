/** Schemas of tools that are expensive, have remote references or are invalid: one bad tool blocks neither the list nor the event loop. */
import type { Client } from 'portcall/client'
import { describe, expect, test } from 'vitest'
import { MIB, timed, within } from '../support/time.ts'
import { collectGarbage } from './support/collect-garbage.ts'
import { call, endWarning, failureOf, healthy, itemWarning, open } from './support/connection.ts'
import { ECHO, legacy, type Methods, modern, RESULTS, textResult } from './support/eras.ts'
import { type Handler, testRaw } from './support/raw-server.ts'
import { isThroughGateway } from './support/through-gateway.ts'

type Json = Record<string, unknown>

const ERAS: ReadonlyArray<readonly [revision: string, serve: (methods: Methods) => Handler]> = [
  ['2026-07-28', modern],
  ['2025-11-25', legacy],
]

const object = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more })

/** Returns definitions of which each uses the previous one twice: 2^levels in total. */
function bomb(levels: number, keyword: 'allOf' | 'anyOf' | 'oneOf'): Json {
  const $defs: Json = { d0: { type: 'object' } }
  for (let at = 1; at <= levels; at++)
    $defs[`d${at}`] = { [keyword]: [{ $ref: `#/$defs/d${at - 1}` }, { $ref: `#/$defs/d${at - 1}` }] }
  return { type: 'object', $ref: `#/$defs/d${levels}`, $defs }
}

function deep(levels: number): Json {
  let schema: Json = { type: 'string' }
  for (let at = 0; at < levels; at++) schema = object({ a: schema })
  return schema
}

const A41 = `${'a'.repeat(40)}!`

/** Schemas, with the worst-case result for each. */
const SCHEMAS: ReadonlyArray<readonly [id: string, what: string, outputSchema: unknown, value: unknown]> = [
  ['C32', 'a pattern that backtracks', object({ a: { type: 'string', pattern: '^(a+)+$' } }), { a: A41 }],
  ['C32', 'a pattern with alternatives that overlap', object({ a: { type: 'string', pattern: '^(a|a)*$' } }), { a: A41 }],
  ['C32', 'a pattern with a star in a star', object({ a: { type: 'string', pattern: '^(.*)*x$' } }), { a: A41 }],
  ['C32', 'a pattern with a back reference', object({ a: { type: 'string', pattern: '^(a*)*\\1b$' } }), { a: A41 }],
  ['C32', 'a pattern with a look-ahead', object({ a: { type: 'string', pattern: '^(?=(a+)+$)a' } }), { a: A41 }],
  ['C32', 'a polynomial pattern', object({ a: { type: 'string', pattern: 'a*a*a*a*a*a*b' } }), { a: 'a'.repeat(5000) }],
  ['C32', 'a pattern for property names', { type: 'object', patternProperties: { '^(a+)+$': {} } }, { [A41]: 1 }],
  ['C32', 'a pattern with a large count', object({ a: { type: 'string', pattern: '^(a{0,1000}){0,1000}$' } }), { a: A41 }],
  ['C32', 'an invalid pattern', object({ a: { type: 'string', pattern: '(((' } }), { a: A41 }],
  [
    'C32',
    'formats with malicious values',
    object({ a: { type: 'string', format: 'email' }, b: { type: 'string', format: 'uri' } }),
    { a: `${'a'.repeat(50_000)}@`, b: `x:${'%'.repeat(50_000)}` },
  ],
  ['C33', 'a reference to another host', object({ a: { $ref: 'http://127.0.0.1:1/schema.json' } }), { a: 1 }],
  ['C33', 'a reference to a file', { $ref: 'file:///etc/passwd' }, {}],
  ['C33', 'an $id that is that of a dialect', { $id: 'https://json-schema.org/draft/2020-12/schema', type: 'object' }, {}],
  ['C33', 'a reference to itself', { type: 'object', $ref: '#' }, {}],
  [
    'C33',
    'circular references',
    { type: 'object', $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    {},
  ],
  ['C33', 'unresolvable references', { type: 'object', $ref: '#/$defs/none' }, {}],
  ['C33', 'an unknown dialect', { $schema: 'https://example.com/my-dialect', type: 'object' }, {}],
  ['C34', 'definitions that multiply, allOf', bomb(22, 'allOf'), {}],
  ['C34', 'definitions that multiply, anyOf', bomb(22, 'anyOf'), []],
  ['C34', 'definitions that multiply, oneOf', bomb(22, 'oneOf'), {}],
  ['C34', '60 levels', deep(60), {}],
  [
    'C34',
    '50,000 properties',
    object(Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`p${at}`, { type: 'string' }]))),
    {},
  ],
  ['C34', '100,000 values in an enum', object({ a: { enum: Array.from({ length: 100_000 }, (_, at) => at) } }), { a: -1 }],
  [
    'C34',
    'uniqueItems over many items',
    object({ a: { type: 'array', uniqueItems: true } }),
    { a: Array.from({ length: 20_000 }, (_, at) => ({ at })) },
  ],
  [
    'C34',
    'contains over many items',
    object({ a: { type: 'array', contains: { type: 'string', pattern: '^(x+)+$' } } }),
    { a: Array.from({ length: 20_000 }, () => 'xxxxxxxxxxxxxxxxxxxxxxxxxx!') },
  ],
  ['C35', 'a type that is a number', { type: 42 }, {}],
  ['C35', 'a string', 'schema', {}],
  ['C35', 'an array', [], {}],
  ['C35', 'null', null, {}],
  ['C35', 'properties that are a string', { type: 'object', properties: 'a' }, {}],
  ['C35', 'required that is a string', { type: 'object', required: 'a' }, {}],
  [
    'C35',
    'members of Object.prototype',
    JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"},"toString":{}},"required":["toString"]}',
    ),
    { a: 1 },
  ],
]

const KEYS: { readonly [method: string]: string } = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
}

/** The lists of a server, and bad items of each. */
const BAD_ITEMS: ReadonlyArray<
  readonly [method: string, read: (client: Client) => Promise<unknown[]>, items: { good: Json; bad: { [what: string]: unknown } }]
> = [
  [
    'tools/list',
    (client) => client.tools().toArray(),
    {
      good: ECHO,
      bad: {
        'a string': 'tool',
        'no name': { inputSchema: { type: 'object' } },
        'a number as the name': { ...ECHO, name: 1 },
        'an inputSchema that is a string': { ...ECHO, inputSchema: 'x' },
        'an outputSchema that is an array': { ...ECHO, outputSchema: [] },
      },
    },
  ],
  [
    'resources/list',
    (client) => client.resources().toArray(),
    {
      good: { uri: 'a:b', name: 'a' },
      bad: { number: 1, 'no uri': { name: 'a' } },
    },
  ],
  [
    'resources/templates/list',
    (client) => client.resourceTemplates().toArray(),
    { good: { uriTemplate: 'a:{b}', name: 'a' }, bad: { 'an array': [], 'no uriTemplate': { name: 'a' } } },
  ],
  [
    'prompts/list',
    (client) => client.prompts().toArray(),
    { good: { name: 'a' }, bad: { 'no name': {}, 'a number as the name': { name: 1 } } },
  ],
]

describe.each(ERAS)('a server of %s', (_revision, serve) => {
  test.each(SCHEMAS)(
    '%s: %s as the outputSchema of one tool: the list and its other tools are good',
    async (_id, _what, outputSchema, value) => {
      const server = await testRaw(
        serve({
          'tools/list': (_, { result }) =>
            result({
              ...RESULTS['tools/list'],
              tools: [ECHO, { name: 'bad', inputSchema: { type: 'object' }, outputSchema }, { ...ECHO, name: 'last' }],
            }),
          'tools/call': ({ message: { params } }, { result }) =>
            result(params?.name === 'bad' ? textResult('bad', { structuredContent: value }) : textResult('fine')),
        }),
      )
      const { client } = await open(server.url)
      const started = performance.now()
      const names = (await within(3000, client.tools().toArray())).map(({ name }) => name)
      expect(names).toEqual(expect.arrayContaining(['echo', 'last']))
      let longest = 0
      let last = performance.now()
      const timer = setInterval(() => {
        longest = Math.max(longest, performance.now() - last)
        last = performance.now()
      }, 5)
      await within(
        4000,
        client.callTool('bad').catch((error: { code?: string }) => expect(error.code).toBe('INVALID_RESULT')),
      )
      longest = Math.max(longest, performance.now() - last)
      clearInterval(timer)
      expect(longest).toBeLessThan(10_000)
      expect(performance.now() - started).toBeLessThan(30_000)
      await healthy(client)
      expect(await call(client, 'last')).toBe('fine')
    },
  )

  test.each([3000, 20_000])('C34: a schema %d levels deep costs only its tool, and is reported', async (levels) => {
    const text = `${`{"type":"object","properties":{"a":`.repeat(levels)}{}${'}}'.repeat(levels)}`
    const list = (id: unknown, member: string): string =>
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[` +
      `{"name":"deep","inputSchema":{"type":"object"},"${member}":${text}},${JSON.stringify(ECHO)}]}}`
    for (const member of ['inputSchema', 'outputSchema', '_meta'])
      for (const format of ['application/json', 'text/event-stream']) {
        const server = await testRaw(
          serve({
            'tools/list': ({ message: { id } }, { send }) =>
              send(
                200,
                { 'Content-Type': format },
                format === 'text/event-stream' ? `data: ${list(id, member)}\n\n` : list(id, member),
              ),
          }),
        )
        const { client, events } = await open(server.url)
        expect(await client.tools().toArray()).toMatchObject([ECHO])
        const message = 'tools/list: "deep" is left out: not an object, or nested too deeply (maxJsonDepth)'
        expect(events).toEqual([itemWarning('tools/list', message)])
        await healthy(client)
      }
  })

  test('C34: a result nested 3,000 levels deep is rejected', async () => {
    const text = `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`
    const server = await testRaw(
      serve({
        'tools/call': ({ message: { id } }, { send }) =>
          send(
            200,
            { 'Content-Type': 'application/json' },
            `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"complete","content":[],"structuredContent":${text}}}`,
          ),
      }),
    )
    const { client } = await open(server.url)
    expect(await failureOf(client.callTool('echo'))).toMatchObject({ code: 'INVALID_RESPONSE' })
  })

  test.each(BAD_ITEMS)(
    'C35: a bad item of %s is left out and reported, the others are listed',
    async (method, read, { good, bad }) => {
      for (const [what, item] of Object.entries(bad)) {
        const server = await testRaw(
          serve({ [method]: (_, { result }) => result({ ...RESULTS['tools/list'], [KEYS[method]!]: [good, item, good] }) }),
        )
        const { client, events } = await open(server.url)
        expect(await read(client), what).toMatchObject([good, good])
        expect(events, what).toEqual([itemWarning(method, expect.stringMatching(`^${method}: .* is left out: `))])
      }
    },
  )

  test('C33: a remote reference is never fetched', async () => {
    const elsewhere = await testRaw((_, { send }) => send(200, { 'Content-Type': 'application/json' }, '{"type":"object"}'))
    const outputSchema = { type: 'object', properties: { a: { $ref: elsewhere.url } }, $dynamicRef: elsewhere.url }
    const server = await testRaw(
      serve({
        'tools/list': (_, { result }) =>
          result({ ...RESULTS['tools/list'], tools: [{ ...ECHO, inputSchema: { $ref: elsewhere.url }, outputSchema }] }),
        'tools/call': (_, { result }) => result(textResult('fine', { structuredContent: { a: 1 } })),
      }),
    )
    const { client } = await open(server.url)
    await client.tools().toArray()
    await client.callTool('echo').catch(() => {})
    expect(elsewhere.made).toBe(0)
  })

  test('C35: results are still validated: invalid structured content is a typed error', async () => {
    const outputSchema = object({ a: { type: 'number' } }, { required: ['a'] })
    const server = await testRaw(
      serve({
        'tools/list': (_, { result }) => result({ ...RESULTS['tools/list'], tools: [{ ...ECHO, outputSchema }] }),
        'tools/call': (_, { result }) => result(textResult('fine', { structuredContent: { a: 'text' } })),
      }),
    )
    const { client } = await open(server.url)
    await client.tools().toArray()
    expect(await failureOf(client.callTool('echo'))).toMatchObject({ code: 'INVALID_RESULT' })
  })

  test('C34: lists fetched a thousand times, with other schemas each time, do not leak memory', async () => {
    let at = 0
    const server = await testRaw(
      serve({
        'tools/list': (_, { result }) => {
          at++
          const outputSchema = object({ [`p${at}`]: { type: 'string', description: 'x'.repeat(2000) } })
          result({ ...RESULTS['tools/list'], tools: [{ ...ECHO, outputSchema }] })
        },
        'tools/call': (_, { result }) => result(textResult('fine', { structuredContent: {} })),
      }),
    )
    const { client } = await open(server.url)
    const round = async (): Promise<void> => {
      await client.tools().toArray()
      await client.callTool('echo')
    }
    for (let n = 0; n < 200; n++) await round()
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    for (let n = 0; n < 1000; n++) await round()
    collectGarbage()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(8 * MIB)
  })

  test('C31: a list of 200,000 tools, and a description of 10 MB', async () => {
    const tools = Array.from({ length: 200_000 }, (_, at) => ({ name: `t${at}`, inputSchema: { type: 'object' } }))
    const server = await testRaw(serve({ 'tools/list': (_, { result }) => result({ ...RESULTS['tools/list'], tools }) }))
    const { client } = await open(server.url)
    expect(await timed(async () => expect(await client.tools().toArray()).toHaveLength(200_000))).toBeLessThan(60_000)
    const long = await testRaw(
      serve({
        'tools/list': (_, { result }) =>
          result({ ...RESULTS['tools/list'], tools: [{ ...ECHO, description: 'x'.repeat(10 * MIB) }] }),
      }),
    )
    expect(await (await open(long.url)).client.tools().toArray()).toHaveLength(1)
  })

  test('C30 C31: empty, endless or circular pages: few requests, the items that were read, and a warning', async () => {
    const pages: ReadonlyArray<readonly [page: (request: number) => Json, requests: number, items: unknown[], end: string]> = [
      [
        () => ({ tools: [], nextCursor: 'same' }),
        2,
        [],
        'tools/list returned an empty page and the cursor of an earlier page; the list ends there',
      ],
      [
        (request) => ({ tools: [], nextCursor: `c${request}` }),
        64,
        [],
        'tools/list has more than 64 pages (maxPages); the others are left out',
      ],
      [
        (request) => ({ tools: [ECHO], nextCursor: `c${request % 3}` }),
        2,
        [ECHO],
        'tools/list returned an earlier page again; the list ends there',
      ],
    ]
    for (const [page, requests, items, end] of pages) {
      const server = await testRaw(
        serve({ 'tools/list': ({ index }, { result }) => result({ ...RESULTS['tools/list'], ...page(index) }) }),
      )
      const { client, events } = await open(server.url)
      expect(await within(5000, client.tools().toArray())).toEqual(items)
      expect(server.of('tools/list')).toHaveLength(requests)
      expect(events).toMatchObject([isThroughGateway ? { type: 'warning', message: end } : endWarning('tools/list', end)])
      await healthy(client)
    }
  })
})

describe('headers that mirror arguments', () => {
  const bad: ReadonlyArray<readonly [what: string, schema: Json]> = [
    ['CRLF in the name', object({ a: { type: 'string', 'x-mcp-header': 'A\r\nX-Evil: 1' } })],
    ['a space in the name', object({ a: { type: 'string', 'x-mcp-header': 'a b' } })],
    ['no name', object({ a: { type: 'string', 'x-mcp-header': '' } })],
    ['a name that is a number', object({ a: { type: 'string', 'x-mcp-header': 42 } })],
    ['a name twice', object({ a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } })],
    ['an argument that is a number with a fraction', object({ a: { type: 'number', 'x-mcp-header': 'A' } })],
    ['an argument under oneOf', object({}, { oneOf: [object({ a: { type: 'string', 'x-mcp-header': 'A' } })] })],
    ['an argument that is an object', object({ a: { type: 'object', 'x-mcp-header': 'A' } })],
  ]

  test.each(bad)('C37: %s: that tool is omitted with a warning, the others are listed', async (_what, inputSchema) => {
    const server = await testRaw(
      modern({
        'tools/list': (_, { result }) => result({ ...RESULTS['tools/list'], tools: [{ name: 'bad', inputSchema }, ECHO] }),
      }),
    )
    const { client, kinds } = await open(server.url)
    expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['echo'])
    expect(kinds()).toContain('warning')
    await healthy(client)
  })

  test('C37 C38: values and names with CRLF, spaces and other letters are encoded, and cannot add a header', async () => {
    const inputSchema = object({ a: { type: 'string', 'x-mcp-header': 'A' } })
    const names = ['with space ', 'zażółć', 'a\r\nX-Evil: 1', '=?base64?YQ==?=']
    const server = await testRaw(
      modern({
        'tools/list': (_, { result }) =>
          result({ ...RESULTS['tools/list'], tools: names.map((name) => ({ name, inputSchema })) }),
      }),
    )
    const { client } = await open(server.url)
    await client.tools().toArray()
    for (const name of names) await call(client, name, { a: `${name}\r\nX-Evil: 2` })
    const requests = server.of('tools/call')
    expect(requests).toHaveLength(names.length)
    for (const [at, { headers }] of requests.entries()) {
      expect(headers['x-evil']).toBeUndefined()
      for (const [header, text] of [
        ['mcp-name', names[at]],
        ['mcp-param-a', `${names[at]}\r\nX-Evil: 2`],
      ] as const)
        expect(Buffer.from(/^=\?base64\?(.*)\?=$/.exec(headers[header] ?? '')?.[1] ?? '', 'base64').toString()).toBe(text)
    }
  })
})
