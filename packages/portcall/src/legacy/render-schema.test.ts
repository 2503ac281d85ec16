import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anySchema } from '../../../../test/support/arbitraries.ts'
import { renderInputSchema, renderOutputSchema } from './render-schema.ts'
import { wrapValue } from './render-tool-result.ts'

const fits = (schema: object, value: unknown): boolean => new Ajv2020({ strict: false }).validate(schema, value)

describe('an output schema', () => {
  test('of objects stays the same schema', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    expect(renderOutputSchema(schema)).toBe(schema)
  })

  test('that allows only objects, but does not say so at its root, says so', () => {
    const union = { anyOf: [{ type: 'object', properties: { a: {} } }, { $ref: '#/$defs/B' }], $defs: { B: { type: 'object' } } }
    expect(renderOutputSchema(union)).toEqual({ ...union, type: 'object' })
  })

  test('of other values is wrapped; definitions stay at the root, and references to the whole follow it', () => {
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
  })

  test('with an $id is moved as it is', () => {
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
  })

  test('of anything allows objects as they are and other values wrapped', () => {
    const rendered = renderOutputSchema({
      type: ['object', 'null'],
      properties: { a: { type: 'string' } },
      $defs: { Result: {} },
    })
    expect(rendered.type).toBe('object')
    expect(fits(rendered, { a: 'x' })).toBe(true)
    expect(fits(rendered, { a: 1 })).toBe(false)
    expect(fits(rendered, { result: null })).toBe(true)
  })

  test('that has circles is judged in finite time', () => {
    const circle = { $ref: '#/$defs/A', $defs: { A: { anyOf: [{ $ref: '#/$defs/A' }, { type: 'object' }] } } }
    expect(renderOutputSchema(circle).type).toBe('object')
  })

  test('TOOL-028 TOOL-029 fits the rendered value whenever the schema fits the value', () => {
    fc.assert(
      fc.property(anySchema, fc.jsonValue({ maxDepth: 2 }), (schema, value) => {
        const rendered = renderOutputSchema(schema)
        expect(rendered.type).toBe('object')
        if (fits(schema, value)) expect(fits(rendered, wrapValue(value))).toBe(true)
      }),
      { numRuns: 50 },
    )
  })
})

describe('an input schema', () => {
  test('stays the same schema, with every keyword', () => {
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

  test('has objects for the properties that are true or false', () => {
    const schema = { type: 'object', properties: { any: true, none: false, ['__proto__']: true } }
    expect(JSON.stringify(renderInputSchema(schema))).toBe(
      '{"type":"object","properties":{"any":{},"none":{"not":{}},"__proto__":{}}}',
    )
  })
})
