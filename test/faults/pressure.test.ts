/** Clients that do not read: the data buffered for them is bounded, and delivered when they read. */
import { describe, expect, test } from 'vitest'
import type { Connection } from './support/connection.ts'
import { type HttpServer, modern, type Session, testHttp } from './support/http.ts'
import { type Health, logLevel, modernRequest, request, textOf, tool } from './support/messages.ts'
import { PROCESSES } from './support/process.ts'
import { testStdio } from './support/stdio.ts'
import { MIB, sleep, timed, until } from './support/time.ts'

const BYTES = 64 * 1024
const COUNT = 1600
const LOUD = 'notifications/example'

/** The most data in transit: the buffers of the library and of the kernel on both sides. */
const ON_ITS_WAY = 24 * MIB
const MEMORY = 60 * MIB

/** The most data that all sessions together may store of their streams. */
const RECORDS = 64 * MIB

/** The format of a call in each era. */
const eras: ReadonlyArray<
  [era: string, open: (server: HttpServer) => Promise<(name: string, method?: string) => string | Buffer>]
> = [
  ['modern', async () => (name, method) => modern('tools/call', tool(name, floodOf(method), logLevel))],
  [
    'session',
    async (server) => {
      const session: Session = await server.session()
      return (name, method) => session.post(request('tools/call', tool(name, floodOf(method))))
    },
  ],
]

function floodOf(method: string | undefined): { count: number; bytes: number; method?: string } {
  return { count: COUNT, bytes: BYTES, ...(method && { method }) }
}

/** Waits until memory usage is back near its value before. */
function expectFreed(server: HttpServer, before: Health, most: number): Promise<void> {
  const used = ({ heapUsed, external }: Health): number => heapUsed + external
  return until(async () => used(await server.health()) - used(before) < most, `memory below ${most} bytes more`)
}

/** Starts a flood for a client that does not read. */
async function flood(server: HttpServer, bytes: string | Buffer): Promise<Connection> {
  const connection = server.connect({ reads: false })
  connection.send(bytes)
  await sleep(1200)
  return connection
}

/** Reads a stream to its end and counts its events without storing them. */
function countEvents(connection: Connection): { read(): { messages: number; results: number } } {
  let [messages, results, tail] = [0, 0, '']
  connection.socket.removeAllListeners('data')
  connection.socket.on('data', (chunk: Buffer) => {
    const text = tail + chunk.toString('latin1')
    messages += text.split('"method":').length - 1
    results += text.split('"result":').length - 1
    tail = text.slice(-8)
  })
  connection.socket.resume()
  return { read: () => ({ messages, results }) }
}

describe.each(eras)('H49 in the %s era', (era, open) => {
  test('a tool that awaits backpressure is slowed down to the client, without loss', async () => {
    const server = await testHttp()
    const write = await open(server)
    const before = await server.health()
    const connection = await flood(server, write('flood'))
    const { sent } = await server.counts()
    expect(sent).toBeLessThan(ON_ITS_WAY / BYTES)
    expect((await server.health()).rss - before.rss).toBeLessThan(MEMORY)
    await server.healthy()
    const counted = countEvents(connection)
    await until(() => counted.read().results === 1, 'the result')
    expect(counted.read().messages).toBe(COUNT)
    expect((await server.counts()).sent).toBe(COUNT)
    connection.destroy()
    await server.healthy()
  })

  test('log messages of a tool that ignores backpressure are dropped, and the result arrives', async () => {
    const server = await testHttp()
    const write = await open(server)
    const before = await server.health()
    const connection = await flood(server, write('rude-flood'))
    await until(async () => (await server.counts()).sent === COUNT, 'the end of the flood')
    expect((await server.health()).rss - before.rss).toBeLessThan(MEMORY)
    await server.healthy()
    const counted = countEvents(connection)
    await until(() => counted.read().results === 1, 'the result')
    expect(counted.read().messages).toBeLessThan(COUNT)
    connection.destroy()
    await server.healthy()
  })

  test('the stream of a tool that ignores backpressure and sends required messages is bounded or closed', async () => {
    const server = await testHttp()
    const write = await open(server)
    const before = await server.health()
    const connection = await flood(server, write('rude-flood', LOUD))
    expect((await server.health()).rss - before.rss).toBeLessThan(MEMORY)
    connection.destroy()
    await expectFreed(server, before, 16 * MIB)
    await server.healthy()
  })

  test('a client that reads nothing is disconnected', async () => {
    const server = await testHttp({ http: { writeTimeoutMs: 700 } })
    const write = await open(server)
    const connection = await flood(server, write('flood'))
    await sleep(1500)
    connection.socket.resume()
    await connection.end()
    await sleep(200)
    const { sent } = await server.counts()
    // A session continues without its client, which can reconnect.
    if (era === 'modern') expect(sent).toBeLessThan(COUNT)
    connection.destroy()
    await server.healthy()
  })

  test('16 concurrent clients that do not read', async () => {
    const server = await testHttp()
    const write = await open(server)
    const before = await server.health()
    const connections = Array.from({ length: 16 }, () => server.connect({ reads: false }))
    for (const connection of connections) connection.send(write('flood'))
    await sleep(2000)
    const during = await server.health()
    expect(during.heapUsed + during.external - before.heapUsed - before.external).toBeLessThan(16 * 2 * MIB + RECORDS)
    await server.healthy()
    for (const connection of connections) connection.destroy()
    await expectFreed(server, before, era === 'modern' ? 24 * MIB : RECORDS)
  })
})

