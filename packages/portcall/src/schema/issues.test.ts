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
    ['values of others', { additionalProperties: { type: 'string' } }, { a: 1, b: 'x' }, ['a: expected string, got 1']],
    [
      'no others',
      { additionalProperties: false, maxProperties: 0 },
      { a: 1 },
      ['a: not a known property', ': expected at most this many properties: 0'],
    ],
    ['names', { propertyNames: { pattern: '^x' } }, { xa: 1, b: 2 }, ['b: not an allowed name: expected to match "^x", got "b"']],
    ['names that cannot be', { propertyNames: false }, { b: 2 }, ['b: not an allowed name']],
    [
      'then',
      { if: { required: ['a'] }, then: { required: ['b'] } },
      { a: 1 },
      [': does not match "then" of the schema, which applies because it matches "if"'],
    ],
  ]
  it.each(cases)('state what was expected: %s', async (_name, schema, value, expected) => {
    expect(await issuesOf(schema, value)).toEqual(expected)
  })

  const kind = (value: string, name: string): object => ({
    allOf: [{ properties: { [name]: { type: 'string' } }, required: [name] }],
    properties: { kind: { const: value } },
    required: ['kind'],
    additionalProperties: true,
  })
  const shapes = {
    anyOf: [{ $ref: '#/$defs/circle' }, kind('square', 'side'), { type: 'string' }],
    $defs: { circle: kind('circle', 'r') },
  }
  it.each<[string, unknown, string[]]>([
    ['the branch with the same constant', { kind: 'circle' }, ['r: required']],
    ['the other one', { kind: 'square', side: 1 }, ['side: expected string, got 1']],
    ['all constants', { kind: 'line' }, ['kind: expected one of "circle", "square", got "line"']],
    ['what all of them require', {}, ['kind: required']],
    ['the types', 7, [': expected object or string, got 7']],
  ])('of alternatives are those of the one that was meant: %s', async (_, value, expected) => {
    const object = { type: 'object' }
    const [first, second, third] = shapes.anyOf
    const schema = { ...shapes, anyOf: [{ ...object, ...first }, { ...object, ...second }, third] }
    const messages = await issuesOf(schema, value)
    expect(messages).toEqual(expected)
    const inside = await issuesOf({ $defs: schema.$defs, items: { oneOf: schema.anyOf } }, ['ok', value])
    expect(inside).toEqual(messages.map((text) => (text.startsWith(':') ? `1${text}` : `1.${text}`)))
  })

  it('say how many are left out, also beyond the limit of the validation library', async () => {
    const properties = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`p${n}`, { type: 'string' }]))
    const value = Object.fromEntries(Object.keys(properties).map((name) => [name, 1]))
    const messages = await issuesOf({ properties }, value)
    expect(messages).toHaveLength(20)
    expect(messages.at(-2)).toBe('p18: expected string, got 1')
    expect(messages.at(-1)).toBe(': and 31 more')
  })

  it('TOOL: truncate large values, and are limited in number', async () => {
    const [first = ''] = await issuesOf({ enum: Array.from({ length: 500 }, (_, n) => `choice ${n}`) }, 'x'.repeat(100_000))
    expect(first.length).toBeLessThan(300)
    expect((await issuesOf({ required: Array.from({ length: 500 }, (_, n) => `p${n}`) }, {})).length).toBeLessThanOrEqual(20)
  })
})
