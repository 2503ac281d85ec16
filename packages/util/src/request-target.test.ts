import { expect, test } from 'vitest'
import { pathOf, queryOf } from './request-target.ts'

test.each([
  ['/mcp', '/mcp', ''],
  ['/mcp?a=b', '/mcp', 'a=b'],
  ['/mcp?a=/b?c', '/mcp', 'a=%2Fb%3Fc'],
  ['http://localhost/mcp?a=b', '/mcp', 'a=b'],
  ['http://localhost', '/', ''],
  ['http://localhost?next=/mcp', '/', 'next=%2Fmcp'],
  ['/a://b/mcp', '/a://b/mcp', ''],
  ['//', '//', ''],
  ['//evil.example/mcp', '//evil.example/mcp', ''],
  ['///', '///', ''],
  ['/../mcp', '/../mcp', ''],
  ['/%', '/%', ''],
  ['/?%=%E0%A4', '/', '%25=%EF%BF%BD'],
  ['http://[', '/', ''],
  ['http://a:b:c/%zz', '/%zz', ''],
  ['://', '/', ''],
  ['*', '/', ''],
  ['localhost:443', '/', ''],
  ['', '/', ''],
  ['?', '/', ''],
])('the path of %j is %j, its query %j', (target, path, query) => {
  expect(pathOf(target)).toBe(path)
  expect(queryOf(target).toString()).toBe(query)
})
