/** Servers that redirect a client: its headers are sent to the configured origin only. */
import { connect } from 'portcall/client'
import { describe, expect, test } from 'vitest'
import { until } from '../support/time.ts'
import { call, failureOf, healthy, open, untilLost } from './support/connection.ts'
import { legacy, type Methods, modern, RESULTS } from './support/eras.ts'
import { type Handler, type RawAnswer, type RawServer, testRaw } from './support/raw-server.ts'

const ERAS: ReadonlyArray<readonly [revision: string, serve: (methods: Methods) => Handler]> = [
  ['2026-07-28', modern],
  ['2025-11-25', legacy],
]
const SECRETS = { Authorization: 'Bearer s3cret', 'X-Api-Key': 's3cret', Cookie: 'a=s3cret' }

/** A server that must not receive any request. */
function testEavesdropper(): Promise<RawServer> {
  return testRaw(modern({}))
}

describe.each(ERAS)('a server of %s', (_revision, serve) => {
  test.each([301, 302, 303, 307, 308])(
    'C61: a call is redirected to another origin (%i): nothing is sent there',
    async (status) => {
      const evil = await testEavesdropper()
      const server = await testRaw(serve({ 'tools/call': (_, { send }) => send(status, { Location: evil.url }) }))
      const { client } = await open(server.url, { headers: SECRETS })
      expect(await failureOf(client.callTool('echo'))).toMatchObject({ code: 'HTTP_STATUS', status, retryable: false })
      expect(evil.made).toBe(0)
    },
  )

  test.each([307, 308])('C61: everything is redirected to another origin (%i), from the first request on', async (status) => {
    const evil = await testEavesdropper()
    const server = await testRaw((_, { send }) => send(status, { Location: evil.url }))
    expect(await failureOf(connect(server.url, { headers: SECRETS }))).toMatchObject({ code: 'HTTP_STATUS' })
    expect(evil.made).toBe(0)
  })

  test('C61: similar origins are different origins', async () => {
    const evil = await testEavesdropper()
    for (const target of [
      `http://localhost:${evil.port}/mcp`,
      `//127.0.0.1:${evil.port}/mcp`,
      `http://user:pass@127.0.0.1:${evil.port}/mcp`,
      `https://127.0.0.1:${evil.port}/mcp`,
      `http:\\\\127.0.0.1:${evil.port}\\mcp`,
    ]) {
      const server = await testRaw(serve({ 'tools/call': (_, { send }) => send(307, { Location: target }) }))
      const { client } = await open(server.url, { headers: SECRETS })
      expect(await failureOf(client.callTool('echo'))).toMatchObject({ code: 'HTTP_STATUS' })
    }
    expect(evil.made).toBe(0)
  })

  test('C61: a redirect within the origin is followed once, with method, body and headers', async () => {
    const server = await testRaw((request, answer) => {
      const { message, target } = request
      if (message.method === 'tools/call' && target === '/mcp') return answer.send(307, { Location: '/other' })
      serve({})(request, answer)
    })
    const { client } = await open(server.url, { headers: SECRETS })
    await healthy(client)
    expect(server.requests.at(-1)).toMatchObject({ target: '/other', headers: { 'x-api-key': 's3cret' } })
  })

  test('C61: circular redirects are not followed forever', async () => {
    const server = await testRaw(serve({ 'tools/call': (_, { send }) => send(307, { Location: '/mcp' }) }))
    const { client } = await open(server.url)
    expect(await failureOf(client.callTool('echo'))).toMatchObject({ code: 'HTTP_STATUS' })
    expect(server.of('tools/call')).toHaveLength(2)
  })

  test('C61: cookies of a server are not stored, and Alt-Svc and Refresh are ignored', async () => {
    const evil = await testEavesdropper()
    const fields = {
      'Set-Cookie': 'a=1',
      'Alt-Svc': `h2="127.0.0.1:${evil.port}"`,
      Refresh: `0; url=${evil.url}`,
      Link: `<${evil.url}>; rel=preload`,
    }
    const server = await testRaw(serve({ 'tools/call': (_, { result }) => result(RESULTS['tools/call'] ?? {}, fields) }))
    const { client } = await open(server.url)
    for (let round = 0; round < 3; round++) await healthy(client)
    expect(server.requests.every(({ headers }) => headers.cookie === undefined)).toBe(true)
    expect(evil.made).toBe(0)
  })
})

