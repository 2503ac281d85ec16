import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { compileSchema } from '../schema/compile.ts'
import type { Schema } from '../schema/standard.ts'
import { applyDefaults, checkContent, toElicitationSchema } from './elicitation.ts'

/** The official schemas are outside of the repository. Tests that need them are skipped if they are absent. */
const OFFICIAL = new URL('../../../../../shared/spec/2026-07-28/schema.json', import.meta.url)

const form = (schema: Schema) => toElicitationSchema(compileSchema(schema, 'form').json)
const field = (property: Record<string, unknown>) =>
  toElicitationSchema({ type: 'object', properties: { f: property } }).properties.f

describe('toElicitationSchema', () => {
  const everything = z.object({
    name: z.string().min(1).max(40).describe('Your name'),
    email: z.email().optional(),
    url: z.url().optional(),
    when: z.iso.datetime().optional(),
    day: z.iso.date().optional(),
    count: z.number().int().min(1),
    ratio: z.number().positive().max(2).optional(),
    sure: z.boolean().default(true),
    unit: z.enum(['C', 'F']).default('C'),
    either: z.union([z.literal('a'), z.literal('b')]).optional(),
    only: z.literal('x').optional(),
    tags: z
      .array(z.enum(['p', 'q']))
      .min(1)
      .max(2)
      .optional(),
    none: z.string().nullable().optional(),
  })

  it('ELI-008 ELI-009 ELI-011 converts the JSON Schema of zod to a flat form', () => {
    expect(form(everything)).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 40, description: 'Your name' },
        email: { type: 'string', format: 'email' },
        url: { type: 'string', format: 'uri' },
        when: { type: 'string', format: 'date-time' },
        day: { type: 'string', format: 'date' },
        count: { type: 'integer', minimum: 1 },
        ratio: { type: 'number', maximum: 2 },
        sure: { type: 'boolean', default: true },
        unit: { type: 'string', enum: ['C', 'F'], default: 'C' },
        either: { type: 'string', enum: ['a', 'b'] },
        only: { type: 'string', enum: ['x'] },
        tags: { type: 'array', items: { type: 'string', enum: ['p', 'q'] }, minItems: 1, maxItems: 2 },
        none: { type: 'string' },
      },
      required: ['name', 'count'],
    })
  })

  it.skipIf(!existsSync(OFFICIAL))('ELI-008 ELI-011 returns forms that conform to the official schema', async () => {
    const { $defs } = JSON.parse(readFileSync(OFFICIAL, 'utf8'))
    const official = compileSchema({ $defs, $ref: '#/$defs/ElicitRequestFormParams/properties/requestedSchema' }, 'input')
    expect(await official.parse(form(everything))).not.toHaveProperty('issues')
  })

  it('ELI-010 ELI-011 preserves titles in each notation', () => {
    const options = [
      { const: 'a', title: 'A' },
      { const: 'b', title: 'B' },
    ]
    expect(field({ type: 'string', oneOf: options, default: 'a', title: 'T' })).toEqual({
      type: 'string',
      oneOf: options,
      default: 'a',
      title: 'T',
    })
    expect(field({ anyOf: options })).toEqual({ type: 'string', oneOf: options })
    expect(field({ type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] })).toEqual({
      type: 'string',
      enum: ['a', 'b'],
      enumNames: ['A', 'B'],
    })
    expect(field({ type: 'array', items: { anyOf: options }, default: ['a'] })).toEqual({
      type: 'array',
      items: { anyOf: options },
      default: ['a'],
    })
  })

  it('drops keywords that the protocol does not define', () => {
    const unsupported = {
      $schema: 'x',
      pattern: '^a',
      exclusiveMinimum: 0,
      additionalProperties: false,
      format: 'uuid',
      minLength: 1.5,
      default: 7,
    }
    expect(field({ type: 'string', ...unsupported })).toEqual({ type: 'string' })
    expect(field({ type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 })).toEqual({ type: 'integer' })
    expect(field({ anyOf: [{ type: 'integer' }, { type: 'null' }], title: 'T' })).toEqual({ type: 'integer', title: 'T' })
  })

  it.each<[string, unknown]>([
    ['an object', { type: 'object', properties: {} }],
    ['a list of strings', { type: 'array', items: { type: 'string' } }],
    ['null', { type: 'null' }],
    ['two types', { type: ['string', 'number'] }],
    ['numbers to choose from', { enum: [1, 2] }],
    ['a union', { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    ['a reference', { $ref: '#/$defs/a' }],
    ['anything', {}],
    ['true', true],
  ])('ELI-008 refuses %s and names the property', (_name, property) => {
    expect(() => toElicitationSchema({ type: 'object', properties: { good: { type: 'string' }, bad: property } })).toThrow(
      /^"bad" cannot be a form field/,
    )
  })

  it('ELI-008 refuses a schema that is not an object', () => {
    for (const json of [{}, { type: 'string' }, { type: 'object' }])
      expect(() => toElicitationSchema(json)).toThrow(/must be an object/)
  })
})

