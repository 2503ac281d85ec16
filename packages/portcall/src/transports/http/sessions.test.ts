import { describe, expect, test } from 'vitest'
import { createTestCore } from '../../../test-kit/core.ts'
import { eventually } from '../../../test-kit/eventually.ts'
import { call, handshake, openSession } from '../../../test-kit/legacy.ts'
import { listen, MODERN, modern, post, write } from '../../../test-kit/raw.ts'
import { insecureAnyHost } from './guard.ts'
import type { HttpOptions } from './options.ts'

async function site(options: HttpOptions = {}) {
  const core = createTestCore()
  const { connect, port } = await listen(core.exchange, options)
  return { core, connect, port }
}

const byToken: HttpOptions = { authenticate: ({ header }) => ({ principal: header('authorization') ?? 'nobody' }) }

describe('a session', () => {
  test('begins with a handshake in every legacy revision', async () => {
    const { connect } = await site()
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      const answer = await connect().send(handshake(version)).answer()
      expect(answer).toMatchObject({
        status: 200,
        json: { id: 'init', result: { protocolVersion: version, serverInfo: { name: 'test' } } },
      })
      expect(answer.headers['mcp-session-id']).toMatch(/^[0-9a-f]{32}$/)
    }
    expect((await connect().send(handshake(MODERN)).answer()).json.result.protocolVersion).toBe('2025-11-25')
  })

  test('is not bound to a connection, and serves calls while the other era is served beside it', async () => {
    const { connect } = await site()
    const client = await openSession(connect)
    const answer = await connect()
      .send(client.post(call('add', { a: 1, b: 2 })))
      .answer()
    expect(answer).toMatchObject({ status: 200, json: { id: 1, result: { content: [{ text: '3' }] } } })
    expect(answer.json.result).not.toHaveProperty('resultType')
    expect(
      (
        await connect()
          .send(modern({ id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } }))
          .answer()
      ).json.result,
    ).toHaveProperty('resultType')
    expect(
      (
        await connect()
          .send(client.post({ jsonrpc: '2.0', id: 2, method: 'ping' }))
          .answer()
      ).json,
    ).toEqual({ jsonrpc: '2.0', id: 2, result: {} })
  })

  test('an unknown method is an answer, not a lost session', async () => {
    const { connect } = await site()
    const client = await openSession(connect)
    expect(
      await connect()
        .send(client.post({ jsonrpc: '2.0', id: 1, method: 'no/such' }))
        .answer(),
    ).toMatchObject({ status: 200, json: { error: { code: -32601 } } })
  })

  test('a handshake that fails opens none', async () => {
    const { exchange } = createTestCore()
    const { connect } = await listen((request, context) =>
      request.method === 'server/discover'
        ? Promise.resolve({ jsonrpc: '2.0', id: request.id, error: { code: -32603, message: 'no' } })
        : exchange(request, context),
    )
    const answer = await connect().send(handshake()).answer()
    expect(answer.json.error.code).toBe(-32603)
    expect(answer.headers).not.toHaveProperty('mcp-session-id')
  })

  test('H43 a version that does not exist, or is not spoken here', async () => {
    const { connect } = await site()
    const client = await openSession(connect)
    for (const version of ['1999-01-01', 'x', MODERN]) {
      expect(
        (
          await connect()
            .send(client.post(call('add'), { 'MCP-Protocol-Version': version }))
            .answer()
        ).status,
      ).toBe(400)
    }
    expect(
      (
        await connect()
          .send(client.get({ 'MCP-Protocol-Version': 'x' }))
          .answer()
      ).status,
    ).toBe(400)
    expect(
      (
        await connect()
          .send(client.post(call('add'), { 'MCP-Protocol-Version': undefined }))
          .answer()
      ).status,
    ).toBe(200)
  })

  test('H54 its id: missing, unknown, huge, ended', async () => {
    const { connect } = await site()
    const client = await openSession(connect)
    const status = async (bytes: string) => (await connect().send(bytes).answer()).status
    expect(await status(client.post(call('add'), { 'Mcp-Session-Id': undefined }))).toBe(400)
    for (const id of ['unknown', 'x'.repeat(8000), '__proto__', `${client.id}, ${client.id}`])
      expect(await status(client.post(call('add'), { 'Mcp-Session-Id': id }))).toBe(404)
    expect(await status(write('DELETE', {}))).toBe(400)
    expect(await status(client.remove())).toBe(204)
    for (const bytes of [client.post(call('add')), client.get(), client.remove()]) expect(await status(bytes)).toBe(404)
  })

  test('H55 its id is never chosen by the client', async () => {
    const { connect } = await site()
    const answer = await connect()
      .send(handshake('2025-06-18', { 'Mcp-Session-Id': 'fixed' }))
      .answer()
    expect(answer.status).toBe(200)
    expect(answer.headers['mcp-session-id']).not.toBe('fixed')
  })

  test('H53 answers to nothing are taken in silence', async () => {
    const { connect } = await site()
    const client = await openSession(connect)
    for (const message of [
      { id: 99, result: {} },
      { id: 'x', error: { code: 1, message: 'm' } },
      { error: { code: 1, message: 'm' } },
    ])
      expect(
        (
          await connect()
            .send(client.post({ jsonrpc: '2.0', ...message }))
            .answer()
        ).status,
      ).toBe(202)
  })
})

