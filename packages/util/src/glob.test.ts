import { expect, test } from 'vitest'
import { growthOf } from '../../portcall/test-kit/growth.ts'
import { matchesGlob } from './glob.ts'

test.each([
  ['/pets', '/pets', true],
  ['/pets/1', '/pets', false],
  ['/pets/1', '/pets/*', true],
  ['/pets/', '/pets/*', true],
  ['/pets/1/toys', '/pets/*', false],
  ['/pets/1/toys', '/pets/**', true],
  ['/pets/1/toys', '/*/*/toys', true],
  ['/v1/a/b/end', '/v1/**/end', true],
  ['/v1/a.b', '/v1/a?b', false],
  ['', '*', true],
  ['aab', '*ab', true],
])('%j matches %j: %s', (text, pattern, isMatch) => {
  expect(matchesGlob(text, pattern)).toBe(isMatch)
})

test('takes linear time', () => {
  expect(
    growthOf(
      (text) => matchesGlob(text, '*a*a*a*b'),
      (size) => 'a'.repeat(size),
    ),
  ).toBeLessThan(3)
})
