import { expect, test } from 'vitest'
import { isUrl, parseUrl } from './parse-url.ts'

test.each(['http://bücher.example/', 'notes://é', 'http://日本.example/ü?é#ß'])(
  '%s is a URL, however often it is asked',
  (text) => {
    for (let at = 0; at < 20_000; at++) if (!isUrl(text)) expect.fail(`refused at ${at}`)
  },
)

test('a relative URL needs a base', () => {
  expect(parseUrl('../x')).toBeUndefined()
  expect(parseUrl('../x', 'https://h/a/b/')?.href).toBe('https://h/a/x')
  expect([isUrl('x'), isUrl('http://['), isUrl('')]).toEqual([false, false, false])
})