describe('sessions belong to who opened them', () => {
  test('B1 a stranger gets the same 404 as for no session', async () => {
    const { connect } = await site(byToken)
    const client = await openSession(connect, '2025-11-25', { Authorization: 'alice' })
    const foreign = await connect()
      .send(client.post(call('add'), { Authorization: 'mallory' }))
      .answer()
    const unknown = await connect()
      .send(client.post(call('add'), { 'Mcp-Session-Id': 'x' }))
      .answer()
    expect(foreign).toEqual({ ...unknown, headers: expect.anything() })
    expect(foreign.status).toBe(404)
    for (const bytes of [client.get({ Authorization: 'mallory' }), client.remove().replace('alice', 'mallory')])
      expect((await connect().send(bytes).answer()).status).toBe(404)
    expect(
      (
        await connect()
          .send(client.post(call('add')))
          .answer()
      ).status,
    ).toBe(200)
  })

  test('a principal may have only so many; the quiet ones make room', async () => {
    const { connect } = await site({ ...byToken, maxPrincipalSessions: 2 })
    const open = (name: string) => openSession(connect, '2025-11-25', { Authorization: name })
    const [first, other] = [await open('alice'), await open('bob')]
    await open('alice')
    await open('alice')
    expect(
      (
        await connect()
          .send(first.post(call('add')))
          .answer()
      ).status,
    ).toBe(404)
    expect(
      (
        await connect()
          .send(other.post(call('add')))
          .answer()
      ).status,
    ).toBe(200)
  })

  test('and when all are busy, there is no room', async () => {
    const { core, connect } = await site({ ...byToken, maxPrincipalSessions: 1 })
    const client = await openSession(connect, '2025-11-25', { Authorization: 'alice' })
    connect().send(client.post(call('hold')))
    await eventually(() => expect(core.running).toBe(1))
    expect(
      (
        await connect()
          .send(handshake('2025-11-25', { Authorization: 'alice' }))
          .answer()
      ).status,
    ).toBe(429)
    expect(
      (
        await connect()
          .send(handshake('2025-11-25', { Authorization: 'bob' }))
          .answer()
      ).status,
    ).toBe(200)
  })
})

describe('sessions are limited', () => {
  test('H56 a flood of handshakes', async () => {
    const { core, connect } = await site({ maxSessions: 3 })
    const raw = connect()
    const busy = await openSession(connect)
    connect().send(busy.post(call('hold')))
    await eventually(() => expect(core.running).toBe(1))
    for (let at = 0; at < 50; at++) expect((await raw.send(handshake()).answer()).status).toBe(200)
    expect((await raw.send(busy.post(call('add', {}, 2))).answer()).status).toBe(200)
  })

  test('they end when nothing was heard of them, but not while somebody reads', async () => {
    const { connect } = await site({ sessionIdleMs: 500 })
    const quiet = await openSession(connect)
    const reading = await eventually(async () => {
      const opened = await openSession(connect)
      expect((await connect().send(opened.get()).head()).status).toBe(200)
      return opened
    })
    await new Promise((resolve) => setTimeout(resolve, 1200))
    expect(
      (
        await connect()
          .send(quiet.post(call('add')))
          .answer()
      ).status,
    ).toBe(404)
    expect(
      (
        await connect()
          .send(reading.post(call('add')))
          .answer()
      ).status,
    ).toBe(200)
  })

  test('requests at once', async () => {
    const { core, connect } = await site({ maxSessionRequests: 2 })
    const client = await openSession(connect)
    for (const id of [1, 2]) connect().send(client.post(call('hold', {}, id)))
    await eventually(() => expect(core.running).toBe(2))
    expect(
      await connect()
        .send(client.post(call('add', {}, 3)))
        .answer(),
    ).toMatchObject({ status: 429, json: { id: 3 } })
  })
})

