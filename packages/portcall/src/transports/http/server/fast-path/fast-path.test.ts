import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../test-kit/eventually.ts'
import { listen, modernPost, type RawConnection, writeRequest } from '../../../../../test-kit/raw-connection.ts'
import { createTestCore } from '../../../../../test-kit/test-core.ts'
import { HttpError } from '../http-error.ts'

/** Starts a server and records the requests that go through Node's parser. */
async function start(options: Parameters<typeof listen>[1] = {}) {
  const core = createTestCore()
  const { server, close, connect } = await listen(core.exchange, options)
  const nodeRequests: string[] = []
  server.on('request', ({ method = '' }) => nodeRequests.push(method))
  return { core, server, close, nodeRequests, connect }
}

const call = (name: string, args: object = {}, id = 1) =>
  modernPost({ id, method: 'tools/call', params: { name, arguments: args } })
const add = (id = 1) => call('add', { a: id, b: 1 }, id)
const textOf = (answer: { json: any }): string => answer.json.result.content[0].text

describe('a connection', () => {
  test('with simple requests stays on the fast path', async () => {
    const { connect, nodeRequests } = await start()
    const raw = connect()
    for (let id = 1; id <= 3; id++) expect(textOf(await raw.send(add(id)).response())).toBe(String(id + 1))
    expect(nodeRequests).toEqual([])
  })

  test('is passed to Node with the first other request', async () => {
    const { connect, nodeRequests } = await start()
    const raw = connect()
    expect(textOf(await raw.send(add(1)).response())).toBe('2')
    expect((await raw.send(writeRequest('GET', {})).response()).status).toBe(400)
    expect(textOf(await raw.send(add(2)).response())).toBe('3')
    expect(nodeRequests).toEqual(['GET', 'POST'])
  })

  test('with a GET of the endpoint stays on the fast path; one of another path is passed to Node', async () => {
    const { connect, nodeRequests } = await start({ path: '/mcp' })
    const raw = connect()
    expect((await raw.send(writeRequest('GET', {})).response()).status).toBe(400)
    expect(textOf(await raw.send(add(2)).response())).toBe('3')
    expect(nodeRequests).toEqual([])
    expect((await raw.send(writeRequest('GET', {}).replace('/mcp', '/other')).response()).status).toBe(404)
    expect(nodeRequests).toEqual(['GET'])
  })

  test('knows its request while a stream is open, and carries the next one after it', async () => {
    const { core, connect, nodeRequests } = await start()
    const raw = connect().send(call('hold').replace('/mcp', '/mcp?with=a-long-query'))
    await eventually(() => expect(core.running).toBe(1))
    const http = core.lastContext?.http
    const names = ['mcp-method', 'content-type', 'x-missing']
    const headers = names.map((name) => http?.header(name))
    expect(headers).toEqual(['tools/call', 'application/json', undefined])
    await core.lastContext?.notify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1, message: 'ä€' } })
    expect((await raw.head()).headers['transfer-encoding']).toBe('chunked')
    expect((await raw.event()).json.params.message).toBe('ä€')
    expect(names.map((name) => http?.header(name))).toEqual(headers)
    expect(http?.header('MCP-Method')).toBe('tools/call')
    expect(http?.target).toBe('/mcp?with=a-long-query')
    core.release()
    expect((await raw.event()).json.result.content[0].text).toBe('hold')
    await raw.until('0\r\n\r\n')
    expect(textOf(await raw.send(add(2)).response())).toBe('3')
    expect(nodeRequests).toEqual([])
  })

  test('with a body that arrives after the head stays on the fast path', async () => {
    const { connect, nodeRequests } = await start()
    const raw = connect()
    for (let id = 1; id <= 3; id++) {
      await sendChunks(raw, [add(id).slice(0, headOf(add(id))), add(id).slice(headOf(add(id)))], 5)
      expect(textOf(await raw.response())).toBe(String(id + 1))
    }
    expect(nodeRequests).toEqual([])
  })

  test.each([
    ['with an incomplete head', (raw: RawConnection) => sendChunks(raw, [add().slice(0, 50), add().slice(50)])],
    ['in three chunks', (raw: RawConnection) => sendChunks(raw, [add().slice(0, -20), add().slice(-20, -10), add().slice(-10)])],
    ['byte by byte', (raw: RawConnection) => sendChunks(raw, [...add()], 0)],
    ['after a pause', (raw: RawConnection) => sendChunks(raw, [add().slice(0, -1), add().slice(-1)], 500)],
  ])('with a request that arrives %s is passed to Node', async (_, send) => {
    const { connect, nodeRequests } = await start()
    const raw = connect()
    await send(raw)
    expect(textOf(await raw.response())).toBe('2')
    expect(nodeRequests).toEqual(['POST'])
  })

  test('with pipelined requests is passed to Node, and answers in order', async () => {
    const { connect, nodeRequests } = await start()
    const raw = connect().send(add(1) + add(2) + add(3))
    for (const sum of ['2', '3', '4']) expect(textOf(await raw.response())).toBe(sum)
    expect(nodeRequests).toHaveLength(3)
  })

  test('queues a request that arrives before the response to the previous one', async () => {
    const { core, connect } = await start()
    const raw = connect().send(call('hold'))
    await eventually(() => expect(core.running).toBe(1))
    raw.send(add(1))
    await pause()
    raw.send(add(2))
    await pause()
    expect([core.running, raw.text]).toEqual([1, ''])
    core.release()
    expect(textOf(await raw.response())).toBe('hold')
    expect(textOf(await raw.response())).toBe('2')
    expect(textOf(await raw.response())).toBe('3')
  })

  test('stays on the fast path after a stream and a large response', async () => {
    const { connect, nodeRequests } = await start()
    const raw = connect()
    const streamed = await raw.send(call('progress', { times: 3 })).response()
    expect(streamed.body.match(/^data: /gm)).toHaveLength(4)
    expect(textOf(await raw.send(call('repeat', { text: 'ä', times: 100_000 })).response())).toHaveLength(100_000)
    expect(textOf(await raw.send(call('echo', { text: 'ä€😀' })).response())).toBe('ä€😀')
    expect(nodeRequests).toEqual([])
  })

  test.each(['Close', 'close, x'])('is closed after a response with Connection: %s', async (connection) => {
    const headers = { Vary: 'connection', Connection: connection }
    const { connect } = await start({
      authenticate() {
        throw new HttpError(401, headers, { code: -32600, message: 'Unauthorized' })
      },
    })
    const raw = connect().send(add())
    expect(await raw.head()).toMatchObject({ status: 401, headers: { connection } })
    await eventually(() => expect(raw.closed).toBe(true))
  })

  test('drops notifications after the response', async () => {
    const { core, connect } = await start()
    let pending: unknown
    const notify = () =>
      (pending = core.lastContext?.notify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } }))
    const raw = connect()
    expect(textOf(await raw.send(add(1)).response())).toBe('2')
    notify()
    await pending
    expect(textOf(await raw.send(add(2)).response())).toBe('3')
    notify()
    expect(
      textOf(
        await raw
          .send(call('progress', { times: 1 }))
          .response()
          .then(() => raw.send(add(3)).response()),
      ),
    ).toBe('4')
    expect(raw.text).toBe('')
  })

  test('whose client reads slowly is closed only when nothing is sent any more', async () => {
    const { connect } = await start({ keepAliveTimeoutMs: 300, writeTimeoutMs: 1200 })
    const text = 'x'.repeat(60_000)
    const raw = connect()
    raw.socket.pause()
    for (let id = 1; raw.socket.writableLength < 500_000; id++) {
      raw.send(call('echo', { text }, id))
      await new Promise(setImmediate)
    }
    for (let turn = 0; turn < 8; turn++) {
      await pause(150)
      raw.socket.resume()
      await pause(2)
      raw.socket.pause()
    }
    expect(raw.closed).toBe(false)
    await pause(2500)
    raw.socket.resume()
    await eventually(() => expect(raw.closed).toBe(true))
  })

  test('that its client closes aborts the call', async () => {
    const { core, connect } = await start()
    for (const disconnect of [(raw: RawConnection) => raw.socket.destroy(), (raw: RawConnection) => raw.socket.end()]) {
      const raw = connect().send(call('hold'))
      await eventually(() => expect(core.running).toBe(1))
      disconnect(raw)
      await eventually(() => expect(core.running).toBe(0))
      expect(core.events.splice(0)).toEqual(['start hold', 'abort hold'])
      await eventually(() => expect(raw.closed).toBe(true))
    }
  })

  test('whose client disconnects during a request is closed, even if that is noticed late', async () => {
    const { server, connect } = await start()
    const blocked: number[] = []
    server.on('connection', (socket) => socket.on('end', () => blocked.push(block(100))))
    const raw = connect().send(add().slice(0, -1))
    await pause(10)
    raw.socket.end()
    await eventually(() => expect(raw.closed).toBe(true))
    expect(blocked).toHaveLength(1)
    expect(textOf(await connect().send(add()).response())).toBe('2')
  })

  test('whose client does not read is paused, and loses nothing', async () => {
    const { connect } = await start()
    const text = 'x'.repeat(50_000)
    const raw = connect()
    raw.socket.pause()
    let calls = 0
    const send = () => raw.send(modernPost({ id: ++calls, method: 'tools/call', params: { name: 'echo', arguments: { text } } }))
    while (raw.socket.writableLength < 1_000_000) {
      send()
      await new Promise(setImmediate)
    }
    raw.socket.resume()
    for (let id = 1; id <= calls; id++) expect((await raw.response()).json.id).toBe(id)
  })
})

