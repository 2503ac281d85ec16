/** Requests that a web page, a proxy or an attacker could send: hosts, origins, media types, framing, methods. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { type Case, runCases } from './support/cases.ts'
import { ACCEPT, type Fields, type HttpServer, mirrors, modern, post, startHttp, testHttp, write } from './support/http.ts'
import { INITIALIZE, modernRequest, request, textOf, tool } from './support/messages.ts'
import { sleep } from './support/time.ts'

const echo = tool('echo', { text: 'x' })
const body = JSON.stringify(modernRequest('tools/call', echo))
const fields = { ...mirrors('tools/call', echo), Accept: ACCEPT, 'Content-Type': 'application/json' }

let server: HttpServer
beforeAll(async () => void (server = await startHttp()))
afterAll(() => server.kill())

/** Sends a valid call with other headers. */
const callWith = (more: Fields): Promise<{ status: number; json: unknown; headers: object }> =>
  server.send(modern('tools/call', echo, more))

const refusals: ReadonlyArray<[id: string, what: string, more: () => Fields, statuses: readonly number[]]> = [
  ['H21', 'Content-Type text/plain', () => ({ 'Content-Type': 'text/plain' }), [415]],
  ['H21', 'no Content-Type', () => ({ 'Content-Type': undefined }), [415]],
  ['H21', 'text/plain with JSON in a parameter', () => ({ 'Content-Type': 'text/plain;x=application/json' }), [415]],
  ['H21', 'a form', () => ({ 'Content-Type': 'application/x-www-form-urlencoded' }), [415]],
  ['H21', 'application/jsonp', () => ({ 'Content-Type': 'application/jsonp' }), [415]],
  ['H22', 'JSON in UTF-16', () => ({ 'Content-Type': 'application/json; charset=utf-16' }), [415]],
  ['H23', 'the origin of another site', () => ({ Origin: 'http://evil.example' }), [403]],
  ['H23', 'the origin null', () => ({ Origin: 'null' }), [403]],
  ['H23', 'an empty origin', () => ({ Origin: '' }), [403]],
  ['H23', 'an origin with the host name as a prefix', () => ({ Origin: 'http://localhost.evil.com' }), [403]],
  ['H23', 'an origin with the address as a prefix', () => ({ Origin: 'http://127.0.0.1.evil.com' }), [403]],
  ['H23', 'an origin with the host name as its user', () => ({ Origin: 'https://localhost@evil.example' }), [403]],
  ['H23', 'an origin of another scheme', () => ({ Origin: 'file://localhost' }), [403]],
  [
    'H23',
    'two origins',
    () => [
      ['Origin', 'http://localhost'],
      ['Origin', 'http://evil.example'],
    ],
    [403],
  ],
  ['H24', 'another host', () => ({ Host: 'evil.example' }), [403]],
  ['H24', 'another host with the same port', () => ({ Host: `evil.example:${server.port}` }), [403]],
  ['H24', 'a host with the host name as a prefix', () => ({ Host: 'localhost.evil.com' }), [403]],
  ['H24', 'a host that resolves to this server', () => ({ Host: '127.0.0.1.nip.io' }), [403]],
  ['H24', 'a host with a user', () => ({ Host: 'localhost@evil.example' }), [403]],
  ['H24', 'another address', () => ({ Host: '169.254.169.254' }), [403]],
  ['H24', 'an empty host', () => ({ Host: '' }), [400, 403]],
  ['H24', 'no host', () => ({ Host: undefined }), [400]],
  [
    'H24',
    'two hosts',
    () => [
      ['Host', 'localhost'],
      ['Host', 'evil.example'],
    ],
    [400],
  ],
  ['H31', 'Accept text/html', () => ({ Accept: 'text/html' }), [406]],
  ['H31', 'Accept that excludes all types', () => ({ Accept: 'application/json;q=0, text/event-stream;q=0' }), [406]],
]

