/** Floods of incomplete requests, requests, subscriptions, and calls over a long time. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { type HttpServer, mirrors, modern, startHttp, testHttp, write } from './support/http.ts'
import { freshId, modernRequest, request, textOf, tool } from './support/messages.ts'
import { PROCESSES } from './support/process.ts'
import { testStdio } from './support/stdio.ts'
import { MIB, sleep, timed, until } from './support/time.ts'

let server: HttpServer
beforeAll(async () => {
  server = await startHttp()
  await server.healthy()
})
afterAll(() => server.kill())

/** Returns the duration of the second slowest of several calls, to ignore one outlier. */
async function slowestOf(calls: number, target: HttpServer): Promise<number> {
  const times: number[] = []
  for (let at = 0; at < calls; at++) times.push(await timed(() => target.call('echo', { text: 'x' })))
  return times.sort((a, b) => b - a)[1] ?? 0
}

describe('incomplete requests', () => {
  test('H32 H33: with 300 incomplete heads and 100 incomplete bodies, other requests are served, and all time out', async () => {
    const heads = Array.from({ length: 300 }, () => server.connect())
    for (const connection of heads) connection.send('POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
    const bodies = Array.from({ length: 100 }, () => server.connect())
    const head = write('POST', { ...mirrors('tools/list'), 'Content-Type': 'application/json', 'Content-Length': '1000' })
    for (const connection of bodies) connection.send(`${head as string}{"jsonrpc"`)
    const silent = Array.from({ length: 20 }, () => server.connect())
    const start = performance.now()
    await sleep(200)
    expect(await slowestOf(30, server)).toBeLessThan(5000)
    await until(() => [...heads, ...bodies].every(({ unread, closed }) => unread !== '' || closed), 'all connections to end')
    expect(performance.now() - start).toBeLessThan(60_000)
    for (const { unread } of heads) expect(unread).toMatch(/^HTTP\/1\.1 408 [\s\S]*"jsonrpc":"2\.0"/)
    for (const { unread } of bodies) expect(unread).toMatch(/^HTTP\/1\.1 408 [\s\S]*"jsonrpc":"2\.0"/)
    await until(() => [...heads, ...bodies].every(({ closed }) => closed), 'the close of all')
    for (const connection of silent) connection.destroy()
    await server.healthy()
  })

  test('H32: a head sent byte by byte has the same timeout', async () => {
    const brief = await testHttp({ http: { headersTimeoutMs: 1000 } })
    const connection = brief.connect()
    connection.send('POST /mcp HTTP/1.1\r\n')
    for (let at = 0; at < 400 && !connection.closed; at++) {
      connection.send(`X-${at}: x\r\n`)
      await sleep(100)
    }
    expect(connection.closed).toBe(true)
    await brief.healthy()
  })

  test('H32: a silent connection is closed', async () => {
    const brief = await testHttp({ http: { headersTimeoutMs: 1000 } })
    const silent = Array.from({ length: 50 }, () => brief.connect())
    await until(() => silent.every(({ closed }) => closed), 'the close of all')
    await brief.healthy()
  })

  test('H33: a body sent byte by byte times out', async () => {
    const brief = await testHttp({ http: { bodyTimeoutMs: 1000 } })
    const connection = brief.connect()
    connection.send(write('POST', { ...mirrors('tools/list'), 'Content-Type': 'application/json', 'Content-Length': '100000' }))
    for (let at = 0; at < 800 && !connection.closed; at++) {
      connection.send(' ')
      await sleep(50)
    }
    expect(connection.closed).toBe(true)
    expect(connection.unread).toMatch(/^HTTP\/1\.1 408 /)
    await brief.healthy()
  })

  test('H34: 500 truncated bodies do not leak', async () => {
    const before = await server.health()
    for (let round = 0; round < 10; round++) {
      const connections = Array.from({ length: 50 }, () => server.connect())
      const bytes = modern('tools/call', tool('echo', { text: 'x'.repeat(50_000) }))
      for (const connection of connections) connection.send(bytes.slice(0, 30_000))
      await sleep(20)
      for (const connection of connections) connection.destroy()
    }
    await eventually(
      async () => {
        const after = await server.health()
        expect(after.sockets).toBeLessThanOrEqual(before.sockets + 1)
        expect(after.heapUsed - before.heapUsed).toBeLessThan(2 * MIB)
      },
      { intervalMs: 200 },
    )
    await server.healthy()
  })
})

describe('many requests', () => {
  test('H62: 2000 concurrent requests on 50 connections each receive their own response', async () => {
    const connections = Array.from({ length: 50 }, () => server.connect())
    const texts = Array.from({ length: 40 }, () => freshId())
    const answers = connections.map(async (connection, at) => {
      connection.send(texts.map((text) => modern('tools/call', tool('echo', { text: `${text} ${at}` }), {}, text)).join(''))
      for (const text of texts) expect(textOf((await connection.answer()).json)).toBe(`${text} ${at}`)
      connection.destroy()
    })
    await Promise.all(answers)
    await server.healthy()
  })

  test('H62: the concurrent requests of a session are limited, with an error', async () => {
    const small = await testHttp({ http: { maxSessionRequests: 8 } })
    const session = await small.session()
    const [most, count] = [8 * PROCESSES, 40 * PROCESSES]
    const answers = await Promise.all(
      Array.from({ length: count }, (_, id) =>
        session.ask(request('tools/call', tool('slow', { ms: 10_000, tag: `${id}` }), id)),
      ),
    )
    const rejected = answers.filter(({ status }) => status === 429)
    const served = answers.filter(({ status }) => status === 200)
    expect([served.length, rejected.length]).toEqual([most, count - most])
    for (const { json } of rejected) expect(json).toMatchObject({ error: { code: -32603 } })
    expect(textOf(await session.call('echo', { text: 'x' }))).toBe('x')
    await small.healthy()
  })

  test('H62: the concurrent requests of a server are limited, with an error', async () => {
    const small = await testHttp({ http: { maxRequests: 20 } })
    const [most, count] = [20 * PROCESSES, 60 * PROCESSES]
    const answers = await Promise.all(Array.from({ length: count }, () => small.call('slow', { ms: 10_000 })))
    expect(answers.filter(({ status }) => status === 200).length).toBe(most)
    const rejected = answers.filter(({ status }) => status === 503)
    expect(rejected.length).toBe(count - most)
    for (const { json, headers } of rejected) {
      expect(json).toMatchObject({ error: { code: -32603 } })
      expect(headers).toHaveProperty('retry-after')
    }
    await small.healthy()
  })

  test('S19: 20,000 pings in one write are answered once each', async () => {
    const program = testStdio()
    await program.initialize()
    const before = await program.health()
    const ids = Array.from({ length: 20_000 }, (_, id) => id)
    const from = program.messages.length
    program.write(ids.map((id) => `${JSON.stringify(request('ping', undefined, id))}\n`).join(''))
    await until(() => program.messages.length >= from + ids.length, 'all answers')
    await program.healthy()
    const responses = program.messages.slice(from).filter(({ id }) => typeof id === 'number')
    expect(responses.length).toBe(ids.length)
    expect(new Set(responses.map(({ id }) => id)).size).toBe(ids.length)
    expect(responses.every(({ result }) => result !== undefined)).toBe(true)
    await eventually(async () => expect((await program.health()).heapUsed - before.heapUsed).toBeLessThan(2 * MIB), {
      intervalMs: 200,
    })
  })

  test('S19: requests beyond the queue limit are rejected, and all are answered', async () => {
    const program = testStdio({ stdio: { limits: { maxInFlight: 4, maxQueued: 10 } } })
    await program.healthy()
    const from = program.messages.length
    program.send(
      ...Array.from({ length: 50 }, (_, id) => modernRequest('tools/call', tool('slow', { ms: 1000, tag: `${id}` }), id)),
    )
    await until(() => program.messages.length >= from + 50, 'all answers')
    const answers = program.messages.slice(from)
    expect(answers.filter(({ result }) => result).length).toBe(14)
    expect(answers.filter(({ error }) => error?.code === -32603).length).toBe(36)
    await program.healthy()
  })
})

describe('M10: subscriptions', () => {
  const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })

  test('of 1500 for each process, 1024 are served and the others rejected without an acknowledgement; ended ones free capacity', async () => {
    const flooded = await testHttp()
    const before = await flooded.health()
    const [most, count] = [1024 * PROCESSES, 1500 * PROCESSES]
    const connections = Array.from({ length: count }, () => flooded.connect())
    for (const connection of connections) connection.send(listen)
    const heads = await Promise.all(connections.map((connection) => connection.head()))
    expect(heads.filter(({ status }) => status === 200).length).toBe(most)
    expect(heads.filter(({ status }) => status === 429).length).toBe(count - most)
    await flooded.healthy()
    const rejected = connections[heads.findIndex(({ status }) => status === 429)]
    expect(rejected!.unread).not.toContain('acknowledged')
    for (const connection of connections) connection.destroy()
    await eventually(
      async () => {
        const after = await flooded.health()
        expect(after.sockets).toBeLessThanOrEqual(before.sockets + 2)
        expect(after.heapUsed - before.heapUsed).toBeLessThan(4 * MIB)
      },
      { intervalMs: 200 },
    )
    const again = flooded.connect()
    again.send(listen)
    expect((await again.head()).status).toBe(200)
    expect((await again.event())?.json).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
    again.destroy()
    await flooded.healthy()
  })

  test('over stdio they are limited too', async () => {
    const program = testStdio()
    await program.healthy()
    const from = program.messages.length
    program.send(
      ...Array.from({ length: 1500 }, (_, id) =>
        modernRequest('subscriptions/listen', { notifications: { toolsListChanged: true } }, `listen-${id}`),
      ),
    )
    await program.healthy()
    await sleep(200)
    const acknowledged = program.messages
      .slice(from)
      .filter(({ method }) => method === 'notifications/subscriptions/acknowledged')
    expect(acknowledged.length).toBeLessThanOrEqual(1024)
  })

  test.each([
    ['not an object', 'x'],
    ['a list', []],
    ['uris that are not a list', { resourceSubscriptions: 'x' }],
    ['2000 uris', { resourceSubscriptions: Array.from({ length: 2000 }, (_, at) => `notes://${at}`) }],
  ])('%s is rejected', async (_, notifications) => {
    const answer = await server.send(modern('subscriptions/listen', { notifications }))
    expect(answer.json).toMatchObject({ error: { code: -32602 } })
    await server.healthy()
  })

  test('the subscriptions of a session are limited', async () => {
    const session = await server.session()
    const connection = server.connect()
    let rejected = 0
    for (let at = 0; at < 1200; at++) {
      connection.send(session.post(request('resources/subscribe', { uri: `notes://${at}` })))
      if ((await connection.answer()).body.includes('"error"')) rejected++
    }
    connection.destroy()
    expect(rejected).toBeGreaterThanOrEqual(1200 - 1024)
    await server.healthy()
  })
})