describe('a server of 2025-11-25', () => {
  test('C61: the GET stream, a resumed response and the DELETE of the session are not redirected to another origin', async () => {
    const evil = await testEavesdropper()
    const elsewhere: Handler = (_, { send }) => send(307, { Location: evil.url })
    const server = await testRaw(
      legacy({
        GET: elsewhere,
        DELETE: elsewhere,
        'notifications/initialized': (_, { send }) => send(202),
        'tools/call'(_, answer) {
          answer.stream()
          answer.chunk('id: e1\nretry: 10\ndata:\n\n')
          answer.end()
        },
      }),
    )
    const { client } = await open(server.url, { headers: SECRETS })
    await failureOf(client.callTool('echo'), 4000)
    await client.close()
    expect(evil.made).toBe(0)
  })
})

describe('HTTP+SSE', () => {
  /** Starts an HTTP+SSE server whose stream starts as a test defines. */
  async function testSse(startStream: (answer: RawAnswer, server: () => RawServer) => void): Promise<RawServer> {
    let stream: RawAnswer | undefined
    const server: RawServer = await testRaw((request, answer) => {
      const { message, method, target } = request
      if (method === 'GET') {
        answer.stream()
        stream = answer
        return startStream(answer, () => server)
      }
      if (target === '/mcp') return answer.send(405)
      answer.send(202)
      const result = message.method === undefined ? undefined : RESULTS[message.method]
      if (message.id === undefined || message.method === 'x/never') return
      stream?.event({
        jsonrpc: '2.0',
        id: message.id,
        result: message.method === 'initialize' ? { ...result, protocolVersion: '2024-11-05' } : (result ?? {}),
      })
    })
    return server
  }

  test('C70: an endpoint on another origin is rejected, and receives nothing', async () => {
    const evil = await testEavesdropper()
    for (const target of [evil.url, `//127.0.0.1:${evil.port}/x`, 'file:///etc/passwd', 'javascript:alert(1)']) {
      const server = await testSse((answer) => answer.event(target, { event: 'endpoint' }))
      expect((await failureOf(connect(server.url, { headers: SECRETS }), 4000)).name).toMatch(
        /InvalidResponseError|ConnectionLostError/,
      )
    }
    expect(evil.made).toBe(0)
  })

  test('C71: a second endpoint event is ignored', async () => {
    const evil = await testEavesdropper()
    let stream: RawAnswer | undefined
    const server = await testSse((answer) => {
      stream = answer
      answer.event('/messages?a=1', { event: 'endpoint' })
    })
    const { client } = await open(server.url, { headers: SECRETS })
    await healthy(client)
    stream?.event('/elsewhere', { event: 'endpoint' })
    await healthy(client)
    expect(server.requests.filter(({ target }) => target === '/elsewhere')).toEqual([])
    stream?.event(evil.url, { event: 'endpoint' })
    await call(client).catch(() => {})
    expect(evil.made).toBe(0)
  })

  test('C26 C03: the stream ends: calls in flight fail immediately, the next one opens it again', async () => {
    let stream: RawAnswer | undefined
    let streams = 0
    const server = await testSse((answer) => {
      stream = answer
      streams++
      answer.event('/messages', { event: 'endpoint' })
    })
    const { client } = await open(server.url)
    const waiting = failureOf(client.request('x/never'), 2000)
    await until(() => server.of('x/never').length === 1)
    stream?.reset()
    expect(await waiting).toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
    await untilLost(client)
    await healthy(client)
    expect(streams).toBe(2)
  })

  test('C24: a stream that never names its endpoint: connect() fails in time', async () => {
    const server = await testSse(() => {})
    expect(await failureOf(connect(server.url, { connectTimeoutMs: 500 }), 3000)).toMatchObject({ code: 'TIMEOUT' })
    await until(() => server.open.size === 0, 'the end of the connections')
  })
})
