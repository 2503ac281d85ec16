import { describe, expect, test } from 'vitest'
import { createVariableMask } from '../../packages/portcall/src/cli/gateway/variable-mask.ts'
import { createSecretMask } from '../../packages/portcall/src/diagnostics/oauth-debugger/secret-mask.ts'
import { createCredentialRedactor } from '../../packages/portcall/src/openapi/responses/redact.ts'

const SECRET = 'p/w "q+ä&z\\1'

/** What hides a known secret in a text. */
const HIDERS: { readonly [name: string]: (text: string) => string } = {
  'the credentials of an API': (text) => createCredentialRedactor([SECRET]).text(text),
  'the secrets of a sign-in': (text) => {
    const mask = createSecretMask()
    mask.add(SECRET)
    return mask.maskText(text)
  },
  'the variables of a configuration': (text) => {
    const mask = createVariableMask()
    mask.add(SECRET, '${SECRET}')
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

describe.each(Object.keys(HIDERS))('%s', (hider) => {
  test.each(Object.keys(FORMS))('are hidden %s', (form) => {
    const hide = HIDERS[hider] as (text: string) => string
    const hidden = hide(`before ${FORMS[form]} behind`)
    expect(hidden).toMatch(/^before \S+ behind$/)
    expect(hidden).not.toMatch(/z|q/)
  })
})
