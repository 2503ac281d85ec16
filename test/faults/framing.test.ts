/** Bytes that are not JSON, not UTF-8, or split at unusual positions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Case, runCases } from './support/cases.ts'
import { type HttpServer, mirrors, modern, post, startHttp, write } from './support/http.ts'
import { logLevel, modernRequest, textOf, tool } from './support/messages.ts'
import { type StdioServer, startStdio } from './support/stdio.ts'
import { sleep } from './support/time.ts'

const PARSE_ERROR = -32700
const call = (text: string): string => JSON.stringify(modernRequest('tools/call', tool('echo', { text })))
const fields = {
  ...mirrors('tools/call', tool('echo')),
  Accept: 'application/json, text/event-stream',
  'Content-Type': 'application/json',
}

/** Returns a valid call whose text is replaced by these bytes. */
function callWith(...bytes: number[]): Buffer {
  const [before = '', after = ''] = call('HERE').split('HERE')
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
}

const UNREADABLE: ReadonlyArray<{ id: string; stdio?: string; what: string; body: string | Buffer }> = [
  { id: 'H01', stdio: 'S01', what: 'truncated JSON', body: call('x').slice(0, -20) },
  { id: 'H02', what: 'an empty body', body: '' },
  { id: 'H01', stdio: 'S01', what: 'text after the JSON', body: `${call('x')} x` },
  { id: 'H01', stdio: 'S01', what: 'JavaScript that is no JSON', body: "{'jsonrpc': '2.0', id: 1}" },
  { id: 'H04', stdio: 'S05', what: 'bytes that are no UTF-8', body: callWith(0xff, 0xfe) },
  { id: 'H04', stdio: 'S05', what: 'a sequence that is cut off', body: callWith(0xe2, 0x82) },
  { id: 'H05', stdio: 'S05', what: 'an overlong encoding', body: callWith(0xc0, 0x80) },
  { id: 'H05', stdio: 'S05', what: 'a surrogate in UTF-8', body: callWith(0xed, 0xa0, 0x80) },
  {
    id: 'H07',
    stdio: 'S05',
    what: 'a byte order mark',
    body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(call('x'))]),
  },
  { id: 'H07', stdio: 'S05', what: 'a raw NUL', body: callWith(0) },
  { id: 'H07', stdio: 'S05', what: 'UTF-16', body: Buffer.from(call('x'), 'utf16le') },
]

describe('over HTTP', () => {
  let server: HttpServer
  beforeAll(async () => void (server = await startHttp()))
  afterAll(() => server.kill())

  runCases(
    () => server,
    UNREADABLE.map(
      ({ id, what, body }): Case<HttpServer> => ({
        id,
        what: `${what} is 400 and a parse error`,
        async run() {
          const answer = await server.send(write('POST', fields, body))
          expect(answer.status).toBe(400)
          expect(answer.json).toMatchObject({ jsonrpc: '2.0', error: { code: PARSE_ERROR } })
          expect(answer.json).not.toHaveProperty('id')
        },
      }),
    ),
  )

  test.each([
    ['H06', 'a lone surrogate', '\ud800'],
    ['H06', 'two surrogates in the wrong order', '\udc00\ud800'],
    ['H63', 'line ends and what looks like events', 'a\r\nb\n\ndata: {"jsonrpc":"2.0"}\n\nevent: end\rid: 7\n\n'],
    ['H63', 'the line separators of Unicode', 'a\u2028b\u2029c\u0085d'],
    ['H63', 'controls, quotes and an escape sequence', '\u0000\u0007"\\\u001b[31m\u007f'],
    ['H63', 'what is longer than a unit', '😀𝕏é日本'],
  ])('%s: %s is returned unchanged, also on a stream', async (_, __, text) => {
    const plain = await server.call('echo', { text })
    expect(plain.status).toBe(200)
    expect(textOf(plain.json)).toBe(text)

    const connection = server.connect()
    connection.send(modern('tools/call', tool('say', { text }, logLevel)))
    expect((await connection.head()).headers['content-type']).toBe('text/event-stream')
    const events = await connection.events()
    connection.destroy()
    expect(events.map(({ json }) => json?.params?.data ?? textOf(json))).toEqual([text, text])
    await server.healthy()
  })

  test('H06: a lone surrogate in a name is rejected, and in an id returned', async () => {
    const named = await server.send(post(modernRequest('tools/call', tool('\ud800')), mirrors('tools/call', tool('%EF%BF%BD'))))
    expect(named.status).toBe(400)
    const numbered = await server.send(modern('tools/call', tool('echo', { text: 'x' }), {}, '\ud800'))
    expect(numbered.json).toMatchObject({ id: '\ud800', result: {} })
    await server.healthy()
  })
})

describe('over stdio', () => {
  let server: StdioServer
  beforeAll(async () => {
    server = startStdio()
    await server.healthy()
  })
  afterAll(() => server.kill())

  const lines = UNREADABLE.flatMap(({ stdio, what, body }) => (stdio === undefined ? [] : [{ id: stdio, what, body }]))
  runCases(
    () => server,
    lines.map(
      ({ id, what, body }): Case<StdioServer> => ({
        id,
        what: `${what} is a parse error without an id`,
        async run() {
          const from = server.messages.length
          server.write(body)
          server.write('\n')
          const answer = await server.next(() => true, { from })
          expect(answer).toMatchObject({ jsonrpc: '2.0', error: { code: PARSE_ERROR } })
          expect(answer).not.toHaveProperty('id')
        },
      }),
    ),
  )

  test('S06: one byte at a time, with characters of several bytes, CRLF and blank lines', async () => {
    const text = 'é 日本 😀'
    const message = modernRequest('tools/call', tool('echo', { text }))
    const from = server.messages.length
    for (const byte of Buffer.from(`\r\n\n \n${JSON.stringify(message)}\r\n\n`)) {
      server.write(Uint8Array.of(byte))
      if (byte > 127) await sleep(1)
    }
    expect(textOf(await server.next(({ id }) => id === message.id, { from }))).toBe(text)
    await server.healthy()
    expect(server.messages.slice(from).filter(({ error }) => error)).toEqual([])
  })

  test('S06: text is returned unchanged, on one line', async () => {
    for (const text of ['\ud800', 'a\r\nb\n', 'a\u2028b\u2029c', '\u0000"\\', '😀'])
      expect(textOf(await server.call('echo', { text }))).toBe(text)
    await server.healthy()
  })
})
