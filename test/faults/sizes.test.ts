/** Messages that are too long or too deeply nested. */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Case, runCases } from './support/cases.ts'
import { type HttpServer, mirrors, modern, post, startHttp, write } from './support/http.ts'
import { envelope, modernRequest, nested, tool } from './support/messages.ts'
import { type StdioServer, startStdio } from './support/stdio.ts'
import { MIB, sleep, until } from './support/time.ts'

const INVALID_REQUEST = -32600
const _meta = envelope()

/** Messages with a nested value in each position; `DEEP` is its placeholder. */
const POSITIONS: { readonly [position: string]: string } = {
  arguments: JSON.stringify(modernRequest('tools/call', tool('echo-json', { deep: 'DEEP' }))),
  _meta: JSON.stringify(modernRequest('tools/call', tool('echo-json', {}, { deep: 'DEEP' }))),
  params: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta, deep: 'DEEP' } }),
  id: JSON.stringify({ jsonrpc: '2.0', id: 'DEEP', method: 'tools/list', params: { _meta } }),
  'nothing else': '"DEEP"',
}
const DEPTHS = [200, 10_000, 100_000, 1_000_000]
const deepIn = (message: string, levels: number): string => message.replace('"DEEP"', nested(levels))

describe('over HTTP', () => {
  let server: HttpServer
  beforeAll(async () => void (server = await startHttp()))
  afterAll(() => server.kill())

  runCases(
    () => server,
    Object.entries(POSITIONS).flatMap(([position, message]) =>
      DEPTHS.map(
        (levels): Case<HttpServer> => ({
          id: 'H15',
          what: `${levels} levels in ${position} are rejected`,
          async run() {
            const answer = await server.send(post(deepIn(message, levels), mirrors('tools/list')))
            expect(answer).toMatchObject({ status: 400, json: { jsonrpc: '2.0', error: { code: INVALID_REQUEST } } })
          },
        }),
      ),
    ),
  )

  test('H15: 100 levels and a million closing brackets in a string are accepted', async () => {
    const deep = JSON.parse(nested(100)) as unknown
    expect((await server.call('echo-json', { deep })).json).toMatchObject({ result: {} })
    expect((await server.call('echo-json', { text: '[{'.repeat(500_000) })).status).toBe(200)
    await server.healthy()
  })

  test('H16: a Content-Length of 8 MB is rejected with 413 before the body is sent, and the connection is closed', async () => {
    const connection = server.connect()
    connection.send(
      write('POST', { ...mirrors('tools/list'), 'Content-Type': 'application/json', 'Content-Length': String(8 * MIB) }),
    )
    connection.send('{"jsonrpc"')
    const answer = await connection.answer()
    expect(answer).toMatchObject({ status: 413, json: { error: { code: INVALID_REQUEST } } })
    await connection.end()
    await server.healthy()
  })

  test('H16: a body just below 4 MiB is read', async () => {
    const answer = await server.call('echo-json', { text: 'x'.repeat(4 * MIB - 1000) })
    expect(answer.json).toMatchObject({ result: {} })
    await server.healthy()
  })

  test('H17: of 200 MB in chunks only the limit is read', async () => {
    const before = await server.health()
    const connection = server.connect()
    connection.send(
      write('POST', { ...mirrors('tools/list'), 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }),
    )
    const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`)
    let sent = 0
    while (!connection.closed && sent < 200 * MIB) {
      if (!connection.socket.write(chunk))
        await Promise.race([new Promise((resolve) => connection.socket.once('drain', resolve)), sleep(100)])
      sent += connection.socket.writableLength > 32 * MIB ? 200 * MIB : chunk.length
    }
    await connection.end()
    expect(sent).toBeLessThan(100 * MIB)
    expect(connection.unread).toMatch(/^HTTP\/1\.1 413 /)
    expect((await server.health()).rss - before.rss).toBeLessThan(60 * MIB)
    await server.healthy()
  })

  test('H17: a chunked body beyond the limit is answered even while the client keeps sending', async () => {
    const connection = server.connect()
    connection.send(
      write('POST', { ...mirrors('tools/list'), 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }),
    )
    for (let at = 0; at < 80; at++) connection.send(`10000\r\n${'x'.repeat(65_536)}\r\n`)
    expect((await connection.answer()).status).toBe(413)
    connection.destroy()
    await server.healthy()
  })

  test.each(['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip'])('H18: %s is not decompressed', async (encoding) => {
    const bomb = gzipSync(Buffer.alloc(100 * MIB, ' '))
    const before = await server.health()
    const fields = { ...mirrors('tools/list'), 'Content-Type': 'application/json', 'Content-Encoding': encoding }
    const answer = await server.send(write('POST', fields, bomb))
    expect(answer).toMatchObject({ status: 415, json: { error: {} } })
    expect((await server.health()).rss - before.rss).toBeLessThan(50 * MIB)
    await server.healthy()
  })

  test.each([
    ['one header of 32 KB', { 'X-Long': 'x'.repeat(32 * 1024) }],
    ['3000 headers', Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`X-${at}`, 'x']))],
    ['an Mcp-Name of 20 KB', { 'Mcp-Name': 'x'.repeat(20 * 1024) }],
    ['a session id of 20 KB', { 'Mcp-Session-Id': 'x'.repeat(20 * 1024) }],
  ])('H29: %s are 431', async (_, fields) => {
    const connection = server.connect()
    connection.send(modern('tools/call', tool('echo', { text: 'x' }), fields))
    expect(await connection.answer()).toMatchObject({ status: 431, json: { jsonrpc: '2.0', error: {} } })
    await connection.end()
    await server.healthy()
  })

  test('H29: 1000 short headers are all read', async () => {
    const many: Array<[string, string]> = Array.from({ length: 1000 }, (_, at) => [`a${at}`, 'x'])
    const evil = await server.send(modern('tools/call', tool('echo', { text: 'x' }), [...many, ['Mcp-Name', 'secret']]))
    expect(evil).toMatchObject({ status: 400, json: { error: { code: -32020 } } })
    const foreign = await server.send(
      modern('tools/call', tool('echo', { text: 'x' }), [...many, ['Origin', 'http://evil.example']]),
    )
    expect(foreign.status).toBe(403)
    await server.healthy()
  })

  test('a target of 12 KB is rejected with 414, a URI of 9 KB is not found', async () => {
    expect((await server.send(write('POST', mirrors('tools/list'), '', `/mcp?${'x'.repeat(12_000)}`))).status).toBe(414)
    const uri = `notes://${'x'.repeat(9000)}`
    expect((await server.send(modern('resources/read', { uri }))).json).toMatchObject({ error: { code: -32602 } })
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

  runCases(
    () => server,
    Object.entries(POSITIONS).flatMap(([position, message]) =>
      DEPTHS.map(
        (levels): Case<StdioServer> => ({
          id: 'S07',
          what: `${levels} levels in ${position} are rejected`,
          async run() {
            const from = server.messages.length
            server.write(`${deepIn(message, levels)}\n`)
            expect(await server.next(() => true, { from })).toMatchObject({ error: { code: INVALID_REQUEST } })
          },
        }),
      ),
    ),
  )

  test('S08: a line of 12 MB is rejected, and the next one is read', async () => {
    const from = server.messages.length
    server.write(`${JSON.stringify(modernRequest('tools/call', tool('echo', { text: 'x'.repeat(12 * MIB) })))}\n`)
    expect(await server.next(() => true, { from })).toMatchObject({ error: { code: INVALID_REQUEST } })
    await server.healthy()
    expect(server.messages.slice(from)).toHaveLength(2)
  })

  test('S08: a line just below 4 MiB is read', async () => {
    const answer = await server.call('echo-json', { text: 'x'.repeat(4 * MIB - 1000) })
    expect(answer).toHaveProperty('result')
    await server.healthy()
  })

  test('S09: 150 MB without a newline are discarded as they arrive', async () => {
    const before = await server.health()
    const from = server.messages.length
    const piece = Buffer.alloc(MIB, 'x')
    for (let sent = 0; sent < 150; sent++)
      if (!server.child.stdin.write(piece)) await new Promise((resolve) => server.child.stdin.once('drain', resolve))
    await until(() => server.messages.length > from, 'the refusal')
    server.write('\n')
    await server.healthy()
    expect(server.messages.slice(from).filter(({ error }) => error?.code === INVALID_REQUEST)).toHaveLength(1)
    expect((await server.health()).rss - before.rss).toBeLessThan(60 * MIB)
  })
})