describe('requests of a session', () => {
  test('H45, H45b an id that is in use is refused; the first request goes on', async () => {
    const { core, connect } = await site()
    const client = await openSession(connect)
    const first = connect().send(client.post(call('hold', {}, 5)))
    await eventually(() => expect(core.running).toBe(1))
    expect(
      await connect()
        .send(client.post(call('echo', { text: 'x' }, 5)))
        .answer(),
    ).toMatchObject({ status: 200, json: { id: 5, error: { code: -32600 } } })
    core.release()
    expect((await first.answer()).json).toMatchObject({ id: 5, result: { content: [{ text: 'hold' }] } })
  })

  test('H44 1 and "1" are two requests', async () => {
    const { core, connect } = await site()
    const client = await openSession(connect)
    const [one, text] = [
      connect().send(client.post(call('hold', { name: 'number' }, 1))),
      connect().send(client.post(call('hold', { name: 'text' }, '1'))),
    ]
    await eventually(() => expect(core.running).toBe(2))
    core.release()
    expect((await one.answer()).json).toMatchObject({ id: 1, result: { content: [{ text: 'number' }] } })
    expect((await text.answer()).json).toMatchObject({ id: '1', result: { content: [{ text: 'text' }] } })
  })

  test('H46 the same ids in two sessions do not meet', async () => {
    const { connect } = await site()
    const clients = await Promise.all([openSession(connect), openSession(connect)])
    const ask = async (client: (typeof clients)[0], who: number) => {
      const raw = connect()
      for (let id = 0; id < 50; id++)
        expect((await raw.send(client.post(call('echo', { text: `${who}-${id}` }, id))).answer()).json).toMatchObject({
          id,
          result: { content: [{ text: `${who}-${id}` }] },
        })
    }
    await Promise.all(clients.map(ask))
  })

  test('H50 cancellations of nothing are taken in silence', async () => {
    const { connect } = await site()
    const client = await openSession(connect)
    for (const requestId of [0, 'x', null, {}, 1e99, undefined, 'y'.repeat(10_000)]) {
      const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }
      expect((await connect().send(client.post(message)).answer()).status).toBe(202)
    }
    expect(
      (
        await connect()
          .send(client.post({ jsonrpc: '2.0', method: 'notifications/cancelled' }))
          .answer()
      ).status,
    ).toBe(202)
  })

  test('H51 are not cancelled by another session', async () => {
    const { core, connect } = await site()
    const [victim, other] = [await openSession(connect), await openSession(connect)]
    const raw = connect().send(victim.post(call('hold', {}, 0)))
    await eventually(() => expect(core.running).toBe(1))
    await connect()
      .send(other.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } }))
      .answer()
    core.release()
    expect((await raw.answer()).json.id).toBe(0)
    expect(core.events).toEqual(['start hold'])
  })

  test('H52 a cancelled one stops, gets no answer, and its connection is done', async () => {
    const { core, connect } = await site()
    const client = await openSession(connect)
    const cancel = client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } })
    const plain = connect().send(client.post(call('hold', {}, 0)))
    await eventually(() => expect(core.running).toBe(1))
    await connect().send(cancel).answer()
    expect(await plain.answer()).toMatchObject({ status: 202, body: '' })
    const streaming = connect().send(client.post(call('hold', { say: true }, 0)))
    await streaming.until('"progress":1')
    await connect().send(cancel).answer()
    expect(await streaming.until('0\r\n\r\n')).not.toContain('"id":0')
    await eventually(() => expect(core.running).toBe(0))
    expect(core.events.filter((event) => event === 'abort hold')).toHaveLength(2)
  })

  test('are not cancelled when their connection breaks', async () => {
    const { core, connect } = await site()
    const client = await openSession(connect)
    const raw = connect().send(client.post(call('hold')))
    await eventually(() => expect(core.running).toBe(1))
    await raw.end()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(core.events).toEqual(['start hold'])
    core.release()
    await eventually(() => expect(core.running).toBe(0))
  })

  test('are given up when the session ends', async () => {
    const { core, connect } = await site()
    const client = await openSession(connect)
    const raw = connect().send(client.post(call('hold', { say: true })))
    await raw.until('"progress":1')
    await connect().send(client.remove()).answer()
    await raw.until('0\r\n\r\n')
    await eventually(() => expect([core.running, core.events.at(-1)]).toEqual([0, 'abort hold']))
  })

  test('may ask on their own stream, and are answered by another POST', async () => {
    const { connect } = await site()
    const client = await openSession(connect)
    const raw = connect().send(client.post(call('ask')))
    await raw.head()
    expect((await raw.event()).data).toBe('')
    const { json: question } = await raw.event()
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Name?' } })
    const answer = { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { name: 'Ada' } } }
    expect((await connect().send(client.post(answer)).answer()).status).toBe(202)
    expect((await raw.event()).json.result.content[0].text).toContain('Ada')
    await raw.until('0\r\n\r\n')
  })

  test('who take no streams cannot be asked', async () => {
    const { connect } = await site()
    const client = await openSession(connect)
    const answer = await connect()
      .send(client.post(call('ask'), { Accept: 'application/json' }))
      .answer()
    expect(answer.json).toMatchObject({ id: 1, error: { code: -32603 } })
  })
})

