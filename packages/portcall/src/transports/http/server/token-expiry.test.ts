import { describe, expect, test } from 'vitest'
import { startCluster } from '../../../../test-kit/cluster.ts'
import { eventually } from '../../../../test-kit/eventually.ts'
import { listen, modernPost, post, type RawConnection, writeRequest } from '../../../../test-kit/raw-connection.ts'
import { call, openSession } from '../../../../test-kit/raw-session.ts'
import { createTestCore } from '../../../../test-kit/test-core.ts'
import { createServer } from '../../../server/server.ts'
import { memoryStores } from '../../../stores/memory/memory.ts'
import type { HttpOptions } from './options.ts'

const TTL_MS = 1500

/** Authenticates callers by a token whose text is the time of its expiry, in milliseconds since 1970. */
const byExpiry: HttpOptions = {
  authenticate: ({ header }) => ({ principal: 'ann', expiresAt: Number(header('authorization')) / 1000 }),
}
const tokenFor = (ms: number): { Authorization: string } => ({ Authorization: String(Date.now() + ms) })
const LONG = 3_600_000

async function startServer(options: HttpOptions = {}) {
  const core = createTestCore()
  const { connect } = await listen(core.exchange, { ...byExpiry, ...options })
  return { core, connect, send: (bytes: string) => connect().send(bytes).response() }
}

/** Waits for the end of a stream, and checks that its token has expired then. */
async function readToEnd(raw: RawConnection, expiresAt: string): Promise<string> {
  const text = await raw.until('0\r\n\r\n')
  expect(Date.now()).toBeGreaterThanOrEqual(Number(expiresAt))
  return text
}

describe('when its token expires', () => {
  test('a subscription ends with its result', async () => {
    const server = createServer({ name: 'test', version: '1.0.0' })
    const { connect } = await listen(server.exchange, byExpiry)
    const token = tokenFor(TTL_MS)
    const message = { id: 1, method: 'subscriptions/listen', params: { notifications: {} } }
    const text = await readToEnd(connect().send(modernPost(message, token)), token.Authorization)
    expect(text).toContain('"id":1,"result":{')
  })

  test('a subscription ends without an error, and the client can subscribe with a new token', async () => {
    const { core, connect } = await startServer()
    const subscribe = (token: { Authorization: string }) =>
      modernPost({ id: 1, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } }, token)
    const token = tokenFor(TTL_MS)
    const raw = connect().send(subscribe(token))
    expect((await raw.head()).status).toBe(200)
    core.notifyChange()
    const text = await readToEnd(raw, token.Authorization)
    expect(text).toContain('list_changed')
    expect(text).not.toContain('"error"')
    await eventually(() => expect(core.subscriptions).toBe(0))
    const again = connect().send(subscribe(tokenFor(LONG)))
    expect((await again.head()).status).toBe(200)
    await eventually(() => expect(core.subscriptions).toBe(1))
    core.notifyChange()
    await again.until('list_changed')
  })

  test('a subscription that was opened after that, within the tolerance for clocks, ends soon', async () => {
    const { core, connect } = await startServer()
    const message = { id: 1, method: 'subscriptions/listen', params: { notifications: {} } }
    const raw = connect().send(modernPost(message, tokenFor(-1000)))
    expect((await raw.head()).status).toBe(200)
    await eventually(() => expect(core.subscriptions).toBe(1))
    await raw.until('0\r\n\r\n')
    await eventually(() => expect(core.subscriptions).toBe(0))
  })

  test.each(['2025-03-26', '2025-11-25'])(
    'a stream for the messages of a session ends in %s, but not the session',
    async (version) => {
      const { core, connect, send } = await startServer()
      const client = await openSession(connect, version, tokenFor(LONG))
      const token = tokenFor(TTL_MS)
      const raw = connect().send(client.get(token))
      expect((await raw.head()).status).toBe(200)
      await readToEnd(raw, token.Authorization)
      expect((await send(client.post(call('add', { a: 1, b: 2 }), tokenFor(LONG)))).status).toBe(200)
      const again = connect().send(client.get(tokenFor(LONG)))
      expect((await again.head()).status).toBe(200)
      core.notifyChange()
      await again.until('list_changed')
    },
  )

  test('the stream of a call ends in a revision in which clients resume it, and its response arrives there', async () => {
    const { core, connect } = await startServer()
    const client = await openSession(connect, '2025-11-25', tokenFor(LONG))
    const token = tokenFor(TTL_MS)
    const raw = connect().send(client.post(call('hold', { notify: true }, 5), token))
    expect((await raw.head()).status).toBe(200)
    const [, id = ''] = /id: (\S+)/.exec(await readToEnd(raw, token.Authorization)) ?? []
    expect(core.running).toBe(1)
    const resumed = connect().send(client.get({ 'Last-Event-ID': id, ...tokenFor(LONG) }))
    expect((await resumed.head()).status).toBe(200)
    core.release()
    await resumed.until('"result"')
  })

  test('the stream of a call goes on in revisions in which its response would be lost', async () => {
    const { core, connect } = await startServer()
    const client = await openSession(connect, '2025-06-18', tokenFor(LONG))
    const token = tokenFor(300)
    const legacy = connect().send(client.post(call('hold', { notify: true }, 5), token))
    const modern = connect().send(modernPost({ id: 6, ...call('hold', { notify: true }) }, token))
    const watch = { id: 1, method: 'subscriptions/listen', params: { notifications: {} } }
    await connect()
      .send(modernPost(watch, tokenFor(1000)))
      .until('0\r\n\r\n')
    core.release()
    for (const raw of [legacy, modern]) await raw.until('"result"')
  })

  test('a session of HTTP+SSE ends with its stream', async () => {
    const { core, connect } = await startServer()
    const token = tokenFor(TTL_MS)
    const raw = connect().send(writeRequest('GET', { Accept: 'text/event-stream', ...token }))
    const [, address = ''] = /data: (\S+)/.exec(await raw.until('\n\n\r\n')) ?? []
    const send = (message: object) =>
      connect()
        .send(post(JSON.stringify(message), tokenFor(LONG)).replace('POST /mcp ', `POST ${address} `))
        .response()
    expect((await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202)
    await readToEnd(raw, token.Authorization)
    await eventually(async () => expect((await send(call('add'))).status).toBe(404))
    expect(core.running).toBe(0)
  })

  test('streams of a shared session end on whatever node they are, and the session goes on', async () => {
    const shared = memoryStores()
    const [writer, reader] = await startCluster(2, { ...byExpiry, shared })
    if (!writer || !reader) throw new Error('There are two nodes')
    const client = await openSession(writer.connect, '2025-11-25', tokenFor(LONG))
    const started = writer.connect().send(client.post(call('hold', { notify: true }, 5), tokenFor(LONG)))
    expect((await started.head()).status).toBe(200)
    const [, id = ''] = /id: (\S+)/.exec(await started.until('notifications/progress')) ?? []
    const token = tokenFor(TTL_MS)
    const streams = [client.get(token), client.get({ ...token, 'Last-Event-ID': id })].map((bytes) =>
      reader.connect().send(bytes),
    )
    for (const raw of streams) {
      expect((await raw.head()).status).toBe(200)
      await readToEnd(raw, token.Authorization)
    }
    const resumed = reader.connect().send(client.get({ ...tokenFor(LONG), 'Last-Event-ID': id }))
    expect((await resumed.head()).status).toBe(200)
    writer.core.release()
    await resumed.until('"result"')
  })
})
