import { describe, expect, test } from 'vitest'
import { type Field, fieldOf } from './field.ts'
import type { Schema, SchemaObject } from './schema.ts'

const kindOf = (schema: Schema, root: Schema = schema): Field['kind'] => fieldOf(schema, root).kind

const members = (field: Field): string[] => (field.kind === 'object' ? field.members.map(({ name }) => name) : [])

describe('fieldOf', () => {
  test.each<[string, Schema, Field['kind']]>([
    ['a string', { type: 'string' }, 'text'],
    ['a schema without a type, by its keywords', { minLength: 1 }, 'text'],
    ['a number', { type: 'number' }, 'number'],
    ['an integer', { type: 'integer' }, 'number'],
    ['both kinds of numbers', { type: ['integer', 'number'] }, 'number'],
    ['a boolean', { type: 'boolean' }, 'boolean'],
    ['null', { type: 'null' }, 'null'],
    ['an enum', { enum: ['a', 1, true] }, 'choice'],
    ['a constant', { const: 5 }, 'choice'],
    ['alternatives that are constants', { oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }, 'choice'],
    ['unique items of an enum', { type: 'array', uniqueItems: true, items: { enum: ['a', 'b'] } }, 'choices'],
    ['items of an enum, in any number', { type: 'array', items: { enum: ['a', 'b'] } }, 'choices'],
    ['a list', { type: 'array', items: { type: 'string' } }, 'array'],
    ['a tuple', { prefixItems: [{ type: 'string' }, { type: 'number' }] }, 'array'],
    ['an object', { properties: { a: {} } }, 'object'],
    ['bytes', { type: 'string', contentEncoding: 'base64' }, 'file'],
    ['binary format', { type: 'string', format: 'binary' }, 'file'],
    ['several types', { type: ['string', 'number'] }, 'variants'],
    ['alternatives', { anyOf: [{ type: 'string' }, { type: 'object' }] }, 'variants'],
    ['anything', {}, 'any'],
    ['true', true, 'any'],
  ])('makes a field of %s', (_name, schema, kind) => {
    expect(kindOf(schema)).toBe(kind)
  })

  test.each<[string, SchemaObject]>([
    ['a list of types', { type: ['string', 'null'] }],
    ['anyOf', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['oneOf', { oneOf: [{ type: 'null' }, { type: 'string' }] }],
    ['the OpenAPI keyword', { type: 'string', nullable: true }],
  ])('separates null, said with %s, from the other values', (_name, schema) => {
    expect(fieldOf(schema, schema)).toMatchObject({ kind: 'text', nullable: true })
  })

  test('separates null from the values of an enum', () => {
    expect(fieldOf({ enum: ['a', null] }, true)).toMatchObject({ kind: 'choice', nullable: true, options: [{ value: 'a' }] })
  })

  test('follows references, also recursive ones, and keeps what is written next to them', () => {
    const root: SchemaObject = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/node', description: 'Where to start' } },
      $defs: {
        node: {
          type: 'object',
          properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
        },
      },
    }
    const tree = fieldOf({ $ref: '#/$defs/node', description: 'Where to start' }, root)
    expect(tree).toMatchObject({ kind: 'object', description: 'Where to start' })
    expect(members(tree)).toEqual(['name', 'children'])
  })

  test.each(['#/$defs/none', 'https://example.com/other.json', '#loop'])(
    'a reference that leads nowhere allows everything: %s',
    ($ref) => {
      expect(kindOf({ $ref }, { $defs: { loop: { $anchor: 'loop', $ref: '#loop' } } })).toBe('any')
    },
  )

  test('merges allOf', () => {
    const field = fieldOf(
      {
        allOf: [
          { properties: { a: {} }, required: ['a'] },
          { properties: { b: {} }, required: ['b'] },
        ],
      },
      true,
    )
    expect(field).toMatchObject({
      kind: 'object',
      members: [
        { name: 'a', required: true },
        { name: 'b', required: true },
      ],
    })
  })

  test('keeps the shared members in each alternative', () => {
    const schema = {
      type: 'object',
      properties: { id: { type: 'string' } },
      oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }],
    }
    const field = fieldOf(schema, schema)
    expect(field.kind === 'variants' && field.variants.map((variant) => members(fieldOf(variant.schema, schema)))).toEqual([
      ['id', 'a'],
      ['id', 'b'],
    ])
  })

  test('alternatives that only require members are no shapes', () => {
    expect(kindOf({ type: 'object', properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] })).toBe(
      'object',
    )
  })

  test('offers the listed texts where any other text is allowed as well', () => {
    const schema = { anyOf: [{ enum: ['red', 'blue'] }, { type: 'string' }] }
    expect(fieldOf(schema, schema)).toMatchObject({ kind: 'text', suggestions: ['red', 'blue'] })
  })

  test('names alternatives by their title, their tag, or their type', () => {
    const tagged = { properties: { kind: { const: 'circle' } } }
    const field = fieldOf({ oneOf: [{ title: 'Square' }, tagged, { type: 'number' }] }, true)
    expect(field.kind === 'variants' && field.variants.map(({ label }) => label)).toEqual(['Square', 'circle', 'number'])
  })

  test('knows which further members an object allows', () => {
    expect(fieldOf({ type: 'object' }, true)).toMatchObject({ additional: true })
    expect(fieldOf({ type: 'object', properties: { a: {} } }, true)).not.toHaveProperty('additional')
    expect(fieldOf({ type: 'object', additionalProperties: { type: 'number' } }, true)).toMatchObject({
      additional: { type: 'number' },
    })
  })

  test('tells the header that repeats a value, and a default of null from none', () => {
    expect(fieldOf({ type: 'string', 'x-mcp-header': 'Region' }, true)).toMatchObject({ header: 'Region' })
    expect(fieldOf({ type: ['string', 'null'], default: null }, true)).toHaveProperty('default', null)
    expect(fieldOf({ type: 'string' }, true)).not.toHaveProperty('default')
  })
})