describe('applyDefaults', () => {
  const schema = form(z.object({ a: z.string().default('x'), b: z.boolean().default(false), c: z.number() }))
  it('ELI-012 adds defaults for missing fields and removes unknown fields', () => {
    expect(applyDefaults(schema, { a: 'y', other: 1 })).toEqual({ a: 'y', b: false })
    const content = { a: 'y' }
    expect(applyDefaults(schema, content)).toEqual({ a: 'y', b: false })
    expect(content).toEqual({ a: 'y' })
    expect(applyDefaults(schema, {})).toEqual({ a: 'x', b: false })
  })
})

describe('checkContent', () => {
  const check = (property: Record<string, unknown>, value: unknown) =>
    checkContent(toElicitationSchema({ type: 'object', properties: { f: property } }), { f: value }).map(
      ({ path, message }) => `${path.join()}: ${message}`,
    )

  it.each<[Record<string, unknown>, unknown[], unknown[]]>([
    [{ type: 'string', minLength: 2, maxLength: 3 }, ['ab', '😀😀😀'], ['a', '😀', 'abcd', 7, null]],
    [{ type: 'string', format: 'email' }, ['a.b+c@example.com'], ['a', 'a@', '@b', 'a b@c', 'a@b@c', '.a@b', 'a..b@c']],
    [
      { type: 'string', format: 'uri' },
      ['https://example.com/a?b#c', 'urn:a:b', 'mailto:a@b'],
      ['example.com', '/a', 'http://', 'http://a b', 'a:%zz'],
    ],
    [
      { type: 'string', format: 'date' },
      ['2024-02-29', '2000-02-29'],
      ['2023-02-29', '1900-02-29', '2024-13-01', '2024-04-31', '2024-1-1', ''],
    ],
    [
      { type: 'string', format: 'date-time' },
      ['2024-02-29T10:00:00Z', '2024-02-29t10:00:00.5+01:00'],
      ['2024-02-29', '2024-02-29T10:00Z', '2024-02-29T24:00:00Z', '2024-02-29T10:00:00'],
    ],
    [{ type: 'integer', minimum: 1, maximum: 3 }, [1, 3, 2.0], [0, 4, 1.5, '1', NaN]],
    [{ type: 'number' }, [1.5, -1], [Infinity, '1', true]],
    [{ type: 'boolean' }, [true, false], ['true', 1, null]],
    [{ type: 'string', enum: ['a', 'b'] }, ['a'], ['c', 1]],
    [{ type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, ['a'], ['A']],
    [
      { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, maxItems: 2 },
      [['a'], ['a', 'b']],
      [[], ['a', 'b', 'a'], ['c'], 'a', [1]],
    ],
    [{ type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }, [[], ['a']], [['A']]],
  ])('ELI-023 ELI-024 %j', (property, valid, invalid) => {
    for (const value of valid) expect(check(property, value), JSON.stringify(value)).toEqual([])
    for (const value of invalid)
      expect(check(property, value), JSON.stringify(value)).toEqual([expect.stringMatching(/^f: expected/)])
  })

  it('ELI-024 reports missing required fields', () => {
    const schema = toElicitationSchema({
      type: 'object',
      properties: { a: { type: 'string' }, constructor: { type: 'string' } },
      required: ['a', 'constructor'],
    })
    expect(checkContent(schema, { b: 1 })).toEqual([
      { path: ['a'], message: 'required' },
      { path: ['constructor'], message: 'required' },
    ])
    for (const content of [undefined, null, [], 'a'])
      expect(checkContent(schema, content)).toEqual([{ path: [], message: 'expected an object' }])
  })
})
