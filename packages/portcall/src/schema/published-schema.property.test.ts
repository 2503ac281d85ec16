/** Peers accept all values that a schema library accepts: they validate by the published JSON Schema, with Ajv in most cases. */
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { type } from 'arktype'
import fc from 'fast-check'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { compileSchema } from './compile.ts'
import type { Schema } from './standard.ts'

const ajv = new Ajv2020({ strict: false, logger: false })
formats.default(ajv)

const zod = z as unknown as Record<string, () => Schema>
const valibot = v as unknown as Record<string, () => unknown>
const text = (action: unknown): Schema => toStandardJsonSchema(v.pipe(v.string(), action as never)) as Schema
const each = <const N extends string>(names: readonly N[], create: (name: N) => Schema): Record<string, Schema> =>
  Object.fromEntries(names.map((name) => [name, create(name)]))

const ZOD: Record<string, Schema> = {
  ...each(
    [
      'email',
      'url',
      'httpUrl',
      'uuid',
      'guid',
      'emoji',
      'nanoid',
      'cuid',
      'cuid2',
      'ulid',
      'xid',
      'ksuid',
      'ipv4',
      'ipv6',
      'mac',
      'cidrv4',
      'cidrv6',
      'base64',
      'base64url',
      'e164',
      'jwt',
      'hostname',
      'hex',
    ],
    (name) => zod[name]!(),
  ),
  ...each(['date', 'time', 'datetime', 'duration'], (name) => z.iso[name]()),
  'local date-time': z.iso.datetime({ local: true }),
  'date-time with offset': z.iso.datetime({ offset: true }),
  'date-time without seconds': z.iso.datetime({ precision: -1 }),
  'flag i': z.string().regex(/^abc$/i),
  'flag s': z.string().regex(/^a.b$/s),
  'flag m': z.string().regex(/^a$/m),
  'flag u': z.string().regex(/^.$/u),
  'flag y': z.string().regex(/a/y),
  'code units': z.string().regex(/^..$/),
  'one source, two flags': z.string().regex(/a/).regex(/a/i),
  'character properties': z.string().regex(/^\p{L}+$/u),
  'look-behind': z.string().regex(/(?<=a)b/),
  escapes: z.string().regex(/^a-b$/),
  'lower case': z.string().lowercase(),
  includes: z.string().includes('a'),
  'trimmed first': z.string().trim().min(1).max(3),
  'trimmed last': z.string().max(5).trim(),
  'changed case': z
    .string()
    .regex(/^[A-Z]+$/)
    .toLowerCase(),
  'overwritten number': z
    .number()
    .max(3)
    .overwrite((value) => value + 100),
  'coerced number': z.coerce.number().min(1),
  'coerced text': z.coerce.string(),
  'coerced boolean': z.coerce.boolean(),
  preprocessed: z.preprocess(Number, z.number()),
  'caught error': z.string().min(3).catch(''),
  default: z.object({ a: z.string().min(3).default('') }),
  prefault: z.object({ a: z.string().prefault('x') }),
  optional: z.object({ a: z.string().nullish(), b: z.number().optional(), c: z.boolean().nullable() }),
  strict: z.strictObject({ a: z.string() }),
  strip: z.object({ a: z.string() }),
  loose: z.looseObject({ a: z.string() }),
  catchall: z.object({ a: z.string() }).catchall(z.number()),
  record: z.record(z.string(), z.number()),
  'record of keys': z.partialRecord(z.enum(['a', 'b']), z.number()),
  'record of numbers': z.record(z.number(), z.string()),
  'record of a pattern': z.record(z.string().regex(/^a/i), z.number()),
  'loose record': z.looseRecord(z.string().regex(/^a/i), z.number()),
  tuple: z.tuple([z.string(), z.number().optional()]),
  intersection: z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })),
  'discriminated union': z.discriminatedUnion('k', [
    z.object({ k: z.literal('a') }),
    z.object({ k: z.literal('b'), x: z.number() }),
  ]),
  union: z.union([z.url(), z.number(), z.null()]),
  codec: z.codec(z.string(), z.number(), { decode: (value) => value.length, encode: String }),
  'text of a boolean': z.stringbool(),
  'template literal': z.templateLiteral(['a', z.number()]),
  fraction: z.number().multipleOf(0.1),
  multiple: z.number().multipleOf(5),
  integer: z.int(),
  int32: z.int32(),
  float32: z.float32(),
  literals: z.literal(['a', 1, null]),
  enum: z.enum({ A: 1, B: 'x' }),
  branded: z.array(z.string()).max(2).brand('x'),
  refined: z.string().refine((value) => value.length > 1),
  piped: z.string().pipe(z.coerce.number()),
}

