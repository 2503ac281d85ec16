import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fallbacksOf } from './coverage.ts'
import { type Field, fieldOf } from './field.ts'
import { problemsOf } from './problems.ts'
import type { JsonObject, Schema } from './schema.ts'
import {
  inexactNumbers,
  initialValue,
  jsonText,
  type Path,
  parseText,
  valueAt,
  variantOf,
  withRenamedMember,
  withValueAt,
} from './value.ts'

describe('values at a place', () => {
  test('unset, null and the empty text stay apart', () => {
    const value = { a: null, b: '' }
    expect([valueAt(value, ['a']), valueAt(value, ['b']), valueAt(value, ['c'])]).toEqual([null, '', undefined])
    expect(withValueAt(value, ['b'], undefined)).toEqual({ a: null })
    expect(Object.keys(withValueAt(value, ['c'], undefined) as JsonObject)).toEqual(['a', 'b'])
  })

  test('setting a member keeps the order of the others, and the value that was there before', () => {
    const value = { b: 1, a: { deep: [1, 2, 3] } }
    expect(JSON.stringify(withValueAt(value, ['b'], 2))).toBe('{"b":2,"a":{"deep":[1,2,3]}}')
    expect(JSON.stringify(withValueAt(value, ['a', 'deep', 1], undefined))).toBe('{"b":1,"a":{"deep":[1,3]}}')
    expect(JSON.stringify(withRenamedMember(value, 'b', 'c'))).toBe('{"c":1,"a":{"deep":[1,2,3]}}')
    expect(value).toEqual({ b: 1, a: { deep: [1, 2, 3] } })
  })

  test('a member that is named __proto__ is a member', () => {
    const value = withValueAt(JSON.parse('{"__proto__":1}'), ['x'], 2)
    expect(JSON.stringify(value)).toBe('{"__proto__":1,"x":2}')
    expect(JSON.stringify(withValueAt({}, ['__proto__', 'polluted'], true))).toBe('{"__proto__":{"polluted":true}}')
    expect(({} as JsonObject)['polluted']).toBeUndefined()
  })

  test('writing what was read changes nothing, at any place of any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const path of pathsOf(value)) expect(jsonText(withValueAt(value, path, valueAt(value, path)))).toBe(jsonText(value))
      }),
    )
  })
})

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [
    path,
    ...Object.entries(value).flatMap(([key, child]) => pathsOf(child, [...path, Array.isArray(value) ? Number(key) : key])),
  ]
}

describe('form and JSON', () => {
  test('form → JSON → form changes no byte', () => {
    fc.assert(
      fc.property(schemaArbitrary, (schema) => {
        const text = jsonText(initialValue(schema, schema))
        const parsed = parseText(text)
        expect(parsed.ok && jsonText(parsed.value)).toBe(text)
      }),
    )
  })

  test('editing one input and undoing it changes no byte', () => {
    fc.assert(
      fc.property(schemaArbitrary, fc.jsonValue(), (schema, other) => {
        const value = initialValue(schema, schema)
        for (const path of pathsOf(value)) {
          const edited = withValueAt(value, path, other)
          expect(jsonText(withValueAt(edited, path, valueAt(value, path)))).toBe(jsonText(value))
        }
      }),
    )
  })

  test('every generated schema has inputs for all that it describes', () => {
    fc.assert(
      fc.property(schemaArbitrary, (schema) => void expect(fallbacksOf(schema)).toEqual([])),
      { numRuns: 500 },
    )
  })

  test('no generated schema, however nested, makes the form throw', () => {
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (schema, value) => void problemsOf(value, schema as Schema)))
  })

  test('names the numbers that a request cannot hold exactly', () => {
    expect(inexactNumbers('{"id": 12345678901234567890, "text": "12345678901234567890", "ok": 9007199254740991}')).toEqual([
      '12345678901234567890',
    ])
  })

  test('says where a text stops being JSON', () => {
    expect(parseText('{"a": }')).toMatchObject({ ok: false })
    expect(parseText('  ')).toEqual({ ok: true, value: undefined })
  })
})

