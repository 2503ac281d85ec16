import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../../../../../test/support/free-port.mjs'
import { onTestEnd } from '../../../../test-kit/scripted-server.ts'
import { type LoopbackServer, startLoopbackServer } from './loopback.ts'

const NEVER = new AbortController().signal

async function open(redirect = 'http://127.0.0.1/callback', registered: string[] = []): Promise<LoopbackServer> {
  const server = await startLoopbackServer(new URL(redirect), registered)
  onTestEnd(server.close)
  return server
}

const visit = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, { redirect: 'manual', ...init })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('an authorization response', () => {
  test('is returned, and confirmed with a static page', async () => {
    const { redirectUri, waitForResponse } = await open()
    expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    const received = waitForResponse('s', NEVER)
    const page = await visit(`${redirectUri}?state=s&code=secret&error_description=<script>`)
    expect(page.status).toBe(200)
    expect(page.text).not.toMatch(/secret|script/)
    const {
      'cache-control': cache,
      'content-security-policy': policy,
      'referrer-policy': referrer,
    } = Object.fromEntries(page.headers)
    expect([cache, policy, referrer]).toEqual(['no-store', "default-src 'none'; frame-ancestors 'none'", 'no-referrer'])
    expect(Object.fromEntries(await received)).toEqual({ state: 's', code: 'secret', error_description: '<script>' })
  })

  test('with another state does not end the attempt', async () => {
    const { redirectUri, waitForResponse } = await open()
    expect((await visit(`${redirectUri}?state=s`)).status).toBe(400)
    const received = waitForResponse('s', NEVER)
    for (const query of ['', '?state=other&code=x', '?state=s&state=s', '?error=access_denied'])
      expect((await visit(redirectUri + query)).status).toBe(400)
    expect((await visit(redirectUri.replace('callback', 'favicon.ico'))).status).toBe(404)
    expect((await visit(`${redirectUri}?state=s`, { method: 'POST' })).status).toBe(404)
    expect((await visit(`${redirectUri.replace('127.0.0.1', 'localhost')}?state=s`)).status).toBe(404)
    await visit(`${redirectUri}?state=s&code=right`)
    expect((await received).get('code')).toBe('right')
  })

  test('is refused after close', async () => {
    const { redirectUri, close } = await open()
    close()
    await expect(fetch(redirectUri)).rejects.toThrow()
  })

  test('is no longer awaited when the signal is aborted', async () => {
    const { waitForResponse } = await open()
    await expect(waitForResponse('s', AbortSignal.abort('enough'))).rejects.toBe('enough')
    const controller = new AbortController()
    const received = waitForResponse('s', controller.signal)
    controller.abort('enough')
    await expect(received).rejects.toBe('enough')
  })
})

describe('the port', () => {
  const occupy = async (port: number): Promise<void> => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    onTestEnd(() => server.close())
  }

  test('is that of the redirect URI, or starting fails', async () => {
    const port = await freePort()
    expect((await open(`http://localhost:${port}/back`)).redirectUri).toBe(`http://localhost:${port}/back`)
    await expect(open(`http://localhost:${port}/back`)).rejects.toMatchObject({ reason: 'registration_failed' })
  })

  test('is that of a registered redirect URI, unless it is in use', async () => {
    const port = await freePort()
    const registered = [`http://127.0.0.1:${port}/callback`, 'no address', `http://127.0.0.1:${port}/other`]
    const first = await open('http://127.0.0.1/callback', registered)
    expect(first.redirectUri).toBe(registered[0])
    first.close()
    await occupy(port)
    expect((await open('http://127.0.0.1/callback', registered)).redirectUri).not.toBe(registered[0])
  })

  test('of localhost accepts connections over IPv4 and IPv6', async () => {
    const { redirectUri, waitForResponse } = await open('http://localhost/callback')
    const received = waitForResponse('s', NEVER)
    const { port } = new URL(redirectUri)
    await visit(`http://localhost:${port}/callback?state=s&code=x`)
    expect((await received).get('code')).toBe('x')
  })
})
