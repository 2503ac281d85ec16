import { describe, expect, test } from 'vitest'
import type { Exchange } from '../src/jsonrpc/exchange.ts'
import { createServer } from '../src/server/server.ts'
import type { Server } from '../src/server/types.ts'
import type { Stores } from '../src/stores/stores.ts'
import type { HttpOptions } from '../src/transports/http/server/options.ts'
import { startCluster, type TestNode } from './cluster.ts'
import { eventually } from './eventually.ts'
import { modernPost, type RawConnection, requestMeta, writeRequest } from './raw-connection.ts'
import { call, handshake, openSession, type RawSession } from './raw-session.ts'

const byToken: HttpOptions = { authenticate: ({ header }) => ({ principal: header('authorization') ?? 'nobody' }) }
const status = async (node: TestNode, bytes: string): Promise<number> => (await node.connect().send(bytes).response()).status
const requestJson = async (node: TestNode, client: RawSession, message: object) =>
  (await node.connect().send(client.post(message)).response()).json

/** Opens a stream and waits for the response headers. */
async function stream(node: TestNode, bytes: string): Promise<RawConnection> {
  const raw = node.connect().send(bytes)
  expect((await raw.head()).status).toBe(200)
  return raw
}

/** Returns the next event that has data. */
async function next(raw: RawConnection) {
  for (;;) {
    const event = await raw.event()
    if (event.json) return event
  }
}

/** How soon a node without access to the stores notices it, and the other nodes consider it failed. */
export type FailureTimeouts = Required<Pick<HttpOptions, 'nodeLeaseTtlMs' | 'storeTimeoutMs'>>

/** Opens a session although slow stores count as failed. */
function openWithRetries(node: TestNode): Promise<RawSession> {
  return eventually(async () => {
    const client = await openSession(node.connect)
    expect(client.handshake.status).toBe(200)
    return client
  })
}

/** Starts a call in a new session and receives its first event, a progress notification. */
function startCall(node: TestNode) {
  return eventually(async () => {
    const client = await openWithRetries(node)
    const raw = await stream(node, client.post(call('hold', { notify: true }, 5)))
    return { client, raw, seen: await next(raw) }
  })
}

/** Resumes a stream after an event. Retries, because a node that was paused for longer than its lease disconnects its streams. */
function resumeWithRetries(node: TestNode, client: RawSession, id: string | undefined) {
  return eventually(async () => {
    const raw = await stream(node, client.get({ 'Last-Event-ID': id as string }))
    return { raw, event: await next(raw) }
  })
}

