import { expect, test } from 'vitest'
import { checkHeader } from './headers.ts'

test.each(['', 'a b', 'tab\there', 'ümlaut', '\xff', 'a=b; c="d"'])('the value %j is valid', (value) => {
  expect(() => checkHeader('x-user', value)).not.toThrow()
})

test.each([
  ['secret€', /character 7 of its value is U\+20AC, and headers carry Latin-1 only/],
  ['secret’s', /character 7 of its value is U\+2019/],
  ['secret 😀', /character 8 of its value is U\+1F600/],
  ['李secret', /character 1 of its value is U\+674E/],
  ['secret\r\nx-evil: 1', /character 7 of its value is U\+000D, a control character/],
  ['secret\u0000', /character 7 of its value is U\+0000, a control character/],
  ['secret\u007f', /character 7 of its value is U\+007F, a control character/],
])('the value %j is refused with the reason, and not shown', (value, reason) => {
  let error: unknown
  try {
    checkHeader('x-user', value)
  } catch (caught) {
    error = caught
  }
  expect(error).toMatchObject({ name: 'InvalidHeaderError', code: 'INVALID_HEADER', header: 'x-user', retryable: false })
  expect(String(error)).toMatch(reason)
  expect(String(error)).not.toContain('secret')
})

test.each(['', 'a b', 'x:y', 'x\n', 'ü'])('the name %j is refused', (name) => {
  expect(() => checkHeader(name, 'x')).toThrow(expect.objectContaining({ code: 'INVALID_HEADER' }))
})

test.each([undefined, null, 42, ['x']])('the value %j of JavaScript is refused', (value) => {
  expect(() => checkHeader('x-user', value as never)).toThrow(/its value is \w+, not a string/)
})
