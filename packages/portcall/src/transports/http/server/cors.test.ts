import { describe, expect, test } from 'vitest'
import { listen, modernPost, openRawConnection, writeRequest } from '../../../../test-kit/raw-connection.ts'
import { createTestCore } from '../../../../test-kit/test-core.ts'
import { createFetchHandler } from './fetch.ts'
import { insecureAnyOrigin } from './host-check.ts'
import type { HttpOptions } from './options.ts'

const APP = 'https://app.example.com'
const add = { id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } }

/** Returns the head of the response to a POST or another method, with each adapter. */
const ADAPTERS = {
  async node(options: HttpOptions, init: RequestInit) {
    const { port } = await listen(createTestCore().exchange, options)
    const headers = init.headers as Record<string, string>
    const raw = openRawConnection(port)
    const bytes = init.method === 'POST' ? modernPost(add, headers) : writeRequest(init.method ?? 'GET', headers)
    const answer = await raw.send(bytes).response()
    await raw.close()
    return { status: answer.status, header: (name: string) => answer.headers[name] }
  },
  async fetch(options: HttpOptions, { method = 'GET', headers }: RequestInit) {
    const handler = createFetchHandler(createTestCore().exchange, options)
    const response = await handler(new Request('http://localhost/mcp', { method, headers } as RequestInit))
    return { status: response.status, header: (name: string) => response.headers.get(name) ?? undefined }
  },
}

describe.each(Object.entries(ADAPTERS))('a page of another origin, with the %s adapter', (_, send) => {
  const options: HttpOptions = { allowedOrigins: [APP] }

  test('may read responses if its origin is allowed', async () => {
    const { status, header } = await send(options, { method: 'POST', headers: { origin: APP } })
    expect(status).toBeLessThan(500)
    expect(header('access-control-allow-origin')).toBe(APP)
    expect(header('access-control-expose-headers')).toMatch(/mcp-session-id, www-authenticate/)
    expect(header('access-control-allow-credentials')).toBeUndefined()
    expect(header('vary')).toBe('origin')
  })

  test('gets a response to its preflight request', async () => {
    const { status, header } = await send(options, {
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

  test('gets 403 if its origin is not allowed', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    for (const method of ['POST', 'OPTIONS']) {
      const { status, header } = await send(options, { method, headers })
      expect([status, header('access-control-allow-methods'), header('access-control-allow-origin')]).toEqual([
        403,
        undefined,
        undefined,
      ])
    }
  })

  test('gets no CORS headers without allowedOrigins', async () => {
    const headers = { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' }
    const preflight = await send({}, { method: 'OPTIONS', headers })
    expect([preflight.status, preflight.header('access-control-allow-origin')]).toEqual([405, undefined])
    expect((await send({}, { method: 'POST', headers })).header('access-control-allow-origin')).toBeUndefined()
  })

  test('is always allowed with insecureAnyOrigin', async () => {
    const { header } = await send(
      { allowedOrigins: insecureAnyOrigin },
      { method: 'POST', headers: { origin: 'https://x.example' } },
    )
    expect(header('access-control-allow-origin')).toBe('https://x.example')
  })

  test('cannot inject headers', async () => {
    const headers = { origin: APP, 'access-control-request-method': 'POST', 'access-control-request-headers': 'a;b="c"' }
    const { status, header } = await send(options, { method: 'OPTIONS', headers })
    expect([status, header('access-control-allow-headers')]).toEqual([204, undefined])
  })
})
