import { describe, expect, it } from 'vitest'
import { compileSchema } from './compile.ts'

async function issuesOf(schema: Record<string, unknown>, value: unknown): Promise<string[]> {
  const { issues = [] } = await compileSchema(schema, 'input').parse(value)
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

describe('issues', () => {
  const cases: [string, Record<string, unknown>, unknown, string[]][] = [
    ['type', { type: 'string' }, 7, [': expected string, got 7']],
    ['union of types', { type: ['string', 'null'] }, [1], [': expected string or null, got an array of 1']],
    ['alternatives of types', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 7, [': expected string or null, got 7']],
    ['enum', { enum: ['a', 'b'] }, 'c', [': expected one of "a", "b", got "c"']],
    ['required', { required: ['a', 'b/c'] }, {}, ['a: required', 'b/c: required']],
    ['unknown', { properties: { a: {} }, additionalProperties: false }, { a: 1, b: 2 }, ['b: not a known property']],
    [
      'nested',
      { properties: { a: { items: { properties: { b: { minimum: 3 } } } } } },
      { a: [{ b: 3 }, { b: 1 }] },
      ['a.1.b: expected at least 3, got 1'],
    ],
    ['format', { format: 'email' }, 'x', [': expected format email, got "x"']],
    ['pattern', { pattern: '^a' }, 'x', [': expected to match "^a", got "x"']],
    ['oneOf, two match', { oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, [': matches more than one of the alternatives, got 3']],
    ['not', { not: {} }, 3, [': not allowed, got 3']],
  ]
  it.each(cases)('state what was expected: %s', async (_name, schema, value, expected) => {
    expect(await issuesOf(schema, value)).toEqual(expected)
  })

  it('TOOL: truncate large values, and are limited in number', async () => {
    const [first = ''] = await issuesOf({ enum: Array.from({ length: 500 }, (_, n) => `choice ${n}`) }, 'x'.repeat(100_000))
    expect(first.length).toBeLessThan(300)
    expect((await issuesOf({ required: Array.from({ length: 500 }, (_, n) => `p${n}`) }, {})).length).toBeLessThanOrEqual(20)
  })
})