describe('a response', () => {
  test('has the same headers as a response of Node', async () => {
    const { connect, nodeRequests } = await start()
    const raw = connect()
    const fast = await raw.send(add()).response()
    await sendChunks(raw, [add().slice(0, 50), add().slice(50)])
    const node = await raw.response()
    expect(nodeRequests).toEqual(['POST'])
    expect(Object.keys(fast.headers).sort()).toEqual(Object.keys(node.headers).sort())
    const { date, ...rest } = node.headers
    expect(fast).toMatchObject({ status: 200, headers: rest, body: node.body })
    expect(Math.abs(Date.parse(fast.headers.date as string) - Date.parse(date as string))).toBeLessThan(5000)
  })

  test.each([204, 304])('with status %d has no body', async (status) => {
    const onRequest = () => ({ status, body: 'HTTP/1.1 200 OK\r\n\r\n', headers: { date: 'now', 'content-length': '7' } })
    const { connect } = await start({ onRequest })
    const raw = connect()
    for (let at = 0; at < 2; at++) {
      const { headers, ...head } = await raw.send(add()).head()
      expect([head.status, headers['content-length'], Date.parse(headers.date ?? '')]).toEqual([
        status,
        undefined,
        expect.any(Number),
      ])
    }
    expect(raw.text).toBe('')
  })

  test('cannot have an invalid status', async () => {
    const { connect } = await start({ onRequest: () => ({ status: 0 }) })
    expect((await connect().send(add()).response()).status).toBe(500)
    expect(() => new HttpError(100, {}, { code: -32600, message: 'No' })).toThrow(RangeError)
  })
})

