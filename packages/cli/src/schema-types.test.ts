import { expect, test } from 'vitest'
import { typeName } from './schema-types.ts'

const array = (items: object): object => ({ type: 'array', items })

test.each([
  [{ type: 'string' }, 'string'],
  [array({ type: 'integer' }), 'integer[]'],
  [array({ type: ['object', 'string'] }), '(object|string)[]'],
  [array({ anyOf: [{ type: 'object' }, { type: 'string' }] }), '(object|string)[]'],
  [array({ enum: ['a', 'b'] }), '("a"|"b")[]'],
  [array(array({ type: ['number', 'null'] })), '(number|null)[][]'],
  [{ type: ['string', 'null'] }, 'string|null'],
  [{}, 'any'],
])('%j: %s', (schema, name) => {
  expect(typeName(schema, schema)).toBe(name)
})
