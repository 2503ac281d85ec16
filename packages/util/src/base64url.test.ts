import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { fromBase64url, toBase64url } from './base64url.ts'

test('bytes of every length are encoded as Node does, and decoded', () => {
  for (let length = 0; length < 300; length++) {
    const bytes = randomBytes(length)
    const text = toBase64url(bytes)
    expect(text).toBe(bytes.toString('base64url'))
    expect(Buffer.from(fromBase64url(text) ?? [])).toEqual(bytes)
  }
})

test.each(['A', 'AAAAA', 'AA==', 'AB', 'AAB', 'a+b/', 'a b_', 'AA\n', 'ä___', '\u0131AAA'])('%j is not decoded', (text) => {
  expect(fromBase64url(text)).toBeUndefined()
})