describe('timeouts', () => {
  test('a connection without data gets 408 and is closed', async () => {
    const { connect } = await start({ headersTimeoutMs: 200 })
    const raw = connect()
    expect(await raw.response()).toMatchObject({ status: 408, json: { error: { code: -32600 } } })
    await eventually(() => expect(raw.closed).toBe(true))
  })

  test('an idle connection is closed, one with a running call is not', async () => {
    const { core, connect } = await start({ keepAliveTimeoutMs: 200 })
    const [idle, busy] = [connect(), connect()]
    await idle.send(add()).response()
    busy.send(call('hold'))
    await eventually(() => expect(idle.closed).toBe(true))
    await pause(300)
    core.release()
    expect(textOf(await busy.response())).toBe('hold')
  })

  test('a connection that was never used has the headers timeout', async () => {
    const { connect } = await start({ keepAliveTimeoutMs: 100, headersTimeoutMs: 5000 })
    const raw = connect()
    await pause(300)
    expect(textOf(await raw.send(add()).response())).toBe('2')
  })

  test('0 disables them', async () => {
    const { connect } = await start({ keepAliveTimeoutMs: 0, headersTimeoutMs: 0 })
    const [unused, idle] = [connect(), connect()]
    expect((await idle.send(add()).response()).headers['keep-alive']).toBeUndefined()
    await pause(100)
    expect(textOf(await unused.send(add()).response())).toBe('2')
    expect(textOf(await idle.send(add()).response())).toBe('2')
  })
})

