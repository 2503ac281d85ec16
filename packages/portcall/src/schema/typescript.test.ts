import { expect, test } from 'vitest'
import { typeOfSchema } from './typescript.ts'

test.each<[string, object]>([
  [
    '[string, number, ...Array<boolean>]',
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: { type: 'boolean' } },
  ],
  ['[string, ...Array<number>]', { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'number' } }],
  ['[string]', { type: 'array', prefixItems: [{ type: 'string' }], items: false }],
  ['{ a?: string; b: unknown }', { type: 'object', properties: { a: { type: 'string' } }, required: ['b'] }],
  [
    '{ a: string; [key: string]: unknown }',
    { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], patternProperties: { '^x-': {} } },
  ],
  [
    '{ [key: string]: number }',
    { type: 'object', patternProperties: { '^x-': { type: 'number' } }, additionalProperties: false },
  ],
  ['{ [key: string]: unknown }', { type: 'object', patternProperties: { '^x-': { type: 'number' } } }],
  ['{ [key: string]: never }', { type: 'object', additionalProperties: false }],
  ['("a" | [1, null] | { b: 2 })', { enum: ['a', [1, null], { b: 2 }] }],
])('the type %s', (expected, schema) => {
  expect(typeOfSchema(schema)).toBe(expected)
})
