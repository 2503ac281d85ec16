import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { createApiDocument } from '../document/document.ts'
import { listOperations } from '../document/operations.ts'
import { createSchemas } from '../schemas/definitions.ts'
import { planRequest } from './plan.ts'
import { type ApiRequest, buildRequest } from './request.ts'
import { configuredNames } from './reserved-names.ts'

const SECRET = 's3cret'
const SCHEMES = {
  query: { type: 'apiKey', in: 'query', name: 'api_key' },
  header: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
}
const CREDENTIALS = {
  query: { api_key: SECRET },
  headers: { 'X-Api-Key': SECRET, authorization: `Bearer ${SECRET}` },
  cookies: { sid: SECRET },
  secrets: [SECRET],
}
const CONFIGURED = { 'X-Org': 'acme', Cookie: 'tenant=acme' }
const BASE_URL = new URL('https://api.test/v1?version=1')

/** Builds the request of the only operation of a description. */
function build(path: string, source: JsonObject, args: JsonObject): ApiRequest {
  const document = createApiDocument({
    openapi: '3.2.0',
    info: {},
    paths: { [path]: { post: source } },
    components: { securitySchemes: SCHEMES },
  })
  const [operation] = listOperations(document)
  if (!operation) throw new Error('no operation')
  const plan = planRequest(operation, {
    document,
    schemas: createSchemas(document, 'request', () => {}),
    overrides: {},
    maxSchemaChars: 32_768,
    configuredNames: configuredNames(BASE_URL, CONFIGURED),
    report: () => {},
  })
  return buildRequest({ plan, args, baseUrl: BASE_URL, credentials: CREDENTIALS, headers: CONFIGURED })
}

const CREDENTIAL_NAMES = ['api_key', 'X-Api-Key', 'sid', 'X-Org', 'tenant', 'version', 'authorization', 'limit']
/** Spellings that some server takes for a name. */
const spelling = fc
  .constantFrom(...CREDENTIAL_NAMES)
  .chain((name) =>
    fc.constantFrom(
      ...[name, name.toUpperCase(), `${name}[]`, `${name}[0]`, `${name}[a]`, ` ${name}`, `${name} `, `${name}\0`],
      ...[name.replaceAll('_', '.'), name.replaceAll('-', '_'), name.replaceAll('_', '%5F'), `${name}=`, `&${name}`, `;${name}`],
      ...[`a&${name}`, `a;${name}`, `a; ${name}`, `a=b&${name}=evil`, `x"; ${name}=evil; y="`, `$${name}`, `a\r\n${name}: evil`],
      ...[`a]&${name}`, `a][${name}`, `a,${name}`, `a?${name}=1`, `a#${name}`, `../${name}`, `..%2f${name}`],
    ),
  )
const text = fc.oneof(
  spelling,
  fc.constantFrom(
    'evil',
    '..',
    '.',
    '/',
    '//',
    '\\',
    '..\\x',
    '%2e%2e',
    '%2F',
    '%252e%252e%252f',
    '..;',
    '?',
    '#',
    '+',
    '%',
    '\ud800',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const value: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(spelling, text, { maxKeys: 3 }),
  fc.dictionary(text, fc.oneof(text, fc.dictionary(spelling, text, { maxKeys: 2 })), { maxKeys: 3 }),
)
const STYLES = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
}
const parameterIn = (place: keyof typeof STYLES, name: string) =>
  fc.record({
    name: fc.constant(name),
    in: fc.constant(place),
    style: fc.constantFrom(...STYLES[place]),
    explode: fc.boolean(),
    allowReserved: fc.boolean(),
    required: fc.constant(true),
    schema: fc.constantFrom({}, { type: 'object' }, { type: 'object', properties: { color: {} } }),
  })
const operation = fc.record({
  path: parameterIn('path', 'id'),
  query: parameterIn('query', 'filter'),
  header: parameterIn('header', 'X-Filter'),
  cookie: parameterIn('cookie', 'prefs'),
})
const values = fc.record({ id: value, filter: value, 'X-Filter': value, prefs: value, body: value, limit: text })

