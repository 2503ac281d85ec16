import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { toJsonSchema } from './to-json-schema.ts'

// TypeBox 1.4 writes `Type.Tuple([Type.String(), Type.Number()])` like this, without `$schema`.
const TUPLE = { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false, minItems: 2 }

test.each([
  ['a property', { type: 'object', properties: { at: TUPLE } }],
  ['an item', { type: 'object', properties: { list: { type: 'array', items: TUPLE } } }],
  ['a tuple in a tuple', { type: 'object', properties: { at: { type: 'array', items: [TUPLE, TUPLE] } } }],
  ['a definition', { type: 'object', properties: { at: { $ref: '#/$defs/At' } }, $defs: { At: TUPLE } }],
])('a tuple of an older draft is published in the form of 2020-12: %s', (_, schema) => {
  const published = toJsonSchema(schema as never, 'input')
  expect(new Ajv2020({ strict: false }).validateSchema(published)).toBe(true)
  expect(JSON.stringify(published)).toContain('"prefixItems":[{"type":"string"},{"type":"number"}]')
  expect(JSON.stringify(published)).not.toContain('additionalItems')
  expect(JSON.stringify(schema)).toContain('additionalItems')
})

test.each([
  ['no tuple', { type: 'object', properties: { items: { type: 'array', items: { type: 'string' } } } }],
  ['data that looks like one', { type: 'object', default: { items: [1] } }],
  ['a dialect of its own', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: { at: TUPLE } }],
])('a schema with %s stays as it is', (_, schema) => {
  expect(toJsonSchema(schema as never, 'input')).toBe(schema)
})
