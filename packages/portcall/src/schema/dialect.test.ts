import { describe, expect, it } from 'vitest'
import { compileSchema } from './compile.ts'
import { dialectOf } from './dialect.ts'
import { SchemaError } from './errors.ts'
import { copyWithinLimits, SCHEMA_LIMITS } from './limits.ts'

const compile = (schema: Record<string, unknown>) => compileSchema(schema, 'input')

describe('dialects', () => {
  it('SCHEMA: 2020-12 is the default, 2019-09 and draft-07 are supported, others are refused', () => {
    expect(dialectOf({})).toBe('2020-12')
    expect(dialectOf({ $schema: 'https://json-schema.org/draft/2020-12/schema' })).toBe('2020-12')
    expect(dialectOf({ $schema: 'https://json-schema.org/draft/2019-09/schema#' })).toBe('2019-09')
    expect(dialectOf({ $schema: 'http://json-schema.org/draft-07/schema#' })).toBe('draft-07')
    for (const $schema of ['http://json-schema.org/draft-04/schema#', 'https://example.com/mine', 7])
      expect(() => compile({ $schema })).toThrow(/2020-12, 2019-09 or draft-07/)
  })

  it('interprets keywords as the dialect does', async () => {
    const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#', definitions: { s: { type: 'string' } } }
    expect(
      await compile({ ...draft07, properties: { a: { $ref: '#/definitions/s', maxLength: 1 } } }).parse({ a: 'long' }),
    ).toHaveProperty('value')
    expect(await compile({ ...draft07, items: [{ type: 'string' }], additionalItems: false }).parse(['a', 1])).toHaveProperty(
      'issues',
    )
    expect(await compile({ $defs: { s: { type: 'string' } }, $ref: '#/$defs/s', maxLength: 1 }).parse('long')).toHaveProperty(
      'issues',
    )
    expect(await compile({ prefixItems: [{ type: 'string' }], items: false }).parse(['a', 1])).toHaveProperty('issues')
  })
})

describe('references', () => {
  const valid: Record<string, Record<string, unknown>> = {
    root: { properties: { child: { $ref: '#' } } },
    pointer: { $defs: { 'a/b~c %': { type: 'string' } }, $ref: '#/$defs/a~1b~0c%20%25' },
    anchor: { $defs: { a: { $anchor: 'here', type: 'string' } }, $ref: '#here' },
    'embedded resource': { $id: 'https://example.com/root', $defs: { a: { $id: 'a.json', type: 'string' } }, $ref: 'a.json' },
    'absolute to the document itself': {
      $id: 'https://example.com/root',
      $defs: { a: {} },
      $ref: 'https://example.com/root#/$defs/a',
    },
    dynamic: { $dynamicAnchor: 'node', properties: { child: { $dynamicRef: '#node' } } },
    'a property named $ref': { properties: { $ref: { type: 'string' }, const: { type: 'string' } } },
    data: { const: { $ref: 'https://example.com/x' }, examples: [{ $ref: 'x' }] },
  }
  it.each(Object.keys(valid))('finds a target in the document: %s', (name) => {
    expect(() => compile(valid[name] ?? {})).not.toThrow()
  })

  it.each([
    'https://example.com/x.json',
    'x.json',
    '#/$defs/missing',
    '#missing',
    '//host/x',
    'file:///etc/passwd',
    '#/$defs',
    '#/required/0',
  ])('nothing is fetched: %s is refused', ($ref) => {
    expect(() => compile({ required: ['x'], properties: { a: { $ref } } })).toThrow(SchemaError)
    if ($ref !== '#/$defs') expect(() => compile({ $defs: { const: { $ref } }, required: ['x'] })).toThrow(/nothing is fetched/)
  })
})

describe('limits', () => {
  const nested = (levels: number): Record<string, unknown> => (levels === 1 ? {} : { not: nested(levels - 1) })

  it('accept the maximum depth and refuse one more level', () => {
    expect(() => compile(nested(SCHEMA_LIMITS.depth))).not.toThrow()
    expect(() => compile(nested(SCHEMA_LIMITS.depth + 1))).toThrow(/deeper than 128/)
  })

  it('refuse cycles, too many nodes and too much text', () => {
    const cyclic: Record<string, unknown> = {}
    cyclic.properties = { self: cyclic }
    expect(() => compile(cyclic)).toThrow(/contains itself/)
    let shared: Record<string, unknown> = {}
    for (let level = 0; level < 60; level++) shared = { allOf: [shared, shared] }
    expect(() => compile(shared)).toThrow(/more than 10000/)
    expect(() => compile({ description: 'x'.repeat(SCHEMA_LIMITS.size) })).toThrow(/too large/)
  })

  it('copy the schema as it is sent on the wire', () => {
    expect(copyWithinLimits({ pattern: /a/, gone: undefined, at: () => 1 })).toEqual({ pattern: 'a' })
  })
})

describe('mistakes in a schema', () => {
  it('are found when it is compiled', () => {
    expect(() => compile({ properties: { a: { type: 'sting' } } })).toThrow(/"sting" is not a JSON Schema type/)
    expect(() => compile({ pattern: '(' })).toThrow(/not a valid regular expression/)
    expect(() => compile({ patternProperties: { '[': {} } })).toThrow(/not a valid regular expression/)
  })
})
