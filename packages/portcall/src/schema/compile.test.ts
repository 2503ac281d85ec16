import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import Type from 'typebox'
import { Settings } from 'typebox/system'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { compileSchema } from './compile.ts'
import { SchemaError } from './errors.ts'
import type { Infer, InferInput, ParseResult, Schema } from './standard.ts'

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const

const libraries: { name: string; schema: Schema }[] = [
  { name: 'zod', schema: z.object({ city: z.string() }) },
  { name: 'valibot', schema: toStandardJsonSchema(v.object({ city: v.string() })) },
  { name: 'arktype', schema: type({ city: 'string' }) },
  { name: 'typebox', schema: Type.Object({ city: Type.String() }) },
  { name: 'plain', schema: city },
]

const REPETITIONS = 8

/** Compiles a schema. Each value is parsed until code is generated for it, and all results must be the same. */
function compile(...args: Parameters<typeof compileSchema>): Pick<ReturnType<typeof compileSchema>, 'json' | 'parse'> {
  const { json, parse } = compileSchema(...args)
  const parseRepeatedly = async (value: unknown): Promise<ParseResult<unknown>> => {
    const result = await parse(value)
    for (let count = 1; count < REPETITIONS; count++) expect(await parse(value)).toEqual(result)
    return result
  }
  return { json, parse: parseRepeatedly }
}

describe.each(libraries)('compileSchema with $name', ({ schema }) => {
  it('returns the JSON Schema of the input and of the output', () => {
    for (const use of ['input', 'output'] as const) expect(compileSchema(schema, use).json).toMatchObject(city)
  })

  it('accepts valid values, and reports where others are invalid', async () => {
    const { parse } = compile(schema, 'input')
    expect(await parse({ city: 'Oslo' })).toEqual({ value: { city: 'Oslo' } })
    const { issues } = await parse({ city: 7 })
    expect(issues).toEqual([{ path: ['city'], message: expect.stringMatching(/string/i) }])
  })
})

describe('compileSchema', () => {
  it('is synchronous except while the validator is being loaded', async () => {
    const { parse } = compileSchema(city, 'input')
    const result = { value: { city: 'Oslo' } }
    for (let count = 0; count < 3; count++) expect(parse({ city: 'Oslo' })).toEqual(result)
    expect(parse({ city: 'Oslo' })).toBeInstanceOf(Promise)
    await parse({})
    expect(parse({ city: 'Oslo' })).toEqual(result)
  })

  it('runs transforms and asynchronous checks of a library', async () => {
    const schema = z.object({
      n: z
        .string()
        .transform(Number)
        .refine(async (n) => n > 1),
    })
    const { parse } = compile(schema, 'input')
    expect(await parse({ n: '7' })).toEqual({ value: { n: 7 } })
    expect((await parse({ n: '1' })).issues).toHaveLength(1)
    expectTypeOf<Infer<typeof schema>>().toEqualTypeOf<{ n: number }>()
    expectTypeOf<InferInput<typeof schema>>().toEqualTypeOf<{ n: string }>()
  })

  it('returns values of plain JSON Schema unchanged: no defaults, no coercion', async () => {
    const { parse } = compile({ type: 'object', properties: { a: { type: 'number', default: 1 } } }, 'input')
    const value = {}
    expect(await parse(value)).toEqual({ value: {} })
    expect((await parse({ a: '1' })).issues).toHaveLength(1)
  })

  it('keeps refinements of TypeBox', async () => {
    const { parse } = compile(
      Type.Refine(
        Type.Number(),
        (n) => n % 2 === 0,
        () => 'odd',
      ),
      'input',
    )
    expect(await parse(2)).toEqual({ value: 2 })
    expect((await parse(3)).issues).toHaveLength(1)
  })

  it('is not affected by later changes of the schema object', async () => {
    const schema = { type: 'object', required: ['a'] }
    const { parse, json } = compile(schema, 'input')
    schema.required = []
    expect(json.required).toEqual(['a'])
    expect((await parse({})).issues).toEqual([{ path: ['a'], message: 'required' }])
  })

  it('reports what to change if a library does not provide its JSON Schema', () => {
    expect(() => compileSchema(v.object({}) as unknown as Schema, 'input')).toThrow(/toStandardJsonSchema/)
    expect(() => compileSchema(z.object({ at: z.date() }), 'input')).toThrow(SchemaError)
    expect(() => compileSchema(undefined as unknown as Schema, 'input')).toThrow(SchemaError)
  })

  it('does not confuse names like __proto__ and constructor with inherited members', async () => {
    const schema = {
      type: 'object',
      properties: JSON.parse('{"__proto__":{"type":"number"},"constructor":{"type":"number"}}'),
      required: ['constructor'],
    }
    const { parse } = compile(schema, 'input')
    expect((await parse({})).issues).toEqual([{ path: ['constructor'], message: 'required' }])
    expect((await parse(JSON.parse('{"__proto__":"x","constructor":1}'))).issues).toHaveLength(1)
    expect(await parse({ constructor: 1 })).toEqual({ value: { constructor: 1 } })
  })

  it('does not execute hostile texts in a schema', async () => {
    const evil = '`${globalThis.hit = 1}`"\'\\\n\u2028*/ ]) || (globalThis.hit = 1) //'
    const properties = { [evil]: { const: evil, description: evil } }
    const { parse } = compile(
      { type: 'object', properties, required: [evil], patternProperties: { [evil.slice(-3)]: true }, enum: [{ [evil]: evil }] },
      'input',
    )
    expect(await parse({ [evil]: evil })).toHaveProperty('value')
    expect(await parse({ [evil]: 1 })).toHaveProperty('issues')
    expect(globalThis).not.toHaveProperty('hit')
  })

  it('reports an issue if a value is nested too deeply for a recursive schema', async () => {
    const { parse } = compile({ $defs: { n: { properties: { n: { $ref: '#/$defs/n' } } } }, $ref: '#/$defs/n' }, 'input')
    let value: unknown = {}
    for (let depth = 0; depth < 50_000; depth++) value = { n: value }
    expect((await parse(value)).issues).toEqual([{ path: [], message: expect.stringContaining('nested too deeply') }])
  })
})

