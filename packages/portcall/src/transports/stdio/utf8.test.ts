import { isAscii } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitBytes } from '../../../test-kit/split-bytes.ts'
import { createUtf8Decoder } from './utf8.ts'

const decodeAscii = (bytes: Uint8Array): string | undefined =>
  isAscii(bytes) ? Buffer.from(bytes).toString('latin1') : undefined

function strictly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const fragment = fc.constantFrom('', 'a', 'ä', '€', '\u{1f600}', '\ufeff', 'x'.repeat(400_000), 'ß'.repeat(300_000))
const text = fc.array(fragment, { maxLength: 12 }).map((parts) => Buffer.from(parts.join('')))
/** A truncated character, one without its start, and invalid bytes. */
const fault = fc.constantFrom([0xe2, 0x82], [0xa9], [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98])
const broken = fc.tuple(text, fault, text).map(([before, bytes, after]) => Buffer.concat([before, Buffer.from(bytes), after]))
const size = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 5000, max: 900_000 }))
const sizes = fc.array(size, { minLength: 1, maxLength: 6 }).filter((list) => Math.max(...list) >= 5000)

describe.each([
  ['with a fast ASCII decoder', decodeAscii],
  ['without it', undefined],
])('UTF-8, %s', (_, help) => {
  test('S05, S06: chunks are decoded to the same text as the whole, wherever they are split', () => {
    const reader = createUtf8Decoder(help)
    fc.assert(
      fc.property(fc.oneof(text, broken), sizes, (whole, cuts) => {
        const expected = strictly(whole)
        for (const piece of splitBytes(whole, cuts)) reader.push(piece)
        expect(reader.finish() === expected).toBe(true)
        expect(reader.decode(whole) === expected).toBe(true)
      }),
    )
  })

  test('S05: a character interrupted by other text is invalid', () => {
    const reader = createUtf8Decoder(help)
    for (const piece of [Buffer.from([0xc3]), Buffer.from('x'.repeat(2_000_000)), Buffer.from([0xa9])]) reader.push(piece)
    expect(reader.finish()).toBe(undefined)
    expect(reader.finish()).toBe('')
  })
})
