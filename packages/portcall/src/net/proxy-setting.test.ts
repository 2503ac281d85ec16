import { expect, test } from 'vitest'
import { createProxyLookup } from './proxy-setting.ts'

type Env = Readonly<Record<string, string>>

const proxyFor = (env: Env, url: string): string | undefined => createProxyLookup('env', env, [])?.(new URL(url))?.href

const H = 'http://h.corp:3128'
const S = 'http://s.corp:3128'
const A = 'http://a.corp:3128'

test.each<[Env, string, string | undefined]>([
  [{}, 'https://x.com', undefined],
  [{ HTTP_PROXY: H, HTTPS_PROXY: S }, 'http://x.com', `${H}/`],
  [{ HTTP_PROXY: H, HTTPS_PROXY: S }, 'https://x.com', `${S}/`],
  [{ http_proxy: H, https_proxy: S }, 'https://x.com', `${S}/`],
  [{ HTTP_PROXY: H }, 'https://x.com', undefined],
  [{ ALL_PROXY: A }, 'https://x.com', `${A}/`],
  [{ all_proxy: A }, 'http://x.com', `${A}/`],
  [{ ALL_PROXY: A, HTTPS_PROXY: S }, 'https://x.com', `${S}/`],
  [{ https_proxy: S, HTTPS_PROXY: H }, 'https://x.com', `${S}/`],
  [{ https_proxy: '', HTTPS_PROXY: H }, 'https://x.com', `${H}/`],
  [{ https_proxy: '  ', HTTPS_PROXY: '' }, 'https://x.com', undefined],
  [{ HTTPS_PROXY: ' s.corp:3128 ' }, 'https://x.com', `${S}/`],
  [{ HTTPS_PROXY: 's.corp' }, 'https://x.com', 'http://s.corp/'],
  [{ HTTPS_PROXY: 'https://s.corp' }, 'https://x.com', 'https://s.corp/'],
  [{ HTTP_PROXY: H, REQUEST_METHOD: 'POST' }, 'http://x.com', undefined],
  [{ http_proxy: H, REQUEST_METHOD: 'POST' }, 'http://x.com', `${H}/`],
])('%j: %s goes through %s', (env, url, proxy) => {
  expect(proxyFor(env, url)).toBe(proxy)
})

test.each([
  'http://localhost:3000',
  'https://localhost',
  'http://app.localhost/',
  'http://127.0.0.1:8080',
  'http://127.1.2.3',
  'http://[::1]:3000',
  'http://2130706433/',
])('%s is this machine, and is never requested through a proxy', (url) => {
  expect(proxyFor({ ALL_PROXY: A }, url)).toBeUndefined()
  expect(createProxyLookup(A, {}, [])?.(new URL(url))).toBeUndefined()
})

