import fc from 'fast-check'
import { expect, test } from 'vitest'
import { portablePattern } from './portable-pattern.ts'

test.each<[RegExp, string | undefined]>([
  [/^abc$/i, '^[Aa][Bb][Cc]$'],
  [/^[a-f0-9]+$/i, '^[a-fABCDEF0-9]+$'],
  [/^[^a-z]$/i, '^[^a-zA-Z]$'],
  [/k/iu, '[Kk\u212A]'],
  [/a.b/s, 'a[\\s\\S]b'],
  [/^a$/m, undefined],
  [/a/y, '^(?:a)'],
  [/a/g, 'a'],
  [/^a-b_\/c$/, '^a-b_\\/c$'],
  [/^[\w-]+$/, '^[\\w\\-]+$'],
  [/a{2}{/, 'a{2}\\{'],
  [/]}/, '\\]\\}'],
  [/(?<name>a)b/, '(a)b'],
  [/(a)\1/, '(a)\\1'],
  [/(a)\1/i, undefined],
  [/(?<!a)b/, undefined],
  [/\p{L}/u, undefined],
  [/\u{1F600}/u, undefined],
  [/^..$/, undefined],
  [/^.{2}$/, undefined],
  [/^(?:.|\n){2,}$/, undefined],
  [/^\S+@\S+\.\S+$/, '^\\S+@\\S+\\.\\S+$'],
  [/ä/i, undefined],
])('%s is published as %s', (expression, pattern) => {
  expect(portablePattern(expression)).toBe(pattern)
})

const EXPRESSIONS = [
  /^abc$/i,
  /^[a-f]+$/i,
  /^[^a-f]+$/i,
  /k/iu,
  /a.b/s,
  /^.$/,
  /^[\w-]+$/,
  /^[\d-x]+$/,
  /^\S+@\S+\.\S+$/,
  /^x{,3}$/,
  /\bword\b/i,
  /(a)\1/,
  /a|^b/y,
  /\x41B/,
  /[A-z]/i,
  /^(?:a|b){2}$/,
  /^\d{3,}(?=x)/,
  /[.*+?^${}()|[\]\\]/,
  /^(?!\.)(?!.*\.\.)[a-z]+$/i,
  /[\b]/,
  /^[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}$/i,
  /^#?([a-f0-9]{6}|[a-f0-9]{3})$/i,
]

test('a published pattern matches what its expression matches, with and without the flag u', () => {
  const unit = fc.constantFrom(...'abcdefkKsSxX_-.@/\n\r 0159{}]^$A[Zzwordäà', '😀', '\u212A', '\u017F')
  const text = fc.oneof(fc.string({ unit, maxLength: 8 }), fc.string({ unit: 'binary', maxLength: 5 }))
  for (const expression of EXPRESSIONS) {
    const pattern = portablePattern(expression) ?? expect.unreachable()
    const [plain, unicode] = [new RegExp(pattern), new RegExp(pattern, 'u')]
    fc.assert(
      fc.property(text, (value) => {
        expression.lastIndex = 0
        if (expression.test(value)) expect([plain.test(value), unicode.test(value)]).toEqual([true, true])
        else expect(plain.test(value)).toBe(false)
      }),
      { numRuns: 300 },
    )
  }
})

test('a set of sets has no pattern', () => {
  const flags = ['v'].join('')
  expect(portablePattern(new RegExp('[\\p{L}--[a-z]]', flags))).toBeUndefined()
  expect(portablePattern(new RegExp('[abc]', flags))).toBe('[abc]')
})
