import { describe, expect, test } from 'vitest'
import { CSP_LISTS } from '../../protocol/apps.ts'
import { buildViewPolicy, isViewPolicy } from './csp.ts'
import { sandboxHandler } from './sandbox-handler.ts'
import { originName } from './sandbox-url.ts'

const PARTS = [
  "'unsafe-eval'",
  '*',
  'data:',
  'https:',
  'evil.example',
  'https://a.example/path',
  'javascript:alert(1)',
  'file:///etc',
  'https://*',
  '',
]
const ENDS = [
  '; script-src *',
  ', default-src *',
  " 'self'",
  '\n',
  '\r\nset-cookie: a=b',
  '\u0000',
  '"',
  "'",
  '/',
  '?q',
  '#h',
  '\u2028',
  '@evil.example',
  ' ',
  '\t',
  '\\',
  ':port',
  ':0x50',
  '%20',
  ';',
]
const HOSTILE = [...PARTS.flatMap((part) => ENDS.map((end) => part + end)), ...PARTS].slice(0, 200)

describe('policy of a view', () => {
  test('is built from the four lists', () => {
    const csp = {
      connectDomains: ['https://api.example.com', 'wss://live.example.com:8443'],
      resourceDomains: ['https://*.cdn.example'],
      frameDomains: ['https://frame.example'],
      baseUriDomains: ['https://base.example'],
    }
    const { policy, dropped } = buildViewPolicy(csp)
    expect(dropped).toEqual([])
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'unsafe-inline' https://*.cdn.example",
      "style-src 'unsafe-inline' https://*.cdn.example",
      'img-src data: blob: https://*.cdn.example',
      'font-src data: blob: https://*.cdn.example',
      'media-src data: blob: https://*.cdn.example',
      'connect-src https://api.example.com wss://live.example.com:8443',
      'frame-src https://frame.example',
      'worker-src blob:',
      "object-src 'none'",
      'base-uri https://base.example',
      "form-action 'none'",
    ])
    expect(isViewPolicy(policy)).toBe(true)
  })

  test('has no network, fonts, workers and frames if nothing is declared', () => {
    const { policy } = buildViewPolicy(undefined)
    for (const name of ['font-src', 'connect-src', 'frame-src', 'worker-src', 'base-uri', 'object-src'])
      expect(policy.split('; ')).toContain(`${name} 'none'`)
  })

  test.each(CSP_LISTS)('leaves 200 hostile entries of %s out, and reports them', (list) => {
    expect(HOSTILE).toHaveLength(200)
    const { policy, dropped } = buildViewPolicy({ [list]: HOSTILE })
    expect(policy).toBe(buildViewPolicy({}).policy)
    expect(dropped).toHaveLength(200)
    expect(dropped.every(({ reason }) => reason === 'not an origin')).toBe(true)
  })

  test('has a limited length, and reports what is too much', () => {
    const { policy, dropped } = buildViewPolicy({
      resourceDomains: Array.from({ length: 500 }, (_, index) => `https://cdn${index}.example.com`),
    })
    expect(isViewPolicy(policy)).toBe(true)
    expect(dropped.length).toBeGreaterThan(0)
    expect(dropped.every(({ reason }) => reason === 'too many')).toBe(true)
  })

  test('has the deviations of a host', () => {
    const csp = { connectDomains: ['https://api.example.com'], frameDomains: ['https://frame.example'] }
    const { policy, dropped } = buildViewPolicy(csp, { lists: ['connectDomains'], add: ['https://esm.sh'], eval: true })
    expect(policy).toContain("script-src 'unsafe-inline' https://esm.sh 'unsafe-eval'")
    expect(dropped).toEqual([{ list: 'frameDomains', entry: 'https://frame.example', reason: 'not honored by this host' }])
  })
})

describe('sandboxHandler', () => {
  const handle = sandboxHandler({ hosts: ['https://chat.example.com'] })
  const ask = (params: { readonly [name: string]: string }, method = 'GET') =>
    handle(new Request(`https://views.example.com/?${new URLSearchParams(params)}`, { method }))

  test('sends the policy, and lets only the host frame the page', async () => {
    const { policy } = buildViewPolicy({ connectDomains: ['https://api.example.com'] })
    const response = await ask({ host: 'https://chat.example.com', csp: policy })
    expect(response.headers.get('content-security-policy')).toBe(`${policy}; frame-ancestors https://chat.example.com`)
    expect(await response.text()).toContain('data-csp="header"')
  })

  test('refuses other hosts, policies and methods', async () => {
    const host = 'https://chat.example.com'
    expect((await ask({ host: 'https://evil.example' })).status).toBe(403)
    expect((await ask({})).status).toBe(403)
    for (const csp of [
      'default-src *',
      `${buildViewPolicy({}).policy}; frame-ancestors *`,
      "script-src 'self'",
      HOSTILE.join(' '),
    ])
      expect((await ask({ host, csp })).status).toBe(400)
    expect((await ask({ host }, 'POST')).status).toBe(405)
    expect(() => sandboxHandler({ hosts: ['https://a.example/path'] })).toThrow('no origin')
  })

  test('serves views with an origin of their own only under the policy that their names contain', async () => {
    const host = 'https://chat.example.com'
    const { policy } = buildViewPolicy({ connectDomains: ['https://api.example.com'] })
    const { policy: looser } = buildViewPolicy({ connectDomains: ['https://api.example.com', 'https://evil.example'] })
    const name = await originName('https://server.example.com/mcp', policy)
    const page = (at: string, params: { readonly [name: string]: string }) =>
      handle(new Request(`https://${at}.views.example.com/?${new URLSearchParams({ host, csp: policy, ...params })}`))
    const proxy = 'https://proxy.views.example.com'
    const own = await page(name, { proxy })
    expect(own.headers.get('content-security-policy')).toBe(`${policy}; frame-ancestors ${proxy} ${host}`)
    const outer = await page('proxy', { view: `https://${name}.views.example.com/` })
    expect(outer.headers.get('content-security-policy')).toContain(
      `; frame-src https://${name}.views.example.com; frame-ancestors ${host}`,
    )
    const refused = await Promise.all([
      page(name, { proxy, csp: looser }),
      page(name, {}),
      page(name, { proxy: 'https://evil.example' }),
      page(name, { proxy: 'https://proxy.evil.example' }),
      page(name, { view: `https://${name}.views.example.com/` }),
      page('proxy', { view: 'https://evil.example/' }),
      page('proxy', { view: `https://${name}.evil.example/` }),
    ])
    expect(refused.map(({ status }) => status)).toEqual([403, 400, 400, 400, 400, 400, 400])
    for (const { headers } of refused) expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
  })
})
