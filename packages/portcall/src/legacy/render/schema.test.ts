import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anySchema } from '../../../../../test/support/arbitraries.ts'
import { wrapNonObject } from './content.ts'
import { renderInputSchema, renderOutputSchema } from './schema.ts'
import { unwrapSchema } from './unwrap-schema.ts'

const fits = (schema: object, value: unknown): boolean => new Ajv2020({ strict: false }).validate(schema, value)

describe('an output schema', () => {
  test('of objects is returned as it is', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    expect(renderOutputSchema(schema)).toBe(schema)
  })

  test('that allows only objects gets a type at its root', () => {
    const union = { anyOf: [{ type: 'object', properties: { a: {} } }, { $ref: '#/$defs/B' }], $defs: { B: { type: 'object' } } }
    expect(renderOutputSchema(union)).toEqual({ ...union, type: 'object' })
  })

  test('of other values is wrapped; definitions stay at the root, and references to the root are rewritten', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'array',
      items: { anyOf: [{ $ref: '#/$defs/Leaf' }, { $ref: '#' }, { $ref: '#/items' }, { const: { $ref: '#' } }] },
      $defs: { Leaf: { type: 'string' }, Tree: { $ref: '#' } },
    }
    expect(renderOutputSchema(schema)).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        result: {
          type: 'array',
          items: {
            anyOf: [
              { $ref: '#/$defs/Leaf' },
              { $ref: '#/properties/result' },
              { $ref: '#/properties/result/items' },
              { const: { $ref: '#' } },
            ],
          },
        },
      },
      required: ['result'],
      $defs: { Leaf: { type: 'string' }, Tree: { $ref: '#/properties/result' } },
    })
    expect(unwrapSchema(renderOutputSchema(schema))).toEqual(schema)
  })

  test.each([
    { type: 'object', properties: { result: { type: 'array' } } },
    { type: 'object', properties: { result: { type: 'object' } }, required: ['result'] },
    { type: 'object', properties: { result: { type: 'array' }, total: { type: 'number' } }, required: ['result'] },
    { type: 'object', properties: { result: { type: 'array' } }, required: ['result'], additionalProperties: false },
    { type: 'array' },
    { type: 'object', anyOf: [{ $ref: '#/$defs/A' }, { properties: { result: { $ref: '#/$defs/B' } }, required: ['result'] }] },
    { type: 'object', anyOf: [{ $ref: '#/$defs/A' }, { properties: { result: { $ref: '#/$defs/A' } }, required: ['result'] }] },
  ])('that does not look wrapped is displayed as it is: %j', (schema) => {
    expect(unwrapSchema(schema)).toBe(schema)
  })

  test('with an $id is moved unchanged', () => {
    const schema = {
      $id: 'https://example.com/list',
      type: 'array',
      items: { $ref: '#/$defs/A' },
      $defs: { A: { type: 'string' } },
    }
    const rendered = renderOutputSchema(schema)
    expect(rendered.properties).toEqual({ result: schema })
    expect(fits(rendered, { result: ['a'] })).toBe(true)
    expect(fits(rendered, { result: [1] })).toBe(false)
    expect(unwrapSchema(rendered)).toEqual(schema)
  })

  test('of any value allows unchanged objects and other values wrapped', () => {
    const schema = { type: ['object', 'null'], properties: { a: { type: 'string' }, next: { $ref: '#' } }, $defs: { Result: {} } }
    const rendered = renderOutputSchema(schema)
    expect(rendered.type).toBe('object')
    expect(fits(rendered, { a: 'x' })).toBe(true)
    expect(fits(rendered, { a: 1 })).toBe(false)
    expect(fits(rendered, { result: null })).toBe(true)
    expect(unwrapSchema(rendered)).toEqual(schema)
    const { $defs: _, ...plain } = schema
    expect(unwrapSchema(renderOutputSchema(plain))).toEqual(plain)
  })

  test('with circular references is analyzed in finite time', () => {
    const circle = { $ref: '#/$defs/A', $defs: { A: { anyOf: [{ $ref: '#/$defs/A' }, { type: 'object' }] } } }
    expect(renderOutputSchema(circle).type).toBe('object')
  })

  test('TOOL-028 TOOL-029 accepts the rendered value whenever the schema accepts the value', () => {
    fc.assert(
      fc.property(anySchema, fc.jsonValue({ maxDepth: 2 }), (schema, value) => {
        const rendered = renderOutputSchema(schema)
        expect(rendered.type).toBe('object')
        if (fits(schema, value)) expect(fits(rendered, wrapNonObject(value))).toBe(true)
        expect([schema, rendered]).toContainEqual(unwrapSchema(rendered))
      }),
      { numRuns: 50 },
    )
  })
})

describe('an input schema', () => {
  test('is returned as it is, with every keyword', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      if: { required: ['a'] },
      then: {},
      $defs: {},
      'x-mcp-header': 'A',
    }
    expect(renderInputSchema(schema)).toBe(schema)
  })

  test('has objects in place of boolean property schemas', () => {
    const schema = { type: 'object', properties: { any: true, none: false, ['__proto__']: true } }
    expect(JSON.stringify(renderInputSchema(schema))).toBe(
      '{"type":"object","properties":{"any":{},"none":{"not":{}},"__proto__":{}}}',
    )
  })
})
