/** Cancelled requests, by their caller or by another one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { type Case, runCases } from './support/cases.ts'
import { type HttpServer, mirrors, modern, post, type Session, startHttp } from './support/http.ts'
import { type Counts, logLevel, modernRequest, request, textOf, tool } from './support/messages.ts'
import { type StdioServer, startStdio, testStdio } from './support/stdio.ts'
import { sleep, until } from './support/time.ts'

const cancelled = (requestId: unknown, more = {}): object => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId, ...more },
})

/** More data than all buffers hold while a client disconnects. */
const COUNT = 1_000_000

/** Invalid cancellations. */
const ODD_IDS: ReadonlyArray<[what: string, id: unknown]> = [
  ['an unknown id', 'unknown'],
  ['id 0', 0],
  ['an empty id', ''],
  ['no id', undefined],
  ['null', null],
  ['true', true],
  ['an object', { id: 1 }],
  ['an array', [1]],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['a megabyte', 'x'.repeat(1024 * 1024)],
]

describe('over HTTP', () => {
  let server: HttpServer
  beforeAll(async () => void (server = await startHttp()))
  afterAll(() => server.kill())

  test('H47: a modern client that disconnects stops the handler', async () => {
    const before = await server.counts()
    for (let at = 0; at < 10; at++) {
      const connection = server.connect()
      connection.send(modern('tools/call', tool('slow', { ms: 30_000 })))
      await until(async () => (await server.counts()).started === before.started + at + 1, 'the start')
      connection.destroy()
    }
    await until(async () => (await server.counts()).aborted === before.aborted + 10, 'the end of all handlers')
    await server.healthy()
  })

  test('H47: a half-closed connection does not cancel the request', async () => {
    const connection = server.connect()
    connection.send(modern('tools/call', tool('slow', { ms: 300, tag: 'awaited' })))
    connection.socket.end()
    const answer = await connection.answer().catch(() => undefined)
    if (answer) expect(textOf(answer.json)).toBe('slow awaited')
    await server.healthy()
  })

  test('H48: a modern client that disconnects during a stream stops the handler', async () => {
    for (const name of ['flood', 'rude-flood']) {
      const before = await server.health()
      const { sent: already } = await server.counts()
      const connection = server.connect()
      connection.send(modern('tools/call', tool(name, { count: COUNT, bytes: 1000 }, logLevel)))
      await connection.head()
      await connection.event()
      connection.destroy()
      const stopped = await eventually(async () => {
        const { sent } = await server.counts()
        await sleep(200)
        expect((await server.counts()).sent).toBe(sent)
        return sent
      })
      expect(stopped - already).toBeLessThan(COUNT)
      await eventually(async () => expect((await server.health()).heapUsed - before.heapUsed).toBeLessThan(5_000_000), {
        intervalMs: 200,
      })
      await server.healthy()
    }
  })

  describe('in a session', () => {
    let session: Session
    beforeAll(async () => void (session = await server.session()))

    runCases(
      () => server,
      ODD_IDS.map(
        ([what, id]): Case<HttpServer> => ({
          id: 'H50',
          what: `a cancellation with ${what} is taken without a word`,
          async run() {
            expect(await server.send(session.post(cancelled(id)))).toMatchObject({ status: 202, body: '' })
          },
        }),
      ),
    )

    test('H50: a cancellation without params and with invalid params', async () => {
      const method = 'notifications/cancelled'
      expect((await server.send(session.post({ jsonrpc: '2.0', method }))).status).toBe(202)
      for (const params of ['x', 1, [1]])
        expect([202, 400]).toContain((await server.send(session.post({ jsonrpc: '2.0', method, params }))).status)
      expect((await server.send(session.post(cancelled('unknown', { reason: { odd: true } })))).status).toBe(202)
      await server.healthy()
    })

    test('H51: another session cannot cancel', async () => {
      const other = await server.session()
      const running = session.ask(request('tools/call', tool('slow', { ms: 500, tag: 'mine' }), 51))
      await sleep(100)
      expect((await server.send(other.post(cancelled(51)))).status).toBe(202)
      expect(textOf((await running).json)).toBe('slow mine')
      await server.healthy()
    })

    test.each([
      ['slow', 52],
      ['stubborn', 0],
      ['slow', ''],
      ['slow', '52'],
    ])(
      'H52: the same session can cancel: %s, id %j, stops, is not answered, and its connection is released',
      async (name, id) => {
        const before = await server.counts()
        const connection = server.connect()
        const ms = name === 'stubborn' ? 2000 : 60_000
        connection.send(session.post(request('tools/call', tool(name, { ms }), id)))
        await until(async () => (await server.counts()).started > before.started, 'the start')
        expect((await server.send(session.post(cancelled(id)))).status).toBe(202)
        const answer = await connection.answer()
        expect(answer.body).not.toMatch(/"result"|"error"/)
        if (name === 'slow') expect((await server.counts()).aborted).toBe(before.aborted + 1)
        await sleep(name === 'stubborn' ? ms : 0)
        expect(connection.unread).toBe('')
        connection.destroy()
        await server.healthy()
      },
    )

    test('H52: an id can be reused after its cancellation', async () => {
      const first = session.ask(request('tools/call', tool('slow', { ms: 5000 }), 'reused'))
      await sleep(100)
      await server.send(session.post(cancelled('reused')))
      await first
      const again = await session.ask(request('tools/call', tool('echo', { text: 'again' }), 'reused'))
      expect(textOf(again.json)).toBe('again')
      await server.healthy()
    })
  })

  test('a posted cancellation has no effect in the modern era: disconnecting cancels', async () => {
    const running = server.send(modern('tools/call', tool('slow', { ms: 300, tag: 'mine' }), {}, 'shared'))
    await sleep(100)
    const { id: _, ...cancellation } = modernRequest('notifications/cancelled', { requestId: 'shared' })
    const answer = await server.send(post(cancellation, mirrors('notifications/cancelled')))
    expect(answer.status).toBeLessThan(500)
    expect(textOf((await running).json)).toBe('slow mine')
    await server.healthy()
  })
})

