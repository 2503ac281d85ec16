import fc from 'fast-check'
import { expect, test } from 'vitest'
import { growthOf } from '../../../test-kit/growth.ts'
import { createCredentialRedactor } from './redact.ts'

const formEncode = (text: string) => new URLSearchParams({ k: text }).toString().slice(2)
const strict = (text: string) => encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
const lowerHex = (text: string) => text.replaceAll(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase())
const base64 = (text: string) => Buffer.from(text).toString('base64')
const html = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')
const ENCODINGS: { readonly [name: string]: (text: string) => string } = {
  raw: (text) => text,
  encodeURIComponent,
  'form encoding': formEncode,
  'RFC 3986': strict,
  'lower-case hex': (text) => lowerHex(strict(text)),
  'lower-case form': (text) => lowerHex(formEncode(text)),
  'encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  'JSON of ASCII': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'JSON of PHP': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  HTML: html,
  'HTML of a URL': (text) => html(encodeURIComponent(text)),
  base64,
  'base64 in a URL': (text) => encodeURIComponent(base64(text)),
  base64url: (text) => Buffer.from(text).toString('base64url'),
}
const secret = fc
  .string({
    unit: fc.oneof(fc.constantFrom(...'+/=&%?#;:"\'<>\\ _-.~aZ9é語'), fc.string({ minLength: 1, maxLength: 1 })),
    minLength: 4,
    maxLength: 24,
  })
  .filter((text) => text.trim().length > 3)

test.each(Object.entries(ENCODINGS))('a secret is removed: %s', (_, encode) => {
  fc.assert(
    fc.property(secret, (text) => {
      fc.pre(!'https://api.test/?q=&page=2[secret]'.includes(text))
      const encoded = encode(text)
      const redacted = createCredentialRedactor([text]).text(`https://api.test/?q=${encoded}&page=2`)
      expect(redacted).toBe('https://api.test/?q=[secret]&page=2')
    }),
    { numRuns: 100 },
  )
})

test('a JSON value keeps its shape: texts, names and long numbers are redacted', () => {
  const { value } = createCredentialRedactor(['1234567', '123456789', 'true', 'pässword'])
  expect(value({ account: 1234567, id: 123456789, ok: true, 'p%C3%A4ssword': ['x 1234567 y', null] })).toEqual({
    account: 1234567,
    id: '[secret]',
    ok: true,
    '[secret]': ['x [secret] y', null],
  })
})

test('bytes are searched', () => {
  const { isIn } = createCredentialRedactor(['s3cr+t/'])
  expect(isIn(Buffer.from('\x00\xffs3cr%2Bt%2f\x01', 'latin1'))).toBe(true)
  expect(isIn(Buffer.from('s3cr+t/', 'utf16le'))).toBe(true)
  expect(isIn(Buffer.from('harmless'))).toBe(false)
})

test('takes time in proportion to the text, whatever the text repeats', () => {
  const { text } = createCredentialRedactor(['%%%%""""\\\\\\\\++++', 'aaaa-aaaa-aaaa-aaaa', 'é&<>"/\\u002b'])
  for (const unit of ['%', '%25', '%2525', '\\', '\\u0', '\\"', '&amp;', '&#0', 'aaaa-', '+']) {
    expect(
      growthOf(text, (length) => unit.repeat(length / unit.length)),
      unit,
    ).toBeLessThan(3)
  }
})
