import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareKeys, prefixEnd } from './listing.ts'

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('a', '\ud7ff', '\ue000', '\uffff', '\u{10000}'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
})

test('keys are sorted by their UTF-8 bytes', () => {
  fc.assert(
    fc.property(text, text, (left, right) => {
      expect(Math.sign(compareKeys(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)))
    }),
  )
})

test('exactly the keys with a prefix lie between the prefix and its end', () => {
  fc.assert(
    fc.property(text, text, (prefix, other) => {
      const end = prefixEnd(prefix)
      const isBefore = (key: string): boolean => end === null || compareKeys(key, end) < 0
      expect(isBefore(prefix + other)).toBe(true)
      expect(compareKeys(other, prefix) >= 0 && isBefore(other)).toBe(other.startsWith(prefix))
    }),
    {
      examples: [
        ['a\ud7ff', 'a\ue000'],
        ['\u{10ffff}', 'x'],
        ['a\u{10ffff}', 'b'],
      ],
    },
  )
})
