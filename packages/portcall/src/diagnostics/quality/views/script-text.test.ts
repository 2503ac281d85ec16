import { expect, test } from 'vitest'
import { growthOf, PIECES } from '../../../../test-kit/growth.ts'
import { readScript } from './script-text.ts'

const codeOf = (script: string): string => readScript(script).code.replaceAll(/\s+/g, ' ')
const valuesOf = (script: string): string[] => readScript(script).literals.map(({ value }) => value)

test.each([
  ['a // eval(1)\nb', 'a b'],
  ['a /* eval(1) */ b', 'a b'],
  ['f("eval(1)", \'x\')', 'f(" ", \' \')'],
  ['`eval(${eval(1)}) ${`in ${x}`} b` + c', '` ${eval(1)} ${` ${x}`} ` + c'],
  ['x = a / b / c; "d"', 'x = a / b / c; " "'],
  ['return /"/.test(x) && "d"', 'return .test(x) && " "'],
  ['if (a) /"/.test(x)', 'if (a) .test(x)'],
  ['f(a) / 2 + "/"', 'f(a) / 2 + " "'],
  ['x = /[/"]/g, y = 1', 'x = g, y = 1'],
  ['i++ / 2, "a/"', 'i++ / 2, " "'],
  ['x = / no end\n"a"', 'x = / no end " "'],
  ['"never ends\nf()', '" f()'],
])('the code of %j is %j', (script, code) => {
  expect(codeOf(script)).toBe(code)
  expect(readScript(script).code).toHaveLength(script.length)
})

test('literals have their places', () => {
  expect(valuesOf('f("a\\"b", `c${d}e`, "https:\\/\\/x")')).toEqual(['a\\"b', 'c', 'e', 'https://x'])
  expect(readScript('`a${b}c`').literals.map(({ isOpen }) => isOpen)).toEqual([true, false])
})

test.each([...PIECES, '/', '/[', '`', '${', '`${', '}', "'", '/*', '//', '\\"'])('many %j are read in linear time', (piece) => {
  expect(growthOf(readScript, (size) => piece.repeat(Math.ceil(size / piece.length)))).toBeLessThan(3)
})
