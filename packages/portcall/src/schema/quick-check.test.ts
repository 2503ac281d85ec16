import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../jsonrpc/message.ts'
import { passesQuickCheck } from './quick-check.ts'
import { createValidator } from './validator.ts'

const name = fc.constantFrom('a', 'b', 'toString', '__proto__')
const scalar = fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.double({ noNaN: true }), fc.constantFrom('', 'a', '7'))
const scalarType = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null')

/** Schemas with only the keywords that the quick check supports. */
const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.record({ type: scalarType, title: fc.constant('x') }, { requiredKeys: ['type'] }),
    fc.record({ type: fc.uniqueArray(scalarType, { minLength: 1 }) }),
    fc.record({ enum: fc.uniqueArray(scalar, { minLength: 1 }) }),
    fc.record({ const: scalar }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }, { requiredKeys: ['type'] }),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(name, tie('schema')),
        required: fc.uniqueArray(name),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
      },
      { requiredKeys: ['type'] },
    ),
  ),
}))
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, fc.array(tie('value')), fc.dictionary(name, tie('value'))),
}))

describe('passesQuickCheck', () => {
  it('agrees with the validator', () => {
    fc.assert(
      fc.property(schema, value, (schema, value) => {
        expect(passesQuickCheck(schema, value)).toBe(createValidator(schema)(value).issues === undefined)
      }),
      { numRuns: 2000 },
    )
  })

  it.each<unknown>([
    { minimum: 1 },
    { $ref: '#' },
    { pattern: 'x' },
    { format: 'email' },
    { toString: {} },
    { anyOf: [{}] },
    { properties: { a: { not: {} } } },
    { type: 'date' },
    { type: 7 },
    { enum: 'abc' },
    { required: 'a' },
    { properties: [] },
    { items: [{}] },
    false,
    'string',
  ])('is inconclusive for %j', (schema) => {
    for (const value of ['a', 7, { a: 1 }, ['a'], null]) expect(passesQuickCheck(schema, value)).toBe(false)
  })

  it('fails for values that are not JSON', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1n, undefined, () => 1])
      for (const type of ['number', 'integer', 'object', 'string']) expect(passesQuickCheck({ type }, value)).toBe(false)
  })
})
