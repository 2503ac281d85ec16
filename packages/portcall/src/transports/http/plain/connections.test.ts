import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, expect, test } from 'vitest'
import { createTestCore } from '../../../../test-kit/core.ts'
import { eventually } from '../../../../test-kit/eventually.ts'
import { listen, modern, type Raw, write } from '../../../../test-kit/raw.ts'
import { HttpError } from '../http-error.ts'

/** A server, and the requests that went through Node's own parser. */
async function site(options: Parameters<typeof listen>[1] = {}) {
  const core = createTestCore()
  const { server, close, connect } = await listen(core.exchange, options)
  const byNode: string[] = []
  server.on('request', ({ method = '' }) => byNode.push(method))
  return { core, server, close, byNode, connect }
}

const call = (name: string, args: object = {}, id = 1) => modern({ id, method: 'tools/call', params: { name, arguments: args } })
const add = (id = 1) => call('add', { a: id, b: 1 }, id)
const textOf = (answer: { json: any }): string => answer.json.result.content[0].text

describe('a connection', () => {
  test('with plain requests is never the server’s', async () => {
    const { connect, byNode } = await site()
    const raw = connect()
    for (let id = 1; id <= 3; id++) expect(textOf(await raw.send(add(id)).answer())).toBe(String(id + 1))
    expect(byNode).toEqual([])
  })

  test('is the server’s from the first other request on', async () => {
    const { connect, byNode } = await site()
    const raw = connect()
    expect(textOf(await raw.send(add(1)).answer())).toBe('2')
    expect((await raw.send(write('GET', {})).answer()).status).toBe(400)
    expect(textOf(await raw.send(add(2)).answer())).toBe('3')
    expect(byNode).toEqual(['GET', 'POST'])
  })

  test('with a request whose body comes after its head is not the server’s', async () => {
    const { connect, byNode } = await site()
    const raw = connect()
    for (let id = 1; id <= 3; id++) {
      await pieces(raw, [add(id).slice(0, headOf(add(id))), add(id).slice(headOf(add(id)))], 5)
      expect(textOf(await raw.answer())).toBe(String(id + 1))
    }
    expect(byNode).toEqual([])
  })

  test.each([
    ['with a part of its head first', (raw: Raw) => pieces(raw, [add().slice(0, 50), add().slice(50)])],
    ['in three pieces', (raw: Raw) => pieces(raw, [add().slice(0, -20), add().slice(-20, -10), add().slice(-10)])],
    ['byte by byte', (raw: Raw) => pieces(raw, [...add()], 0)],
    ['after a while', (raw: Raw) => pieces(raw, [add().slice(0, -1), add().slice(-1)], 500)],
  ])('with a request that comes %s is the server’s', async (_, send) => {
    const { connect, byNode } = await site()
    const raw = connect()
    await send(raw)
    expect(textOf(await raw.answer())).toBe('2')
    expect(byNode).toEqual(['POST'])
  })

  test('with several requests at once is the server’s, and answers in order', async () => {
    const { connect, byNode } = await site()
    const raw = connect().send(add(1) + add(2) + add(3))
    for (const sum of ['2', '3', '4']) expect(textOf(await raw.answer())).toBe(sum)
    expect(byNode).toHaveLength(3)
  })

  test('waits with a request that comes before its turn', async () => {
    const { core, connect } = await site()
    const raw = connect().send(call('hold'))
    await eventually(() => expect(core.running).toBe(1))
    raw.send(add(1))
    await pause()
    raw.send(add(2))
    await pause()
    expect([core.running, raw.text]).toEqual([1, ''])
    core.release()
    expect(textOf(await raw.answer())).toBe('hold')
    expect(textOf(await raw.answer())).toBe('2')
    expect(textOf(await raw.answer())).toBe('3')
  })

  test('goes on after a stream, and after a large answer', async () => {
    const { connect, byNode } = await site()
    const raw = connect()
    const streamed = await raw.send(call('progress', { times: 3 })).answer()
    expect(streamed.body.match(/^data: /gm)).toHaveLength(4)
    expect(textOf(await raw.send(call('repeat', { text: 'ä', times: 100_000 })).answer())).toHaveLength(100_000)
    expect(textOf(await raw.send(call('echo', { text: 'ä€😀' })).answer())).toBe('ä€😀')
    expect(byNode).toEqual([])
  })

  test.each(['Close', 'close, x'])('is closed where the answer says so: %s', async (said) => {
    const headers = { Vary: 'connection', Connection: said }
    const { connect } = await site({
      authenticate() {
        throw new HttpError(401, headers, { code: -32600, message: 'Unauthorized' })
      },
    })
    const raw = connect().send(add())
    expect(await raw.head()).toMatchObject({ status: 401, headers: { connection: said } })
    await eventually(() => expect(raw.closed).toBe(true))
  })

  test('gives what is said after an answer to nobody', async () => {
    const { core, connect } = await site()
    let late: unknown
    const tell = () => (late = core.last?.notify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } }))
    const raw = connect()
    expect(textOf(await raw.send(add(1)).answer())).toBe('2')
    tell()
    await late
    expect(textOf(await raw.send(add(2)).answer())).toBe('3')
    tell()
    expect(
      textOf(
        await raw
          .send(call('progress', { times: 1 }))
          .answer()
          .then(() => raw.send(add(3)).answer()),
      ),
    ).toBe('4')
    expect(raw.text).toBe('')
  })

  test('whose client reads slowly is left alone while something leaves, and not for longer', async () => {
    const { connect } = await site({ keepAliveTimeoutMs: 300, stallMs: 1200 })
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

  test('that its client closes gives up the call', async () => {
    const { core, connect } = await site()
    for (const leave of [(raw: Raw) => raw.socket.destroy(), (raw: Raw) => raw.socket.end()]) {
      const raw = connect().send(call('hold'))
      await eventually(() => expect(core.running).toBe(1))
      leave(raw)
      await eventually(() => expect(core.running).toBe(0))
      expect(core.events.splice(0)).toEqual(['start hold', 'abort hold'])
      await eventually(() => expect(raw.closed).toBe(true))
    }
  })

  test('whose client leaves in the middle of a request ends, however late that is seen', async () => {
    const { server, connect } = await site()
    const late: number[] = []
    server.on('connection', (socket) => socket.on('end', () => late.push(block(100))))
    const raw = connect().send(add().slice(0, -1))
    await pause(10)
    raw.socket.end()
    await eventually(() => expect(raw.closed).toBe(true))
    expect(late).toHaveLength(1)
    expect(textOf(await connect().send(add()).answer())).toBe('2')
  })

  test('whose client does not read is not read either, and loses nothing', async () => {
    const { connect } = await site()
    const text = 'x'.repeat(50_000)
    const raw = connect()
    raw.socket.pause()
    let calls = 0
    const send = () => raw.send(modern({ id: ++calls, method: 'tools/call', params: { name: 'echo', arguments: { text } } }))
    while (raw.socket.writableLength < 1_000_000) {
      send()
      await new Promise(setImmediate)
    }
    raw.socket.resume()
    for (let id = 1; id <= calls; id++) expect((await raw.answer()).json.id).toBe(id)
  })
})

