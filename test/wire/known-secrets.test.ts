import { describe, expect, test } from 'vitest'
import { createVariableMask } from '../../packages/cli/src/gateway/variable-mask.ts'
import { createSecretMask } from '../../packages/portcall/src/diagnostics/oauth-debugger/secret-mask.ts'
import { createCredentialRedactor } from '../../packages/portcall/src/openapi/responses/redact.ts'

const SECRET = 'p/w "q+ä&z\\1'
/** Longer than a pattern can be. Its characters are repeated, so that what is left of it would be seen. */
const LONG_SECRET = 'z/q+ä"='.repeat(20_000)

/** The functions that hide a known secret in a text. */
const HIDERS: { readonly [name: string]: (text: string, secret: string) => string } = {
  'the credentials of an API': (text, secret) => createCredentialRedactor([secret]).text(text),
  'the secrets of a sign-in': (text, secret) => {
    const mask = createSecretMask()
    mask.add(secret)
    return mask.maskText(text)
  },
  'the variables of a configuration': (text, secret) => {
    const mask = createVariableMask()
    mask.add(secret, '${SECRET}')
    return mask.hide(text)
  },
}

const FORMS: { readonly [form: string]: string } = {
  'as it is': SECRET,
  'in a URL': encodeURIComponent(SECRET),
  'in a URL, twice': encodeURIComponent(encodeURIComponent(SECRET)),
  'in a URL, in lower case': encodeURIComponent(SECRET).toLowerCase(),
  'in a form': new URLSearchParams({ a: SECRET }).toString().slice(2),
  'in a query': new URL(`http://a/?${encodeURIComponent(SECRET)}`).search.slice(1),
  'in JSON': JSON.stringify(SECRET).slice(1, -1),
  'in JSON, with escaped slashes': JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/'),
  'in JSON, as ASCII': JSON.stringify(SECRET).slice(1, -1).replace('ä', '\\u00e4'),
  'in JSON in JSON': JSON.stringify(JSON.stringify(SECRET)).slice(3, -3),
  'in HTML': SECRET.replace('&', '&amp;').replace('"', '&quot;'),
}

/** Encodings in which a text of any length is found. */
const USUAL_FORMS: { readonly [form: string]: (text: string) => string } = {
  'as it is': (text) => text,
  'in a URL': encodeURIComponent,
  'in a form': (text) => new URLSearchParams({ a: text }).toString().slice(2),
  'in JSON': (text) => JSON.stringify(text).slice(1, -1),
}

describe.each(Object.entries(HIDERS))('%s', (_name, hide) => {
  const expectHidden = (form: string, secret: string): void => {
    const hidden = hide(`before ${form} behind`, secret)
    expect(hidden).toMatch(/^before \S{1,40} behind$/)
    expect(hidden).not.toMatch(/z|q/)
  }
  test.each(Object.entries(FORMS))('are hidden %s', (_form, text) => expectHidden(text, SECRET))
  test.each(Object.entries(USUAL_FORMS))('are hidden %s, however long they are', (_form, encode) =>
    expectHidden(encode(LONG_SECRET), LONG_SECRET),
  )
})
