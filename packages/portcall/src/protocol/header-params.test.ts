import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHeaderValue, encodeHeaderValue, paramHeaders, readHeaderParams, verifyHeaderParams } from './header-params.ts'

const object = (properties: Record<string, unknown>) => ({ type: 'object', properties })

describe('readHeaderParams', () => {
  it('HTTP-070 HTTP-074 reads annotations, including those in nested objects', () => {
    const place = object({ region: { type: 'string', 'x-mcp-header': 'Region' } })
    expect(readHeaderParams(object({ place, n: { type: 'integer', 'x-mcp-header': 'N' }, plain: { type: 'number' } }))).toEqual([
      { header: 'Mcp-Param-Region', path: ['place', 'region'], type: 'string' },
      { header: 'Mcp-Param-N', path: ['n'], type: 'integer' },
    ])
    expect(readHeaderParams(object({ 'x-mcp-header': { type: 'string' } }))).toEqual([])
  })

  it.each(['', ' ', 'a b', 'a:b', 'a\r\nb', 'ä', 7, null, true])('HTTP-072 C37 refuses the name %j', (name) => {
    expect(() => readHeaderParams(object({ a: { type: 'string', 'x-mcp-header': name } }))).toThrow(/"a" must be a header token/)
  })

  it('HTTP-072 C37 refuses a name that is used twice, whatever its case', () => {
    const a = { type: 'string', 'x-mcp-header': 'Same' }
    expect(() => readHeaderParams(object({ a, b: object({ c: { ...a, 'x-mcp-header': 'sAME' } }) }))).toThrow(/used twice/)
  })

  it.each(['number', 'array', 'object', 'null', ['string', 'null'], undefined])('HTTP-073 C37 refuses the type %j', (type) => {
    expect(() => readHeaderParams(object({ a: { type, 'x-mcp-header': 'A' } }))).toThrow(/string, integer or boolean/)
  })

  const a = { type: 'string', 'x-mcp-header': 'A' }
  it.each<[string, Record<string, unknown>]>([
    ['root', a],
    ['items', object({ l: { type: 'array', items: object({ a }) } })],
    ['oneOf', { oneOf: [object({ a })] }],
    ['allOf', object({ b: { allOf: [a] } })],
    ['if', { if: object({ a }) }],
    ['not', { not: a }],
    ['$defs', { $defs: { a }, ...object({ b: { $ref: '#/$defs/a' } }) }],
    ['patternProperties', { patternProperties: { '^a': a } }],
    ['additionalProperties', { additionalProperties: a }],
  ])('HTTP-074 C37 refuses an annotation under %s', (_name, schema) => {
    expect(() => readHeaderParams(schema)).toThrow(/reachable from the root/)
  })
})

describe('encodeHeaderValue', () => {
  it('HTTP-079 HTTP-080 is plain if possible, and encoded otherwise', () => {
    expect(['eu west', 42, -1, true, false, ''].map(encodeHeaderValue)).toEqual(['eu west', '42', '-1', 'true', 'false', ''])
    expect(encodeHeaderValue('Zürich')).toBe('=?base64?WsO8cmljaA==?=')
    for (const value of [' a', 'a ', '\ta', 'a\tb', 'a\r\nb', '\u0000', '=?base64?YQ==?=', '日本'])
      expect(encodeHeaderValue(value)).toMatch(/^=\?base64\?[A-Za-z0-9+/]*=*\?=$/)
  })

  it('HTTP-080 HTTP-081 C38 is decoded to the original, for any string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const header = encodeHeaderValue(value)
        expect(header).toMatch(/^[\x20-\x7e]*$/)
        expect(header.trim()).toBe(header)
        expect(decodeHeaderValue(header)).toBe(value)
      }),
    )
  })

  it.each([
    '=?base64?YQ?=',
    '=?base64?YR==?=',
    '=?base64?Y Q==?=',
    '=?base64?YQ==YQ==?=',
    '=?base64?!!!!?=',
    '=?base64?/w==?=',
    '=?base64?_-8=?=',
    'a\r\nb',
    'ü',
    '\u0000',
  ])('HTTP-081 M03 M08 refuses %j', (header) => {
    expect(decodeHeaderValue(header)).toBeUndefined()
  })

  it.each(['=?BASE64?YQ==?=', '=?Base64?YQ==?=', '=?base64?YQ==', 'base64?YQ==?=', '=?base64?='])(
    'HTTP-081 M03 returns %j unchanged',
    (header) => {
      expect(decodeHeaderValue(header)).toBe(header)
    },
  )
})

describe('verifyHeaderParams', () => {
  const params = readHeaderParams(
    object({
      region: { type: 'string', 'x-mcp-header': 'Region' },
      n: { type: 'integer', 'x-mcp-header': 'N' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
    }),
  )
  const verify = (args: Record<string, unknown> | undefined, headers: Record<string, string>) =>
    verifyHeaderParams(params, args, (name) => headers[name])

  it('HTTP-078 HTTP-082 M08 requires a header exactly if there is a value', () => {
    expect(verify({}, {})).toBeUndefined()
    expect(verify({ region: null }, {})).toBeUndefined()
    expect(verify(undefined, {})).toBeUndefined()
    expect(verify({ region: 'eu' }, {})).toBe('Mcp-Param-Region is missing')
    expect(verify({}, { 'Mcp-Param-Region': 'eu' })).toMatch(/argument is not/)
    expect(verify({ region: null }, { 'Mcp-Param-Region': '' })).toMatch(/argument is not/)
    expect(verify({ region: 'eu' }, { 'Mcp-Param-Region': 'us' })).toMatch(/differs/)
    expect(verify({ region: 'eu' }, { 'Mcp-Param-Region': '=?base64?ZXU?=' })).toMatch(/malformed/)
    expect(verify({ region: 'eu' }, { 'Mcp-Param-Region': '=?base64?ZXU=?=' })).toBeUndefined()
    expect(verify(JSON.parse('{"__proto__":{"region":"eu"}}'), {})).toBeUndefined()
  })

  it('HTTP-083 M08 compares integers as numbers', () => {
    for (const header of ['42', '42.0', '042']) expect(verify({ n: 42 }, { 'Mcp-Param-N': header })).toBeUndefined()
    for (const header of ['43', '42.5', '4.2e1', '0x2a', '', ' ', 'NaN'])
      expect(verify({ n: 42 }, { 'Mcp-Param-N': header })).toMatch(/differs/)
    expect(verify({ dry: true }, { 'Mcp-Param-Dry': 'True' })).toMatch(/differs/)
  })

  it('HTTP-078 HTTP-079 agrees with paramHeaders, for any arguments', () => {
    const value = {
      region: fc.option(fc.string({ unit: 'binary' })),
      n: fc.option(fc.maxSafeInteger()),
      dry: fc.option(fc.boolean()),
    }
    fc.assert(
      fc.property(fc.record(value, { requiredKeys: [] }), (args) => {
        fc.pre(!/\p{Cs}/u.test(args.region ?? ''))
        expect(verify(args, paramHeaders(params, args))).toBeUndefined()
      }),
    )
  })
})