describe('H65: many calls do not leak memory', () => {
  // Each process takes its share, and warms up with as many as if it were alone.
  const WARM = 6000 * PROCESSES
  const CALLS = 20_000 * PROCESSES
  const MOST_PER_CALL = 20

  /** Calls over ten connections, forty at a time. */
  async function callMany(bytes: (at: number) => string, count: number): Promise<void> {
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const connection = server.connect()
        for (let at = 0; at < count / 10; at += 40) {
          connection.send(Array.from({ length: 40 }, (_, more) => bytes(at + more)).join(''))
          for (let more = 0; more < 40; more++) expect((await connection.answer()).status).toBe(200)
        }
        connection.destroy()
      }),
    )
  }

  async function expectFlat(
    run: (count: number) => Promise<unknown>,
    health: () => Promise<{ heapUsed: number }>,
  ): Promise<void> {
    await run(WARM)
    const before = await health()
    await run(CALLS)
    const after = await health()
    expect((after.heapUsed - before.heapUsed) / CALLS).toBeLessThan(MOST_PER_CALL)
  }

  test('modern', async () => {
    const bytes = modern('tools/call', tool('echo', { text: 'x' }))
    await expectFlat((count) => callMany(() => bytes, count), server.health)
    await server.healthy()
  })

  test('in a session', async () => {
    const session = await server.session()
    let id = 0
    await expectFlat(
      (count) => callMany(() => session.post(request('tools/call', tool('echo', { text: 'x' }), ++id)), count),
      server.health,
    )
    await server.healthy()
  })

  test('that fail', async () => {
    const bodies = [
      modern('tools/call', tool('no-such-tool')),
      modern('tools/call', tool('echo', { text: 42 })),
      modern('resources/read', { uri: 'nothing://x' }),
    ]
    await expectFlat((count) => callMany((at) => bodies[at % bodies.length]!, count), server.health)
    await server.healthy()
  })

  test('over stdio', async () => {
    const program = testStdio()
    await program.healthy()
    const run = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at += 200) {
        const from = program.messages.length
        program.send(...Array.from({ length: 200 }, () => modernRequest('tools/call', tool('echo', { text: 'x' }))))
        await until(() => program.messages.length >= from + 200, 'the answers')
        program.messages.length = 0
      }
    }
    await expectFlat(run, program.health)
    await program.healthy()
  })
})