describe('close', () => {
  test('closes idle connections at once, and the others after their responses', async () => {
    const { core, close, connect } = await start()
    const [unused, idle, busy] = [connect(), connect(), connect()]
    await idle.send(add()).response()
    busy.send(call('hold'))
    await eventually(() => expect(core.running).toBe(1))
    const closed = close(5000)
    await eventually(() => expect([unused.closed, idle.closed, busy.closed]).toEqual([true, true, false]))
    core.release()
    expect(await busy.response()).toMatchObject({ status: 200, headers: { connection: 'close' } })
    await closed
    await eventually(() => expect(busy.closed).toBe(true))
  })

  test('waits for responses that are being sent', async () => {
    const { close, connect } = await start()
    const [large, small] = [connect(), connect()]
    for (const raw of [large, small]) {
      await raw.send(add()).response()
      raw.socket.pause()
    }
    const text = 'x'.repeat(60_000)
    large.send(call('repeat', { text, times: 300 }))
    for (let id = 1; small.socket.writableLength < 500_000; id++) {
      small.send(call('echo', { text }, id))
      await new Promise(setImmediate)
    }
    await pause(100)
    const closed = close(30_000)
    await pause(100)
    for (const raw of [large, small]) raw.socket.resume()
    expect(textOf(await large.response())).toHaveLength(text.length * 300)
    await closed
    await eventually(() => expect(small.closed).toBe(true))
    expect(small.text.endsWith('}')).toBe(true)
  })

  test.each([true, false])('loses no responses of clients that send more requests, with fastPath: %s', async (fastPath) => {
    const { close, connect } = await start({ fastPath })
    const clients = await Promise.all(Array.from({ length: 3 }, () => fillPipe(connect())))
    const closed = close(30_000)
    for (const { socket } of clients) readSlowly(socket)
    await closed
    await eventually(() => expect(clients.every((raw) => raw.closed)).toBe(true))
    for (const raw of clients) {
      for (let id = 1; raw.text !== ''; id++) expect((await raw.response()).json.id).toBe(id)
    }
  })
})

test('a connection that an error closes discards what its client still sends, and the client reads the error', async () => {
  const { connect } = await start({ maxBodyBytes: 1000 })
  const junk = 'x'.repeat(4_000_000)
  const tooLong = writeRequest('POST', { 'X-Long': junk }, '{}')
  const tooLarge = writeRequest('POST', { 'Content-Type': 'application/json' }, junk)
  for (const [status, bytes] of [
    [400, `NOT HTTP\r\n\r\n${junk}`],
    [431, tooLong],
    [413, tooLarge],
  ] as const)
    for (let turn = 0; turn < 5; turn++) {
      const raw = connect()
      const sent = new Promise<boolean>((resolve) => {
        raw.socket.on('close', () => resolve(false))
        raw.socket.write(bytes, (error) => resolve(!error))
      })
      expect([turn, status, await sent]).toEqual([turn, status, true])
      expect((await raw.response()).status).toBe(status)
      await eventually(() => expect(raw.closed).toBe(true))
    }
})

/** Reads, and sends a further request after each chunk. */
function readSlowly(socket: Socket): void {
  const resume = () => socket.resume()
  socket.on('data', () => {
    if (socket.writable) socket.write(add())
    socket.pause()
    setTimeout(resume, 1)
  })
  resume()
}

