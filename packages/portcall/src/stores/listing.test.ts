import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareKeys } from './listing.ts'

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('a', '\ud7ff', '\ue000', '\uffff', '\u{10000}'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
})

test('keys are in the order of their UTF-8 bytes', () => {
  fc.assert(
    fc.property(text, text, (left, right) => {
      expect(Math.sign(compareKeys(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)))
    }),
  )
})