/** Tests sessions that several nodes share. `open` returns new stores for each test. */
export function clusterSessionTests(
  open: () => Stores,
  timeouts: FailureTimeouts = { nodeLeaseTtlMs: 600, storeTimeoutMs: 400 },
): void {
  const nodes: typeof startCluster = (count, more) => startCluster(count, { shared: open(), ...more })

  describe('a session that was opened on one node', () => {
    test('is served by all nodes and can be ended on any', async () => {
      const [a, b, c] = (await nodes(3)) as [TestNode, TestNode, TestNode]
      const client = await openSession(a.connect)
      for (const [at, node] of [a, b, c, a, b].entries())
        expect(await requestJson(node, client, call('add', { a: at, b: 1 }, at))).toMatchObject({
          id: at,
          result: { content: [{ text: `${at + 1}` }] },
        })
      expect(await status(b, client.delete())).toBe(204)
      for (const node of [a, b, c]) expect(await status(node, client.post(call('add')))).toBe(404)
    })

    test('does not expire while it is used, even if each use finds it removed from the cache of the node', async () => {
      const [a, b] = (await nodes(2, { sessionIdleTimeoutMs: 1600 })) as [TestNode, TestNode]
      // Repeated because a machine that is paused for longer than the timeout lets the session expire.
      await eventually(async () => {
        const client = await openSession(a.connect)
        for (const node of [a, a, b, a, b]) {
          await new Promise((resolve) => setTimeout(resolve, 500))
          expect(await status(node, client.post(call('add')))).toBe(200)
        }
      })
    })

    test('SEC belongs to its principal on every node', async () => {
      const [a, b] = (await nodes(2, byToken)) as [TestNode, TestNode]
      const client = await openSession(a.connect, undefined, { Authorization: 'alice' })
      for (const node of [b, a]) {
        expect(await status(node, client.post(call('add'), { Authorization: 'mallory' }))).toBe(404)
        expect(await status(node, client.post(call('add')))).toBe(200)
      }
    })

    test('LIFE-013 has the same revision and log level on every node', async () => {
      const [a, b] = (await nodes(2)) as [TestNode, TestNode]
      const client = await openSession(a.connect, '2025-03-26')
      await requestJson(b, client, call('add', {}, 0))
      await requestJson(a, client, { jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'error' } })
      for (const node of [a, b])
        await eventually(async () => {
          await requestJson(node, client, call('add', {}, 2))
          expect(node.core.lastMeta?.['io.modelcontextprotocol/logLevel']).toBe('error')
        })
    })

    test('counts towards limits that hold for all nodes together', async () => {
      const all = await nodes(3, { ...byToken, maxPrincipalSessions: 3, maxSessions: 5 })
      const openOn = (at: number, principal: string) =>
        openSession((all[at % 3] as TestNode).connect, undefined, { Authorization: principal })
      const owned = [await openOn(0, 'a'), await openOn(1, 'a'), await openOn(2, 'a'), await openOn(3, 'a')]
      const statuses = await Promise.all(owned.map((client) => status(all[1] as TestNode, client.post(call('add')))))
      expect(statuses.toSorted()).toEqual([200, 200, 200, 404])
      for (let at = 0; at < 4; at++) await openOn(at, `b${at}`)
      const count = await (all[0] as TestNode).stores.store.count('http/session/')
      expect(count).toBe(5)
    })
  })

  test('limits hold although all nodes open sessions at the same moment', async () => {
    const all = await nodes(3, { maxSessions: 5 })
    const get = writeRequest('GET', { Accept: 'text/event-stream' })
    const heads = await Promise.all(Array.from({ length: 30 }, (_, at) => (all[at % 3] as TestNode).connect().send(get).head()))
    expect(heads.filter(({ status: code }) => code === 200).length).toBe(5)
    expect(await (all[0] as TestNode).stores.store.count('http/session/')).toBe(5)
  })

  describe('messages that are forwarded to another node', () => {
    test('the response to a request to the client', async () => {
      const [a, b, c] = (await nodes(3)) as [TestNode, TestNode, TestNode]
      const client = await openSession(b.connect)
      const raw = await stream(a, client.post(call('ask')))
      const request = await next(raw)
      expect(request.json).toMatchObject({ method: 'elicitation/create' })
      expect(
        await status(
          c,
          client.post({ jsonrpc: '2.0', id: request.json.id, result: { action: 'accept', content: { name: 'Ada' } } }),
        ),
      ).toBe(202)
      expect((await next(raw)).json.result.content[0].text).toContain('Ada')
    })

    test('a cancellation', async () => {
      const [a, b] = (await nodes(2)) as [TestNode, TestNode]
      const client = await openSession(b.connect)
      a.connect().send(client.post(call('hold', {}, 7)))
      await eventually(() => expect(a.core.events).toEqual(['start hold']))
      expect(await status(b, client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }))).toBe(
        202,
      )
      await eventually(() => expect(a.core.events).toEqual(['start hold', 'abort hold']))
    })

    test('a change notification is sent by the node with the standalone stream', async () => {
      const [a, b] = (await nodes(2)) as [TestNode, TestNode]
      const client = await openSession(a.connect)
      const raw = await stream(b, client.get())
      await eventually(() => expect(b.core.subscriptions).toBe(1))
      b.core.notifyChange()
      expect((await next(raw)).json.method).toBe('notifications/tools/list_changed')
      expect(a.core.subscriptions).toBe(0)
    })
  })

  describe('a stream that is resumed at another node', () => {
    test('HTTP-045 continues with exactly the missed messages and then live; the old connection ends', async () => {
      const [a, b] = (await nodes(2)) as [TestNode, TestNode]
      const client = await openSession(a.connect)
      const first = await stream(a, client.post(call('hold', { notify: true })))
      const seen = await next(first)
      const second = await stream(b, client.get({ 'Last-Event-ID': seen.id as string }))
      await eventually(() => expect(first.text).toContain('0\r\n\r\n'))
      a.core.release()
      expect((await next(second)).json.params.progress).toBe(2)
      expect((await next(second)).json.result.content[0].text).toBe('hold')
      await expect(second.event()).rejects.toThrow('ended')
    })

    test('can be resumed at every node, also after it has ended', async () => {
      const [a, b, c] = (await nodes(3)) as [TestNode, TestNode, TestNode]
      const client = await openSession(a.connect)
      const first = await stream(a, client.post(call('hold', { notify: true })))
      const seen = await next(first)
      await stream(b, client.get({ 'Last-Event-ID': seen.id as string }))
      await stream(c, client.get({ 'Last-Event-ID': seen.id as string }))
      const back = await stream(a, client.get({ 'Last-Event-ID': seen.id as string }))
      a.core.release()
      const [two, result] = [await next(back), await next(back)]
      expect([two.json.params.progress, result.json.id]).toEqual([2, 1])
      for (const node of [a, b, c]) {
        const again = await stream(node, client.get({ 'Last-Event-ID': two.id as string }))
        expect((await next(again)).json.id).toBe(1)
        await expect(again.event()).rejects.toThrow('ended')
      }
    })

    test('HTTP-046 refuses event ids of other sessions and unknown ones', async () => {
      const [a, b] = (await nodes(2)) as [TestNode, TestNode]
      const [one, other] = [await openSession(a.connect), await openSession(a.connect)]
      const raw = await stream(a, one.post(call('progress')))
      const { id } = await next(raw)
      for (const node of [a, b]) {
        expect(await status(node, other.get({ 'Last-Event-ID': id as string }))).toBe(404)
        expect(await status(node, one.get({ 'Last-Event-ID': `${id}9` }))).toBe(404)
        expect(await status(node, one.get({ 'Last-Event-ID': 'x' }))).toBe(400)
        expect(await status(node, one.get({ 'Last-Event-ID': 'a.b.c' }))).toBe(404)
      }
    })

    test('a standalone stream moves, with the messages that were sent meanwhile', async () => {
      const [a, b] = (await nodes(2)) as [TestNode, TestNode]
      const client = await openSession(a.connect)
      const first = await stream(a, client.get())
      await eventually(() => expect(a.core.subscriptions).toBe(1))
      a.core.notifyChange()
      const seen = await next(first)
      await first.close()
      a.core.notifyChange('notifications/prompts/list_changed')
      const second = await stream(b, client.get({ 'Last-Event-ID': seen.id as string }))
      expect((await next(second)).json.method).toBe('notifications/prompts/list_changed')
      await eventually(() => expect([a.core.subscriptions, b.core.subscriptions]).toEqual([0, 1]))
      b.core.notifyChange()
      expect((await next(second)).json.method).toBe('notifications/tools/list_changed')
    })
  })

  describe('when a node fails', () => {
    test('its sessions continue, and resumed calls end with an error', async () => {
      const [a, b] = (await nodes(2)) as [TestNode, TestNode]
      const client = await openSession(a.connect)
      const first = await stream(a, client.post(call('hold', { notify: true }, 5)))
      const seen = await next(first)
      await a.kill()
      expect(await requestJson(b, client, call('add', { a: 1, b: 1 }, 6))).toMatchObject({ result: { content: [{ text: '2' }] } })
      const second = await stream(b, client.get({ 'Last-Event-ID': seen.id as string }))
      expect((await next(second)).json).toMatchObject({ id: 5, error: { code: -32603 } })
      await expect(second.event()).rejects.toThrow('ended')
    })

    test('resumed calls that are idempotent are run again', async () => {
      const [a, b] = (await nodes(2, { isIdempotent: () => true })) as [TestNode, TestNode]
      const client = await openSession(a.connect)
      const first = await stream(a, client.post(call('hold', { notify: true }, 5)))
      const seen = await next(first)
      await a.kill()
      const second = await stream(b, client.get({ 'Last-Event-ID': seen.id as string }))
      expect((await next(second)).json.params.progress).toBe(1)
      b.core.release()
      expect((await next(second)).json.params.progress).toBe(2)
      expect((await next(second)).json).toMatchObject({ id: 5, result: {} })
    })

    test('a client that reads one of its streams on another node gets the error too', async () => {
      const [a, b] = (await nodes(2, timeouts)) as [TestNode, TestNode]
      const { client, seen } = await startCall(a)
      const second = await eventually(() => stream(b, client.get({ 'Last-Event-ID': seen.id as string })))
      await a.kill()
      const event = await next(second).catch(() => resumeWithRetries(b, client, seen.id).then(({ event }) => event))
      expect(event.json).toMatchObject({ id: 5, error: { code: -32603 } })
    })

    test('a standalone stream continues, with notifications for everything that may have changed', async () => {
      const [a, b] = (await nodes(2)) as [TestNode, TestNode]
      const client = await openSession(a.connect)
      const first = await stream(a, client.get())
      await eventually(() => expect(a.core.subscriptions).toBe(1))
      a.core.notifyChange()
      const seen = await next(first)
      await a.kill()
      const second = await stream(b, client.get({ 'Last-Event-ID': seen.id as string }))
      const methods = [await next(second), await next(second), await next(second)].map(({ json }) => json.method)
      expect(methods.toSorted()).toEqual(['prompts', 'resources', 'tools'].map((list) => `notifications/${list}/list_changed`))
    })
  })

  describe('a node without access to the stores', () => {
    test('disconnects its streams before other nodes may take them over, and rejoins later', async () => {
      const [a, b] = (await nodes(2, timeouts)) as [TestNode, TestNode]
      const { client, raw, seen } = await startCall(a)
      a.stores.state = 'hangs'
      await eventually(() => expect(raw.text).toContain('0\r\n\r\n'), { intervalMs: 50 })
      a.core.release()
      expect(await status(a, client.get({ 'Last-Event-ID': seen.id as string }))).toBe(503)
      a.stores.state = 'works'
      await eventually(async () => expect(await status(a, client.get({ 'Last-Event-ID': 'x' }))).toBe(400))
      const two = await resumeWithRetries(a, client, seen.id)
      expect(two.event.json.params.progress).toBe(2)
      expect((await resumeWithRetries(a, client, two.event.id)).event.json).toMatchObject({ id: 5, result: {} })
      await eventually(async () =>
        expect(await requestJson(b, client, call('add', { a: 1, b: 1 }, 6))).toMatchObject({ result: {} }),
      )
    })

    test('its writes are ignored after another node has taken the stream over', async () => {
      const [a, b] = (await nodes(2, timeouts)) as [TestNode, TestNode]
      const { client, seen } = await startCall(a)
      a.stores.state = 'hangs'
      expect((await resumeWithRetries(b, client, seen.id)).event.json).toMatchObject({ id: 5, error: {} })
      a.core.release()
      a.stores.state = 'works'
      await eventually(async () => expect(await status(a, client.post(call('add', {}, 6)))).toBe(200))
      const again = await resumeWithRetries(b, client, seen.id)
      expect(again.event.json).toMatchObject({ id: 5, error: {} })
      await expect(again.raw.event()).rejects.toThrow('ended')
    })

    test('answers requests that need the stores with 503, and all others normally', async () => {
      for (const state of ['hangs', 'fails'] as const) {
        const [a] = (await nodes(1, { storeTimeoutMs: timeouts.storeTimeoutMs })) as [TestNode]
        const client = await openWithRetries(a)
        a.stores.state = state
        const answer = await a.connect().send(handshake()).response()
        expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, json: { error: { code: -32603 } } })
        expect(await requestJson(a, client, call('add', { a: 1, b: 1 }))).toMatchObject({ result: { content: [{ text: '2' }] } })
        const raw = await stream(a, client.post(call('progress', {}, 9)))
        for (let at = 0; at < 3; at++) await next(raw)
        expect((await next(raw)).json).toMatchObject({ id: 9, result: {} })
        a.stores.state = 'works'
        await openWithRetries(a)
      }
    })
  })

  describe('the HTTP+SSE transport', () => {
    test('SSE-003 a message that is posted to another node is answered on the stream', async () => {
      const [a, b] = (await nodes(2, byToken)) as [TestNode, TestNode]
      const raw = await stream(a, writeRequest('GET', { Accept: 'text/event-stream', Authorization: 'alice' }))
      const [, target = ''] = /data: (.*)/.exec(await raw.until('\n\n')) ?? []
      await raw.until('\r\n')
      const post = (node: TestNode, message: object, principal = 'alice') =>
        status(
          node,
          writeRequest(
            'POST',
            { Accept: 'application/json', 'Content-Type': 'application/json', Authorization: principal, 'X-Mark': 'm' },
            JSON.stringify(message),
            target,
          ),
        )
      const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
      expect(await post(b, { jsonrpc: '2.0', id: 0, method: 'initialize', params })).toBe(202)
      expect((await next(raw)).json).toMatchObject({ id: 0, result: { protocolVersion: '2024-11-05' } })
      expect(await post(b, call('add', { a: 1, b: 2 }, 1))).toBe(202)
      expect((await next(raw)).json).toMatchObject({ id: 1, result: { content: [{ text: '3' }] } })
      expect([a.core.lastContext?.auth?.principal, a.core.lastContext?.http?.header('x-mark')]).toEqual(['alice', 'm'])
      expect(await post(b, call('add', {}, 2), 'mallory')).toBe(404)
      await raw.close()
      await eventually(async () => expect(await post(b, call('add', {}, 3))).toBe(404))
    })
  })

  test('nothing is left after sessions have ended', async () => {
    const shared = open()
    const [a, b] = (await nodes(2, { shared })) as [TestNode, TestNode]
    const client = await openSession(a.connect)
    const raw = await stream(a, client.post(call('hold', { notify: true })))
    const seen = await next(raw)
    await stream(b, client.get({ 'Last-Event-ID': seen.id as string }))
    await stream(b, client.get())
    expect(await status(b, client.delete())).toBe(204)
    await eventually(async () => {
      const keys = await shared.store.list('')
      expect(keys.filter((key) => !key.startsWith('http/node/'))).toEqual([])
      expect([a.core.subscriptions, b.core.subscriptions, a.core.running]).toEqual([0, 0, 0])
    })
  })

  test('a subscription of a modern client receives a change that was made on another node', async () => {
    const servers: Server[] = []
    const exchange = (_at: number, stores: Stores): Exchange => {
      const server = createServer({ name: 'test', version: '1' }, { stores })
      server.tool('early', {}, () => 'early')
      server.resource('note://a', { name: 'a' }, () => 'text')
      servers.push(server)
      return server.exchange
    }
    const [a] = (await nodes(2, { exchange })) as [TestNode, TestNode]
    const notifications = { resourceSubscriptions: ['note://a'], toolsListChanged: true }
    const message = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { _meta: requestMeta(), notifications } }
    const raw = await stream(a, modernPost(message))
    expect((await next(raw)).json.method).toBe('notifications/subscriptions/acknowledged')
    servers[1]?.resourceUpdated('note://a')
    // The registrations of a starting process are changes for the others, and may arrive now.
    let received = (await next(raw)).json
    while (received.method.endsWith('list_changed')) received = (await next(raw)).json
    expect(received).toMatchObject({ method: 'notifications/resources/updated', params: { uri: 'note://a' } })
    servers[1]?.tool('late', {}, () => 'late')
    expect((await next(raw)).json.method).toBe('notifications/tools/list_changed')
    await Promise.all(servers.map((server) => server.close()))
  })
}