describe('an answer', () => {
  test('looks as Node’s does', async () => {
    const { connect, byNode } = await site()
    const raw = connect()
    const plain = await raw.send(add()).answer()
    await pieces(raw, [add().slice(0, 50), add().slice(50)])
    const nodes = await raw.answer()
    expect(byNode).toEqual(['POST'])
    expect(Object.keys(plain.headers).sort()).toEqual(Object.keys(nodes.headers).sort())
    const { date, ...rest } = nodes.headers
    expect(plain).toMatchObject({ status: 200, headers: rest, body: nodes.body })
    expect(Math.abs(Date.parse(plain.headers.date as string) - Date.parse(date as string))).toBeLessThan(5000)
  })

  test.each([204, 304])('with status %d has no body', async (status) => {
    const beside = () => ({ status, body: 'HTTP/1.1 200 OK\r\n\r\n', headers: { date: 'now', 'content-length': '7' } })
    const { connect } = await site({ beside })
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

  test('cannot have a status that is none', async () => {
    const { connect } = await site({ beside: () => ({ status: 0 }) })
    expect((await connect().send(add()).answer()).status).toBe(500)
    expect(() => new HttpError(100, {}, { code: -32600, message: 'No' })).toThrow(RangeError)
  })
})

describe('time', () => {
  test('a connection on which nothing comes is told so, and closed', async () => {
    const { connect } = await site({ headersTimeoutMs: 200 })
    const raw = connect()
    expect(await raw.answer()).toMatchObject({ status: 408, json: { error: { code: -32600 } } })
    await eventually(() => expect(raw.closed).toBe(true))
  })

  test('one that nobody uses any more is closed, one with a running call is not', async () => {
    const { core, connect } = await site({ keepAliveTimeoutMs: 200 })
    const [idle, busy] = [connect(), connect()]
    await idle.send(add()).answer()
    busy.send(call('hold'))
    await eventually(() => expect(idle.closed).toBe(true))
    await pause(300)
    core.release()
    expect(textOf(await busy.answer())).toBe('hold')
  })

  test('one on which nothing has come yet has the time of a head', async () => {
    const { connect } = await site({ keepAliveTimeoutMs: 100, headersTimeoutMs: 5000 })
    const raw = connect()
    await pause(300)
    expect(textOf(await raw.send(add()).answer())).toBe('2')
  })

  test('0 closes none', async () => {
    const { connect } = await site({ keepAliveTimeoutMs: 0, headersTimeoutMs: 0 })
    const [silent, idle] = [connect(), connect()]
    expect((await idle.send(add()).answer()).headers['keep-alive']).toBeUndefined()
    await pause(100)
    expect(textOf(await silent.send(add()).answer())).toBe('2')
    expect(textOf(await idle.send(add()).answer())).toBe('2')
  })
})

describe('the end', () => {
  test('closes what waits, and the others with their answers', async () => {
    const { core, close, connect } = await site()
    const [silent, idle, busy] = [connect(), connect(), connect()]
    await idle.send(add()).answer()
    busy.send(call('hold'))
    await eventually(() => expect(core.running).toBe(1))
    const closed = close(5000)
    await eventually(() => expect([silent.closed, idle.closed, busy.closed]).toEqual([true, true, false]))
    core.release()
    expect(await busy.answer()).toMatchObject({ status: 200, headers: { connection: 'close' } })
    await closed
    await eventually(() => expect(busy.closed).toBe(true))
  })

  test('waits for answers that are leaving', async () => {
    const { close, connect } = await site()
    const [large, small] = [connect(), connect()]
    for (const raw of [large, small]) {
      await raw.send(add()).answer()
      raw.socket.pause()
    }
    const text = 'x'.repeat(60_000)
    large.send(call('repeat', { text, times: 300 }))
    for (let id = 1; small.socket.writableLength < 500_000; id++) {
      small.send(call('echo', { text }, id))
      await new Promise(setImmediate)
    }
    await pause(100)
    const closed = close(5000)
    await pause(100)
    for (const raw of [large, small]) raw.socket.resume()
    expect(textOf(await large.answer())).toHaveLength(text.length * 300)
    await closed
    await eventually(() => expect(small.closed).toBe(true))
    expect(small.text.endsWith('}')).toBe(true)
  })
})

describe('requests that wait behind others', () => {
  test('begin when it is their turn, and are over with their connection', async () => {
    const { core, connect, byNode } = await site()
    const raw = connect().send(call('hold', {}, 1) + call('hold', {}, 2) + call('hold', {}, 3))
    await eventually(() => expect([core.running, byNode.length]).toEqual([1, 3]))
    core.release()
    expect((await raw.answer()).json.id).toBe(1)
    await eventually(() => expect(core.running).toBe(1))
    raw.socket.destroy()
    await eventually(() => expect(core.running).toBe(0))
    await pause()
    expect(core.events).toEqual(['start hold', 'start hold', 'abort hold'])
  })
})

describe('who watches Node’s requests sees all of them', () => {
  test('by its channel', async () => {
    const seen: unknown[] = []
    const see = (message: unknown) => void seen.push(message)
    const { connect, byNode } = await site()
    subscribe('http.server.request.start', see)
    await connect()
      .send(add())
      .answer()
      .finally(() => unsubscribe('http.server.request.start', see))
    expect([seen.length, byNode]).toEqual([1, ['POST']])
  })

  test('by an `emit` of its own', async () => {
    const { server, connect, byNode } = await site()
    Object.assign(server, { emit: server.emit.bind(server) })
    await connect().send(add()).answer()
    expect(byNode).toEqual(['POST'])
  })
})

const pause = (ms = 30) => new Promise((resolve) => setTimeout(resolve, ms))

/** Lets nothing else happen for a while. */
function block(ms: number): number {
  const until = performance.now() + ms
  while (performance.now() < until);
  return ms
}

const headOf = (text: string) => text.indexOf('\r\n\r\n') + 4

async function pieces(raw: Raw, texts: string[], ms = 20): Promise<void> {
  raw.socket.setNoDelay()
  for (const text of texts) {
    raw.send(text)
    await (ms ? pause(ms) : new Promise(setImmediate))
  }
}