const VALIBOT: Record<string, Schema> = {
  ...each(
    [
      'email',
      'rfcEmail',
      'url',
      'uuid',
      'ipv4',
      'ipv6',
      'ip',
      'isoDate',
      'isoTime',
      'isoDateTime',
      'isoTimestamp',
      'isoTimeSecond',
      'isoWeek',
      'emoji',
      'base64',
      'hexColor',
      'digits',
      'decimal',
      'nanoid',
      'ulid',
      'cuid2',
      'mac',
      'slug',
    ],
    (name) => text(valibot[name]!()),
  ),
  'flag i': text(v.regex(/^abc$/i)),
  'two patterns': toStandardJsonSchema(v.pipe(v.string(), v.startsWith('a'), v.regex(/B/i))) as Schema,
  'trimmed first': toStandardJsonSchema(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(3))) as Schema,
  'trimmed last': toStandardJsonSchema(v.pipe(v.string(), v.maxLength(5), v.trim())) as Schema,
  checked: text(v.check((value) => value !== '')),
  branded: text(v.brand('x')),
  fallback: toStandardJsonSchema(v.fallback(v.number(), 1)) as Schema,
  tuple: toStandardJsonSchema(v.tuple([v.string(), v.optional(v.number())])) as Schema,
  'record of keys': toStandardJsonSchema(v.record(v.picklist(['a', 'b']), v.number())) as Schema,
  optional: toStandardJsonSchema(v.object({ a: v.string(), b: v.optional(v.number(), 3), c: v.nullish(v.string()) })) as Schema,
  strict: toStandardJsonSchema(v.strictObject({ a: v.string() })) as Schema,
  intersection: toStandardJsonSchema(v.intersect([v.object({ a: v.string() }), v.object({ b: v.number() })])) as Schema,
  fraction: toStandardJsonSchema(v.pipe(v.number(), v.multipleOf(0.1))) as Schema,
}

const ARKTYPE: Record<string, Schema> = {
  ...each(
    [
      'string.email',
      'string.url',
      'string.uuid',
      'string.date.iso',
      'string.date',
      'string.ip',
      'string.base64',
      'string.semver',
      'string.numeric',
      'string.regex',
      'string.trim',
      'string.lower',
      'string.capitalize',
      'string.numeric.parse',
      'number % 5',
      'number.integer',
      'string[] < 4',
    ],
    (name) => type(name as 'string') as Schema,
  ),
  'flag i': type(/^abc$/i) as Schema,
  'flag i in an object': type({ a: /^abc$/i }) as Schema,
  escapes: type(/^a-b$/) as Schema,
  deleted: type({ '+': 'delete', a: 'string' }) as Schema,
  narrowed: type('string').narrow((value) => value !== '') as Schema,
  tuple: type(['string', 'number?']) as Schema,
}

const TYPEBOX: Record<string, Schema> = {
  'flag i': Type.String({ pattern: /^abc$/i as never }),
  optional: Type.Object({ a: Type.Optional(Type.String()), b: Type.Union([Type.Number(), Type.Null()]) }),
}

const WORDS = [
  'abc',
  'ABC',
  'aBc',
  'a@b.co',
  'a@b-.com',
  'ſ@a.bc',
  'https://ex.com/?q=a|b',
  'https://münchen.de/ü',
  '2023-02-31',
  '2020-01-01T00:00',
  '2020-01-01T00:00Z',
  '2020-01-01T00:00:00Z',
  '2020-01-01T00:00:00',
  '2020-01-01 00:00',
  '12:30',
  '12:30:15',
  'P1.5D',
  'P1D',
  'PT0,5S',
  'fe80::1%eth0',
  '::1',
  '::ffff:1.2.3.4',
  '::ffff:1.2.3.4/96',
  '1.2.3.4',
  '#FFF',
  'a\nb',
  '😀',
  'a-b',
  ' abc ',
  '  a  ',
  'yes',
  '5',
  '',
  'a1',
  '550e8400-e29b-41d4-a716-446655440000',
  '550E8400-E29B-11D4-A716-446655440000',
  'aGVsbG8=',
  'aGVsbG8',
  '+4915123456789',
  'example.com',
  'a_b.c',
  'K',
  'ABC 1',
  'Abc\n',
  '2020-W10',
  'eyJhbGciOiJIUzI1NiJ9.e30.abc',
  '{"a":1}',
  '(',
  '\\-',
  '1.0.0-alpha',
  '0.5',
]

