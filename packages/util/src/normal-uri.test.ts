import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createNormalMatcher } from '../../portcall/src/schema/uri-template/normal-template.ts'
import { normalUri } from './normal-uri.ts'

test.each([
  ['WordPress://posts', 'wordpress://posts/'],
  ['wordpress://posts/', 'wordpress://posts/'],
  ['oni://测试', 'oni://%E6%B5%8B%E8%AF%95/'],
  ['oni://%e6%b5%8b%E8%AF%95', 'oni://%E6%B5%8B%E8%AF%95/'],
  ['file:///tmp/My Report.txt', 'file:///tmp/My%20Report.txt'],
  ['file:/tmp/a', 'file:///tmp/a'],
  ['file://localhost/tmp/a', 'file:///tmp/a'],
  ['http://Example.com', 'http://example.com/'],
  ['http://example.com:80/', 'http://example.com/'],
  ['https://Example.com:443?q=%41', 'https://example.com/?q=A'],
  ['http://example.com:/x', 'http://example.com/x'],
  ['http://user@EXAMPLE.com:8080/X', 'http://user@example.com:8080/X'],
  ['http://[::A]/', 'http://[::a]/'],
  ['http://münchen.de', 'http://xn--mnchen-3ya.de/'],
  ['x:a%2fb/%7Euser', 'x:a%2Fb/~user'],
  ['x://h/%2E%2e/a|b^c`', 'x://h/../a%7Cb%5Ec%60'],
  ["http://h/?q=it's", 'http://h/?q=it%27s'],
  ['urn:ISBN:1', 'urn:ISBN:1'],
  ['x://h/a/../b', 'x://h/a/../b'],
  ['not a uri', 'not a uri'],
])('the normal form of %s is %s', (uri, normal) => {
  expect(normalUri(uri)).toBe(normal)
  expect(normalUri(normal)).toBe(normal)
})

test('URL and the normal form agree on URIs of http', () => {
  const text = fc.string({ unit: fc.constantFrom(...'aZ09-._~é語 "<>^`{}|\'%&=+'), maxLength: 8 })
  fc.assert(
    fc.property(fc.constantFrom('Example.com', 'EXAMPLE.com:80', 'münchen.de'), text, text, (host, path, query) => {
      const uri = `HTTP://${host}/x${path.replaceAll('.', '')}?${query.trim()}`
      expect(normalUri(new URL(uri).href)).toBe(normalUri(uri))
    }),
  )
})

test.each<[string, string, object | undefined]>([
  ['Tpl://x/{id}', 'tpl://x/5', { id: '5' }],
  ['Tpl://{id}', 'tpl://ABC', { id: 'ABC' }],
  ['http://Example.com/{id}', 'http://example.com/ABC', { id: 'ABC' }],
  ['http://Example.com:80{?q}', 'http://example.com/?q=A%2fB', { q: 'A/B' }],
  ['http://Example.com{/path*}', 'http://example.com/a/b', { path: ['a', 'b'] }],
  ['oni://测试/{id}', 'oni://%E6%B5%8B%E8%AF%95/x', { id: 'x' }],
  ['file:///My Files/{name}', 'file:///My%20Files/A%20b', { name: 'A b' }],
  ['file:///{+path}', 'FILE:///a/b', { path: 'a/b' }],
  ['file:///{+path}', 'FILE:///a/%2e%2e/b', undefined],
  ['{+base}/Ü', 'x://h/%C3%9C', { base: 'x://h' }],
])('%s matches %s in normal form', (template, uri, values) => {
  expect(createNormalMatcher(template)(uri)).toEqual(values)
})
