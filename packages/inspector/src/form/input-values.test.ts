import { expect, test } from 'vitest'
import { isSelection, numberProblem, readNumber } from './input-values.ts'

test.each([
  ['', undefined, undefined],
  ['12', 12, undefined],
  [' -1.5e3 ', -1500, undefined],
  ['.5', 0.5, undefined],
  ['+7', 7, undefined],
  ['9007199254740991', 9007199254740991, undefined],
  ['9007199254740993', 9007199254740992, '9007199254740993 cannot be sent exactly: it becomes 9007199254740992'],
  ['x', undefined, 'x is not a number'],
  ['-', undefined, '- is not a number'],
  ['0x10', undefined, '0x10 is not a number'],
  ['0b11', undefined, '0b11 is not a number'],
  ['1,5', undefined, '1,5 is not a number'],
  ['1_000', undefined, '1_000 is not a number'],
  ['Infinity', undefined, 'Infinity is not a number'],
  ['1e999', undefined, '1e999 is not a number'],
])('the text %j of a number is sent as %j', (text, number, problem) => {
  expect(readNumber(text)).toBe(number)
  expect(numberProblem(text)?.message).toBe(problem)
})

test.each([
  [undefined, true],
  [[], true],
  [['b', 'a'], true],
  [['a', 'a'], false],
  [['c'], false],
  ['a', false],
])('checkboxes can show %j: %j', (value, expected) => {
  const options = ['a', 'b'].map((option) => ({ value: option, label: option }))
  expect(isSelection(options, value)).toBe(expected)
})
