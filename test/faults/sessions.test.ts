/** Legacy sessions: forged, stolen, ended, too many; clients that must be isolated from each other. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { type Case, runCases } from './support/cases.ts'
import { type HttpServer, post, type Session, startHttp, testHttp, write } from './support/http.ts'
import { INITIALIZE, logLevel, request, textOf, tool } from './support/messages.ts'
import { sleep, until } from './support/time.ts'

let server: HttpServer
beforeAll(async () => void (server = await startHttp()))
afterAll(() => server.kill())

const WRONG_IDS: ReadonlyArray<[what: string, id: string | undefined, statuses: readonly number[]]> = [
  ['no id', undefined, [400]],
  ['an empty id', '', [400, 404]],
  ['an unknown id', '00000000-0000-4000-8000-000000000000', [404]],
  ['__proto__', '__proto__', [404]],
  ['constructor', 'constructor', [404]],
  ['a path', '../../etc/passwd', [404]],
  ['an id in two parts', 'a, b', [400, 404]],
  ['a byte that is not ASCII', 'caf\u00e9', [400, 404]],
  ['8 KB', 'x'.repeat(8192), [400, 404, 431]],
]

runCases(
  () => server,
  WRONG_IDS.flatMap(([what, id, statuses]): Case<HttpServer>[] =>
    ['POST', 'GET', 'DELETE'].map((method) => ({
      id: 'H54',
      what: `${method} with ${what} is ${statuses.join(' or ')}`,
      async run() {
        const fields = { 'Mcp-Session-Id': id, 'MCP-Protocol-Version': '2025-11-25' }
        const bytes =
          method === 'POST' ? post(request('tools/list'), fields) : write(method, { ...fields, Accept: 'text/event-stream' })
        const answer = await server.send(bytes)
        expect(statuses).toContain(answer.status)
        expect(answer.json).toMatchObject({ jsonrpc: '2.0', error: {} })
        expect(answer.headers).not.toHaveProperty('mcp-session-id')
      },
    })),
  ),
)

test('H54: a deleted session is unknown, and its running calls are cancelled', async () => {
  const before = await server.counts()
  const session = await server.session()
  const stream = server.connect()
  stream.send(session.get())
  expect((await stream.head()).status).toBe(200)
  const running = server.connect()
  running.send(session.post(request('tools/call', tool('slow', { ms: 20_000 }))))
  await until(async () => (await server.counts()).started > before.started, 'the start')
  expect((await session.remove()).status).toBeLessThan(300)
  for (const bytes of [session.post(request('ping')), session.get(), write('DELETE', session.fields)])
    expect((await server.send(bytes)).status).toBe(404)
  await until(async () => (await server.counts()).aborted > before.aborted, 'the end of the handler')
  expect((await stream.events()).filter(({ json }) => json)).toEqual([])
  stream.destroy()
  running.destroy()
  await server.healthy()
})

test('H54: ids are long, unique and in visible ASCII', async () => {
  const ids = await Promise.all(Array.from({ length: 50 }, async () => (await server.session()).id))
  expect(new Set(ids).size).toBe(50)
  for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]{22,}$/)
})

test('H54: two session id headers are rejected', async () => {
  const session = await server.session()
  const { 'Mcp-Session-Id': id = '', ...others } = session.fields
  const answer = await server.send(
    post(request('tools/list'), [...Object.entries(others), ['Mcp-Session-Id', id], ['Mcp-Session-Id', 'other']]),
  )
  expect([400, 404]).toContain(answer.status)
  await server.healthy()
})

test('H55: a client cannot choose the id of a session', async () => {
  for (const chosen of ['attacker', '00000000-0000-4000-8000-000000000000']) {
    const answer = await server.send(post(request('initialize', INITIALIZE), { 'Mcp-Session-Id': chosen }))
    if (answer.status === 200) expect(answer.headers['mcp-session-id']).not.toBe(chosen)
    expect((await server.send(post(request('tools/list'), { 'Mcp-Session-Id': chosen }))).status).toBe(404)
  }
  const victim = await server.session()
  const again = await server.send(post(request('initialize', INITIALIZE), { 'Mcp-Session-Id': victim.id }))
  expect(again.headers['mcp-session-id']).not.toBe(victim.id)
  expect((await victim.ask(request('ping'))).status).toBe(200)
  await server.healthy()
})

test('H55: a second handshake is rejected or opens another session; the first is unchanged', async () => {
  const session = await server.session({ revision: '2025-06-18' })
  const answer = await session.ask(request('initialize', { ...INITIALIZE, protocolVersion: '2024-11-05' }))
  if (answer.status === 200) expect(answer.headers['mcp-session-id']).not.toBe(session.id)
  expect(textOf(await session.call('echo', { text: 'x' }))).toBe('x')
  expect((await session.ask([request('ping')])).status).toBe(400)
  await server.healthy()
})

test('H55: a request before the first handshake is rejected with 400', async () => {
  expect((await server.send(post(request('tools/list')))).status).toBe(400)
  await server.healthy()
})

describe('H60', () => {
  test('a GET before the handshake is rejected with 400; without a version it is HTTP+SSE, and limited', async () => {
    const versioned = { Accept: 'text/event-stream', 'MCP-Protocol-Version': '2025-06-18' }
    expect((await server.send(write('GET', versioned))).status).toBe(400)
    const small = await testHttp({ http: { maxSessions: 20 } })
    const streams = Array.from({ length: 60 }, () => small.connect())
    for (const stream of streams) stream.send(write('GET', { Accept: 'text/event-stream' }))
    await until(
      () => streams.every(({ unread }) => /event: endpoint|HTTP\/1.1 (4|5)\d\d/.test(unread)),
      'a response on every stream',
    )
    await eventually(() => {
      const open = streams.filter(
        ({ unread, closed }) => unread.includes('event: endpoint') && !unread.endsWith('0\r\n\r\n') && !closed,
      )
      expect(open.length).toBeLessThanOrEqual(20)
    })
    for (const stream of streams) stream.destroy()
    await small.healthy()
  })

  test('a second GET stream is rejected or served, and a message is sent on one of them', async () => {
    const session = await server.session()
    const streams = [server.connect(), server.connect()]
    for (const stream of streams) {
      stream.send(session.get())
      expect([200, 409]).toContain((await stream.head()).status)
    }
    await session.call('say', { text: 'only with its call' })
    await sleep(200)
    for (const stream of streams) expect(stream.unread).not.toContain('only with its call')
    for (const stream of streams) stream.destroy()
    await server.healthy()
  })

  test('a hundred GET streams do not all stay open', async () => {
    const session = await server.session()
    const streams = Array.from({ length: 100 }, () => server.connect())
    for (const stream of streams) stream.send(session.get())
    const heads = await Promise.all(streams.map((stream) => stream.head()))
    await eventually(() => {
      const open = streams.filter(
        ({ unread, closed }, at) => heads[at]!.status === 200 && !unread.endsWith('0\r\n\r\n') && !closed,
      )
      expect(open.length).toBeLessThanOrEqual(32)
    })
    for (const stream of streams) stream.destroy()
    await server.healthy()
  })
})

test('H46: two clients with the same ids each receive their own 50 responses', async () => {
  const sessions = await Promise.all([server.session(), server.session()])
  const callAll = (session: Session, name: string): Promise<unknown[]> =>
    Promise.all(
      Array.from({ length: 50 }, async (_, id) => {
        const { json } = await session.ask(request('tools/call', tool('slow', { ms: (id * 7) % 40, tag: `${name} ${id}` }), id))
        return [json?.id, textOf(json)]
      }),
    )
  const [ones, twos] = await Promise.all([callAll(sessions[0]!, 'one'), callAll(sessions[1]!, 'two')])
  expect(ones).toEqual(Array.from({ length: 50 }, (_, id) => [id, `slow one ${id}`]))
  expect(twos).toEqual(Array.from({ length: 50 }, (_, id) => [id, `slow two ${id}`]))
  await server.healthy()
})

test('H46: notifications of a call are sent on its own stream only', async () => {
  const sessions = await Promise.all([server.session(), server.session()])
  const bodies = await Promise.all(
    sessions.flatMap((session, at) =>
      [1, 2].map(async (call) => {
        const answer = await session.ask(
          request('tools/call', tool('say', { text: `session ${at} call ${call}` }, logLevel), call),
        )
        return [answer.body, `session ${at} call ${call}`]
      }),
    ),
  )
  for (const [body, text] of bodies) expect(body!.match(/session \d call \d/g)!.every((match) => match === text)).toBe(true)
  await server.healthy()
})

describe('H56', () => {
  test('3000 abandoned sessions use little memory', async () => {
    const flooded = await testHttp()
    const before = await flooded.health()
    await openMany(flooded, 3000)
    const after = await flooded.health()
    expect((after.heapUsed - before.heapUsed) / 3000).toBeLessThan(20_000)
    expect(after.sockets - before.sockets).toBeLessThan(20)
    await flooded.healthy()
  })

  test('beyond the limit, the least recently used session is evicted', async () => {
    const small = await testHttp({ http: { maxSessions: 50 } })
    const first = await small.session()
    const second = await small.session()
    await openMany(small, 48)
    expect((await first.ask(request('ping'))).status).toBe(200)
    await openMany(small, 10)
    expect((await second.ask(request('ping'))).status).toBe(404)
    expect((await first.ask(request('ping'))).status).toBe(200)
    await small.healthy()
  })

  test('a session with running requests is not evicted', async () => {
    const small = await testHttp({ http: { maxSessions: 2 } })
    const busy = await small.session()
    const running = busy.ask(request('tools/call', tool('slow', { ms: 500, tag: 'busy' })))
    await eventually(async () => expect((await small.counts()).started).toBe(1))
    await openMany(small, 5)
    expect(textOf((await running).json)).toBe('slow busy')
    await small.healthy()
  })

  test('an unused session expires', async () => {
    const sessionIdleTimeoutMs = 1500
    const brief = await testHttp({ http: { sessionIdleTimeoutMs } })
    const session = await brief.session()
    let usedAt = performance.now()
    let active = await brief.session()
    for (let at = 0; at < 8; at++) {
      await sleep(300)
      const askedAt = performance.now()
      const { status } = await active.ask(request('ping'))
      if (status !== 200) {
        expect(performance.now() - usedAt).toBeGreaterThan(sessionIdleTimeoutMs)
        active = await brief.session()
      }
      usedAt = askedAt
    }
    expect((await session.ask(request('ping'))).status).toBe(404)
    await brief.healthy()
  })

  test('a caller has at most a hundred, then its own least recently used session is evicted', async () => {
    const shared = await testHttp({ users: true, http: { maxPrincipalSessions: 5 } })
    const other = await shared.session({ fields: { 'x-user': 'other' } })
    const mine = await shared.session({ fields: { 'x-user': 'me' } })
    for (let at = 0; at < 6; at++) await shared.session({ fields: { 'x-user': 'me' } })
    expect((await mine.ask(request('ping'))).status).toBe(404)
    expect((await other.ask(request('ping'))).status).toBe(200)
    await shared.healthy()
  })
})

/** Opens sessions over a few connections, and abandons them. */
async function openMany(target: HttpServer, count: number): Promise<void> {
  const connections = Math.min(10, count)
  const bytes = post(request('initialize', INITIALIZE, 1))
  await Promise.all(
    Array.from({ length: connections }, async (_, first) => {
      const connection = target.connect()
      for (let at = first; at < count; at += connections) {
        connection.send(bytes)
        expect((await connection.answer()).status).toBe(200)
      }
      connection.destroy()
    }),
  )
}
