import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestCore } from '../../../test-kit/core.ts'
import { eventually } from '../../../test-kit/eventually.ts'
import { call, openSession } from '../../../test-kit/legacy.ts'
import { ACCEPT, envelope, listen, MODERN, modern, post, write } from '../../../test-kit/raw.ts'

/** Hand-written bytes against a real server; after each case it has to be well. */
async function site(options: Parameters<typeof listen>[1] = {}) {
  const core = createTestCore()
  const { connect, connections } = await listen(core.exchange, options)
  const ask = (bytes: string | Uint8Array) => connect().send(bytes).answer()
  const isWell = async () =>
    expect(
      (await ask(modern({ id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: 'well' } } }))).json.result
        .content[0].text,
    ).toBe('well')
  return { core, connect, connections, ask, isWell }
}

const add = { id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } }
const HEAD = { Accept: ACCEPT, 'Content-Type': 'application/json' }

/** A POST whose body is bytes. */
function bytes(body: Uint8Array, headers: Record<string, string> = {}): Uint8Array {
  return Buffer.concat([Buffer.from(write('POST', { ...HEAD, ...headers, 'Content-Length': String(body.length) })), body])
}

/** Node's parser gets all requests of a server that somebody watches, and only those that are not plain of others. */
const WATCHERS = [
  ['nobody watches', () => {}, () => {}],
  ['somebody watches', () => subscribe(REQUESTS, watch), () => unsubscribe(REQUESTS, watch)],
] as const
const REQUESTS = 'http.server.request.start'
function watch(): void {}

