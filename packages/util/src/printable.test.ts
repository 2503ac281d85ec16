import fc from 'fast-check'
import { expect, test } from 'vitest'
import { growthOf } from '../../portcall/test-kit/growth.ts'
import { cutText, escapeInvisible, sanitize, sanitizeLine, showInvisible } from './printable.ts'

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

test('a line stays one line, whatever it contains, and keeps its indentation', () => {
  expect(sanitizeLine('  bad\u001b[31m \n\n portcall: gateway: all servers healthy\r\n\u2028x\n')).toBe(
    '  bad\u241b[31m portcall: gateway: all servers healthy \\u2028x',
  )
})

test('a long line is cut, between characters, and says so', () => {
  expect(sanitizeLine(' '.repeat(200_000))).toBe(`${' '.repeat(4096)}… [195904 more characters]`)
  expect(cutText(`${'a'.repeat(9)}😀b`, 10)).toBe(`${'a'.repeat(9)}… [3 more characters]`)
})

const PIECES = [
  ' ',
  '\n',
  ' \n',
  '\t',
  '\r',
  '\r\n',
  '\u001b[',
  '\u009b',
  '\u202e',
  '\u200b',
  '\ud83d',
  '\ud83d\ude00',
  'a',
  'a ',
  '\\',
  '"',
  '<U+',
]

test.each([
  ['sanitize', sanitize],
  ['sanitizeLine', sanitizeLine],
  ['showInvisible', showInvisible],
  ['escapeInvisible', escapeInvisible],
])('%s takes linear time', (_, run) => {
  const slow = PIECES.filter((piece) => growthOf(run, (size) => `a${piece.repeat(size / piece.length)}b`) > 3)
  expect(slow).toEqual([])
})
