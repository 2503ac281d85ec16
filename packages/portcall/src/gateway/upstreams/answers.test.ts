import { expect, test } from 'vitest'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { reuseEqual } from './answers.ts'

const listOf = (...names: readonly string[]): Map<string, JsonObject> =>
  new Map(names.map((name) => [name, { name, inputSchema: { type: 'object', properties: { a: { type: 'string' } } } }]))

test('an equal list is the earlier one', () => {
  const earlier = listOf('a', 'b')
  expect(reuseEqual(listOf('a', 'b'), earlier)).toBe(earlier)
  expect(reuseEqual(earlier, undefined)).toBe(earlier)
})

test.each([
  ['another item', listOf('a', 'b', 'c'), ['a', 'b']],
  ['one item less', listOf('b'), ['b']],
  ['another order', listOf('b', 'a'), ['a', 'b']],
  ['a changed item', listOf('a').set('b', { name: 'b', inputSchema: {} }), ['a']],
])('a list with %s has its own items and order, with the earlier items in place of equal ones', (_, items, reused) => {
  const earlier = listOf('a', 'b')
  const list = reuseEqual(items, earlier)
  expect([...list]).toEqual([...items])
  for (const [name, item] of list) expect(item === earlier.get(name), name).toBe(reused.includes(name))
})