describe('a rejected head', () => {
  runCases(
    () => server,
    refusals.map(
      ([id, what, more, statuses]): Case<HttpServer> => ({
        id,
        what: `${what} is ${statuses.join(' or ')}`,
        async run() {
          const answer = await callWith(more())
          expect(statuses).toContain(answer.status)
          expect(answer.json).toMatchObject({ jsonrpc: '2.0', error: {} })
          expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
        },
      }),
    ),
  )

  test('H23 H24: hosts and origins are checked for every method and era', async () => {
    const session = await server.session()
    for (const bad of [{ Origin: 'http://evil.example' }, { Host: 'evil.example' }]) {
      for (const method of ['GET', 'DELETE', 'OPTIONS', 'PUT'])
        expect((await server.send(write(method, { ...session.fields, Accept: 'text/event-stream', ...bad }))).status).toBe(403)
      expect((await server.send(post(request('initialize', INITIALIZE), bad))).status).toBe(403)
      expect((await server.send(session.post(request('ping'), bad))).status).toBe(403)
    }
    expect((await session.ask(request('ping'))).status).toBe(200)
    await server.healthy()
  })

  test('H21: a preflight request is not allowed', async () => {
    const answer = await server.send(
      write('OPTIONS', { Origin: 'http://localhost:5173', 'Access-Control-Request-Method': 'POST' }),
    )
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    await server.healthy()
  })
})

describe('an accepted head', () => {
  test.each<[string, string, () => Fields]>([
    ['H22', 'JSON in UTF-8', () => ({ 'Content-Type': 'application/json; charset=utf-8' })],
    ['H22', 'JSON in UTF-8, in another spelling', () => ({ 'Content-Type': 'Application/JSON;Charset="UTF-8"' })],
    ['H23', 'the origin of this server', () => ({ Origin: `http://localhost:${server.port}` })],
    ['H23', 'the origin of another server on this machine', () => ({ Origin: 'http://127.0.0.1:5173' })],
    ['H24', 'the address', () => ({ Host: `127.0.0.1:${server.port}` })],
    ['H24', 'the IPv6 address', () => ({ Host: `[::1]:${server.port}` })],
    ['H24', 'the host name in upper case', () => ({ Host: 'LOCALHOST' })],
    ['H31', 'no Accept', () => ({ Accept: undefined })],
    ['H31', 'Accept JSON only', () => ({ Accept: 'application/json' })],
    ['H31', 'Accept anything', () => ({ Accept: '*/*' })],
  ])('%s: %s', async (_, __, more) => {
    const answer = await server.send(modern('tools/call', echo, more()))
    expect(answer.status).toBe(200)
    expect(textOf(answer.json)).toBe('x')
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  })

  test('H31: a client that accepts only streams receives a stream', async () => {
    const connection = server.connect()
    connection.send(modern('tools/call', echo, { Accept: 'text/event-stream' }))
    expect((await connection.head()).headers['content-type']).toBe('text/event-stream')
    expect(textOf((await connection.events()).at(-1)?.json)).toBe('x')
    connection.destroy()
  })
})

