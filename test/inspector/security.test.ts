/** Who gets in, and what nobody can make the inspector do. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startInspector, type TestInspector } from './support/inspector.ts'

interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** Sends a request as it is; `fetch` does not allow every header. */
function send(
  url: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: object; body?: string },
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: headers as Record<string, string> }, (response) => {
      let text = ''
      const done = (): void => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text })
      response.on('data', (chunk) => {
        text += String(chunk)
        if (response.headers['content-type'] === 'text/event-stream') {
          done()
          sent.destroy()
        }
      })
      response.on('end', done)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const json = { 'content-type': 'application/json' }
const state = JSON.stringify({ name: 'get-state', params: {} })

const ROUTES: readonly { readonly path: string; readonly method?: string; readonly body?: string; readonly open?: true }[] = [
  { path: '', open: true },
  { path: 'index.html', open: true },
  { path: 'api/command', method: 'POST', body: state },
  { path: 'api/events' },
  { path: 'oauth/callback?state=x&code=y', open: true },
  { path: 'open/wrong', open: true },
]

describe.each(ROUTES)('$path', ({ path, method = 'GET', body, open }) => {
  const call = (inspector: TestInspector, headers: object): Promise<RawResponse> =>
    send(inspector.url + path, { method, headers: { ...(body && json), ...headers }, ...(body && { body }) })

  test('refuses foreign hosts and origins, signed in or not', async () => {
    const inspector = await startInspector()
    const { signedIn, url } = inspector
    const port = new URL(url).port
    for (const headers of [
      { host: `evil.example:${port}` },
      { host: '127.0.0.1.evil.example' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${Number(port) + 1}` },
      { origin: `http://localhost:${port}` },
    ])
      for (const extra of [{}, signedIn]) expect((await call(inspector, { ...headers, ...extra })).status).toBe(403)
  })

  test('needs the cookie and the key, unless it holds nothing secret', async () => {
    const inspector = await startInspector()
    const { cookie, 'x-inspector-key': key } = inspector.signedIn
    const [name, secret] = cookie.split('=')
    const response = await call(inspector, {})
    if (open) for (const each of [secret, key]) expect(response.body).not.toContain(each)
    else expect(response.status).toBe(401)
    for (const headers of [
      { cookie },
      { 'x-inspector-key': key },
      { cookie: `${name}=wrong`, 'x-inspector-key': key },
      { cookie, 'x-inspector-key': secret },
    ])
      expect((await call(inspector, headers)).status).toBe(response.status)
  })

  test('has the security headers, and allows no other origin', async () => {
    const { headers } = await call(await startInspector(), {})
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

test('commands are JSON only', async () => {
  const { url, signedIn } = await startInspector()
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '']) {
    const headers = { ...signedIn, ...(type && { 'content-type': type }) }
    expect((await send(`${url}api/command`, { method: 'POST', headers, body: state })).status).toBe(415)
  }
  expect((await send(`${url}api/command`, { method: 'POST', headers: { ...signedIn, ...json }, body: state })).status).toBe(200)
  expect((await send(`${url}api/command`, { headers: signedIn })).status).toBe(405)
})

test('a request that a browser sends from another site is refused', async () => {
  const { url, signedIn } = await startInspector()
  for (const site of ['cross-site', 'same-site']) {
    const headers = { ...signedIn, ...json, 'sec-fetch-site': site }
    expect((await send(`${url}api/command`, { method: 'POST', headers, body: state })).status).toBe(403)
    expect((await send(`${url}api/events`, { headers })).status).toBe(403)
  }
})

test('a link works once, and only its cookie gets in', async () => {
  const { inspector } = await startInspector()
  const link = inspector.newLink()
  const first = await send(link, {})
  expect(first.status).toBe(303)
  const [cookie = ''] = (first.headers['set-cookie'] as string[] | undefined) ?? []
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/)
  expect(first.headers.location).toMatch(/^\/#key=[\w-]{43}$/)
  const second = await send(link, {})
  expect(second.status).toBe(403)
  expect(second.headers['set-cookie']).toBeUndefined()
  const [older, newer] = [inspector.newLink(), inspector.newLink()]
  expect((await send(older, {})).status).toBe(403)
  expect((await send(newer, { method: 'HEAD' })).status).toBe(403)
  expect((await send(newer, {})).status).toBe(303)
})

test('two inspectors on one host keep their sign-ins apart', async () => {
  const [one, other] = [await startInspector(), await startInspector()]
  // A browser sends the cookies of both to both.
  const cookie = `${one.signedIn.cookie}; ${other.signedIn.cookie}`
  for (const { url, signedIn } of [one, other]) {
    const headers = { ...json, ...signedIn, cookie }
    expect((await send(`${url}api/command`, { method: 'POST', headers, body: state })).status).toBe(200)
  }
})

test('the page holds no secret', async () => {
  const { url, signedIn, inspector } = await startInspector()
  const link = inspector.newLink()
  const { body, headers } = await send(url, {})
  expect(body + JSON.stringify(headers)).not.toContain(link.split('/').at(-1))
  expect(body + JSON.stringify(headers)).not.toContain(signedIn.cookie.split('=')[1])
  expect(body + JSON.stringify(headers)).not.toContain(signedIn['x-inspector-key'])
})

test('a web page cannot make the inspector start a program', async () => {
  const marker = join(mkdtempSync(join(tmpdir(), 'portcall-exploit-')), 'started')
  const inspector = await startInspector()
  const { url, signedIn } = inspector
  const target = {
    kind: 'program',
    command: process.execPath,
    args: ['-e', `require('fs').writeFileSync(${JSON.stringify(marker)}, '')`],
  }
  const add = JSON.stringify({ name: 'add-server', params: { target } })
  const query = `transportType=stdio&command=touch&args=${encodeURIComponent(marker)}`
  const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  for (const path of [`sse?${query}`, `stdio?${query}`, `mcp?${query}`, `?${query}`, `api/command?${query}`, `open/x?${query}`])
    for (const method of ['GET', 'POST']) await send(url + path, { method, headers: { ...evil, ...signedIn } })
  // `fetch(…, { mode: 'no-cors' })` and forms of another site: the content types that need no preflight, with the cookie as if it were sent.
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json'])
    for (const headers of [evil, { ...evil, origin: 'null' }, { 'sec-fetch-site': 'cross-site' }])
      expect(
        (
          await send(`${url}api/command`, {
            method: 'POST',
            headers: { ...headers, ...signedIn, 'content-type': type },
            body: add,
          })
        ).status,
      ).not.toBe(200)
  expect((await inspector.command('get-state', {})).servers).toEqual([])
  // Even the page itself must show the whole command before it runs.
  const { serverId, server } = await inspector.command('add-server', { target: target as never })
  expect(server.runs).toContain(marker)
  for (const confirm of [undefined, '', 'yes', server.runs?.slice(1)])
    await expect(
      inspector.command('connect-server', { serverId, ...(confirm !== undefined && { confirm }) }),
    ).rejects.toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
    })
  expect(existsSync(marker)).toBe(false)
  await inspector.command('connect-server', { serverId, confirm: server.runs ?? '' })
  await expect.poll(() => existsSync(marker)).toBe(true)
})

test.each(['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'ftp://example.com'])(
  '%s is no server',
  async (url) => {
    const inspector = await startInspector()
    await expect(inspector.command('add-server', { target: { kind: 'url', url } })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
    })
  },
)

test('a redirect of an authorization server is accepted for a known state only, once', async () => {
  const { url, inspector } = await startInspector()
  expect((await send(`${url}oauth/callback?state=foreign&code=1`, {})).status).toBe(400)
  const { signal } = new AbortController()
  const arrived = inspector.backend.callbacks.wait('known', signal)
  expect((await send(`${url}oauth/callback?state=known&state=other&code=1`, {})).status).toBe(400)
  const again = inspector.backend.callbacks.wait('known2', signal)
  expect((await send(`${url}oauth/callback?state=known2&code=1`, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(
    200,
  )
  expect((await again).searchParams.get('code')).toBe('1')
  expect((await send(`${url}oauth/callback?state=known2&code=1`, {})).status).toBe(400)
  void arrived
})

test('another address needs its long option and a host name', () => {
  const main = join(import.meta.dirname, '../../packages/portcall/dist/cli/main.js')
  const { status, stderr } = spawnSync(process.execPath, [main, 'inspect', '--insecure-listen-on-address', '0.0.0.0'], {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([2, expect.stringContaining('--allow-host')])
})
