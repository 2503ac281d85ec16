import { expect, test } from 'vitest'
import { countHeader, lowerCaseNames } from './header-names.ts'

test.each([
  [[], 0],
  [['Host', 'a'], 1],
  [['Host', 'a', 'HOST', 'b', 'hosts', 'c'], 2],
  [['X-Name', 'host', 'Host', 'host'], 1],
])('%j has %d hosts', (rawHeaders, count) => {
  expect(countHeader(rawHeaders, 'host')).toBe(count)
  expect(countHeader(rawHeaders, 'HOST')).toBe(count)
})

test('names are in lower case, and the last of equal ones counts', () => {
  expect(lowerCaseNames({ Authorization: 'a', 'X-One': '1', authorization: 'b' })).toEqual({ authorization: 'b', 'x-one': '1' })
})