describe.each(WATCHERS)('where %s', (_, begin, end) => {
  beforeAll(begin)
  afterAll(() => void end())

  describe('a body that is no message', () => {
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
      const { ask, isWell } = await site()
      const answer = await ask(post(body, body === '[]' ? { 'MCP-Protocol-Version': MODERN } : {}))
      expect(answer).toMatchObject({ status: 400, json: { jsonrpc: '2.0', error: { code } } })
      expect(answer.json.id).not.toBeNull()
      await isWell()
    })

    test.each([
      ['H04 a byte that is not UTF-8', [0xff, 0xfe]],
      ['H05 an overlong form', [0xc0, 0x80]],
      ['H05 a surrogate', [0xed, 0xa0, 0x80]],
    ])('%s', async (_, bad) => {
      const { ask, isWell } = await site()
      const body = Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'), Buffer.from(bad), Buffer.from('"}')])
      expect(await ask(bytes(body))).toMatchObject({ status: 400, json: { error: { code: -32700 } } })
      await isWell()
    })

    test('H15 that nests without end', async () => {
      const { ask, isWell } = await site()
      for (const levels of [129, 10_000, 100_000, 1_000_000]) {
        const deep = '['.repeat(levels) + ']'.repeat(levels)
        for (const body of [
          `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${deep}}}`,
          `{"jsonrpc":"2.0","id":${deep},"method":"x"}`,
          deep,
        ])
          expect((await ask(post(body, { 'MCP-Protocol-Version': MODERN }))).status).toBe(400)
      }
      await isWell()
    })
  })

  describe('a message that tries something', () => {
    test('H06 an escaped lone surrogate comes back', async () => {
      const { ask } = await site()
      const body = JSON.stringify({
        jsonrpc: '2.0',
        ...add,
        params: { name: 'echo', arguments: { text: 'TEXT' }, _meta: envelope() },
      }).replace('TEXT', 'a\\ud800b\\u2028')
      const answer = await ask(post(body, { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'echo' }))
      expect(answer.json.result.content[0].text).toBe('a\ud800b\u2028')
    })

    test('H08 of two keys the last one counts, for the headers too', async () => {
      const { ask } = await site()
      const body = JSON.stringify({ jsonrpc: '2.0', ...add, params: { ...add.params, _meta: envelope() } }).replace(
        '"name":"add"',
        '"name":"echo","name":"add"',
      )
      const headers = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call' }
      expect((await ask(post(body, { ...headers, 'Mcp-Name': 'add' }))).json.result.content[0].text).toBe('3')
      expect((await ask(post(body, { ...headers, 'Mcp-Name': 'echo' }))).status).toBe(400)
    })

    test('H13 keys of prototypes', async () => {
      const { ask, isWell } = await site()
      const body = JSON.stringify({ jsonrpc: '2.0', ...add, params: { ...add.params, _meta: envelope() } })
        .replace('{"a":1', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1')
        .replace('"_meta":{', '"_meta":{"__proto__":{"polluted":1},')
      await ask(post(body, { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'add' }))
      expect(({} as any).polluted).toBeUndefined()
      await isWell()
    })

    test('H14 names of prototypes', async () => {
      const { ask } = await site()
      for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
        expect((await ask(modern({ id: 1, method: name }))).status).toBe(404)
        expect((await ask(modern({ id: 1, method: 'tools/call', params: { name } }))).json.error.code).toBe(-32602)
      }
    })
  })

  describe('a body that is too much', () => {
    test('H16 by its length: refused before it is read, and the connection is closed', async () => {
      const { connect, isWell } = await site()
      const raw = connect().send(write('POST', { ...HEAD, 'Content-Length': String(8 * 1024 * 1024) }))
      const answer = await raw.answer()
      expect(answer).toMatchObject({ status: 413, headers: { connection: 'close' }, json: { error: { code: -32600 } } })
      await eventually(() => expect(raw.closed).toBe(true))
      await isWell()
    })

    test('H17 in chunks: cut at the limit', async () => {
      const { connect, isWell } = await site({ maxBodyBytes: 100_000 })
      const raw = connect().send(write('POST', { ...HEAD, 'Transfer-Encoding': 'chunked' }))
      const chunk = `${(16_384).toString(16)}\r\n${' '.repeat(16_384)}\r\n`
      const answered = raw.answer()
      let over = false
      void answered.finally(() => {
        over = true
      })
      let sent = 0
      while (!over && sent < 2000) {
        raw.send(chunk)
        sent++
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect((await answered).status).toBe(413)
      expect(sent).toBeLessThan(2000)
      await isWell()
    })

    test('exactly as large as allowed is not too much', async () => {
      const { ask } = await site({ maxBodyBytes: 1000 })
      const body = (length: number) => post('{"jsonrpc":"2.0","method":"x"}'.padEnd(length), { 'MCP-Protocol-Version': MODERN })
      expect((await ask(body(1000))).status).toBe(202)
      expect((await ask(body(1001))).status).toBe(413)
    })

    test('H18 compressed', async () => {
      const { ask, isWell } = await site()
      for (const encoding of ['gzip', 'br', 'gzip, identity'])
        expect(await ask(post('{}', { 'Content-Encoding': encoding }))).toMatchObject({ status: 415, json: { error: {} } })
      expect((await ask(modern(add, { 'Content-Encoding': 'identity' }))).status).toBe(200)
      await isWell()
    })
  })

  describe('the head', () => {
    test('H21 media types that a page may send without asking', async () => {
      const { ask } = await site()
      for (const type of [
        'text/plain',
        undefined,
        'text/plain;x=application/json',
        'application/x-www-form-urlencoded',
        'application/jsonp',
        'multipart/form-data',
      ])
        expect(await ask(modern(add, { 'Content-Type': type }))).toMatchObject({ status: 415, json: { error: { code: -32600 } } })
    })

    test('H22 character sets', async () => {
      const { ask } = await site()
      for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"', 'application/json;'])
        expect((await ask(modern(add, { 'Content-Type': type }))).status).toBe(200)
      for (const type of ['application/json; charset=utf-16', 'application/json; charset=latin1'])
        expect((await ask(modern(add, { 'Content-Type': type }))).status).toBe(415)
    })

    test('H23 origins', async () => {
      const { ask } = await site()
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
        const answer = await ask(modern(add, { Origin }))
        expect(answer).toMatchObject({ status: 403, json: { jsonrpc: '2.0', error: { code: -32600 } } })
        expect(answer.json).not.toHaveProperty('id')
        expect((await ask(write('GET', { Origin, Accept: 'text/event-stream' }))).status).toBe(403)
      }
      for (const Origin of ['http://localhost:5173', 'https://127.0.0.1', 'http://[::1]:1', 'HTTP://LOCALHOST'])
        expect((await ask(modern(add, { Origin }))).status).toBe(200)
    })

    test('H24 hosts', async () => {
      const { ask } = await site()
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
        expect(await ask(modern(add, { Host }))).toMatchObject({ status: 403, json: { error: { code: -32600 } } })
      for (const Host of ['localhost', 'LOCALHOST:3000', '127.0.0.1:1', '[::1]:65535'])
        expect((await ask(modern(add, { Host }))).status).toBe(200)
      expect(await ask(modern(add, { Host: undefined }))).toMatchObject({ status: 400, json: { error: {} } })
      expect((await ask(modern(add, { Host: 'localhost', HOST: 'evil.example' }))).status).toBe(400)
    })

    test('H25 a whole URL as the target', async () => {
      const { ask } = await site()
      expect((await ask(modern(add).replace('POST /mcp', 'POST http://evil/mcp'))).status).toBe(403)
      expect((await ask(modern(add).replace('POST /mcp', 'POST http://localhost@evil/mcp'))).status).toBe(403)
      expect((await ask(modern(add).replace('POST /mcp', 'POST http://localhost/mcp'))).status).toBe(200)
    })

    test('H30 methods', async () => {
      const { connect, ask } = await site()
      for (const method of ['PUT', 'PATCH', 'OPTIONS', 'TRACE']) {
        const answer = await ask(write(method, HEAD))
        expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST, GET, DELETE' }, json: { error: {} } })
      }
      const head = connect().send(write('HEAD', HEAD) + modern(add))
      expect((await head.head()).status).toBe(405)
      expect((await head.answer()).status).toBe(200)
      expect((await ask(write('GET', {}))).status).toBe(400)
    })

    test('a target that is too long, or is not ours', async () => {
      const { ask } = await site({ path: '/mcp' })
      expect((await ask(write('GET', {}, undefined, `/mcp?${'x'.repeat(9000)}`))).status).toBe(414)
      for (const target of ['/', '/mcp/', '/mcp2', '//mcp', '/MCP'])
        expect(await ask(write('GET', {}, undefined, target))).toMatchObject({ status: 404, json: { error: {} } })
      expect((await ask(modern(add).replace('/mcp', '/mcp?x=1'))).status).toBe(200)
    })
  })

  describe('bytes that are not quite HTTP', () => {
    test('H26, H27 are refused and the connection is closed', async () => {
      const { connect, isWell } = await site()
      const cases = [
        `${write('POST', { ...HEAD, 'Transfer-Encoding': 'chunked', 'Content-Length': '5' })}0\r\n\r\n`,
        `${write('POST', { ...HEAD, 'Content-Length': '5', 'content-length': '6' })}hello`,
        `POST /mcp HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n`,
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n`,
        `POST /mcp HTTP/1.1\r\nHost : localhost\r\nContent-Length: 0\r\n\r\n`,
        'nonsense\r\n\r\n',
      ]
      for (const bytes of cases) {
        const raw = connect().send(bytes)
        const answer = await raw.answer()
        expect(answer).toMatchObject({ status: 400, headers: { connection: 'close' }, json: { jsonrpc: '2.0', error: {} } })
        await eventually(() => expect(raw.closed).toBe(true))
      }
      await isWell()
    })

    test('H28 what an early answer left unread is not the next request', async () => {
      const { connect } = await site()
      const inner = modern({ ...add, id: 666 })
      const raw = connect().send(write('POST', { ...HEAD, 'Content-Type': 'text/plain' }, inner) + modern({ ...add, id: 2 }))
      expect((await raw.answer()).status).toBe(415)
      expect((await raw.answer()).json.id).toBe(2)
      const large = connect().send(write('POST', { ...HEAD, 'Content-Type': 'text/plain' }, inner.padEnd(100_000)))
      expect((await large.answer()).headers.connection).toBe('close')
      await eventually(() => expect(large.closed).toBe(true))
      expect(large.text).toBe('')
    })

    test('H29 headers that are too large or too many', async () => {
      const { connect, isWell } = await site()
      const huge = connect().send(modern(add, { 'X-Huge': 'x'.repeat(32 * 1024) }))
      expect(await huge.answer()).toMatchObject({
        status: 431,
        headers: { 'content-type': 'application/json', connection: 'close' },
        json: { error: {} },
      })
      const many = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`X-${at}`, 'y']))
      expect((await connect().send(modern(add, many)).answer()).status).toBe(431)
      const some = Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`x${at}`, '']))
      expect(
        (
          await connect()
            .send(modern(add, { ...some, Origin: 'http://evil.example' }))
            .answer()
        ).status,
      ).toBe(403)
      await isWell()
    })
  })

  describe('bytes that do not come', () => {
    test('H33 a body that stops', async () => {
      const { connect, isWell } = await site({ bodyPauseMs: 100 })
      const raw = connect().send(`${write('POST', { ...HEAD, 'Content-Length': '1000' })}{"jsonrpc"`)
      expect(await raw.answer()).toMatchObject({ status: 408, headers: { connection: 'close' }, json: { error: {} } })
      await eventually(() => expect(raw.closed).toBe(true))
      await isWell()
    })

    test('H33 a body that trickles', async () => {
      const { connect } = await site({ bodyPauseMs: 100, bodyTimeoutMs: 200 })
      const raw = connect().send(write('POST', { ...HEAD, 'Content-Length': '1000' }))
      const drip = setInterval(() => raw.send(' '), 20)
      const answer = await raw.answer().finally(() => clearInterval(drip))
      expect(answer.status).toBe(408)
    })

    test('H34 a caller who leaves with half a body', async () => {
      const { core, connect, isWell } = await site()
      const raw = connect().send(`${write('POST', { ...HEAD, 'Content-Length': '1000' })}{"jsonrpc"`)
      await new Promise((resolve) => setTimeout(resolve, 20))
      await raw.end()
      await isWell()
      expect(core.running).toBe(0)
    })

    test('H32 half a head: others are served, and it is closed', async () => {
      const { connect, isWell } = await site({ headersTimeoutMs: 500 })
      const slow = Array.from({ length: 100 }, () => connect().send('POST /mcp HTTP/1.1\r\nHost: localho'))
      const started = performance.now()
      await isWell()
      expect(performance.now() - started).toBeLessThan(5000)
      const answer = await slow[0]?.answer()
      expect(answer).toMatchObject({ status: 408, json: { error: {} } })
      await eventually(() => expect(slow.every(({ closed }) => closed)).toBe(true))
    })
  })

  describe('many and much', () => {
    test('H62 2,000 requests on 50 connections', async () => {
      const { connect } = await site()
      const burst = async () => {
        const raw = connect()
        raw.send(Array.from({ length: 40 }, (_, id) => modern({ ...add, id })).join(''))
        for (let id = 0; id < 40; id++) expect((await raw.answer()).json.id).toBe(id)
      }
      await Promise.all(Array.from({ length: 50 }, burst))
    })

    test('more requests than allowed at once', async () => {
      const { core, connect, ask } = await site({ maxRequests: 1 })
      connect().send(modern({ ...add, params: { name: 'hold' } }))
      await eventually(() => expect(core.running).toBe(1))
      expect(await ask(modern(add))).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        json: { error: { code: -32603 } },
      })
    })

    test('H63 text that looks like events stays text', async () => {
      const { connect } = await site()
      const text = 'a\r\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\r\n\r\nevent: x\u2028\u2029\ndata: y\n\n'
      const answer = await connect()
        .send(modern({ ...add, params: { name: 'echo', arguments: { text } } }, { Accept: 'text/event-stream' }))
        .answer()
      const [event, ...rest] = answer.body.split('\n\n')
      expect(rest).toEqual([''])
      expect(JSON.parse((event as string).slice(6)).result.content[0].text).toBe(text)
    })
  })

  describe('H49 a reader who does not read', () => {
    const flood = (more: object) => modern({ ...add, params: { name: 'progress', arguments: { size: 10_000, ...more } } })

    test('slows down a producer that waits, and is cut', async () => {
      const { core, connect, isWell } = await site({ stallMs: 300 })
      const raw = connect()
      raw.socket.pause()
      raw.send(flood({ times: 10_000, wait: true }))
      await eventually(() => expect(core.running).toBe(1))
      await eventually(() => expect(core.running).toBe(0))
      await isWell()
    })

    test('costs a producer that does not wait what it tells', async () => {
      const { core, connect, isWell } = await site({ stallMs: 3_600_000 })
      const before = process.memoryUsage().rss
      const raw = connect()
      raw.socket.pause()
      raw.send(flood({ times: 10_000 }))
      await new Promise((resolve) => setTimeout(resolve, 150))
      expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024)
      expect(core.running).toBe(0)
      raw.socket.resume()
      await raw.until('told 10000')
      await isWell()
    })

    test('in a session: the same', async () => {
      const { core, connect, isWell } = await site({ stallMs: 300 })
      const client = await openSession(connect)
      const raw = connect()
      raw.socket.pause()
      raw.send(client.post(call('progress', { times: 5000, size: 10_000, wait: true })))
      await eventually(() => expect(core.running).toBe(1))
      await eventually(() => expect(core.running).toBe(0))
      await isWell()
    })

    test('of one large answer is cut', async () => {
      const { connect, connections, isWell } = await site({ stallMs: 200 })
      const text = 'x'.repeat(3_000_000)
      const raw = connect()
      raw.socket.pause()
      raw.send(modern({ ...add, params: { name: 'repeat', arguments: { text, times: 10 } } }))
      await eventually(async () => expect(await connections()).toBe(1))
      await eventually(async () => expect(await connections()).toBe(0))
      raw.socket.resume()
      await eventually(() => expect(raw.closed).toBe(true))
      expect(raw.text.length).toBeLessThan(20_000_000)
      await isWell()
    })

    test('who is only slow is left alone', async () => {
      const { connect } = await site({ stallMs: 2000 })
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
      await raw.until('told 600')
    })
  })

  describe('the end', () => {
    test('lets running calls finish, ends streams, refuses new requests', async () => {
      const core = createTestCore()
      const { connect, close } = await listen(core.exchange)
      const [keep, running, reading] = [connect(), connect(), connect()]
      const client = await openSession(connect)
      await keep.send(modern(add)).answer()
      reading.send(client.get())
      await reading.head()
      running.send(modern({ ...add, params: { name: 'hold' } }))
      await eventually(() => expect(core.running).toBe(1))
      const closing = close(2000)
      await reading.until('0\r\n\r\n')
      expect(
        await connect()
          .send(modern(add))
          .answer()
          .catch(() => 'refused'),
      ).toBe('refused')
      core.release()
      expect((await running.answer()).json.result.content[0].text).toBe('hold')
      await closing
      await eventually(() => expect([keep.closed, running.closed, reading.closed]).toEqual([true, true, true]))
    })

    test('gives up what does not finish in time', async () => {
      const core = createTestCore()
      const { connect, close } = await listen(core.exchange)
      const raw = connect()
      raw.send(modern({ ...add, params: { name: 'hold' } }))
      await eventually(() => expect(core.running).toBe(1))
      await close(50)
      await eventually(() => expect([raw.closed, core.running, core.events.at(-1)]).toEqual([true, 0, 'abort hold']))
    })
  })
})