/** Calls a tool with large results until nothing fits into the pipe any more, without reading any response. */
async function fillPipe(raw: RawConnection): Promise<RawConnection> {
  await raw.send(add()).response()
  raw.socket.pause()
  const text = 'x'.repeat(60_000)
  for (let id = 1; raw.socket.writableLength < 500_000; id++) {
    raw.send(call('echo', { text }, id))
    await new Promise(setImmediate)
  }
  await pause(100)
  return raw
}

describe('pipelined requests', () => {
  test('start in order, and never start if their connection closes', async () => {
    const { core, connect, nodeRequests } = await start()
    const raw = connect().send(call('hold', {}, 1) + call('hold', {}, 2) + call('hold', {}, 3))
    await eventually(() => expect([core.running, nodeRequests.length]).toEqual([1, 3]))
    core.release()
    expect((await raw.response()).json.id).toBe(1)
    await eventually(() => expect(core.running).toBe(1))
    raw.socket.destroy()
    await eventually(() => expect(core.running).toBe(0))
    await pause()
    expect(core.events).toEqual(['start hold', 'start hold', 'abort hold'])
  })
})

describe('an observer of Node’s requests receives all of them', () => {
  test('on the diagnostics channel', async () => {
    const messages: unknown[] = []
    const listener = (message: unknown) => void messages.push(message)
    const { connect, nodeRequests } = await start()
    subscribe('http.server.request.start', listener)
    await connect()
      .send(add())
      .response()
      .finally(() => unsubscribe('http.server.request.start', listener))
    expect([messages.length, nodeRequests]).toEqual([1, ['POST']])
  })

  test.each(['http.server.request.start', 'http.server.response.created', 'http.server.response.finish'])(
    'on the diagnostics channel %s, even if they subscribe while a connection is open',
    async (name) => {
      const listener = (): void => {}
      onTestFinished(() => void unsubscribe(name, listener))
      const { connect, nodeRequests } = await start()
      const raw = connect()
      await raw.send(add()).response()
      expect(nodeRequests).toEqual([])
      subscribe(name, listener)
      await raw.send(add()).response()
      expect(nodeRequests).toEqual(['POST'])
    },
  )

  test('with an overridden `emit`', async () => {
    const { server, connect, nodeRequests } = await start()
    Object.assign(server, { emit: server.emit.bind(server) })
    await connect().send(add()).response()
    expect(nodeRequests).toEqual(['POST'])
  })
})

describe('the fast path is off', () => {
  test('with `fastPath: false`', async () => {
    const { connect, nodeRequests } = await start({ fastPath: false })
    expect(textOf(await connect().send(add()).response())).toBe('2')
    expect(nodeRequests).toEqual(['POST'])
  })

  test('with `maxRequestsPerSocket`, which refuses further requests', async () => {
    const { connect, nodeRequests } = await start({ maxRequestsPerSocket: 2 })
    const raw = connect()
    expect((await raw.send(add(1)).response()).headers).toMatchObject({ connection: 'keep-alive' })
    expect(await raw.send(add(2)).response()).toMatchObject({ status: 200, headers: { connection: 'close' } })
    expect((await raw.send(add(3)).response()).status).toBe(503)
    expect(nodeRequests).toEqual(['POST', 'POST'])
  })
})

const pause = (ms = 30) => new Promise((resolve) => setTimeout(resolve, ms))

/** Blocks the event loop. */
function block(ms: number): number {
  const until = performance.now() + ms
  while (performance.now() < until);
  return ms
}

const headOf = (text: string) => text.indexOf('\r\n\r\n') + 4

async function sendChunks(raw: RawConnection, texts: string[], ms = 20): Promise<void> {
  if (raw.socket.connecting) await once(raw.socket, 'connect')
  raw.socket.setNoDelay()
  for (const text of texts) {
    raw.send(text)
    await (ms ? pause(ms) : new Promise(setImmediate))
  }
}
