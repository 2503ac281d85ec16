import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildArguments, readArguments } from './arguments.ts'

const name = fc.string({ minLength: 1 }).filter((text) => !/=|:$|^@/.test(text) && text !== '__proto__')
const plainText = fc.string().filter((text) => !text.startsWith('@'))
const schemaOf = (properties: object): { [key: string]: unknown } => ({ type: 'object', properties })
const read = async (words: string[], schema = {}): Promise<object> => buildArguments(await readArguments(words), schema)

describe('arguments', () => {
  test('name:=json is a value of any type', async () => {
    await fc.assert(
      fc.asyncProperty(name, fc.jsonValue(), async (key, value) => {
        expect(await read([`${key}:=${JSON.stringify(value)}`])).toEqual({ [key]: JSON.parse(JSON.stringify(value)) })
      }),
    )
  })

  test('name=text is a string, without a schema and where the schema allows one', async () => {
    await fc.assert(
      fc.asyncProperty(name, plainText, async (key, text) => {
        expect(await read([`${key}=${text}`])).toEqual({ [key]: text })
        expect(await read([`${key}=${text}`], schemaOf({ [key]: { type: 'string' } }))).toEqual({ [key]: text })
      }),
    )
  })

  test('text is converted to numbers, booleans and arrays where the schema requires them', async () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value))
    await fc.assert(
      fc.asyncProperty(
        name,
        fc.oneof(finite, fc.boolean()),
        fc.array(fc.integer(), { minLength: 1 }),
        async (key, value, items) => {
          const single = schemaOf({ [key]: { type: typeof value } })
          expect(await read([`${key}=${value}`], single)).toEqual({ [key]: value })
          const array = schemaOf({ [key]: { type: 'array', items: { $ref: '#/$defs/n' } } })
          const schema = { ...array, $defs: { n: { type: 'integer' } } }
          expect(
            await read(
              items.map((item) => `${key}=${item}`),
              schema,
            ),
          ).toEqual({ [key]: items })
        },
      ),
    )
  })

  test('text that cannot be converted stays a string', async () => {
    expect(await read(['n=x', 'b=yes'], schemaOf({ n: { type: 'integer' }, b: { type: 'boolean' } }))).toEqual({
      n: 'x',
      b: 'yes',
    })
  })

  test.each([['x'], ['=x'], [':=1'], ['a=1', 'a=2'], ['a:={'], ['@/no/such/file']])('%j is rejected', async (...words) => {
    await expect(read(words)).rejects.toMatchObject({ exitReason: 'usage' })
  })
})
