import { describe, expect, test } from 'vitest'
import { cluster, type TestNode } from '../../../../test-kit/cluster.ts'
import { eventually } from '../../../../test-kit/eventually.ts'
import { call, handshake, type LegacyClient, openSession } from '../../../../test-kit/legacy.ts'
import { envelope, modern, type Raw } from '../../../../test-kit/raw.ts'
import { createServer, type Server } from '../../../index.ts'
import type { Exchange } from '../../../jsonrpc/exchange.ts'
import type { Stores } from '../../../stores/stores.ts'
import type { HttpOptions } from '../options.ts'

const byToken: HttpOptions = { authenticate: ({ header }) => ({ principal: header('authorization') ?? 'nobody' }) }
const status = async (node: TestNode, bytes: string): Promise<number> => (await node.connect().send(bytes).answer()).status
const ask = async (node: TestNode, client: LegacyClient, message: object) =>
  (await node.connect().send(client.post(message)).answer()).json

/** Opens a stream and reads the head of the answer. */
async function stream(node: TestNode, bytes: string): Promise<Raw> {
  const raw = node.connect().send(bytes)
  expect((await raw.head()).status).toBe(200)
  return raw
}

/** The next event that has data. */
async function next(raw: Raw) {
  for (;;) {
    const event = await raw.event()
    if (event.json) return event
  }
}

/** How soon a node that cannot reach the stores finds out, and the others. */
export type Mortality = Required<Pick<HttpOptions, 'nodeLeaseMs' | 'storeTimeoutMs'>>

/** Opens a session where stores that are slow count as away. */
function openPatiently(node: TestNode): Promise<LegacyClient> {
  return eventually(async () => {
    const client = await openSession(node.connect)
    expect(client.handshake.status).toBe(200)
    return client
  })
}

/** Begins a call in a session of its own, and takes its first event, which is about its progress. */
function begin(node: TestNode) {
  return eventually(async () => {
    const client = await openPatiently(node)
    const raw = await stream(node, client.post(call('hold', { say: true }, 5)))
    return { client, raw, seen: await next(raw) }
  })
}

/** Comes back for what follows an event, as often as it takes: a node that stood still for longer than its lease lets go of its streams. */
function after(node: TestNode, client: LegacyClient, id: string | undefined) {
  return eventually(async () => {
    const raw = await stream(node, client.get({ 'Last-Event-ID': id as string }))
    return { raw, event: await next(raw) }
  })
}