describe('initialValue', () => {
  test('sets what is required and leaves the rest unset, also where it has a default', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { default: 5 },
        c: { const: 'x' },
        d: { type: 'object', properties: { e: { const: 1 } }, required: ['e'] },
      },
      required: ['a', 'b', 'c', 'd'],
    }
    expect(initialValue(schema, schema)).toEqual({ b: 5, c: 'x', d: { e: 1 } })
    expect(initialValue({ ...schema, required: [] }, schema)).toEqual({})
  })

  test('ends for a schema that requires itself', () => {
    const schema = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }
    expect(JSON.stringify(initialValue(schema, schema)).length).toBeLessThan(200)
  })
})

describe('variantOf', () => {
  const root = {
    oneOf: [
      { properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['kind'] },
      { properties: { kind: { const: 'box' }, w: { type: 'number' } }, required: ['kind'] },
      { type: 'string' },
    ],
  }
  const field = fieldOf(root, root) as Field & { kind: 'variants' }

  test.each<[unknown, number]>([
    [{ kind: 'circle', r: 1 }, 0],
    [{ kind: 'box' }, 1],
    ['text', 2],
    [5, -1],
  ])('finds the alternative of %j', (value, index) => {
    expect(variantOf(field.variants, value, root)).toBe(index)
  })
})

describe('problemsOf', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 2, pattern: '^[a-z]+$' },
      age: { type: 'integer', minimum: 0 },
      tags: { type: 'array', items: { type: 'string' }, maxItems: 1 },
      level: { enum: ['low', 'high'] },
      note: { type: ['string', 'null'] },
    },
    required: ['name'],
    additionalProperties: false,
  }

  test.each<[unknown, Path, string]>([
    [{}, ['name'], 'is required'],
    [{ name: 'a' }, ['name'], 'must have at least 2 characters'],
    [{ name: 'AB' }, ['name'], 'must match ^[a-z]+$'],
    [{ name: 'ab', age: 1.5 }, ['age'], 'must be a whole number'],
    [{ name: 'ab', age: -1 }, ['age'], 'must be at least 0'],
    [{ name: 'ab', age: '1' }, ['age'], 'must be a number, not string'],
    [{ name: 'ab', tags: ['a', 'b'] }, ['tags'], 'must have at most 1 items'],
    [{ name: 'ab', tags: [5] }, ['tags', 0], 'must be text, not integer'],
    [{ name: 'ab', level: 'mid' }, ['level'], 'must be one of low, high'],
    [{ name: 'ab', extra: 1 }, ['extra'], 'is not in the schema'],
  ])('%j', (value, path, message) => {
    expect(problemsOf(value, schema)).toMatchObject([{ path, message }])
  })

  test('null and the empty text are values of their own', () => {
    expect(problemsOf({ name: 'ab', note: null }, schema)).toEqual([])
    expect(problemsOf({ name: 'ab', note: '' }, schema)).toEqual([])
    expect(problemsOf({ name: null }, schema)).toHaveLength(1)
  })

  test('does not run a pattern that could take forever', () => {
    expect(problemsOf('a'.repeat(40), { type: 'string', pattern: '^(a+)+$' })).toEqual([])
  })
})

/** Schemas as tools have them, in all the ways that are in use. */
const { schema: schemaArbitrary } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record(
      { type: fc.constant('string'), format: fc.constantFrom('email', 'uri', 'date-time', 'binary'), default: fc.string() },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constantFrom('number', 'integer'), minimum: fc.integer(), default: fc.integer() },
      { requiredKeys: ['type'] },
    ),
    fc.record({ type: fc.constantFrom('boolean', 'null') }),
    fc.record({ enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { minLength: 1 }) }),
    fc.record({ const: fc.jsonValue() }),
    fc.record({ type: fc.constant(['string', 'null']) }),
    fc.record(
      { type: fc.constant('array'), items: tie('schema'), uniqueItems: fc.boolean() },
      { requiredKeys: ['type', 'items'] },
    ),
    fc.record({ prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }), items: fc.constant(false) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 2, maxLength: 3 }) }),
    fc.record({ anyOf: fc.tuple(tie('schema'), fc.constant({ type: 'null' })) }),
    fc.record({ $ref: fc.constantFrom('#') }).map(() => ({ type: 'object', properties: { again: { $ref: '#' } } })),
    fc
      .tuple(fc.dictionary(fc.string(), tie('schema'), { maxKeys: 4 }), fc.boolean(), fc.boolean())
      .map(([properties, closed, all]) => ({
        type: 'object',
        properties,
        required: all ? Object.keys(properties) : [],
        ...(closed && { additionalProperties: false }),
      })),
  ),
}))
