import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exceedsDepth } from '../jsonrpc/message.ts'
import { shortenDeepItems } from './deep-items.ts'

const nested = (levels: number, inner: unknown = 1): unknown => (levels === 0 ? inner : { a: nested(levels - 1, inner) })
const response = (result: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, result })
const shorten = (text: string, max = 20): unknown => {
  const shortened = shortenDeepItems(text, max)
  if (shortened === undefined) return undefined
  expect(exceedsDepth(shortened, max)).toBe(false)
  return JSON.parse(shortened)
}

describe('shortenDeepItems', () => {
  test.each([
    ['tools', 'name'],
    ['resources', 'uri'],
    ['resourceTemplates', 'uriTemplate'],
    ['prompts', 'name'],
  ])('replaces items of %s that nest too deeply with their names', (list, member) => {
    const item = (name: string, levels: number) => ({ before: [{}], [member]: name, deep: nested(levels), after: 'x' })
    const items = [item('one', 1), item('"t\\wo"', 30), item('three', 16), item('four', 3000)]
    expect(shorten(response({ more: { a: [1] }, [list]: items, nextCursor: 'c' }))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { more: { a: [1] }, [list]: [items[0], '"t\\wo"', items[2], 'four'], nextCursor: 'c' },
    })
  })

  test('names nothing that is not a string of the item itself', () => {
    const items = [{ deep: nested(30, { name: 'inner' }) }, { name: { uri: 'x' }, deep: nested(30) }, [nested(30)]]
    expect(shorten(response({ tools: items }))).toMatchObject({ result: { tools: ['', '', ''] } })
  })

  test.each([
    ['another member of the result', response({ structuredContent: nested(30) })],
    ['a list with another name', response({ content: [{ type: 'text', text: nested(30) }] })],
    ['an object with the name of a list', response({ tools: { tools: nested(30) } })],
    ['an error', JSON.stringify({ jsonrpc: '2.0', id: 1, error: { tools: [nested(30)] } })],
    ['a batch', `[${response({ tools: [nested(30)] })}]`],
  ])('does not shorten %s', (_, text) => {
    expect(shorten(text)).toBeUndefined()
  })

  test('leaves texts that are not too deep unchanged', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (json) => {
        const text = `{"result":{"tools":[${json}]}}`
        expect(shortenDeepItems(text, 100)).toBe(text)
      }),
    )
  })

  test('keeps all other items, whatever they contain', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ maxDepth: 4 })),
        fc.array(fc.nat(9), { minLength: 1, maxLength: 5 }),
        (values, places) => {
          const items = [...values] as unknown[]
          for (const at of places) items.splice(at, 0, { name: '}]"', x: nested(40) })
          const kept = items.map((item) => (values.includes(item as never) ? item : '}]"'))
          expect(shorten(response({ tools: items }), 30)).toEqual(JSON.parse(response({ tools: kept })))
        },
      ),
    )
  })

  test('takes linear time', () => {
    const deep = `{"name":"x","a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`
    expect(shorten(`{"result":{"tools":[${deep},${deep}]}}`)).toEqual({ result: { tools: ['x', 'x'] } })
  })

  test('returns something for text that is not JSON, too', () => {
    fc.assert(fc.property(fc.string(), (text) => void shortenDeepItems(`{"result":{"tools":[{"a":${text}`, 5)))
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('{', '[', ']', '}', '"', '\\', ':', ',')),
        (parts) => void shortenDeepItems(parts.join(''), 3),
      ),
    )
  })
})