/** What holds for sessions that several nodes share, whatever stores they rest in; `open` gives stores of their own to each test. */
export function sharedSessionTests(open: () => Stores, mortality: Mortality = { nodeLeaseMs: 600, storeTimeoutMs: 400 }): void {
  const nodes: typeof cluster = (count, more) => cluster(count, { shared: open(), ...more })

  describe('a session that was opened on one node', () => {
    test('is served by every other, and ended by any', async () => {
      const [a, b, c] = (await nodes(3)) as [TestNode, TestNode, TestNode]
      const client = await openSession(a.connect)
      for (const [at, node] of [a, b, c, a, b].entries())
        expect(await ask(node, client, call('add', { a: at, b: 1 }, at))).toMatchObject({
          id: at,
          result: { content: [{ text: `${at + 1}` }] },
        })
      expect(await status(b, client.remove())).toBe(204)
      for (const node of [a, b, c]) await eventually(async () => expect(await status(node, client.post(call('add')))).toBe(404))
    })

    test('SEC belongs to who opened it, on every node', async () => {
      const [a, b] = (await nodes(2, byToken)) as [TestNode, TestNode]
      const client = await openSession(a.connect, undefined, { Authorization: 'alice' })
      for (const node of [b, a]) {
        expect(await status(node, client.post(call('add'), { Authorization: 'mallory' }))).toBe(404)
        expect(await status(node, client.post(call('add')))).toBe(200)
      }
    })

    test('LIFE-013 keeps its revision and its log level everywhere', async () => {
      const [a, b] = (await nodes(2)) as [TestNode, TestNode]
      const client = await openSession(a.connect, '2025-03-26')
      await ask(b, client, call('add', {}, 0))
      await ask(a, client, { jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'error' } })
      for (const node of [a, b])
        await eventually(async () => {
          await ask(node, client, call('add', {}, 2))
          expect(node.core.lastMeta?.['io.modelcontextprotocol/logLevel']).toBe('error')
        })
    })

    test('limits hold over all nodes', async () => {
      const all = await nodes(3, { ...byToken, maxPrincipalSessions: 3, maxSessions: 5 })
      const open = (at: number, who: string) => openSession((all[at % 3] as TestNode).connect, undefined, { Authorization: who })
      const mine = [await open(0, 'a'), await open(1, 'a'), await open(2, 'a'), await open(3, 'a')]
      const found = await Promise.all(mine.map((client) => status(all[1] as TestNode, client.post(call('add')))))
      expect(found.toSorted()).toEqual([200, 200, 200, 404])
      for (let at = 0; at < 4; at++) await open(at, `b${at}`)
      const left = await (all[0] as TestNode).stores.store.count('http/session/')
      expect(left).toBe(5)
    })
  })

  describe('what has to reach another node', () => {
    test('the answer to a question', async () => {
      const [a, b, c] = (await nodes(3)) as [TestNode, TestNode, TestNode]
      const client = await openSession(b.connect)
      const raw = await stream(a, client.post(call('ask')))
      const question = await next(raw)
      expect(question.json).toMatchObject({ method: 'elicitation/create' })
      expect(
        await status(
          c,
          client.post({ jsonrpc: '2.0', id: question.json.id, result: { action: 'accept', content: { name: 'Ada' } } }),
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

    test('a change, to the node with the standing stream', async () => {
      const [a, b] = (await nodes(2)) as [TestNode, TestNode]
      const client = await openSession(a.connect)
      const raw = await stream(b, client.get())
      await eventually(() => expect(b.core.listening).toBe(1))
      b.core.change()
      expect((await next(raw)).json.method).toBe('notifications/tools/list_changed')
      expect(a.core.listening).toBe(0)
    })
  })

  describe('a stream that is resumed at another node', () => {
    test('HTTP-045 goes on with exactly what was missed, live, and the old connection ends', async () => {
      const [a, b] = (await nodes(2)) as [TestNode, TestNode]
      const client = await openSession(a.connect)
      const first = await stream(a, client.post(call('hold', { say: true })))
      const seen = await next(first)
      const second = await stream(b, client.get({ 'Last-Event-ID': seen.id as string }))
      await eventually(() => expect(first.text).toContain('0\r\n\r\n'))
      a.core.release()
      expect((await next(second)).json.params.progress).toBe(2)
      expect((await next(second)).json.result.content[0].text).toBe('hold')
      await expect(second.event()).rejects.toThrow('over')
    })

    test('and back again, and when it has ended', async () => {
      const [a, b, c] = (await nodes(3)) as [TestNode, TestNode, TestNode]
      const client = await openSession(a.connect)
      const first = await stream(a, client.post(call('hold', { say: true })))
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
        await expect(again.event()).rejects.toThrow('over')
      }
    })

    test('HTTP-046 nothing of another session, nothing that never was', async () => {
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

    test('a standing stream moves, with what was said meanwhile', async () => {
      const [a, b] = (await nodes(2)) as [TestNode, TestNode]
      const client = await openSession(a.connect)
      const first = await stream(a, client.get())
      await eventually(() => expect(a.core.listening).toBe(1))
      a.core.change()
      const seen = await next(first)
      await first.end()
      a.core.change('notifications/prompts/list_changed')
      const second = await stream(b, client.get({ 'Last-Event-ID': seen.id as string }))
      expect((await next(second)).json.method).toBe('notifications/prompts/list_changed')
      await eventually(() => expect([a.core.listening, b.core.listening]).toEqual([0, 1]))
      b.core.change()
      expect((await next(second)).json.method).toBe('notifications/tools/list_changed')
    })
  })

  describe('when a node dies', () => {
    test('its sessions go on, and its calls end with an error where they are resumed', async () => {
      const [a, b] = (await nodes(2)) as [TestNode, TestNode]
      const client = await openSession(a.connect)
      const first = await stream(a, client.post(call('hold', { say: true }, 5)))
      const seen = await next(first)
      await a.kill()
      expect(await ask(b, client, call('add', { a: 1, b: 1 }, 6))).toMatchObject({ result: { content: [{ text: '2' }] } })
      const second = await stream(b, client.get({ 'Last-Event-ID': seen.id as string }))
      expect((await next(second)).json).toMatchObject({ id: 5, error: { code: -32603 } })
      await expect(second.event()).rejects.toThrow('over')
    })

    test('or are run again, where that does no harm', async () => {
      const [a, b] = (await nodes(2, { mayRepeat: () => true })) as [TestNode, TestNode]
      const client = await openSession(a.connect)
      const first = await stream(a, client.post(call('hold', { say: true }, 5)))
      const seen = await next(first)
      await a.kill()
      const second = await stream(b, client.get({ 'Last-Event-ID': seen.id as string }))
      expect((await next(second)).json.params.progress).toBe(1)
      b.core.release()
      expect((await next(second)).json.params.progress).toBe(2)
      expect((await next(second)).json).toMatchObject({ id: 5, result: {} })
    })

    test('who follows one of its streams gets the error too', async () => {
      const [a, b] = (await nodes(2, mortality)) as [TestNode, TestNode]
      const { client, seen } = await begin(a)
      const second = await eventually(() => stream(b, client.get({ 'Last-Event-ID': seen.id as string })))
      await a.kill()
      const told = await next(second).catch(() => after(b, client, seen.id).then(({ event }) => event))
      expect(told.json).toMatchObject({ id: 5, error: { code: -32603 } })
    })

    test('a standing stream goes on, and all that may have been missed is told', async () => {
      const [a, b] = (await nodes(2)) as [TestNode, TestNode]
      const client = await openSession(a.connect)
      const first = await stream(a, client.get())
      await eventually(() => expect(a.core.listening).toBe(1))
      a.core.change()
      const seen = await next(first)
      await a.kill()
      const second = await stream(b, client.get({ 'Last-Event-ID': seen.id as string }))
      const told = [await next(second), await next(second), await next(second)].map(({ json }) => json.method)
      expect(told.toSorted()).toEqual(['prompts', 'resources', 'tools'].map((list) => `notifications/${list}/list_changed`))
    })
  })

  describe('a node that cannot reach the stores', () => {
    test('gives up its streams before others may take them, and takes part again', async () => {
      const [a, b] = (await nodes(2, mortality)) as [TestNode, TestNode]
      const { client, raw, seen } = await begin(a)
      a.stores.state = 'hangs'
      await eventually(() => expect(raw.text).toContain('0\r\n\r\n'), 50)
      a.core.release()
      expect(await status(a, client.get({ 'Last-Event-ID': seen.id as string }))).toBe(503)
      a.stores.state = 'works'
      await eventually(async () => expect(await status(a, client.get({ 'Last-Event-ID': 'x' }))).toBe(400))
      const two = await after(a, client, seen.id)
      expect(two.event.json.params.progress).toBe(2)
      expect((await after(a, client, two.event.id)).event.json).toMatchObject({ id: 5, result: {} })
      await eventually(async () => expect(await ask(b, client, call('add', { a: 1, b: 1 }, 6))).toMatchObject({ result: {} }))
    })

    test('what it said after it was given up for dead counts for nothing', async () => {
      const [a, b] = (await nodes(2, mortality)) as [TestNode, TestNode]
      const { client, seen } = await begin(a)
      a.stores.state = 'hangs'
      expect((await after(b, client, seen.id)).event.json).toMatchObject({ id: 5, error: {} })
      a.core.release()
      a.stores.state = 'works'
      await eventually(async () => expect(await status(a, client.post(call('add', {}, 6)))).toBe(200))
      const again = await after(b, client, seen.id)
      expect(again.event.json).toMatchObject({ id: 5, error: {} })
      await expect(again.raw.event()).rejects.toThrow('over')
    })

    test('answers what needs them with 503, fast, and everything else as before', async () => {
      for (const state of ['hangs', 'fails'] as const) {
        const [a] = (await nodes(1, { storeTimeoutMs: mortality.storeTimeoutMs })) as [TestNode]
        const client = await openPatiently(a)
        a.stores.state = state
        const answer = await a.connect().send(handshake()).answer()
        expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, json: { error: { code: -32603 } } })
        expect(await ask(a, client, call('add', { a: 1, b: 1 }))).toMatchObject({ result: { content: [{ text: '2' }] } })
        const raw = await stream(a, client.post(call('progress', {}, 9)))
        for (let at = 0; at < 3; at++) await next(raw)
        expect((await next(raw)).json).toMatchObject({ id: 9, result: {} })
        a.stores.state = 'works'
        await openPatiently(a)
      }
    })
  })

  describe('the first HTTP transport', () => {
    test('SSE-003 what is posted to another node comes to the stream', async () => {
      const seenBy: unknown[] = []
      const [a, b] = (await nodes(2, byToken)) as [TestNode, TestNode]
      const { write } = await import('../../../../test-kit/raw.ts')
      const raw = await stream(a, write('GET', { Accept: 'text/event-stream', Authorization: 'alice' }))
      const [, target = ''] = /data: (.*)/.exec(await raw.until('\n\n')) ?? []
      await raw.until('\r\n')
      const post = (node: TestNode, message: object, who = 'alice') =>
        status(
          node,
          write(
            'POST',
            { Accept: 'application/json', 'Content-Type': 'application/json', Authorization: who, 'X-Mark': 'm' },
            JSON.stringify(message),
            target,
          ),
        )
      const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
      expect(await post(b, { jsonrpc: '2.0', id: 0, method: 'initialize', params })).toBe(202)
      expect((await next(raw)).json).toMatchObject({ id: 0, result: { protocolVersion: '2024-11-05' } })
      expect(await post(b, call('add', { a: 1, b: 2 }, 1))).toBe(202)
      expect((await next(raw)).json).toMatchObject({ id: 1, result: { content: [{ text: '3' }] } })
      seenBy.push(a.core.last?.auth?.principal, a.core.last?.http?.header('x-mark'))
      expect(seenBy).toEqual(['alice', 'm'])
      expect(await post(b, call('add', {}, 2), 'mallory')).toBe(404)
      await raw.end()
      await eventually(async () => expect(await post(b, call('add', {}, 3))).toBe(404))
    })
  })

  test('nothing is left when sessions have ended', async () => {
    const shared = open()
    const [a, b] = (await nodes(2, { shared })) as [TestNode, TestNode]
    const client = await openSession(a.connect)
    const raw = await stream(a, client.post(call('hold', { say: true })))
    const seen = await next(raw)
    await stream(b, client.get({ 'Last-Event-ID': seen.id as string }))
    await stream(b, client.get())
    expect(await status(b, client.remove())).toBe(204)
    await eventually(async () => {
      const keys = await shared.store.list('')
      expect(keys.filter((key) => !key.startsWith('http/node/'))).toEqual([])
      expect([a.core.listening, b.core.listening, a.core.running]).toEqual([0, 0, 0])
    })
  })

  test('a subscription of a modern client hears of a change that was made on another node', async () => {
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
    const message = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { _meta: envelope(), notifications } }
    const raw = await stream(a, modern(message))
    expect((await next(raw)).json.method).toBe('notifications/subscriptions/acknowledged')
    servers[1]?.resourceUpdated('note://a')
    // What a process registers when it begins is a change to the others, and may arrive late.
    let heard = (await next(raw)).json
    while (heard.method.endsWith('list_changed')) heard = (await next(raw)).json
    expect(heard).toMatchObject({ method: 'notifications/resources/updated', params: { uri: 'note://a' } })
    servers[1]?.tool('late', {}, () => 'late')
    expect((await next(raw)).json.method).toBe('notifications/tools/list_changed')
    await Promise.all(servers.map((server) => server.close()))
  })
}
