import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assemble } from './coerce.ts'
import { readPairs } from './pair.ts'

const name = fc.string({ minLength: 1 }).filter((text) => !/=|:$|^@/.test(text) && text !== '__proto__')
const plainText = fc.string().filter((text) => !text.startsWith('@'))
const schemaOf = (properties: object): { [key: string]: unknown } => ({ type: 'object', properties })
const read = async (words: string[], schema = {}): Promise<object> => assemble(await readPairs(words), schema)

describe('arguments', () => {
  test('name:=json is that value, of whatever type', async () => {
    await fc.assert(
      fc.asyncProperty(name, fc.jsonValue(), async (key, value) => {
        expect(await read([`${key}:=${JSON.stringify(value)}`])).toEqual({ [key]: JSON.parse(JSON.stringify(value)) })
      }),
    )
  })

  test('name=text is that text, without a schema and where text is wanted', async () => {
    await fc.assert(
      fc.asyncProperty(name, plainText, async (key, text) => {
        expect(await read([`${key}=${text}`])).toEqual({ [key]: text })
        expect(await read([`${key}=${text}`], schemaOf({ [key]: { type: 'string' } }))).toEqual({ [key]: text })
      }),
    )
  })

  test('numbers, booleans and lists come out of their text as the schema wants them', async () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value))
    await fc.assert(
      fc.asyncProperty(
        name,
        fc.oneof(finite, fc.boolean()),
        fc.array(fc.integer(), { minLength: 1 }),
        async (key, value, list) => {
          const single = schemaOf({ [key]: { type: typeof value } })
          expect(await read([`${key}=${value}`], single)).toEqual({ [key]: value })
          const several = schemaOf({ [key]: { type: 'array', items: { $ref: '#/$defs/n' } } })
          const schema = { ...several, $defs: { n: { type: 'integer' } } }
          expect(
            await read(
              list.map((one) => `${key}=${one}`),
              schema,
            ),
          ).toEqual({ [key]: list })
        },
      ),
    )
  })

  test('what cannot be read as its type stays text, for the check to name it', async () => {
    expect(await read(['n=x', 'b=yes'], schemaOf({ n: { type: 'integer' }, b: { type: 'boolean' } }))).toEqual({
      n: 'x',
      b: 'yes',
    })
  })

  test.each([['x'], ['=x'], [':=1'], ['a=1', 'a=2'], ['a:={'], ['@/no/such/file']])('%j is refused', async (...words) => {
    await expect(read(words)).rejects.toMatchObject({ ending: 'usage' })
  })
})
