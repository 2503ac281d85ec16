import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { Issue } from '../schema/standard.ts'
import { InvalidResultError } from './errors.ts'
import { createOutputValidator, type OutputValidation } from './output-validation.ts'

const validate = async (schema: JsonObject, structuredContent: unknown, mode: OutputValidation = 'report') => {
  const reported: (readonly Issue[])[] = []
  const check = createOutputValidator({ tool: 'get', schema, mode, onMismatch: (issues) => void reported.push(issues) })
  const result = { content: [], structuredContent }
  const outcome: unknown = await check(result).catch((error: unknown) => error)
  return { outcome, result, reported }
}
const object = (a: unknown, more: object = {}): JsonObject => ({ type: 'object', properties: { a }, required: ['a'], ...more })

/** Schemas of other implementations, and values that they send all the same. */
const DETAILS: [name: string, schema: JsonObject, value: unknown][] = [
  ['a date-time without a zone', object({ type: 'string', format: 'date-time' }), { a: '2025-01-01T00:00:00' }],
  ['a URL that is no URI', object({ type: 'string', format: 'uri' }), { a: 'https://ex.com/?q=a|b' }],
  ['a format in an alternative', object({ anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] }), { a: 'no uri' }],
  ['a pattern without its flag', object({ type: 'string', pattern: '^abc$' }), { a: 'ABC' }],
  ['nullable of OpenAPI', object({ type: 'string', nullable: true }), { a: null }],
  ['nullable with an enum', object({ type: 'string', enum: ['x'], nullable: true }), { a: null }],
  ['limits', object({ type: 'string', minLength: 3, maxLength: 1 }), { a: 'ab' }],
  ['ranges', object({ type: 'number', minimum: 3 }), { a: 1 }],
  ['additional members', object({ type: 'string' }, { additionalProperties: false }), { a: 'x', b: 1 }],
  ['alternatives that overlap', object({ oneOf: [{ type: 'number' }, { type: 'integer' }] }), { a: 1 }],
]

describe('the details of a result', () => {
  test.each(DETAILS)('are reported, and the result is delivered: %s', async (_name, schema, value) => {
    const { outcome, result, reported } = await validate(schema, value)
    expect(outcome).toBe(result)
    expect(reported).toHaveLength(1)
    expect(reported[0]?.[0]?.message).toEqual(expect.any(String))
  })

  test.each(DETAILS)('are an error with the option strict: %s', async (_name, schema, value) => {
    const { outcome, result, reported } = await validate(schema, value, 'strict')
    expect(outcome).toBeInstanceOf(InvalidResultError)
    expect(outcome).toMatchObject({ result })
    expect(reported).toEqual([])
  })
})

test.each<[string, JsonObject, unknown]>([
  ['another type', object({ type: 'string', format: 'uri' }), { a: 1 }],
  ['a missing member', object({ type: 'string' }), {}],
  ['a value that is not in the enumeration', object({ enum: ['x'] }), { a: 'y' }],
  ['a value of a map', { type: 'object', additionalProperties: { type: 'number' } }, { a: 'x' }],
  ['no alternative', object({ anyOf: [{ type: 'string' }, { type: 'null' }] }), { a: 1 }],
])('another shape is an error that has the result: %s', async (_name, schema, value) => {
  const { outcome, result, reported } = await validate(schema, value)
  expect(outcome).toBeInstanceOf(InvalidResultError)
  expect(outcome).toMatchObject({
    result,
    issues: expect.arrayContaining([expect.objectContaining({ path: expect.any(Array) })]),
  })
  expect(reported).toEqual([])
})

test.each<[string, JsonObject, unknown]>([
  ['unknown keywords', object({ type: 'string', 'x-order': 1, discriminator: { propertyName: 'a' } }), { a: 'x' }],
  ['unknown formats', object({ type: 'string', format: 'int64' }), { a: 'x' }],
  ['a pattern that cannot be compiled', object({ type: 'string', pattern: '(?P<year>\\d{4})(?<!x' }), { a: 'x' }],
  ['definitions of draft-07', { definitions: { A: { type: 'string' } }, ...object({ $ref: '#/definitions/A' }) }, { a: 'x' }],
])('what a schema may contain is no mismatch: %s', async (_name, schema, value) => {
  const { outcome, result, reported } = await validate(schema, value)
  expect([outcome, reported]).toEqual([result, []])
})
