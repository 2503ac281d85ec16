import { describe, expect, test } from 'vitest'
import { createTestCore } from '../../../test-kit/core.ts'
import { listen, modern, open, write } from '../../../test-kit/raw.ts'
import { createFetchHandler } from './fetch.ts'
import { insecureAnyOrigin } from './guard.ts'
import type { HttpOptions } from './options.ts'

const APP = 'https://app.example.com'
const add = { id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } }

/** The head of the answer to a POST, or to what is given, on both fronts. */
const FRONTS = {
  async node(options: HttpOptions, init: RequestInit) {
    const { port } = await listen(createTestCore().exchange, options)
    const headers = init.headers as Record<string, string>
    const raw = open(port)
    const bytes = init.method === 'POST' ? modern(add, headers) : write(init.method ?? 'GET', headers)
    const answer = await raw.send(bytes).answer()
    await raw.end()
    return { status: answer.status, header: (name: string) => answer.headers[name] }
  },
  async fetch(options: HttpOptions, { method = 'GET', headers }: RequestInit) {
    const handler = createFetchHandler(createTestCore().exchange, options)
    const response = await handler(new Request('http://localhost/mcp', { method, headers } as RequestInit))
    return { status: response.status, header: (name: string) => response.headers.get(name) ?? undefined }
  },
}

describe.each(Object.entries(FRONTS))('a page of another origin, on the %s front', (_, visit) => {
  const options: HttpOptions = { allowedOrigins: [APP] }

  test('may read what it is answered, when it is allowed', async () => {
    const { status, header } = await visit(options, { method: 'POST', headers: { origin: APP } })
    expect(status).toBeLessThan(500)
    expect(header('access-control-allow-origin')).toBe(APP)
    expect(header('access-control-expose-headers')).toMatch(/mcp-session-id, www-authenticate/)
    expect(header('access-control-allow-credentials')).toBeUndefined()
    expect(header('vary')).toBe('origin')
  })

  test('may ask before it sends', async () => {
    const { status, header } = await visit(options, {
      method: 'OPTIONS',
      headers: {
        origin: APP,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,mcp-param-city',
      },
    })
    expect(status).toBe(204)
    expect(header('access-control-allow-methods')).toBe('GET, POST, DELETE')
    expect(header('access-control-allow-headers')).toBe('authorization,content-type,mcp-param-city')
    expect(header('access-control-allow-origin')).toBe(APP)
  })

  test('reads nothing and asks in vain, when it is not allowed', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    for (const method of ['POST', 'OPTIONS']) {
      const { status, header } = await visit(options, { method, headers })
      expect([status, header('access-control-allow-methods'), header('access-control-allow-origin')]).toEqual([
        403,
        undefined,
        undefined,
      ])
    }
  })

  test('is told nothing where no origins are named', async () => {
    const headers = { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' }
    const preflight = await visit({}, { method: 'OPTIONS', headers })
    expect([preflight.status, preflight.header('access-control-allow-origin')]).toEqual([405, undefined])
    expect((await visit({}, { method: 'POST', headers })).header('access-control-allow-origin')).toBeUndefined()
  })

  test('is allowed whatever it is, by a loud name', async () => {
    const { header } = await visit(
      { allowedOrigins: insecureAnyOrigin },
      { method: 'POST', headers: { origin: 'https://x.example' } },
    )
    expect(header('access-control-allow-origin')).toBe('https://x.example')
  })

  test('cannot have anything written into the head', async () => {
    const asked = { origin: APP, 'access-control-request-method': 'POST', 'access-control-request-headers': 'a;b="c"' }
    const { status, header } = await visit(options, { method: 'OPTIONS', headers: asked })
    expect([status, header('access-control-allow-headers')]).toEqual([204, undefined])
  })
})
