import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plain, plainLine } from './plain.ts'

const steering = fc.string({
  unit: fc.constantFrom('\u001b', '\u009b', '\u0007', '\r', '\n', '\t', '\u202e', '\u2066', '\u007f', '[2J', 'a', 'é', '漢'),
})

test('nothing is left that a terminal would obey', () => {
  fc.assert(
    fc.property(steering, (text) => {
      expect(plain(text)).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u)
      expect(plainLine(text)).not.toMatch(/\n/)
      expect(plain(plain(text))).toBe(plain(text))
    }),
  )
})

test('other text stays as it is', () => {
  const harmless = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\t', 'é', '漢', '😀', '\\') })
  fc.assert(fc.property(harmless, (text) => void expect(plain(text)).toBe(text)))
})