test.each([
  [COUNT, BYTES],
  [150, MIB],
  [50_000, 1000],
])(
  'H48: a session whose client has disconnected continues, and stores a bounded part of %d messages of %d bytes',
  async (count, bytes) => {
    const server = await testHttp()
    const session = await server.session()
    const before = await server.health()
    const connection = server.connect()
    connection.send(session.post(request('tools/call', tool('rude-flood', { count, bytes }))))
    await connection.head()
    connection.destroy()
    await until(async () => (await server.counts()).sent === count, 'the end of the flood')
    await sleep(100)
    const after = await server.health()
    expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(16 * MIB)
    await server.healthy()
  },
)

test('H48: calls whose client has disconnected do not block other calls', async () => {
  const server = await testHttp()
  const session = await server.session()
  const connections = Array.from({ length: 16 }, () => server.connect())
  for (const connection of connections) connection.send(session.post(request('tools/call', tool('flood', floodOf(undefined)))))
  await Promise.all(connections.map((connection) => connection.head()))
  for (const connection of connections) connection.destroy()
  for (let at = 0; at < 5; at++) {
    expect(await timed(() => server.healthy())).toBeLessThan(30_000)
    await sleep(50)
  }
})

test('H49: the changes queued for a client that does not read are limited', async () => {
  const server = await testHttp()
  const before = await server.health()
  const session = await server.session()
  await session.ask(request('resources/subscribe', { uri: 'files:///many' }))
  const [listen, stream] = [server.connect({ reads: false }), server.connect({ reads: false })]
  listen.send(modern('subscriptions/listen', { notifications: { resourceSubscriptions: ['files:///many'] } }))
  stream.send(session.get())
  await sleep(200)
  // With workers, each change goes through their store, which takes a slow disk long.
  const calls = PROCESSES > 1 ? 2 : 8
  for (let at = 0; at < calls; at++) expect(textOf((await server.call('touch', { count: 25_000 })).json)).toBe('touched 25000')
  await sleep(500)
  const after = await server.health()
  expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(4 * calls * MIB)
  await server.healthy()
  listen.destroy()
  stream.destroy()
})

test('H49: a large response to a client that does not read is discarded', async () => {
  const server = await testHttp({ http: { writeTimeoutMs: 500 } })
  const before = await server.health()
  const connections = Array.from({ length: 5 }, () => server.connect({ reads: false }))
  for (const connection of connections) connection.send(modern('tools/call', tool('big', { bytes: 30 * MIB })))
  await until(async () => (await server.counts()).started === 5, 'the arrival of all')
  await expectFreed(server, before, 16 * MIB)
  for (const connection of connections) connection.destroy()
  await server.healthy()
})

describe('S12: a client that does not read stdout', () => {
  const floodCall = (name: string, method?: string): object =>
    modernRequest('tools/call', tool(name, floodOf(method), logLevel), 'flood')

  /** Returns the memory usage of a process, measured from outside. */
  async function rssOf(pid: number): Promise<number> {
    const { readFileSync } = await import('node:fs')
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
  }

  // A call that sends required messages may end with an error instead.
  test.each([
    ['flood', undefined, COUNT],
    ['rude-flood', undefined, 0],
    ['rude-flood', LOUD, 0],
  ])('%s (%s) stays bounded, and the remaining messages arrive when the client reads', async (name, method, least) => {
    const server = testStdio({ reads: false })
    await sleep(400)
    const before = await rssOf(server.pid)
    server.send(floodCall(name, method))
    await sleep(1500)
    expect((await rssOf(server.pid)) - before).toBeLessThan(MEMORY)
    let [messages, results, tail] = [0, 0, '']
    server.child.stdout.on('data', (chunk: Buffer) => {
      const text = tail + chunk.toString('latin1')
      messages += text.split('"method":').length - 1
      results += text.split(/"(?:result|error)":/).length - 1
      tail = text.slice(-8)
    })
    await until(() => results === 1, 'the end of the call')
    expect(messages).toBeGreaterThanOrEqual(least)
    server.send(modernRequest('tools/call', tool('echo', { text: 'x' })))
    await until(() => results === 2, 'the answer of the next request')
  })

  test('the accepted requests of a client that does not read are limited', async () => {
    const server = testStdio({ reads: false })
    await sleep(400)
    const before = await rssOf(server.pid)
    const line = `${JSON.stringify(modernRequest('tools/call', tool('echo', { text: 'y'.repeat(50_000) })))}\n`
    let written = 0
    for (; written < 1500 && server.child.stdin.writableLength < 40 * MIB; written++) server.write(line)
    await sleep(1000)
    expect((await rssOf(server.pid)) - before).toBeLessThan(MEMORY)
    let answers = 0
    server.child.stdout.on('data', (chunk: Buffer) => (answers += chunk.toString('latin1').split('\n').length - 1))
    await until(() => answers === written, 'all answers')
  })
})