test.each<[noProxy: string, url: string, isExempt: boolean]>([
  ['*', 'https://x.com', true],
  ['foo, *', 'https://x.com', true],
  ['x.com', 'https://x.com', true],
  ['x.com', 'https://X.com', true],
  ['X.COM', 'https://api.x.com', true],
  ['x.com', 'https://api.x.com', true],
  ['.x.com', 'https://api.x.com', true],
  ['.x.com', 'https://x.com', true],
  ['*.x.com', 'https://a.b.x.com', true],
  ['x.com.', 'https://x.com', true],
  ['x.com', 'https://x.com./', true],
  ['x.com', 'https://notx.com', false],
  ['x.com', 'https://x.com.evil.org', false],
  ['com', 'https://x.com', true],
  ['internal', 'http://internal', true],
  ['münchen.de', 'https://münchen.de', true],
  ['x.com:8443', 'https://x.com:8443', true],
  ['x.com:8443', 'https://x.com', false],
  ['x.com:443', 'https://x.com', true],
  ['.x.com:443', 'https://a.x.com', true],
  ['x.com:80', 'http://x.com', true],
  ['a.org,x.com', 'https://x.com', true],
  ['a.org x.com', 'https://x.com', true],
  [' a.org ,\tx.com ,', 'https://x.com', true],
  ['', 'https://x.com', false],
  [',', 'https://x.com', false],
  ['.', 'https://x.com', false],
  ['10.0.0.1', 'http://10.0.0.1', true],
  ['10.0.0.1', 'http://10.0.0.10', false],
  ['10.0.0.1:8080', 'http://10.0.0.1:8080', true],
  ['10.0.0.1:8080', 'http://10.0.0.1', false],
  ['10.0.0.0/8', 'http://10.20.30.40:9000', true],
  ['10.0.0.0/8', 'http://11.0.0.1', false],
  ['10.0.0.0/8', 'http://10.evil.com', false],
  ['192.168.1.1-192.168.1.9', 'http://192.168.1.5', true],
  ['192.168.1.1-192.168.1.9', 'http://192.168.1.10', false],
  ['fd00::/8', 'http://[fd12::1]', true],
  ['fd00::/8', 'http://[fe12::1]', false],
  ['2001:db8::1', 'http://[2001:db8::1]', true],
  ['[2001:db8::1]', 'http://[2001:0db8:0::1]', true],
  ['[2001:db8::1]:8080', 'http://[2001:db8::1]:8080', true],
  ['[2001:db8::1]:8080', 'http://[2001:db8::1]', false],
  ['10.0.0.0/99', 'http://10.0.0.1', false],
])('NO_PROXY=%s: %s is exempt: %s', (noProxy, url, isExempt) => {
  expect(proxyFor({ ALL_PROXY: A, NO_PROXY: noProxy }, url)).toBe(isExempt ? undefined : `${A}/`)
  expect(proxyFor({ ALL_PROXY: A, no_proxy: noProxy, NO_PROXY: '*' }, url)).toBe(isExempt || noProxy === '' ? undefined : `${A}/`)
})

test.each([
  [{}, [], false],
  [{ NODE_USE_ENV_PROXY: '1' }, [], true],
  [{ NODE_USE_ENV_PROXY: '0' }, [], false],
  [{}, ['--use-env-proxy'], true],
  [{ NODE_OPTIONS: '--max-old-space-size=200 --use-env-proxy' }, [], true],
])('by default, the environment is honored where Node honors it: %j %j', (env, flags, isUsed) => {
  const found = createProxyLookup(undefined, { ...env, HTTPS_PROXY: S }, flags)?.(new URL('https://x.com'))
  expect(found?.href).toBe(isUsed ? `${S}/` : undefined)
})

test('an option decides, whatever the environment says', () => {
  const env = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: S, NO_PROXY: '*' }
  expect(createProxyLookup(false, env, [])).toBeUndefined()
  expect(createProxyLookup(A, env, [])?.(new URL('https://x.com'))?.href).toBe(`${A}/`)
  expect(createProxyLookup(new URL(A), env, [])?.(new URL('https://x.com'))?.href).toBe(`${A}/`)
})

test.each([true, 3128, { url: A }])('the option %j is refused', (value) => {
  expect(() => createProxyLookup(value as never, {}, [])).toThrow("The option proxy must be 'env', the URL of a proxy, or false")
})

test.each(['socks5://user:secret@s.corp', 'ftp://user:secret@s.corp', 'http://user:secret@', '::secret'])(
  '%s is refused, without its password',
  (value) => {
    for (const read of [() => proxyFor({ HTTPS_PROXY: value }, 'https://x.com'), () => createProxyLookup(value, {}, [])]) {
      let error: unknown
      try {
        read()
      } catch (reason) {
        error = reason
      }
      expect(error).toMatchObject({ code: 'PROXY_FAILED', message: expect.stringMatching(/HTTPS_PROXY|The option proxy/) })
      expect(String(error)).not.toContain('secret')
    }
  },
)