const cookiesOf = ({ headers }: ApiRequest): string[] => (headers.cookie ?? '').split(/;\s*/)
/** Returns the names of the members as lenient servers read them: they cut brackets off and split at `;`, too. */
const namesIn = (text: string): string[] =>
  text
    .split(/[&;]/)
    .map((pair) => decodeURIComponent((pair.split('=', 1)[0] ?? '').replaceAll('+', ' ')))
    .map((name) =>
      name
        .trim()
        .replace(/(?<=.)\[.*$/s, '')
        .replaceAll(/[.\- ]/g, '_')
        .toLowerCase(),
    )
const countOf = (names: readonly string[], name: string): number => names.filter((one) => one === name).length

describe('whatever the model passes', () => {
  test('credentials and configured members are what was configured, and the path has its segments', () => {
    fc.assert(
      fc.property(operation, values, fc.boolean(), (parameters, args, isForm) => {
        const limit = { name: 'limit', in: 'query', schema: {} }
        const schema = { type: 'object', properties: { name: {}, data: {} } }
        const mediaType = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
        const encoding = { data: { style: 'form', explode: true, allowReserved: parameters.query.allowReserved } }
        const requestBody = { content: { [mediaType]: { schema, encoding } } }
        const source = { parameters: [...Object.values(parameters), limit], requestBody }
        let request: ApiRequest
        try {
          request = build('/x/{id}/y', source, { ...args, X_Filter: args['X-Filter'], body: { name: 'n', data: args.body } })
        } catch (error) {
          expect(error).toHaveProperty('name', 'ToolError')
          return
        }
        const { url, headers, body } = request
        expect(url.origin).toBe(BASE_URL.origin)
        expect(url.pathname.split('/')).toHaveLength(5)
        expect(url.pathname).toMatch(/^\/v1\/x\/[^/]+\/y$/)
        expect(url.hash).toBe('')
        const names = namesIn(url.search.slice(1))
        for (const [name, configured] of [
          ['api_key', SECRET],
          ['version', '1'],
        ] as const) {
          expect(countOf(names, name), url.search).toBe(1)
          expect(url.searchParams.getAll(name)).toEqual([configured])
        }
        for (const name of ['sid', 'x_api_key', 'authorization']) expect(countOf(names, name), url.search).toBe(0)
        expect(countOf(names, 'limit'), url.search).toBeLessThanOrEqual(1)
        const lowerCase = Object.keys(headers).map((name) => name.toLowerCase())
        expect(new Set(lowerCase).size).toBe(lowerCase.length)
        expect(headers).toMatchObject({ 'x-api-key': SECRET, authorization: `Bearer ${SECRET}`, 'x-org': 'acme' })
        for (const header of Object.values(headers)) expect(header).not.toMatch(/[\r\n\0]/)
        const cookies = cookiesOf(request)
        expect(cookies.filter((pair) => pair.toLowerCase().split('=')[0]?.trim() === 'sid')).toEqual([`sid=${SECRET}`])
        expect(cookies.filter((pair) => pair.toLowerCase().split('=')[0]?.trim() === 'tenant')).toEqual(['tenant=acme'])
        expect(headers.cookie).not.toMatch(/["\\]/)
        if (isForm) for (const name of ['api_key', 'version']) expect(countOf(namesIn(String(body)), name), String(body)).toBe(0)
      }),
      { numRuns: 500 },
    )
  })

  test('the query of a closed object has only declared names', () => {
    const schema = { type: 'object', properties: { color: {}, size: {} } }
    const names = ['api_key', 'version', 'limit', 'color', 'size', 'filter']
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(text, fc.constantFrom(...names)), text), text, (filter, limit) => {
        const parameters = [
          { name: 'filter', in: 'query', schema },
          { name: 'limit', in: 'query', schema: {} },
        ]
        const { url } = build('/x', { parameters }, { filter, limit })
        for (const name of url.searchParams.keys()) expect(['color', 'size', 'limit', 'api_key', 'version']).toContain(name)
      }),
    )
  })
})

const FORBIDDEN = [
  ...[
    'Host',
    'cookie',
    'Connection',
    'Keep-Alive',
    'Transfer-Encoding',
    'transfer_encoding',
    'TE',
    'Trailer',
    'Upgrade',
    'Expect',
  ],
  ...['Proxy-Authorization', 'Proxy-Connection', 'Content-Length', 'Sec-Fetch-Site', 'X-HTTP-Method-Override', 'AUTHORIZATION'],
  ...['x-org', 'X_ORG', 'x-API-key'],
]
test.each(FORBIDDEN)('no argument becomes the header %s', (name) => {
  const { headers } = build(
    '/x',
    { parameters: [{ name, in: 'header', schema: {} }] },
    { [name]: 'evil', [name.toLowerCase()]: 'evil' },
  )
  expect(JSON.stringify(headers)).not.toContain('evil')
})

test.each([
  ['application/x-www-form-urlencoded', 'a=1'],
  ['multipart/form-data', 'a=1'],
])('a form of %s has no field that a server would take for the key in the query', async (mediaType, expected) => {
  const requestBody = { content: { [mediaType]: { schema: { type: 'object' } } } }
  const body = { a: '1', api_key: 'evil', 'API_KEY[]': 'evil', version: 'evil' }
  const { body: sent, headers } = build('/x', { requestBody }, { body })
  const form = await new Response(sent, { headers: { 'content-type': headers['content-type'] ?? '' } }).formData()
  const pairs = [...form].map(([name, text]) => `${name}=${String(text)}`)
  expect(pairs.join('&')).toBe(expected)
})

test.each([
  ['/x/{id}', { in: 'path' }, 'a/b?c#d;e&f', '/v1/x/a%2Fb%3Fc%23d%3Be&f'],
  ['/x', { in: 'query' }, "a/b?c#d;e&f=g+h'(", "id=a/b?c%23d%3Be%26f%3Dg%2Bh'("],
])('allowReserved of %s keeps what does not end the value', (path, place, id, expected) => {
  const { url } = build(path, { parameters: [{ name: 'id', schema: {}, allowReserved: true, ...place }] }, { id })
  expect(url.pathname + url.search).toContain(expected.replace("'", place.in === 'query' ? '%27' : "'"))
})

test('an object without declared members keeps all names but the reserved ones', () => {
  const parameters = [{ name: 'filter', in: 'query', schema: { type: 'object', additionalProperties: { type: 'string' } } }]
  const { url } = build('/x', { parameters }, { filter: { color: 'red', api_key: 'evil', 'X-Api-Key': 'evil', sid: 'evil' } })
  expect(url.search).toBe('?version=1&color=red&api_key=s3cret')
})
