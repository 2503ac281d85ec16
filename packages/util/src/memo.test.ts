import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { isImmutable, markImmutable, memoize, stringify } from './memo.ts'

test('a value is computed once per purpose from an immutable object, and is immutable itself', () => {
  const value = markImmutable({ tools: [] })
  const compute = vi.fn(() => ({ computed: true }))
  const first = memoize(value, 'a', compute)
  expect(memoize(value, 'a', compute)).toBe(first)
  expect(memoize(value, 'b', compute)).not.toBe(first)
  expect(compute).toHaveBeenCalledTimes(2)
  expect(isImmutable(first)).toBe(true)
  expect(memoize(first, 'c', compute)).toBe(memoize(first, 'c', compute))
})

test('a value is computed every time from any other object', () => {
  const value = { tools: [] }
  const compute = vi.fn(() => ({ computed: true }))
  expect(memoize(value, 'a', compute)).not.toBe(memoize(value, 'a', compute))
  expect(compute).toHaveBeenCalledTimes(2)
  expect(isImmutable(value)).toBe(false)
})

test('only an immutable object is serialized once, and its text is the same', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const toJSON = vi.fn(() => value)
      const immutable = markImmutable({ toJSON })
      for (const object of [immutable, immutable]) expect(stringify(object)).toBe(JSON.stringify(value))
      expect(toJSON).toHaveBeenCalledTimes(1)
      const other = { toJSON }
      for (const object of [other, other]) expect(stringify(object)).toBe(JSON.stringify(value))
      expect(toJSON).toHaveBeenCalledTimes(3)
    }),
  )
})
