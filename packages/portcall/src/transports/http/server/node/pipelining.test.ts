import { once } from 'node:events'
import { connect as openSocket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../test-kit/eventually.ts'
import { listen, modernPost, type RawConnection, writeRequest } from '../../../../../test-kit/raw-connection.ts'
import { createTestCore } from '../../../../../test-kit/test-core.ts'

async function start(options: Parameters<typeof listen>[1] = {}) {
  const core = createTestCore()
  return { core, ...(await listen(core.exchange, options)) }
}

const call = (name: string, args: object = {}, id = 1): string =>
  modernPost({ id, method: 'tools/call', params: { name, arguments: args } })
const textOf = (answer: { json: any }): string => answer.json.result.content[0].text

/** Both ways to serve a connection: a GET first passes it to Node's server. */
const PATHS: ReadonlyArray<[string, (raw: RawConnection) => Promise<unknown>]> = [
  ['the fast path', async () => {}],
  ['node:http', (raw) => raw.send(writeRequest('GET', {})).response()],
]

describe.each(PATHS)('on %s', (_, prepare) => {
  test.each([
    ['an incomplete request', (): string => call('echo', { text: 'x'.repeat(200_000) }).slice(0, 100_000)],
    ['complete requests', (): string => call('add', { a: 1, b: 1 }).repeat(100)],
  ])('a client that leaves behind a running call and %s is noticed', async (_what, behind) => {
    const { core, connect } = await start()
    const raw = connect()
    await prepare(raw)
    raw.send(call('hold'))
    await eventually(() => expect(core.running).toBe(1))
    raw.send(behind())
    raw.socket.end()
    await eventually(() => expect([core.running, raw.closed]).toEqual([0, true]))
  })

  test('a client that sends too many requests behind a running call is disconnected after a while', async () => {
    const { core, connect } = await start()
    const raw = connect()
    await prepare(raw)
    raw.send(call('hold'))
    await eventually(() => expect(core.running).toBe(1))
    for (let sent = 0; sent < 200 && !raw.closed; sent++) {
      raw.send('GET / HTTP/1.1\r\n\r\n'.repeat(1000))
      await new Promise(setImmediate)
    }
    await eventually(() => expect([core.running, raw.closed]).toEqual([0, true]))
  })

  test('a client that sends too much behind a running call is disconnected after a while', async () => {
    const { core, connect } = await start()
    const raw = connect()
    await prepare(raw)
    raw.send(call('hold'))
    await eventually(() => expect(core.running).toBe(1))
    for (let sent = 0; sent < 100 && !raw.closed; sent++) raw.send(call('echo', { text: 'x'.repeat(64 * 1024) }))
    raw.socket.end()
    await eventually(() => expect([core.running, raw.closed]).toEqual([0, true]))
  })

  test('a request behind a running call is answered after it, with its whole body', async () => {
    const { core, connect } = await start()
    const raw = connect()
    await prepare(raw)
    raw.send(call('hold'))
    await eventually(() => expect(core.running).toBe(1))
    raw.send(call('echo', { text: 'y'.repeat(100_000) }, 2))
    await new Promise((resolve) => setTimeout(resolve, 50))
    core.release()
    expect(textOf(await raw.response())).toBe('hold')
    expect(textOf(await raw.response())).toHaveLength(100_000)
  })

  test.each([
    ['at once', ''],
    ['of a running call', 'hold'],
  ])('the response to a request before unreadable bytes is sent first, %s', async (_when, held) => {
    const { core, connect } = await start()
    const raw = connect()
    await prepare(raw)
    raw.send(`${call(held || 'add', { a: 1, b: 1 })}NOT HTTP\r\n\r\n`)
    if (held) {
      await eventually(() => expect(core.running).toBe(1))
      core.release()
    }
    expect(textOf(await raw.response())).toBe(held || '2')
    expect((await raw.response()).status).toBe(400)
    await eventually(() => expect(raw.closed).toBe(true))
  })

  test('a client that leaves after unreadable bytes is noticed', async () => {
    const { core, connect } = await start()
    const raw = connect()
    await prepare(raw)
    raw.send(`${call('hold')}NOT HTTP\r\n\r\n`)
    await eventually(() => expect(core.running).toBe(1))
    raw.socket.end()
    await eventually(() => expect([core.running, raw.closed]).toEqual([0, true]))
  })

  test('a request whose body cannot be parsed is 400 at once, after the response to the request before it', async () => {
    const { core, connect } = await start()
    const raw = connect()
    await prepare(raw)
    raw.send(`${call('hold')}${CHUNKED}zz\r\n{}\r\n0\r\n\r\n`)
    await eventually(() => expect(core.running).toBe(1))
    core.release()
    expect(textOf(await raw.response())).toBe('hold')
    expect(await raw.response()).toMatchObject({ status: 400, json: { error: { message: 'The request is not HTTP/1.1' } } })
    await eventually(() => expect(raw.closed).toBe(true))
  })

  test('a request that is too large is 413 after the response to the request before it', async () => {
    const { core, connect } = await start({ maxBodyBytes: 10_000 })
    const raw = connect()
    await prepare(raw)
    raw.send(call('hold') + call('echo', { text: 'x'.repeat(100_000) }))
    await eventually(() => expect(core.running).toBe(1))
    core.release()
    expect(textOf(await raw.response())).toBe('hold')
    expect((await raw.response()).status).toBe(413)
    await eventually(() => expect(raw.closed).toBe(true))
  })

  test('a request that ends in the middle is 400', async () => {
    const { connect } = await start()
    const raw = connect()
    await prepare(raw)
    raw.send(call('add', { a: 1, b: 1 }).slice(0, -1))
    raw.socket.end()
    expect((await raw.response()).status).toBe(400)
    await eventually(() => expect(raw.closed).toBe(true))
  })

  test('a client that stays connected after the 400 is disconnected', async () => {
    const { connections, port } = await start()
    const socket = openSocket({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
    onTestFinished(() => void socket.destroy())
    socket.write('NOT HTTP\r\n\r\n')
    await once(socket.resume(), 'end')
    await eventually(async () => expect(await connections()).toBe(0))
  })

  test.each([
    ['an empty Transfer-Encoding', 'Transfer-Encoding:'],
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
    ['two Transfer-Encodings', 'Transfer-Encoding:\r\nTransfer-Encoding: chunked'],
    ['another coding', 'Transfer-Encoding: gzip'],
  ])('%s together with Content-Length is 400, and nothing behind it runs', async (_what, header) => {
    const { core, connect } = await start()
    const raw = connect()
    await prepare(raw)
    raw.send(call('add', { a: 1, b: 1 }).replace('\r\n', `\r\n${header}\r\n`) + call('hold'))
    expect((await raw.response()).status).toBe(400)
    await eventually(() => expect(raw.closed).toBe(true))
    expect([core.lastContext, raw.text]).toEqual([undefined, ''])
  })

  test.each(['', 'gzip, chunked', 'identity'])('Transfer-Encoding: %j without Content-Length is 400', async (encoding) => {
    const { core, connect } = await start()
    const raw = connect()
    await prepare(raw)
    raw.send(`${CHUNKED.replace('chunked', encoding)}2\r\n{}\r\n0\r\n\r\n`)
    expect((await raw.response()).status).toBe(400)
    await eventually(() => expect(raw.closed).toBe(true))
    expect(core.lastContext).toBeUndefined()
  })
})

/** The head of a call whose body follows in chunks. */
const CHUNKED = call('add', { a: 1, b: 1 })
  .replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')
  .replace(/\{.*$/, '')
