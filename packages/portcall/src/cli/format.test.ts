import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sanitize, sanitizeLine } from './format.ts'

const controlText = fc.string({
  unit: fc.constantFrom('\u001b', '\u009b', '\u0007', '\r', '\n', '\t', '\u202e', '\u2066', '\u007f', '[2J', 'a', 'é', '漢'),
})

test('sanitize removes everything that controls a terminal', () => {
  fc.assert(
    fc.property(controlText, (text) => {
      expect(sanitize(text)).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u)
      expect(sanitizeLine(text)).not.toMatch(/\n/)
      expect(sanitize(sanitize(text))).toBe(sanitize(text))
    }),
  )
})

test('sanitize preserves other text', () => {
  const printable = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\t', 'é', '漢', '😀', '\\') })
  fc.assert(fc.property(printable, (text) => void expect(sanitize(text)).toBe(text)))
})
