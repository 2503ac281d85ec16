import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { insecureHttp, insecurePrivateAddresses } from './address-policy.ts'
import { createSafeFetch, type SafeFetchOptions } from './safe-fetch.ts'

interface SentRequest {
  readonly url: string
  readonly headers: Record<string, string>
}

const REMOTE = new URL('https://mcp.example.com/mcp')

/** Creates a safe fetch over a fake HTTP client. `respond` returns the responses, `sent` lists the requests. */
function createTestFetch(respond: (url: string) => Response, options: Partial<SafeFetchOptions> = {}) {
  const sent: SentRequest[] = []
  const fetch = (async (url: string, { headers = {} }: RequestInit = {}) => {
    sent.push({ url, headers: headers as Record<string, string> })
    return respond(url)
  }) as typeof globalThis.fetch
  return { sent, ...createSafeFetch({ trustedUrl: REMOTE, fetch, ...options }) }
}

const addressRefused = { code: 'AUTH_FAILED', reason: 'address_refused' }
const unreachable = { code: 'AUTH_FAILED', reason: 'unreachable' }
const to = (location: string, status = 302) => new Response(null, { status, headers: { location } })

/** URLs that a server must not refer to. */
const FORBIDDEN = [
  'https://169.254.169.254/latest/meta-data/',
  'https://10.0.0.5/',
  'https://2852039166/',
  'https://0251.0376.0251.0376/',
  'https://0xa9fea9fe/',
  'https://127.1/',
  'https://0.0.0.0/',
  'https://[::]/',
  'https://[::1]/',
  'https://[::ffff:169.254.169.254]/',
  'https://[64:ff9b::a9fe:a9fe]/',
  'https://[2002:a9fe:a9fe::]/',
  'https://[fd00:ec2::254]/',
  'https://[fe80::1]/',
  'https://[fe80::1%25eth0]/',
  'https://localhost/',
  'https://localhost./',
  'https://metadata.google.internal/',
  'http://login.example.com/',
  'http://localhost:8080/',
  'https://user:secret@login.example.com/',
  'file:///etc/passwd',
  'ftp://login.example.com/',
  'javascript:alert(1)',
  'data:text/html,x',
  '//login.example.com',
  '',
]