describe('compileSchema where code cannot be generated', () => {
  it.each([true, false])('returns the same results, trusted: %s', async (trusted) => {
    const schema = {
      $defs: { s: { type: 'string', pattern: '^a' } },
      properties: { a: { $ref: '#/$defs/s' } },
      unevaluatedProperties: false,
    }
    Settings.Set({ useAcceleration: false })
    try {
      const { parse } = compile(schema, 'input', { trusted })
      expect(await parse({ a: 'a' })).toHaveProperty('value')
      expect((await parse({ a: 'b' })).issues?.[0]).toEqual({ path: ['a'], message: 'expected to match "^a", got "b"' })
      expect((await parse({ b: 1 })).issues).toEqual([{ path: ['b'], message: 'not a known property' }])
    } finally {
      Settings.Reset()
    }
  })
})

describe('compileSchema with an untrusted schema', () => {
  const hostile = `${'a'.repeat(60_000)}!`

  it('runs patterns in linear time', async () => {
    const { parse, json } = compile({ type: 'string', pattern: '^(a+)+$' }, 'output', { trusted: false })
    const start = performance.now()
    expect((await parse(hostile)).issues?.[0]?.message).toMatch(/expected to match "\^\(a\+\)\+\$"/)
    expect(await parse('aaa')).toEqual({ value: 'aaa' })
    expect(performance.now() - start).toBeLessThan(10_000)
    expect(json.pattern).toBe('^(a+)+$')
  })

  it('does not check patterns that RE2 does not support', async () => {
    const lookahead = compileSchema({ pattern: '^(?=a)(a+)+$' }, 'output', { trusted: false })
    expect(await lookahead.parse(hostile)).toHaveProperty('value')
    const { parse } = compile({ patternProperties: { '^(?=a)(a+)+$': false }, additionalProperties: false }, 'output', {
      trusted: false,
    })
    expect(await parse({ [hostile]: 1 })).toHaveProperty('value')
  })

  describe('patternProperties', () => {
    const schema = {
      $defs: { n: { $anchor: 'n', type: 'number' }, name: { patternProperties: { '^n': { $ref: '#n' } } } },
      type: 'object',
      properties: {
        plain: { type: 'string' },
        named: {
          properties: { fixed: {} },
          patternProperties: {
            '^x-': { type: 'object', properties: { 'a/b': { $ref: '#/$defs/n' }, again: { $ref: '#' } } },
            '^(a+)+$': false,
            _count$: { $ref: '#n' },
            '^(?:[^x]|x(?!-))*_id$': { type: 'string' },
          },
          additionalProperties: false,
        },
        open: { patternProperties: { '^s': { type: 'string' }, '^sn': true }, additionalProperties: { $ref: '#/$defs/name' } },
      },
    }
    const supported = structuredClone(schema)
    Reflect.deleteProperty(supported.properties.named.patternProperties, '^(?:[^x]|x(?!-))*_id$')
    const values: readonly unknown[] = [
      {},
      { plain: 1 },
      { named: [] },
      { named: { fixed: 1, 'x-1': {}, total_count: 3 } },
      { named: { 'x-1': { 'a/b': 'text' } } },
      { named: { 'x-1': { again: { plain: 1 } } } },
      { named: { 'x-1': { again: { named: { other: 1 } } } } },
      { named: { aaa: 1 } },
      { named: { total_count: '3' } },
      { named: { toString: 1, __proto__x: 1 } },
      { named: { other: 1, another: 2 } },
      { open: { s: 1 } },
      { open: { sn: 1 } },
      { open: { other: { n: 'text', m: 'text' } } },
      { open: { other: { n: 1 } } },
    ]

    it.each(values.map((value) => [JSON.stringify(value), value]))(
      'are checked like those of a trusted schema: %s',
      async (_, value) => {
        for (const $id of [undefined, 'https://example.com/a.json']) {
          const document = $id === undefined ? supported : { $id, ...supported }
          const trusted = await compile(document, 'input').parse(value)
          const { issues, ...rest } = await compile(document, 'input', { trusted: false }).parse(value)
          const byPath = (all = issues): string[] | undefined =>
            all?.map(({ path, message }) => `${path.join('/')}: ${message}`).sort()
          expect(byPath()).toEqual(byPath(trusted.issues))
          if (!issues) expect(rest).toEqual({ value })
        }
      },
    )

    it('match names in linear time', async () => {
      const { parse } = compile(schema, 'input', { trusted: false })
      const start = performance.now()
      expect(await parse({ named: { [hostile]: 1, [hostile.slice(1)]: 2 } })).toHaveProperty('value')
      expect((await parse({ named: { [hostile.slice(0, -1)]: 1 } })).issues?.[0]?.message).toBe('not allowed')
      expect(performance.now() - start).toBeLessThan(10_000)
    })

    it('allow names that a pattern without a linear form may match, and check the others', async () => {
      const { parse } = compile(schema, 'input', { trusted: false })
      expect(await parse({ named: { other_id: 1, unknown: 1 } })).toHaveProperty('value')
      expect((await parse({ named: { unknown: 1, total_count: '3' } })).issues).toEqual([
        { path: ['named', 'total_count'], message: 'expected number, got "3"' },
      ])
    })

    it('bound the work', async () => {
      const patterns = (count: number): object =>
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`^p${n}`, { maxLength: n }]))
      const many = compile({ patternProperties: patterns(1001) }, 'input', { trusted: false })
      await expect((async () => many.parse({}))()).rejects.toThrow('0 references and 1001 patterns of property names')
      const { parse } = compile({ patternProperties: patterns(900) }, 'input', { trusted: false })
      const names = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`q${n}`, n]))
      expect((await parse(names)).issues?.[0]?.message).toMatch(/too many steps/)
      expect((await parse({ p7: 'x'.repeat(8) })).issues).toEqual([{ path: ['p7'], message: 'expected a length of at most 7' }])
    })
  })

  it('limits references that multiply', async () => {
    const $defs: Record<string, unknown> = { d22: { type: 'string' } }
    for (let n = 0; n < 22; n++) $defs[`d${n}`] = { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] }
    const { parse } = compile({ $defs, $ref: '#/$defs/d0' }, 'output', { trusted: false })
    expect((await parse(7)).issues).toEqual([{ path: [], message: 'does not match the schema' }])
    expect((await parse('x')).issues?.[0]?.message).toMatch(/too many steps/)
  })

  it('limits the number of references, and follows a long chain of them', async () => {
    const chain = (length: number): Record<string, unknown> => {
      const links = Array.from({ length }, (_, n) => [`d${n}`, { properties: { next: { $ref: `#/$defs/d${n + 1}` } } }])
      return {
        $defs: Object.fromEntries([...links, [`d${length}`, {}]]),
        properties: { next: { $ref: '#/$defs/d0' } },
        type: 'object',
      }
    }
    await expect(compileSchema(chain(1000), 'output', { trusted: false }).parse({})).rejects.toThrow(SchemaError)
    for (const trusted of [true, false]) {
      const { parse } = compile(chain(900), 'output', { trusted })
      expect(await parse({ next: { next: {} } })).toHaveProperty('value')
      expect(await parse(1)).toHaveProperty('issues')
    }
  })

  it('limits recursion that doubles with each level of the value', async () => {
    const again = { items: { $ref: '#' } }
    const { parse } = compile({ allOf: [again, again], type: ['array', 'null'] }, 'output', { trusted: false })
    let value: unknown = null
    for (let level = 0; level < 60; level++) value = [value]
    expect((await parse(value)).issues?.[0]?.message).toMatch(/too many steps/)
    expect(await parse([[null], []])).toHaveProperty('value')
  })

  it('resolves references like a trusted schema', async () => {
    const schema = {
      $defs: { n: { $anchor: 'n', type: 'object', properties: { next: { $ref: '#n' } } } },
      $ref: '#/$defs/n',
      unevaluatedProperties: false,
    }
    const { parse } = compile(schema, 'output', { trusted: false })
    expect(await parse({ next: { next: {} } })).toHaveProperty('value')
    expect((await parse({ next: { next: 1 } })).issues?.[0]).toEqual({
      path: ['next', 'next'],
      message: 'expected object, got 1',
    })
    expect((await parse({ other: 1 })).issues).toEqual([{ path: ['other'], message: 'not a known property' }])
  })
})
