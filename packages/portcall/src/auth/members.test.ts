import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readFlag, readId, readList, readNumber, readScopeMember, readSeconds, readText } from './members.ts'

describe('members of foreign documents', () => {
  test.each([
    [readText, ' a ', 'a'],
    [readText, ' ', undefined],
    [readText, 1, undefined],
    [readNumber, '3600', 3600],
    [readNumber, '1e999', undefined],
    [readSeconds, -1, undefined],
    [readSeconds, '0', 0],
    [readId, 42, '42'],
    [readId, 2 ** 53, undefined],
    [readList, 'a  b', ['a', 'b']],
    [readList, ['a b', null], ['a b']],
    [readList, ['a', 1], undefined],
    [readScopeMember, ['a  b ', ' c', null], 'a b c'],
    [readScopeMember, '  ', undefined],
    [readFlag, 'true', true],
    [readFlag, 'yes', undefined],
  ] as const)('%o of %j', (read, value, expected) => {
    expect(read(value)).toEqual(expected)
  })

  test.each([readFlag, readId, readNumber, readScopeMember, readSeconds, readText])('%o returns a final form', (read) => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(read(read(value))).toEqual(read(value))
      }),
    )
  })
})
