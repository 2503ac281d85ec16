import { expect, test } from 'vitest'
import { limitedHost } from './limited-host.ts'

test.each([
  ['https://Example.com/a', 'example.com'],
  ['https://example.com:8443/b?c', 'example.com'],
  ['https://example.com.:1/', 'example.com'],
  ['https://a.example.com/', 'a.example.com'],
  ['http://127.1:80/', '127.0.0.1'],
  ['https://[::1]:9/', '[::1]'],
])('%s belongs to %s', (url, host) => {
  expect(limitedHost(url)).toBe(host)
})