describe('methods', () => {
  test.each(['PUT', 'PATCH', 'OPTIONS', 'TRACE', 'HEAD', 'PROPFIND'])('H30: %s is 405', async (method) => {
    const connection = server.connect()
    connection.send(write(method, fields, method === 'HEAD' || method === 'OPTIONS' ? undefined : body))
    const answer = await connection.answer({ bodiless: method === 'HEAD' })
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toContain('POST')
    if (method !== 'HEAD') expect(answer.json).toMatchObject({ jsonrpc: '2.0', error: {} })
    connection.destroy()
    await server.healthy()
  })

  test('H30: CONNECT and upgrades are rejected', async () => {
    const tunnel = server.connect()
    tunnel.send('CONNECT evil.example:80 HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await tunnel.end()
    expect(tunnel.unread).not.toMatch(/^HTTP\/1\.1 2/)
    const upgraded = server.connect()
    upgraded.send(modern('tools/call', echo, { Connection: 'Upgrade', Upgrade: 'websocket' }))
    expect((await upgraded.answer()).status).not.toBe(101)
    upgraded.destroy()
    await server.healthy()
  })

  test('H30: GET without Accept or for JSON does not open a stream', async () => {
    for (const accept of [{}, { Accept: 'application/json' }]) {
      const answer = await server.send(write('GET', accept))
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.status).toBeLessThan(500)
      expect(answer.json).toMatchObject({ error: {} })
    }
    const session = await server.session()
    expect((await server.send(session.get({ Accept: 'application/json' }))).status).toBe(406)
    await server.healthy()
  })

  test('H43: an unsupported version is rejected with 400', async () => {
    const session = await server.session()
    for (const version of ['1999-01-01', '2025-13-01', 'x', '2026-07-28, 2025-11-25'])
      expect((await server.send(session.post(request('ping'), { 'MCP-Protocol-Version': version }))).status).toBe(400)
    expect((await server.send(session.get({ 'MCP-Protocol-Version': '1999-01-01' }))).status).toBe(400)
    await server.healthy()
  })

  test('M07: GET and DELETE are 405 in the modern era, and a session id means nothing', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await server.send(
        write(method, { 'MCP-Protocol-Version': '2026-07-28', Accept: 'text/event-stream', 'Mcp-Session-Id': 'x' }),
      )
      expect(answer).toMatchObject({ status: 405, json: { error: {} } })
      expect(answer.headers.allow).toBe('POST')
    }
    const called = await server.send(modern('tools/call', echo, { 'Mcp-Session-Id': 'x', 'Last-Event-ID': '7' }))
    expect(textOf(called.json)).toBe('x')
    expect(called.headers).not.toHaveProperty('mcp-session-id')
    await server.healthy()
  })

  test('M11: a server without the legacy era returns its supported versions', async () => {
    const strict = await testHttp({ http: { legacy: 'off' } })
    const answer = await strict.send(post(request('initialize', INITIALIZE)))
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ error: {} })
    expect(answer.headers).not.toHaveProperty('mcp-session-id')
    expect((await strict.send(write('GET', { Accept: 'text/event-stream' }))).status).toBe(405)
    await strict.healthy()
  })

  test('M11: the handshake at an endpoint of both eras opens a session, whatever the headers contain', async () => {
    const answer = await server.send(post(request('initialize', INITIALIZE), { 'MCP-Protocol-Version': '2026-07-28' }))
    expect([200, 400]).toContain(answer.status)
    if (answer.status === 200) expect(answer.json).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
    await server.healthy()
  })
})

