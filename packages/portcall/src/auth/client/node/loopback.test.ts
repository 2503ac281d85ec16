import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../../../../../test/support/free-port.mjs'
import { cleanup } from '../../../../test-kit/peer.ts'
import { createLoopback, type Loopback } from './loopback.ts'

const NEVER = new AbortController().signal

async function open(redirect = 'http://127.0.0.1/callback', registered: string[] = []): Promise<Loopback> {
  const loopback = await createLoopback(new URL(redirect), registered)
  cleanup(loopback.close)
  return loopback
}

const visit = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, { redirect: 'manual', ...init })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('a user who comes back', () => {
  test('is read, and sees a page that holds nothing', async () => {
    const { redirectUri, response } = await open()
    expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    const came = response('s', NEVER)
    const page = await visit(`${redirectUri}?state=s&code=secret&error_description=<script>`)
    expect(page.status).toBe(200)
    expect(page.text).not.toMatch(/secret|script/)
    const {
      'cache-control': cache,
      'content-security-policy': policy,
      'referrer-policy': referrer,
    } = Object.fromEntries(page.headers)
    expect([cache, policy, referrer]).toEqual(['no-store', "default-src 'none'; frame-ancestors 'none'", 'no-referrer'])
    expect(Object.fromEntries(await came)).toEqual({ state: 's', code: 'secret', error_description: '<script>' })
  })

  test('with something else does not end the attempt', async () => {
    const { redirectUri, response } = await open()
    expect((await visit(`${redirectUri}?state=s`)).status).toBe(400)
    const came = response('s', NEVER)
    for (const query of ['', '?state=other&code=x', '?state=s&state=s', '?error=access_denied'])
      expect((await visit(redirectUri + query)).status).toBe(400)
    expect((await visit(redirectUri.replace('callback', 'favicon.ico'))).status).toBe(404)
    expect((await visit(`${redirectUri}?state=s`, { method: 'POST' })).status).toBe(404)
    expect((await visit(`${redirectUri.replace('127.0.0.1', 'localhost')}?state=s`)).status).toBe(404)
    await visit(`${redirectUri}?state=s&code=right`)
    expect((await came).get('code')).toBe('right')
  })

  test('too late finds nobody', async () => {
    const { redirectUri, close } = await open()
    close()
    await expect(fetch(redirectUri)).rejects.toThrow()
  })

  test('is not waited for when nobody wants it any more', async () => {
    const { response } = await open()
    await expect(response('s', AbortSignal.abort('enough'))).rejects.toBe('enough')
    const controller = new AbortController()
    const came = response('s', controller.signal)
    controller.abort('enough')
    await expect(came).rejects.toBe('enough')
  })
})

describe('the port', () => {
  const occupy = async (port: number): Promise<void> => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    cleanup(() => server.close())
  }

  test('is that of the address, or the attempt fails', async () => {
    const port = await freePort()
    expect((await open(`http://localhost:${port}/back`)).redirectUri).toBe(`http://localhost:${port}/back`)
    await expect(open(`http://localhost:${port}/back`)).rejects.toMatchObject({ fault: 'registration_failed' })
  })

  test('is one that is registered already, unless it is taken', async () => {
    const port = await freePort()
    const registered = [`http://127.0.0.1:${port}/callback`, 'no address', `http://127.0.0.1:${port}/other`]
    const first = await open('http://127.0.0.1/callback', registered)
    expect(first.redirectUri).toBe(registered[0])
    first.close()
    await occupy(port)
    expect((await open('http://127.0.0.1/callback', registered)).redirectUri).not.toBe(registered[0])
  })

  test('of localhost listens wherever a browser may look', async () => {
    const { redirectUri, response } = await open('http://localhost/callback')
    const came = response('s', NEVER)
    const { port } = new URL(redirectUri)
    await visit(`http://localhost:${port}/callback?state=s&code=x`)
    expect((await came).get('code')).toBe('x')
  })
})
