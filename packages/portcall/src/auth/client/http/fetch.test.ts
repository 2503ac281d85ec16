import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createGuard, type GuardOptions } from './fetch.ts'
import { insecureHttp, insecurePrivateAddresses } from './reach.ts'

interface Seen {
  readonly url: string
  readonly headers: Record<string, string>
}

const REMOTE = new URL('https://mcp.example.com/mcp')

/** A guard whose requests nobody dials: `answer` says what comes back, `seen` what went out. */
function guardOver(answer: (url: string) => Response, options: Partial<GuardOptions> = {}) {
  const seen: Seen[] = []
  const fetch = (async (url: string, { headers = {} }: RequestInit = {}) => {
    seen.push({ url, headers: headers as Record<string, string> })
    return answer(url)
  }) as typeof globalThis.fetch
  return { seen, ...createGuard({ given: REMOTE, fetch, ...options }) }
}

const refusal = { code: 'AUTH_FAILED', fault: 'address_refused' }
const failure = { code: 'AUTH_FAILED', fault: 'unreachable' }
const to = (location: string, status = 302) => new Response(null, { status, headers: { location } })

/** What a server must not lead to. */
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

describe('a request about authorization', () => {
  test.each(FORBIDDEN)('C51 C52 C53 X03 never goes to %j', async (url) => {
    const { fetch, seen } = guardOver(() => new Response('{}'))
    await expect(fetch(url)).rejects.toMatchObject(refusal)
    expect(seen).toEqual([])
  })

  test.each(FORBIDDEN.filter((url) => url.includes(':')))('C54 X03 is not redirected to %j', async (url) => {
    const { fetch, seen } = guardOver(() => to(url))
    await expect(fetch('https://login.example.com/')).rejects.toMatchObject(refusal)
    expect(seen).toHaveLength(1)
  })

  test('the message of a refusal shows neither secrets nor what a terminal would act on', async () => {
    const { fetch } = guardOver(() => new Response())
    const messages = await Promise.all(
      ['https://10.0.0.5/?code=canary', 'https://name:canary@x.example/', 'x:\u001b[31mcanary'].map((url) =>
        fetch(url).catch(({ message }: Error) => message),
      ),
    )
    for (const message of messages) expect(message).not.toMatch(/canary|\u001b/)
  })

  test('goes to the origin that the user gave, wherever that is', async () => {
    const given = new URL('https://mcp.corp.internal/mcp')
    const { fetch } = guardOver(() => new Response('ok'), { given })
    expect(await (await fetch('https://mcp.corp.internal/.well-known/x')).text()).toBe('ok')
    await expect(fetch('https://login.corp.internal/')).rejects.toMatchObject(refusal)
    await expect(fetch('https://mcp.corp.internal:8443/')).rejects.toMatchObject(refusal)
  })

  test('goes to this machine when the server is there, and not further', async () => {
    const { fetch } = guardOver(() => new Response('ok'), { given: new URL('http://127.0.0.1:3000/mcp') })
    for (const url of ['http://localhost:9000/', 'http://[::1]:9000/', 'https://login.example.com/']) await fetch(url)
    await expect(fetch('https://10.0.0.5/')).rejects.toMatchObject(refusal)
    await expect(fetch('http://169.254.169.254/')).rejects.toMatchObject(refusal)
  })

  test('goes further when the user says so, and only so far', async () => {
    const named = guardOver(() => new Response(), { allow: ['login.corp.internal', '10.0.0.5'] })
    await named.fetch('https://login.corp.internal/')
    await named.fetch('https://10.0.0.5/')
    await expect(named.fetch('http://10.0.0.5/')).rejects.toMatchObject(refusal)
    await expect(named.fetch('https://10.0.0.6/')).rejects.toMatchObject(refusal)
    const anywhere = guardOver(() => new Response(), { allow: [insecurePrivateAddresses] })
    await anywhere.fetch('https://169.254.169.254/')
    await expect(anywhere.fetch('http://login.example.com/')).rejects.toMatchObject(refusal)
    const plain = guardOver(() => new Response(), { allow: [insecureHttp] })
    await plain.fetch('http://login.example.com/')
    await expect(plain.fetch('http://10.0.0.5/')).rejects.toMatchObject(refusal)
  })

  test('does not leave https', async () => {
    const { fetch } = guardOver(() => to('http://login.example.com/'), { allow: [insecureHttp] })
    await expect(fetch('https://login.example.com/')).rejects.toMatchObject(refusal)
  })

  test.each([301, 302, 303, 307, 308])('C60 a %d of a POST is an answer, and nothing is sent again', async (status) => {
    const { fetch, seen } = guardOver(() => to('https://evil.example/', status))
    const response = await fetch('https://login.example.com/token', { method: 'POST', body: new URLSearchParams({ code: 'c' }) })
    expect(response.status).toBe(status)
    expect(seen).toHaveLength(1)
  })

  test('C54 follows redirects of a GET to a limit, and headers follow within the first origin only', async () => {
    const origin = fc.constantFrom('https://a.example', 'https://b.example')
    const step = fc.record({ origin, status: fc.constantFrom(301, 302, 303, 307, 308) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        const { fetch, seen } = guardOver((url) => {
          const at = Number(new URL(url).pathname.slice(1))
          const next = steps[at]
          return next ? to(`${next.origin}/${at + 1}`, next.status) : new Response('the end')
        })
        const headers = { Authorization: 'Bearer t', 'X-Api-Key': 'k', DPoP: 'p', Accept: 'application/json' }
        const sent = fetch('https://a.example/0', { headers })
        if (steps.length > 3) await expect(sent).rejects.toMatchObject(failure)
        else expect(await (await sent).text()).toBe('the end')
        const origins = ['https://a.example', ...steps.map((one) => one.origin)].slice(0, seen.length)
        const home = origins.findIndex((one) => one !== 'https://a.example')
        for (const [at, one] of seen.entries()) {
          const expected = home === -1 || at < home ? headers : { Accept: 'application/json' }
          expect(one).toEqual({ url: `${origins[at]}/${at}`, headers: expected })
        }
      }),
    )
  })

  test('C68 cuts off an answer without end', async () => {
    let pulled = 0
    let cancelled = false
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(16_384).fill(pulled++)),
      cancel: () => void (cancelled = true),
    })
    const { fetch } = guardOver(() => new Response(endless))
    await expect(fetch('https://login.example.com/')).rejects.toMatchObject(failure)
    expect(pulled).toBeLessThan(70)
    expect(cancelled).toBe(true)
  })

  test('C68 takes an answer of exactly the limit', async () => {
    const { fetch } = guardOver((url) => new Response('x'.repeat(Number(new URL(url).pathname.slice(1)))), { maxBytes: 100 })
    expect(await (await fetch('https://login.example.com/100')).text()).toHaveLength(100)
    await expect(fetch('https://login.example.com/101')).rejects.toMatchObject(failure)
  })
})

describe('an address that is to be opened in a browser', () => {
  const remote = guardOver(() => new Response())

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
  ])('C57 is never %j', (url) => expect(() => remote.openable(url)).toThrow(expect.objectContaining(refusal)))

  test('is one of https, or of this machine when the server is there', () => {
    const query = 'response_type=code&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcb&scope=a+b%3Ac&state=x-_~.*'
    expect(remote.openable(`https://login.example.com/authorize?${query}`).href).toContain(query)
    const local = guardOver(() => new Response(), { given: new URL('http://localhost:3000/') })
    expect(local.openable('http://127.0.0.1:9000/authorize').port).toBe('9000')
  })
})
