import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../test-kit/eventually.ts'
import { ACCEPT, listen, MODERN_VERSION, modernPost, post, requestMeta, writeRequest } from '../../../test-kit/raw-connection.ts'
import { call, openSession } from '../../../test-kit/raw-session.ts'
import { createTestCore } from '../../../test-kit/test-core.ts'

/** Starts a server. Each test sends hand-written bytes to it, and then checks that it still answers. */
async function start(options: Parameters<typeof listen>[1] = {}) {
  const core = createTestCore()
  const { connect, connections } = await listen(core.exchange, options)
  const ask = (bytes: string | Uint8Array) => connect().send(bytes).response()
  const expectHealthy = async () =>
    expect(
      (await ask(modernPost({ id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: 'healthy' } } }))).json
        .result.content[0].text,
    ).toBe('healthy')
  return { core, connect, connections, ask, expectHealthy }
}

const add = { id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } }
const HEAD = { Accept: ACCEPT, 'Content-Type': 'application/json' }

/** A POST with a binary body. */
function bytes(body: Uint8Array, headers: Record<string, string> = {}): Uint8Array {
  return Buffer.concat([Buffer.from(writeRequest('POST', { ...HEAD, ...headers, 'Content-Length': String(body.length) })), body])
}

/** With a subscriber of the diagnostics channel, all requests go through Node's parser; without one, simple requests take the fast path. */
const PATHS = [
  ['on the fast path', () => {}, () => {}],
  ['through Node’s parser', () => subscribe(REQUEST_START, ignore), () => unsubscribe(REQUEST_START, ignore)],
] as const
const REQUEST_START = 'http.server.request.start'
function ignore(): void {}