describe('batches', () => {
  const batch = [
    call('echo', { text: 'a' }, 1),
    { jsonrpc: '2.0', method: 'notifications/x' },
    42,
    call('echo', { text: 'b' }, 2),
  ]

  test('are answered by an array, where the revision has them', async () => {
    const { connect } = await site()
    const client = await openSession(connect, '2025-03-26')
    const answer = await connect().send(client.post(batch)).answer()
    expect(answer.json).toHaveLength(3)
    expect(answer.json.find(({ id }: any) => id === 2).result.content[0].text).toBe('b')
    expect(answer.json.find(({ id }: any) => id === undefined).error.code).toBe(-32600)
    expect(
      await connect()
        .send(client.post([{ jsonrpc: '2.0', method: 'notifications/x' }]))
        .answer(),
    ).toMatchObject({ status: 202, body: '' })
  })

  test('become a stream when something else is said', async () => {
    const { connect } = await site()
    const client = await openSession(connect, '2025-03-26')
    const answer = await connect()
      .send(client.post([call('echo', { text: 'a' }, 1), call('progress', {}, 2)]))
      .answer()
    expect(answer.headers['content-type']).toBe('text/event-stream')
    const messages = answer.body
      .split('\n\n')
      .filter(Boolean)
      .map((event) => JSON.parse(event.split('data: ')[1] ?? ''))
    expect(messages.flatMap(({ id }) => (id ? [id] : [])).sort()).toEqual([1, 2])
    expect(messages).toHaveLength(5)
  })

  test('H19, H20 are refused where there are none, when empty, when too long, and with a handshake inside', async () => {
    const { connect } = await site()
    for (const version of ['2025-06-18', '2025-11-25']) {
      const client = await openSession(connect, version)
      expect(await connect().send(client.post(batch)).answer()).toMatchObject({ status: 400, json: { error: { code: -32600 } } })
    }
    const client = await openSession(connect, '2025-03-26')
    const long = Array.from({ length: 101 }, (_, id) => call('add', {}, id))
    for (const bad of [[], long])
      expect(await connect().send(client.post(bad)).answer()).toMatchObject({ status: 400, json: { error: { code: -32600 } } })
    const answer = await connect()
      .send(client.post([{ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }]))
      .answer()
    expect(answer.json[0]).toMatchObject({ id: 1, error: { code: -32600 } })
    expect((await connect().send(post('[{"jsonrpc":"2.0","id":1,"method":"ping"}]')).answer()).status).toBe(400)
  })
})

test('a host that is anything must be asked for by name', async () => {
  const { connect } = await site({ allowedHosts: insecureAnyHost })
  expect(
    (
      await connect()
        .send(handshake('2025-06-18', { Host: 'evil.example' }))
        .answer()
    ).status,
  ).toBe(200)
})