const leaf = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...WORDS) },
  fc.string({ maxLength: 5 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.integer({ min: -10, max: 10 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0.1, 0.3, 0.7, 1.1, 2 ** 53, 1e300, 3.5e38, true, false, null),
)
const members = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'k', 'x', 'A1', '1', '-1.5'), leaf, { maxKeys: 3 })
const shapes = fc.oneof(
  fc.record({ k: fc.constantFrom('a', 'b'), x: leaf, a: leaf }, { requiredKeys: [] }),
  fc.record({ a: fc.string(), b: fc.integer() }, { requiredKeys: [] }),
)
const value = fc.oneof({ weight: 6, arbitrary: leaf }, members, shapes, fc.array(leaf, { maxLength: 3 }))
const VALUES: readonly unknown[] = [...WORDS, ...fc.sample(value, { numRuns: 1500, seed: 1 })]

/** ArkType and Valibot accept arrays as objects; JSON Schema has no such type. */
const isArrayAsObject = (published: object, item: unknown): boolean =>
  Array.isArray(item) && 'type' in published && published.type === 'object'

const TABLES = { zod: ZOD, valibot: VALIBOT, arktype: ARKTYPE, typebox: TYPEBOX }
const ROWS = Object.entries(TABLES).flatMap(([library, table]) =>
  Object.entries(table).map(([name, schema]) => ({ library, name, schema })),
)

describe.each(['input', 'output'] as const)('%s', (use) => {
  test.each(ROWS)('$library: $name', async ({ schema }) => {
    const compiled = compileSchema(schema, use)
    const accepts = ajv.compile(compiled.json)
    const own = compileSchema(compiled.json as Schema, use)
    for (const item of VALUES) {
      const parsed = await compiled.parse(structuredClone(item))
      if (parsed.issues || parsed.value === undefined || isArrayAsObject(compiled.json, item)) continue
      const sent: unknown = JSON.parse(JSON.stringify(use === 'input' ? item : parsed.value))
      expect(
        accepts(sent),
        `${JSON.stringify(sent)}: ${ajv.errorsText(accepts.errors)} in ${JSON.stringify(compiled.json)}`,
      ).toBe(true)
      expect((await own.parse(sent)).issues).toBeUndefined()
    }
  })
})

test('the length of a text is published as it is declared for arguments, and so that every result passes', () => {
  const schema = z.object({ a: z.string().min(8) })
  expect(compileSchema(schema, 'input').json.properties).toEqual({ a: { type: 'string', minLength: 8 } })
  expect(compileSchema(schema, 'output').json.properties).toEqual({ a: { type: 'string', minLength: 4 } })
})

describe('ArkType types that no JSON value has', () => {
  test.each([
    ['Date', type({ when: 'Date' })],
    ['Date', type({ a: { b: 'Date[]' } })],
    ['File', type({ file: 'File' })],
    ['bigint', type({ n: 'bigint' })],
    ['Date', type('Date')],
  ])('are refused as input: %s', (name, schema) => {
    expect(() => compileSchema(schema as never, 'input')).toThrow(`no JSON value is a ${name}. Accept a text and convert it`)
    expect(() => compileSchema(schema as never, 'output')).not.toThrow()
  })

  test.each([
    ['converted from a text', type({ when: 'string.date.parse' })],
    ['one of several', type({ when: 'Date | string' })],
    ['next to anything', type({ when: 'unknown', 'other?': 'string | Date' })],
    ['anything', type({ when: 'unknown' })],
    ['lists and objects', type({ list: 'Array', object: 'object', 'empty?': 'null' })],
  ])('are accepted where another value fits: %s', (_, schema) => {
    expect(() => compileSchema(schema as never, 'input')).not.toThrow()
  })
})