describe.each(PATHS)('%s', (_, setUp, tearDown) => {
  beforeAll(setUp)
  afterAll(() => void tearDown())

  describe('a body that is not a message', () => {
    test.each([
      ['H01 truncated', '{"jsonrpc":"2.0","id":1,"meth', -32700],
      ['H02 empty', '', -32700],
      ['H03 null', 'null', -32600],
      ['H03 a number', '42', -32600],
      ['H03 a string', '"x"', -32600],
      ['H03 an empty object', '{}', -32600],
      ['H10 the id null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
      ['H11 the id true', '{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600],
      ['H11 the id 1.5', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
      ['H11 the id {}', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
      ['H11 the id []', '{"jsonrpc":"2.0","id":[],"method":"ping"}', -32600],
      ['H11 the id 1e400', '{"jsonrpc":"2.0","id":1e400,"method":"ping"}', -32600],
      ['H11 the id 2^53', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', -32600],
      ['H12 no version', '{"id":1,"method":"ping"}', -32600],
      ['H12 version 1.0', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
      ['H09 Method', '{"jsonrpc":"2.0","id":1,"Method":"ping"}', -32600],
      ['H09 method and NUL', '{"jsonrpc":"2.0","id":1,"method\\u0000":"ping"}', -32600],
      ['H41 params that are an array', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602],
      ['H07 a byte order mark', '\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}', -32700],
      ['H20 an empty batch', '[]', -32600],
    ])('%s', async (_, body, code) => {
      const { ask, expectHealthy } = await start()
      const answer = await ask(post(body, body === '[]' ? { 'MCP-Protocol-Version': MODERN_VERSION } : {}))
      expect(answer).toMatchObject({ status: 400, json: { jsonrpc: '2.0', error: { code } } })
      expect(answer.json.id).not.toBeNull()
      await expectHealthy()
    })

    test.each([
      ['H04 a byte that is not UTF-8', [0xff, 0xfe]],
      ['H05 an overlong form', [0xc0, 0x80]],
      ['H05 a surrogate', [0xed, 0xa0, 0x80]],
    ])('%s', async (_, bad) => {
      const { ask, expectHealthy } = await start()
      const body = Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'), Buffer.from(bad), Buffer.from('"}')])
      expect(await ask(bytes(body))).toMatchObject({ status: 400, json: { error: { code: -32700 } } })
      await expectHealthy()
    })

    test('H15 nested very deeply', async () => {
      const { ask, expectHealthy } = await start()
      for (const levels of [129, 10_000, 100_000, 1_000_000]) {
        const deep = '['.repeat(levels) + ']'.repeat(levels)
        for (const body of [
          `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${deep}}}`,
          `{"jsonrpc":"2.0","id":${deep},"method":"x"}`,
          deep,
        ])
          expect((await ask(post(body, { 'MCP-Protocol-Version': MODERN_VERSION }))).status).toBe(400)
      }
      await expectHealthy()
    })
  })

  describe('a malicious message', () => {
    test('H06 an escaped lone surrogate is returned unchanged', async () => {
      const { ask } = await start()
      const body = JSON.stringify({
        jsonrpc: '2.0',
        ...add,
        params: { name: 'echo', arguments: { text: 'TEXT' }, _meta: requestMeta() },
      }).replace('TEXT', 'a\\ud800b\\u2028')
      const answer = await ask(
        post(body, { 'MCP-Protocol-Version': MODERN_VERSION, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'echo' }),
      )
      expect(answer.json.result.content[0].text).toBe('a\ud800b\u2028')
    })

    test('H08 the last of two equal keys counts, for the headers too', async () => {
      const { ask } = await start()
      const body = JSON.stringify({ jsonrpc: '2.0', ...add, params: { ...add.params, _meta: requestMeta() } }).replace(
        '"name":"add"',
        '"name":"echo","name":"add"',
      )
      const headers = { 'MCP-Protocol-Version': MODERN_VERSION, 'Mcp-Method': 'tools/call' }
      expect((await ask(post(body, { ...headers, 'Mcp-Name': 'add' }))).json.result.content[0].text).toBe('3')
      expect((await ask(post(body, { ...headers, 'Mcp-Name': 'echo' }))).status).toBe(400)
    })

    test('H13 prototype keys', async () => {
      const { ask, expectHealthy } = await start()
      const body = JSON.stringify({ jsonrpc: '2.0', ...add, params: { ...add.params, _meta: requestMeta() } })
        .replace('{"a":1', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1')
        .replace('"_meta":{', '"_meta":{"__proto__":{"polluted":1},')
      await ask(post(body, { 'MCP-Protocol-Version': MODERN_VERSION, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'add' }))
      expect(({} as any).polluted).toBeUndefined()
      await expectHealthy()
    })

    test('H14 prototype names', async () => {
      const { ask } = await start()
      for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
        expect((await ask(modernPost({ id: 1, method: name }))).status).toBe(404)
        expect((await ask(modernPost({ id: 1, method: 'tools/call', params: { name } }))).json.error.code).toBe(-32602)
      }
    })
  })

  describe('a body that is too large', () => {
    test('H16 by its length: rejected before it is read, and the connection is closed', async () => {
      const { connect, expectHealthy } = await start()
      const raw = connect().send(writeRequest('POST', { ...HEAD, 'Content-Length': String(8 * 1024 * 1024) }))
      const answer = await raw.response()
      expect(answer).toMatchObject({ status: 413, headers: { connection: 'close' }, json: { error: { code: -32600 } } })
      await eventually(() => expect(raw.closed).toBe(true))
      await expectHealthy()
    })

    test('H17 in chunks: rejected at the limit', async () => {
      const { connect, expectHealthy } = await start({ maxBodyBytes: 100_000 })
      const raw = connect().send(writeRequest('POST', { ...HEAD, 'Transfer-Encoding': 'chunked' }))
      const chunk = `${(16_384).toString(16)}\r\n${' '.repeat(16_384)}\r\n`
      const answer = raw.response()
      let isAnswered = false
      void answer.finally(() => {
        isAnswered = true
      })
      let sent = 0
      while (!isAnswered && sent < 2000) {
        raw.send(chunk)
        sent++
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect((await answer).status).toBe(413)
      expect(sent).toBeLessThan(2000)
      await expectHealthy()
    })

    test('of exactly the maximum size is accepted', async () => {
      const { ask } = await start({ maxBodyBytes: 1000 })
      const body = (length: number) =>
        post('{"jsonrpc":"2.0","method":"x"}'.padEnd(length), { 'MCP-Protocol-Version': MODERN_VERSION })
      expect((await ask(body(1000))).status).toBe(202)
      expect((await ask(body(1001))).status).toBe(413)
    })

    test('H18 compressed', async () => {
      const { ask, expectHealthy } = await start()
      for (const encoding of ['gzip', 'br', 'gzip, identity'])
        expect(await ask(post('{}', { 'Content-Encoding': encoding }))).toMatchObject({ status: 415, json: { error: {} } })
      expect((await ask(modernPost(add, { 'Content-Encoding': 'identity' }))).status).toBe(200)
      await expectHealthy()
    })
  })

  describe('the head', () => {
    test('H21 media types that a page may send without preflight', async () => {
      const { ask } = await start()
      for (const type of [
        'text/plain',
        undefined,
        'text/plain;x=application/json',
        'application/x-www-form-urlencoded',
        'application/jsonp',
        'multipart/form-data',
      ])
        expect(await ask(modernPost(add, { 'Content-Type': type }))).toMatchObject({
          status: 415,
          json: { error: { code: -32600 } },
        })
    })

    test('H22 character sets', async () => {
      const { ask } = await start()
      for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"', 'application/json;'])
        expect((await ask(modernPost(add, { 'Content-Type': type }))).status).toBe(200)
      for (const type of ['application/json; charset=utf-16', 'application/json; charset=latin1'])
        expect((await ask(modernPost(add, { 'Content-Type': type }))).status).toBe(415)
    })

    test('H23 origins', async () => {
      const { ask } = await start()
      const bad = [
        'http://evil.example',
        'null',
        'http://localhost.evil.com',
        'http://127.0.0.1.evil.com',
        'https://localhost@evil',
        'file://',
        'http://',
        '',
        'http://localhost/x',
        'localhost',
      ]
      for (const Origin of bad) {
        const answer = await ask(modernPost(add, { Origin }))
        expect(answer).toMatchObject({ status: 403, json: { jsonrpc: '2.0', error: { code: -32600 } } })
        expect(answer.json).not.toHaveProperty('id')
        expect((await ask(writeRequest('GET', { Origin, Accept: 'text/event-stream' }))).status).toBe(403)
      }
      for (const Origin of ['http://localhost:5173', 'https://127.0.0.1', 'http://[::1]:1', 'HTTP://LOCALHOST'])
        expect((await ask(modernPost(add, { Origin }))).status).toBe(200)
    })

    test('H24 hosts', async () => {
      const { ask } = await start()
      for (const Host of [
        'evil.example',
        'localhost.evil.com',
        'evil.example:3000',
        'localhost@evil',
        '127.0.0.1.nip.io',
        'localhost:',
        'localhost:x',
        '[::2]',
      ])
        expect(await ask(modernPost(add, { Host }))).toMatchObject({ status: 403, json: { error: { code: -32600 } } })
      for (const Host of ['localhost', 'LOCALHOST:3000', '127.0.0.1:1', '[::1]:65535'])
        expect((await ask(modernPost(add, { Host }))).status).toBe(200)
      expect(await ask(modernPost(add, { Host: undefined }))).toMatchObject({ status: 400, json: { error: {} } })
      expect((await ask(modernPost(add, { Host: 'localhost', HOST: 'evil.example' }))).status).toBe(400)
    })

    test('H25 an absolute URL as the target', async () => {
      const { ask } = await start()
      expect((await ask(modernPost(add).replace('POST /mcp', 'POST http://evil/mcp'))).status).toBe(403)
      expect((await ask(modernPost(add).replace('POST /mcp', 'POST http://localhost@evil/mcp'))).status).toBe(403)
      expect((await ask(modernPost(add).replace('POST /mcp', 'POST http://localhost/mcp'))).status).toBe(200)
    })

    test('H30 methods', async () => {
      const { connect, ask } = await start()
      for (const method of ['PUT', 'PATCH', 'OPTIONS', 'TRACE']) {
        const answer = await ask(writeRequest(method, HEAD))
        expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST, GET, DELETE' }, json: { error: {} } })
      }
      const head = connect().send(writeRequest('HEAD', HEAD) + modernPost(add))
      expect((await head.head()).status).toBe(405)
      expect((await head.response()).status).toBe(200)
      expect((await ask(writeRequest('GET', {}))).status).toBe(400)
    })

    test('a target that is too long, or not the endpoint', async () => {
      const { ask } = await start({ path: '/mcp' })
      expect((await ask(writeRequest('GET', {}, undefined, `/mcp?${'x'.repeat(9000)}`))).status).toBe(414)
      for (const target of ['/', '/mcp/', '/mcp2', '//mcp', '/MCP'])
        expect(await ask(writeRequest('GET', {}, undefined, target))).toMatchObject({ status: 404, json: { error: {} } })
      expect((await ask(modernPost(add).replace('/mcp', '/mcp?x=1'))).status).toBe(200)
    })
  })

  describe('malformed HTTP', () => {
    test('H26, H27 is rejected, and the connection is closed', async () => {
      const { connect, expectHealthy } = await start()
      const cases = [
        `${writeRequest('POST', { ...HEAD, 'Transfer-Encoding': 'chunked', 'Content-Length': '5' })}0\r\n\r\n`,
        `${writeRequest('POST', { ...HEAD, 'Content-Length': '5', 'content-length': '6' })}hello`,
        `POST /mcp HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n`,
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n`,
        `POST /mcp HTTP/1.1\r\nHost : localhost\r\nContent-Length: 0\r\n\r\n`,
        'nonsense\r\n\r\n',
      ]
      for (const bytes of cases) {
        const raw = connect().send(bytes)
        const answer = await raw.response()
        expect(answer).toMatchObject({ status: 400, headers: { connection: 'close' }, json: { jsonrpc: '2.0', error: {} } })
        await eventually(() => expect(raw.closed).toBe(true))
      }
      await expectHealthy()
    })

    test('H28 the unread body of a rejected request is not parsed as the next request', async () => {
      const { connect } = await start()
      const inner = modernPost({ ...add, id: 666 })
      const raw = connect().send(
        writeRequest('POST', { ...HEAD, 'Content-Type': 'text/plain' }, inner) + modernPost({ ...add, id: 2 }),
      )
      expect((await raw.response()).status).toBe(415)
      expect((await raw.response()).json.id).toBe(2)
      const large = connect().send(writeRequest('POST', { ...HEAD, 'Content-Type': 'text/plain' }, inner.padEnd(100_000)))
      expect((await large.response()).headers.connection).toBe('close')
      await eventually(() => expect(large.closed).toBe(true))
      expect(large.text).toBe('')
    })

    test('H29 headers that are too large or too many', async () => {
      const { connect, expectHealthy } = await start()
      const huge = connect().send(modernPost(add, { 'X-Huge': 'x'.repeat(32 * 1024) }))
      expect(await huge.response()).toMatchObject({
        status: 431,
        headers: { 'content-type': 'application/json', connection: 'close' },
        json: { error: {} },
      })
      const many = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`X-${at}`, 'y']))
      expect((await connect().send(modernPost(add, many)).response()).status).toBe(431)
      const some = Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`x${at}`, '']))
      expect(
        (
          await connect()
            .send(modernPost(add, { ...some, Origin: 'http://evil.example' }))
            .response()
        ).status,
      ).toBe(403)
      await expectHealthy()
    })
  })

  describe('incomplete requests', () => {
    test('H33 a body that stops arriving', async () => {
      const { connect, expectHealthy } = await start({ bodyIdleTimeoutMs: 100 })
      const raw = connect().send(`${writeRequest('POST', { ...HEAD, 'Content-Length': '1000' })}{"jsonrpc"`)
      expect(await raw.response()).toMatchObject({ status: 408, headers: { connection: 'close' }, json: { error: {} } })
      await eventually(() => expect(raw.closed).toBe(true))
      await expectHealthy()
    })

    test('H33 a body that arrives too slowly', async () => {
      const { connect } = await start({ bodyIdleTimeoutMs: 100, bodyTimeoutMs: 200 })
      const raw = connect().send(writeRequest('POST', { ...HEAD, 'Content-Length': '1000' }))
      const drip = setInterval(() => raw.send(' '), 20)
      const answer = await raw.response().finally(() => clearInterval(drip))
      expect(answer.status).toBe(408)
    })

    test('H34 a client that disconnects during the body', async () => {
      const { core, connect, expectHealthy } = await start()
      const raw = connect().send(`${writeRequest('POST', { ...HEAD, 'Content-Length': '1000' })}{"jsonrpc"`)
      await new Promise((resolve) => setTimeout(resolve, 20))
      await raw.close()
      await expectHealthy()
      expect(core.running).toBe(0)
    })

    test('H32 an incomplete head: other clients are served, and the connection is closed', async () => {
      const { connect, expectHealthy } = await start({ headersTimeoutMs: 500 })
      const slow = Array.from({ length: 100 }, () => connect().send('POST /mcp HTTP/1.1\r\nHost: localho'))
      const started = performance.now()
      await expectHealthy()
      expect(performance.now() - started).toBeLessThan(5000)
      const answer = await slow[0]?.response()
      expect(answer).toMatchObject({ status: 408, json: { error: {} } })
      await eventually(() => expect(slow.every(({ closed }) => closed)).toBe(true))
    })
  })

  describe('load', () => {
    test('H62 2,000 requests on 50 connections', async () => {
      const { connect } = await start()
      const burst = async () => {
        const raw = connect()
        raw.send(Array.from({ length: 40 }, (_, id) => modernPost({ ...add, id })).join(''))
        for (let id = 0; id < 40; id++) expect((await raw.response()).json.id).toBe(id)
      }
      await Promise.all(Array.from({ length: 50 }, burst))
    })

    test('too many concurrent requests', async () => {
      const { core, connect, ask } = await start({ maxRequests: 1 })
      connect().send(modernPost({ ...add, params: { name: 'hold' } }))
      await eventually(() => expect(core.running).toBe(1))
      expect(await ask(modernPost(add))).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        json: { error: { code: -32603 } },
      })
    })

    test('H63 text that looks like events remains text', async () => {
      const { connect } = await start()
      const text = 'a\r\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\r\n\r\nevent: x\u2028\u2029\ndata: y\n\n'
      const answer = await connect()
        .send(modernPost({ ...add, params: { name: 'echo', arguments: { text } } }, { Accept: 'text/event-stream' }))
        .response()
      const [event, ...rest] = answer.body.split('\n\n')
      expect(rest).toEqual([''])
      expect(JSON.parse((event as string).slice(6)).result.content[0].text).toBe(text)
    })
  })

  describe('H49 a client that does not read', () => {
    const flood = (more: object) => modernPost({ ...add, params: { name: 'progress', arguments: { size: 10_000, ...more } } })

    test('slows down a producer that waits, and is disconnected', async () => {
      const { core, connect, expectHealthy } = await start({ writeTimeoutMs: 300 })
      const raw = connect()
      raw.socket.pause()
      raw.send(flood({ times: 10_000, wait: true }))
      await eventually(() => expect(core.running).toBe(1))
      await eventually(() => expect(core.running).toBe(0))
      await expectHealthy()
    })

    test('loses notifications of a producer that does not wait', async () => {
      const { core, connect, expectHealthy } = await start({ writeTimeoutMs: 3_600_000 })
      const before = process.memoryUsage().rss
      const raw = connect()
      raw.socket.pause()
      raw.send(flood({ times: 10_000 }))
      await new Promise((resolve) => setTimeout(resolve, 150))
      expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024)
      expect(core.running).toBe(0)
      raw.socket.resume()
      await raw.until('sent 10000')
      await expectHealthy()
    })

    test('in a session: slows down a producer that waits, and is disconnected', async () => {
      const { core, connect, expectHealthy } = await start({ writeTimeoutMs: 300 })
      const client = await openSession(connect)
      const raw = connect()
      raw.socket.pause()
      raw.send(client.post(call('progress', { times: 5000, size: 10_000, wait: true })))
      await eventually(() => expect(core.running).toBe(1))
      await eventually(() => expect(core.running).toBe(0))
      await expectHealthy()
    })

    test('a large response is disconnected', async () => {
      const { connect, connections, expectHealthy } = await start({ writeTimeoutMs: 200 })
      const text = 'x'.repeat(3_000_000)
      const raw = connect()
      raw.socket.pause()
      raw.send(modernPost({ ...add, params: { name: 'repeat', arguments: { text, times: 10 } } }))
      await eventually(async () => expect(await connections()).toBe(1))
      await eventually(async () => expect(await connections()).toBe(0))
      raw.socket.resume()
      await eventually(() => expect(raw.closed).toBe(true))
      expect(raw.text.length).toBeLessThan(20_000_000)
      await expectHealthy()
    })

    test('but reads slowly stays connected', async () => {
      const { connect } = await start({ writeTimeoutMs: 2000 })
      const raw = connect()
      raw.socket.pause()
      raw.send(flood({ times: 600, wait: true }))
      for (let at = 0; at < 12; at++) {
        await new Promise((resolve) => setTimeout(resolve, 200))
        raw.socket.resume()
        await new Promise((resolve) => setTimeout(resolve, 5))
        raw.socket.pause()
      }
      raw.socket.resume()
      await raw.until('sent 600')
    })
  })

  describe('close', () => {
    test('lets running calls finish, ends streams, rejects new requests', async () => {
      const core = createTestCore()
      const { connect, close } = await listen(core.exchange)
      const [idle, running, reading] = [connect(), connect(), connect()]
      const client = await openSession(connect)
      await idle.send(modernPost(add)).response()
      reading.send(client.get())
      await reading.head()
      running.send(modernPost({ ...add, params: { name: 'hold' } }))
      await eventually(() => expect(core.running).toBe(1))
      const closing = close(2000)
      await reading.until('0\r\n\r\n')
      expect(
        await connect()
          .send(modernPost(add))
          .response()
          .catch(() => 'refused'),
      ).toBe('refused')
      core.release()
      expect((await running.response()).json.result.content[0].text).toBe('hold')
      await closing
      await eventually(() => expect([idle.closed, running.closed, reading.closed]).toEqual([true, true, true]))
    })

    test('aborts calls that do not finish in time', async () => {
      const core = createTestCore()
      const { connect, close } = await listen(core.exchange)
      const raw = connect()
      raw.send(modernPost({ ...add, params: { name: 'hold' } }))
      await eventually(() => expect(core.running).toBe(1))
      await close(50)
      await eventually(() => expect([raw.closed, core.running, core.events.at(-1)]).toEqual([true, 0, 'abort hold']))
    })
  })
})