/** A gateway that gets a request and its cancellation together forwards neither. */
const isThroughGateway = process.env.FAULTS_UPSTREAM !== undefined

describe('over stdio', () => {
  let server: StdioServer
  beforeAll(async () => {
    server = startStdio()
    await server.initialize()
  })
  afterAll(() => server.kill())
  const untilStarted = (before: Counts): Promise<void> =>
    until(async () => (await server.counts()).started === before.started + 1, 'the start of the handler')

  runCases(
    () => server,
    ODD_IDS.map(
      ([what, id]): Case<StdioServer> => ({
        id: 'S17',
        what: `a cancellation with ${what} is ignored`,
        async run() {
          const from = server.messages.length
          server.send(cancelled(id))
          await server.healthy()
          expect(server.messages.slice(from)).toHaveLength(1)
        },
      }),
    ),
  )

  test.each([[0], [''], [17], ['17']])('S17: a request with id %j can be cancelled, and is not answered', async (id) => {
    const before = await server.counts()
    const from = server.messages.length
    server.send(modernRequest('tools/call', tool('slow', { ms: 10_000 }), id), cancelled(id === 17 ? '17' : 'other'))
    if (isThroughGateway) await untilStarted(before)
    server.send(cancelled(id))
    await until(async () => (await server.counts()).aborted === before.aborted + 1, 'the end of the handler')
    await server.healthy()
    expect(server.messages.slice(from).filter((message) => message.id === id)).toEqual([])
  })

  test('S15: the cancellation of a duplicate id cancels the first request', async () => {
    const from = server.messages.length
    const before = await server.counts()
    server.send(
      modernRequest('tools/call', tool('slow', { ms: 5000, tag: 'first' }), 'twice'),
      modernRequest('tools/call', tool('slow', { ms: 5000, tag: 'second' }), 'twice'),
    )
    if (isThroughGateway) await untilStarted(before)
    server.send(cancelled('twice'))
    expect(await server.next(({ id }) => id === 'twice', { from })).toMatchObject({ error: { code: -32600 } })
    await until(async () => (await server.counts()).aborted === before.aborted + 1, 'the end of the handler')
    expect((await server.counts()).started).toBe(before.started + 1)
    await server.healthy()
    expect(server.messages.slice(from).filter(({ id }) => id === 'twice')).toHaveLength(1)
  })

  test.each([
    ['modern', modernRequest],
    ['legacy', request],
  ] as const)('S16: 200 requests cancelled immediately (%s) are not answered and do not leak', async (era, make) => {
    const from = server.messages.length
    const before = await server.health()
    const mine = (id: unknown): boolean => typeof id === 'string' && id.startsWith(`race-${era}`)
    for (let at = 0; at < 200; at++) {
      const id = `race-${era}-${at}`
      server.send(make('tools/call', tool('stubborn', { ms: at % 20 }), id), cancelled(id))
      if (at % 10 === 0) await sleep(1)
    }
    await sleep(200)
    await server.healthy()
    expect(server.messages.slice(from).filter(({ id }) => mine(id))).toEqual([])
    await eventually(async () => expect((await server.health()).heapUsed - before.heapUsed).toBeLessThan(1_000_000), {
      intervalMs: 200,
    })
  })

  test('S16: a queued request can be cancelled', async () => {
    const busy = testStdio({ stdio: { limits: { maxInFlight: 4 } } })
    await busy.healthy()
    const slow = (id: string): object => modernRequest('tools/call', tool('slow', { ms: 400, tag: id }), id)
    busy.send(...['a', 'b', 'c', 'd', 'waiting'].map(slow), cancelled('waiting'))
    await busy.next(({ id }) => id === 'd')
    await sleep(600)
    await busy.healthy()
    expect(busy.messages.filter(({ id }) => id === 'waiting')).toEqual([])
    expect((await busy.counts()).started).toBe(4)
  })

  test('S14: the id of a queued request is in use', async () => {
    const busy = testStdio({ stdio: { limits: { maxInFlight: 2 } } })
    await busy.healthy()
    const slow = (id: string, tag: string, ms = 150): object => modernRequest('tools/call', tool('slow', { ms, tag }), id)
    busy.send(slow('a', 'a'), slow('b', 'b', 600), slow('twice', 'first'), slow('twice', 'second'))
    const answers = await eventually(() => {
      const found = busy.messages.filter(({ id }) => id === 'twice')
      expect(found.length).toBeGreaterThan(1)
      return found
    })
    await busy.healthy()
    expect(answers.map((answer) => textOf(answer) ?? answer.error?.code).sort()).toEqual([-32600, 'slow first'])
  })

  test('progress and log messages of a cancelled request are not sent', async () => {
    const from = server.messages.length
    const id = 'quiet'
    server.send(modernRequest('tools/call', tool('steps', { count: 20, pauseMs: 20 }, logLevel), id))
    await server.next(({ method }) => method === 'notifications/message', { from })
    server.send(cancelled(id))
    await server.healthy()
    const after = server.messages.length
    await sleep(300)
    expect(server.messages.length).toBe(after)
  })
})
