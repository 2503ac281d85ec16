import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isJsonEqual } from './json-equal.ts'

const EQUAL: ReadonlyArray<[unknown, unknown]> = [
  [
    { a: 1, b: [{ c: null }] },
    { b: [{ c: null }], a: 1, d: undefined },
  ],
  [[{}], [{}]],
  [0, -0],
  [Number.NaN, Number.NaN],
]
const DIFFERENT: ReadonlyArray<[unknown, unknown]> = [
  [{ a: 1 }, { toString: 1 }],
  [{ a: undefined, b: 1 }, { a: 1 }],
  [[1], [1, 2]],
  [[undefined], []],
  [[], {}],
  [null, {}],
  ['1', 1],
]

test.each(EQUAL)('%j equals %j', (left, right) => {
  expect([isJsonEqual(left, right), isJsonEqual(right, left)]).toEqual([true, true])
})

test.each(DIFFERENT)('%j does not equal %j', (left, right) => {
  expect([isJsonEqual(left, right), isJsonEqual(right, left)]).toEqual([false, false])
})

test('a value equals its copy, and differs from other JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
      expect(isJsonEqual(value, JSON.parse(JSON.stringify(value)))).toBe(true)
      if (JSON.stringify(value) !== JSON.stringify(other) && typeof value !== 'object')
        expect(isJsonEqual(value, other)).toBe(Object.is(value, -0) && other === 0)
    }),
  )
})