describe('the fetch function', () => {
  test.each(FORBIDDEN)('C51 C52 C53 X03 never sends a request to %j', async (url) => {
    const { fetch, sent } = createTestFetch(() => new Response('{}'))
    await expect(fetch(url)).rejects.toMatchObject(addressRefused)
    expect(sent).toEqual([])
  })

  test.each(FORBIDDEN.filter((url) => url.includes(':')))('C54 X03 follows no redirect to %j', async (url) => {
    const { fetch, sent } = createTestFetch(() => to(url))
    await expect(fetch('https://login.example.com/')).rejects.toMatchObject(addressRefused)
    expect(sent).toHaveLength(1)
  })

  test('error messages contain neither secrets nor terminal control characters', async () => {
    const { fetch } = createTestFetch(() => new Response())
    const messages = await Promise.all(
      ['https://10.0.0.5/?code=canary', 'https://name:canary@x.example/', 'x:\u001b[31mcanary'].map((url) =>
        fetch(url).catch(({ message }: Error) => message),
      ),
    )
    for (const message of messages) expect(message).not.toMatch(/canary|\u001b/)
  })

  test('always allows the origin of the trusted URL', async () => {
    const trustedUrl = new URL('https://mcp.corp.internal/mcp')
    const { fetch } = createTestFetch(() => new Response('ok'), { trustedUrl })
    expect(await (await fetch('https://mcp.corp.internal/.well-known/x')).text()).toBe('ok')
    await expect(fetch('https://login.corp.internal/')).rejects.toMatchObject(addressRefused)
    await expect(fetch('https://mcp.corp.internal:8443/')).rejects.toMatchObject(addressRefused)
  })

  test('allows loopback addresses, but no private ones, when the trusted URL is on this machine', async () => {
    const { fetch } = createTestFetch(() => new Response('ok'), { trustedUrl: new URL('http://127.0.0.1:3000/mcp') })
    for (const url of ['http://localhost:9000/', 'http://[::1]:9000/', 'https://login.example.com/']) await fetch(url)
    await expect(fetch('https://10.0.0.5/')).rejects.toMatchObject(addressRefused)
    await expect(fetch('http://169.254.169.254/')).rejects.toMatchObject(addressRefused)
  })

  test('applies each exemption to nothing else', async () => {
    const byName = createTestFetch(() => new Response(), { allow: ['login.corp.internal', '10.0.0.5'] })
    await byName.fetch('https://login.corp.internal/')
    await byName.fetch('https://10.0.0.5/')
    await expect(byName.fetch('http://10.0.0.5/')).rejects.toMatchObject(addressRefused)
    await expect(byName.fetch('https://10.0.0.6/')).rejects.toMatchObject(addressRefused)
    const anywhere = createTestFetch(() => new Response(), { allow: [insecurePrivateAddresses] })
    await anywhere.fetch('https://169.254.169.254/')
    await expect(anywhere.fetch('http://login.example.com/')).rejects.toMatchObject(addressRefused)
    const overHttp = createTestFetch(() => new Response(), { allow: [insecureHttp] })
    await overHttp.fetch('http://login.example.com/')
    await expect(overHttp.fetch('http://10.0.0.5/')).rejects.toMatchObject(addressRefused)
  })

  test('follows no redirect from https to http', async () => {
    const { fetch } = createTestFetch(() => to('http://login.example.com/'), { allow: [insecureHttp] })
    await expect(fetch('https://login.example.com/')).rejects.toMatchObject(addressRefused)
  })

  test.each([301, 302, 303, 307, 308])('C60 a %d to a POST is returned as the response and not followed', async (status) => {
    const { fetch, sent } = createTestFetch(() => to('https://evil.example/', status))
    const response = await fetch('https://login.example.com/token', { method: 'POST', body: new URLSearchParams({ code: 'c' }) })
    expect(response.status).toBe(status)
    expect(sent).toHaveLength(1)
  })

  test('C54 follows a limited number of redirects of a GET, and drops headers at the first change of origin', async () => {
    const origin = fc.constantFrom('https://a.example', 'https://b.example')
    const step = fc.record({ origin, status: fc.constantFrom(301, 302, 303, 307, 308) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        const { fetch, sent } = createTestFetch((url) => {
          const at = Number(new URL(url).pathname.slice(1))
          const next = steps[at]
          return next ? to(`${next.origin}/${at + 1}`, next.status) : new Response('the end')
        })
        const headers = { Authorization: 'Bearer t', 'X-Api-Key': 'k', DPoP: 'p', Accept: 'application/json' }
        const response = fetch('https://a.example/0', { headers })
        if (steps.length > 3) await expect(response).rejects.toMatchObject(unreachable)
        else expect(await (await response).text()).toBe('the end')
        const origins = ['https://a.example', ...steps.map((one) => one.origin)].slice(0, sent.length)
        const firstForeign = origins.findIndex((one) => one !== 'https://a.example')
        for (const [at, one] of sent.entries()) {
          const expected = firstForeign === -1 || at < firstForeign ? headers : { Accept: 'application/json' }
          expect(one).toEqual({ url: `${origins[at]}/${at}`, headers: expected })
        }
      }),
    )
  })

  test('C68 cuts off an endless response', async () => {
    let pulled = 0
    let cancelled = false
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(16_384).fill(pulled++)),
      cancel: () => void (cancelled = true),
    })
    const { fetch } = createTestFetch(() => new Response(endless))
    await expect(fetch('https://login.example.com/')).rejects.toMatchObject(unreachable)
    expect(pulled).toBeLessThan(70)
    expect(cancelled).toBe(true)
  })

  test('C68 accepts a response of exactly the limit', async () => {
    const { fetch } = createTestFetch((url) => new Response('x'.repeat(Number(new URL(url).pathname.slice(1)))), {
      maxBytes: 100,
    })
    expect(await (await fetch('https://login.example.com/100')).text()).toHaveLength(100)
    await expect(fetch('https://login.example.com/101')).rejects.toMatchObject(unreachable)
  })
})

describe('checkBrowserUrl', () => {
  const remote = createTestFetch(() => new Response())

  test.each([
    'javascript:alert(1)//',
    'file:///etc/passwd',
    'data:text/html,<script>',
    'vbscript:x',
    'http://evil.example/authorize',
    'https://a.example/$(calc)`;&/',
    'ms-settings:x',
    'MS-Settings:x',
    ' java\tscript:alert(1)',
    'blob:https://a.example/x',
    'intent://a.example#Intent;scheme=x;end',
    '-psn https://a.example',
    'https://a.example/;calc',
    "https://a.example/'x'",
    'https://a.example/?q=|calc',
    'https://a.example/\\\\evil\\share?x=%24|y',
    'http://localhost/authorize',
    'https://10.0.0.1/authorize',
  ])('C57 refuses %j', (url) => expect(() => remote.checkBrowserUrl(url)).toThrow(expect.objectContaining(addressRefused)))

  test('accepts https URLs, and loopback URLs when the trusted URL is on this machine', () => {
    const query = 'response_type=code&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcb&scope=a+b%3Ac&state=x-_~.*'
    expect(remote.checkBrowserUrl(`https://login.example.com/authorize?${query}`).href).toContain(query)
    const local = createTestFetch(() => new Response(), { trustedUrl: new URL('http://localhost:3000/') })
    expect(local.checkBrowserUrl('http://127.0.0.1:9000/authorize').port).toBe('9000')
  })
})