describe('smuggling', () => {
  const good = `POST /mcp HTTP/1.1\r\nHost: localhost\r\n`
  const smuggled = `GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n`

  test.each([
    [
      'H25',
      'another authority in the target',
      `POST http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`,
      [403],
    ],
    ['H25', 'another path in the target', `POST /../mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`, [400, 404]],
    [
      'H26',
      'Content-Length and Transfer-Encoding',
      `${good}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      [400],
    ],
    [
      'H26',
      'Transfer-Encoding twice',
      `${good}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${smuggled}`,
      [400],
    ],
    [
      'H26',
      'obfuscated Transfer-Encoding',
      `${good}Content-Length: 5\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
      [400],
    ],
    [
      'H26',
      'an empty Transfer-Encoding and Content-Length',
      `${good}Transfer-Encoding:\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}${smuggled}`,
      [400],
    ],
    ['H26', 'an empty Transfer-Encoding', `${good}Transfer-Encoding:\r\n\r\n${smuggled}`, [400]],
    ['H27', 'two lengths', `${good}Content-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`, [400]],
    ['H27', 'a length that is not a number', `${good}Content-Length: +5\r\n\r\n${smuggled}`, [400]],
    ['H27', 'a negative length', `${good}Content-Length: -1\r\n\r\n${smuggled}`, [400]],
    ['H27', 'bare line feeds', `POST /mcp HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n${smuggled}`, [400]],
    ['H27', 'a folded line', `${good}X-A: 1\r\n Content-Length: 5\r\nContent-Length: 0\r\n\r\n${smuggled}`, [400]],
    ['H27', 'a space before the colon', `${good}Content-Length : 0\r\n\r\n${smuggled}`, [400]],
    ['H27', 'a NUL in a header', `${good}X-A: a\0b\r\nContent-Length: 0\r\n\r\n`, [400]],
    ['H27', 'bytes that are not HTTP', `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03`, [400]],
    ['H27', 'HTTP/3.0', `POST /mcp HTTP/3.0\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`, [400, 505]],
    [
      'H27',
      'a chunk with an invalid length',
      `${good}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
      [400],
    ],
  ])('%s: %s is rejected, and nothing after it is read', async (_, __, bytes, statuses) => {
    const connection = server.connect()
    connection.send(bytes)
    const answer = await connection.answer()
    expect(statuses).toContain(answer.status)
    expect(answer.json).toMatchObject({ jsonrpc: '2.0', error: {} })
    await sleep(50)
    expect(connection.unread).not.toContain('HTTP/1.1')
    connection.destroy()
    await server.healthy()
  })

  test.each([
    ['a content type', { 'Content-Type': 'text/plain' }],
    ['an origin', { Origin: 'http://evil.example' }],
    ['an encoding', { 'Content-Encoding': 'gzip' }],
    ['an Accept', { Accept: 'text/html' }],
    ['a version', { 'MCP-Protocol-Version': 'x' }],
  ])('H28: the body of a request rejected for %s is not parsed as the next request', async (_, more) => {
    const inner = modern('tools/call', tool('echo', { text: 'smuggled' }))
    const connection = server.connect()
    connection.send(write('POST', { ...fields, ...more }, inner))
    connection.send(modern('tools/call', tool('echo', { text: 'real' })))
    expect((await connection.answer()).status).toBeGreaterThanOrEqual(400)
    const next = await connection.answer().catch(() => undefined)
    if (next) expect(textOf(next.json)).toBe('real')
    await sleep(50)
    expect(connection.unread).not.toContain('smuggled')
    connection.destroy()
    await server.healthy()
  })

  test('H27: trailers do not count as headers', async () => {
    const fields: Fields = {
      ...mirrors('tools/call', echo),
      'Mcp-Name': undefined,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    }
    const connection = server.connect()
    connection.send(write('POST', { ...fields, Accept: ACCEPT }))
    connection.send(`${body.length.toString(16)}\r\n${body}\r\n0\r\nMcp-Name: echo\r\n\r\n`)
    expect(await connection.answer()).toMatchObject({ status: 400, json: { error: { code: -32020 } } })
    connection.destroy()
    await server.healthy()
  })

  test('H27: extensions of chunks are bounded', async () => {
    // A client that keeps sending for longer than the server lingers may lose its response.
    await eventually(async () => {
      const connection = server.connect()
      connection.send(
        write('POST', { ...mirrors('tools/call', echo), 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }),
      )
      for (let at = 0; at < 100 && !connection.closed; at++) {
        connection.send(`1;${'x'.repeat(20_000)}\r\n \r\n`)
        await sleep(1)
      }
      await connection.end()
      expect(connection.unread).toMatch(/^HTTP\/1\.1 413 /)
    })
    await server.healthy()
  })

  test('H27: unknown expectations are rejected', async () => {
    expect((await server.send(modern('tools/call', echo, { Expect: 'a miracle' }))).status).toBe(417)
    const continued = server.connect()
    continued.send(write('POST', { ...fields, Expect: '100-continue', 'Content-Length': String(Buffer.byteLength(body)) }))
    expect((await continued.answer()).status).toBe(100)
    continued.send(body)
    expect(textOf((await continued.answer()).json)).toBe('x')
    continued.destroy()
    await server.healthy()
  })

  test('H28: pipelined requests are answered in order', async () => {
    const connection = server.connect()
    const texts = Array.from({ length: 20 }, (_, at) => `text ${at}`)
    connection.send(texts.map((text) => modern('tools/call', tool('echo', { text }))).join(''))
    for (const text of texts) expect(textOf((await connection.answer()).json)).toBe(text)
    connection.destroy()
  })
})
