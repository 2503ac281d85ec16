import { describe, expect, test } from 'vitest'
import { eventually } from '../../../../../test-kit/eventually.ts'
import { listen, MODERN_VERSION, modernPost, post, writeRequest } from '../../../../../test-kit/raw-connection.ts'
import { call, handshake, openSession } from '../../../../../test-kit/raw-session.ts'
import { createTestCore } from '../../../../../test-kit/test-core.ts'
import { insecureAnyHost } from '../host-check.ts'
import type { HttpOptions } from '../options.ts'

async function startServer(options: HttpOptions = {}) {
  const core = createTestCore()
  const { connect } = await listen(core.exchange, options)
  return { core, connect, send: (bytes: string) => connect().send(bytes).response() }
}

const byToken: HttpOptions = { authenticate: ({ header }) => ({ principal: header('authorization') ?? 'nobody' }) }

describe('a session', () => {
  test('starts with a handshake in every legacy revision', async () => {
    const { send } = await startServer()
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      const answer = await send(handshake(version))
      expect(answer).toMatchObject({
        status: 200,
        json: { id: 'init', result: { protocolVersion: version, serverInfo: { name: 'test' } } },
      })
      expect(answer.headers['mcp-session-id']).toMatch(/^[\w-]{22}$/)
    }
    expect((await send(handshake(MODERN_VERSION))).json.result.protocolVersion).toBe('2025-11-25')
  })

  test('is independent of connections and of modern requests to the same endpoint', async () => {
    const { connect, send } = await startServer()
    const client = await openSession(connect)
    const answer = await send(client.post(call('add', { a: 1, b: 2 })))
    expect(answer).toMatchObject({ status: 200, json: { id: 1, result: { content: [{ text: '3' }] } } })
    expect(answer.json.result).not.toHaveProperty('resultType')
    expect(
      (await send(modernPost({ id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } }))).json.result,
    ).toHaveProperty('resultType')
    expect((await send(client.post({ jsonrpc: '2.0', id: 2, method: 'ping' }))).json).toEqual({
      jsonrpc: '2.0',
      id: 2,
      result: {},
    })
  })

  test('answers unknown methods with a JSON-RPC error and status 200', async () => {
    const { connect, send } = await startServer()
    const client = await openSession(connect)
    expect(await send(client.post({ jsonrpc: '2.0', id: 1, method: 'no/such' }))).toMatchObject({
      status: 200,
      json: { error: { code: -32601 } },
    })
  })

  test('is not created by a handshake that fails', async () => {
    const { exchange } = createTestCore()
    const { connect } = await listen((request, context) =>
      request.method === 'server/discover'
        ? Promise.resolve({ jsonrpc: '2.0', id: request.id, error: { code: -32603, message: 'no' } })
        : exchange(request, context),
    )
    const answer = await connect().send(handshake()).response()
    expect(answer.json.error.code).toBe(-32603)
    expect(answer.headers).not.toHaveProperty('mcp-session-id')
  })

  test('H43 refuses requests with an unknown or modern version header', async () => {
    const { connect, send } = await startServer()
    const client = await openSession(connect)
    for (const version of ['1999-01-01', 'x', MODERN_VERSION]) {
      expect((await send(client.post(call('add'), { 'MCP-Protocol-Version': version }))).status).toBe(400)
    }
    expect((await send(client.get({ 'MCP-Protocol-Version': 'x' }))).status).toBe(400)
    expect((await send(client.post(call('add'), { 'MCP-Protocol-Version': undefined }))).status).toBe(200)
  })

  test('H54 refuses ids that are missing, unknown, too long or ended', async () => {
    const { connect, send } = await startServer()
    const client = await openSession(connect)
    const status = async (bytes: string) => (await send(bytes)).status
    expect(await status(client.post(call('add'), { 'Mcp-Session-Id': undefined }))).toBe(400)
    for (const id of ['unknown', 'x'.repeat(8000), '__proto__', `${client.id}, ${client.id}`])
      expect(await status(client.post(call('add'), { 'Mcp-Session-Id': id }))).toBe(404)
    expect(await status(writeRequest('DELETE', {}))).toBe(400)
    expect(await status(client.delete())).toBe(204)
    for (const bytes of [client.post(call('add')), client.get(), client.delete()]) expect(await status(bytes)).toBe(404)
  })

  test('H55 has an id that the client cannot choose', async () => {
    const { send } = await startServer()
    const answer = await send(handshake('2025-06-18', { 'Mcp-Session-Id': 'fixed' }))
    expect(answer.status).toBe(200)
    expect(answer.headers['mcp-session-id']).not.toBe('fixed')
  })

  test('H53 accepts and ignores responses without a request', async () => {
    const { connect, send } = await startServer()
    const client = await openSession(connect)
    for (const message of [
      { id: 99, result: {} },
      { id: 'x', error: { code: 1, message: 'm' } },
      { error: { code: 1, message: 'm' } },
    ])
      expect((await send(client.post({ jsonrpc: '2.0', ...message }))).status).toBe(202)
  })
})

describe('ownership', () => {
  test('B1 another principal gets the same 404 as for an unknown session', async () => {
    const { connect, send } = await startServer(byToken)
    const client = await openSession(connect, '2025-11-25', { Authorization: 'alice' })
    const foreign = await send(client.post(call('add'), { Authorization: 'mallory' }))
    const unknown = await send(client.post(call('add'), { 'Mcp-Session-Id': 'x' }))
    expect(foreign).toEqual({ ...unknown, headers: expect.anything() })
    expect(foreign.status).toBe(404)
    for (const bytes of [client.get({ Authorization: 'mallory' }), client.delete().replace('alice', 'mallory')])
      expect((await send(bytes)).status).toBe(404)
    expect((await send(client.post(call('add')))).status).toBe(200)
  })

  test('a new session of a principal above the limit replaces its oldest idle session', async () => {
    const { connect, send } = await startServer({ ...byToken, maxPrincipalSessions: 2 })
    const open = (name: string) => openSession(connect, '2025-11-25', { Authorization: name })
    const [first, other] = [await open('alice'), await open('bob')]
    await open('alice')
    await open('alice')
    expect((await send(first.post(call('add')))).status).toBe(404)
    expect((await send(other.post(call('add')))).status).toBe(200)
  })

  test('a new session of a principal is refused if all its sessions are busy', async () => {
    const { core, connect, send } = await startServer({ ...byToken, maxPrincipalSessions: 1 })
    const client = await openSession(connect, '2025-11-25', { Authorization: 'alice' })
    connect().send(client.post(call('hold')))
    await eventually(() => expect(core.running).toBe(1))
    expect((await send(handshake('2025-11-25', { Authorization: 'alice' }))).status).toBe(429)
    expect((await send(handshake('2025-11-25', { Authorization: 'bob' }))).status).toBe(200)
  })
})

describe('limits', () => {
  test('H56 a flood of handshakes does not evict a busy session', async () => {
    const { core, connect } = await startServer({ maxSessions: 3 })
    const raw = connect()
    const busy = await openSession(connect)
    connect().send(busy.post(call('hold')))
    await eventually(() => expect(core.running).toBe(1))
    for (let at = 0; at < 50; at++) expect((await raw.send(handshake()).response()).status).toBe(200)
    expect((await raw.send(busy.post(call('add', {}, 2))).response()).status).toBe(200)
  })

  test('idle sessions end, sessions with an open stream do not', async () => {
    const { connect, send } = await startServer({ sessionIdleTimeoutMs: 500 })
    const idle = await openSession(connect)
    const reading = await eventually(async () => {
      const opened = await openSession(connect)
      expect((await connect().send(opened.get()).head()).status).toBe(200)
      return opened
    })
    await new Promise((resolve) => setTimeout(resolve, 1200))
    expect((await send(idle.post(call('add')))).status).toBe(404)
    expect((await send(reading.post(call('add')))).status).toBe(200)
  })

  test('concurrent requests of a session above the limit get 429', async () => {
    const { core, connect, send } = await startServer({ maxSessionRequests: 2 })
    const client = await openSession(connect)
    for (const id of [1, 2]) connect().send(client.post(call('hold', {}, id)))
    await eventually(() => expect(core.running).toBe(2))
    expect(await send(client.post(call('add', {}, 3)))).toMatchObject({ status: 429, json: { id: 3 } })
  })
})

describe('requests of a session', () => {
  test('H45, H45b an id that is in use is refused; the first request continues', async () => {
    const { core, connect, send } = await startServer()
    const client = await openSession(connect)
    const first = connect().send(client.post(call('hold', {}, 5)))
    await eventually(() => expect(core.running).toBe(1))
    expect(await send(client.post(call('echo', { text: 'x' }, 5)))).toMatchObject({
      status: 200,
      json: { id: 5, error: { code: -32600 } },
    })
    core.release()
    expect((await first.response()).json).toMatchObject({ id: 5, result: { content: [{ text: 'hold' }] } })
  })

  test('H44 the ids 1 and "1" are different', async () => {
    const { core, connect } = await startServer()
    const client = await openSession(connect)
    const [one, text] = [
      connect().send(client.post(call('hold', { name: 'number' }, 1))),
      connect().send(client.post(call('hold', { name: 'text' }, '1'))),
    ]
    await eventually(() => expect(core.running).toBe(2))
    core.release()
    expect((await one.response()).json).toMatchObject({ id: 1, result: { content: [{ text: 'number' }] } })
    expect((await text.response()).json).toMatchObject({ id: '1', result: { content: [{ text: 'text' }] } })
  })

  test('H46 the same ids in two sessions do not conflict', async () => {
    const { connect } = await startServer()
    const clients = await Promise.all([openSession(connect), openSession(connect)])
    const callAll = async (client: (typeof clients)[0], session: number) => {
      const raw = connect()
      for (let id = 0; id < 50; id++)
        expect((await raw.send(client.post(call('echo', { text: `${session}-${id}` }, id))).response()).json).toMatchObject({
          id,
          result: { content: [{ text: `${session}-${id}` }] },
        })
    }
    await Promise.all(clients.map(callAll))
  })

  test('H50 cancellations of unknown requests are ignored', async () => {
    const { connect, send } = await startServer()
    const client = await openSession(connect)
    for (const requestId of [0, 'x', null, {}, 1e99, undefined, 'y'.repeat(10_000)]) {
      const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }
      expect((await send(client.post(message))).status).toBe(202)
    }
    expect((await send(client.post({ jsonrpc: '2.0', method: 'notifications/cancelled' }))).status).toBe(202)
  })

  test('H51 cannot be cancelled by another session', async () => {
    const { core, connect, send } = await startServer()
    const [victim, other] = [await openSession(connect), await openSession(connect)]
    const raw = connect().send(victim.post(call('hold', {}, 0)))
    await eventually(() => expect(core.running).toBe(1))
    await send(other.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } }))
    core.release()
    expect((await raw.response()).json.id).toBe(0)
    expect(core.events).toEqual(['start hold'])
  })

  test('H52 a cancelled request aborts, gets no response, and its HTTP response ends', async () => {
    const { core, connect, send } = await startServer()
    const client = await openSession(connect)
    const cancel = client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } })
    const plain = connect().send(client.post(call('hold', {}, 0)))
    await eventually(() => expect(core.running).toBe(1))
    await send(cancel)
    expect(await plain.response()).toMatchObject({ status: 202, body: '' })
    const streaming = connect().send(client.post(call('hold', { notify: true }, 0)))
    await streaming.until('"progress":1')
    await send(cancel)
    expect(await streaming.until('0\r\n\r\n')).not.toContain('"id":0')
    await eventually(() => expect(core.running).toBe(0))
    expect(core.events.filter((event) => event === 'abort hold')).toHaveLength(2)
  })

  test('continue when their connection breaks', async () => {
    const { core, connect } = await startServer()
    const client = await openSession(connect)
    const raw = connect().send(client.post(call('hold')))
    await eventually(() => expect(core.running).toBe(1))
    await raw.close()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(core.events).toEqual(['start hold'])
    core.release()
    await eventually(() => expect(core.running).toBe(0))
  })

  test('are aborted when the session ends', async () => {
    const { core, connect, send } = await startServer()
    const client = await openSession(connect)
    const raw = connect().send(client.post(call('hold', { notify: true })))
    await raw.until('"progress":1')
    await send(client.delete())
    await raw.until('0\r\n\r\n')
    await eventually(() => expect([core.running, core.events.at(-1)]).toEqual([0, 'abort hold']))
  })

  test('send requests to the client on their own stream; the responses arrive in other POSTs', async () => {
    const { connect, send } = await startServer()
    const client = await openSession(connect)
    const raw = connect().send(client.post(call('ask')))
    await raw.head()
    expect((await raw.event()).data).toBe('')
    const { json: request } = await raw.event()
    expect(request).toMatchObject({ method: 'elicitation/create', params: { message: 'Name?' } })
    const answer = { jsonrpc: '2.0', id: request.id, result: { action: 'accept', content: { name: 'Ada' } } }
    expect((await send(client.post(answer))).status).toBe(202)
    expect((await raw.event()).json.result.content[0].text).toContain('Ada')
    await raw.until('0\r\n\r\n')
  })

  test('cannot send requests to a client that does not accept event streams', async () => {
    const { connect, send } = await startServer()
    const client = await openSession(connect)
    const answer = await send(client.post(call('ask'), { Accept: 'application/json' }))
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

  test('are answered with an array in revisions that have batches', async () => {
    const { connect, send } = await startServer()
    const client = await openSession(connect, '2025-03-26')
    const answer = await send(client.post(batch))
    expect(answer.json).toHaveLength(3)
    expect(answer.json.find(({ id }: any) => id === 2).result.content[0].text).toBe('b')
    expect(answer.json.find(({ id }: any) => id === undefined).error.code).toBe(-32600)
    expect(await send(client.post([{ jsonrpc: '2.0', method: 'notifications/x' }]))).toMatchObject({ status: 202, body: '' })
  })

  test('are answered with a stream if a request sends notifications', async () => {
    const { connect, send } = await startServer()
    const client = await openSession(connect, '2025-03-26')
    const answer = await send(client.post([call('echo', { text: 'a' }, 1), call('progress', {}, 2)]))
    expect(answer.headers['content-type']).toBe('text/event-stream')
    const messages = answer.body
      .split('\n\n')
      .filter(Boolean)
      .map((event) => JSON.parse(event.split('data: ')[1] ?? ''))
    expect(messages.flatMap(({ id }) => (id ? [id] : [])).sort()).toEqual([1, 2])
    expect(messages).toHaveLength(5)
  })

  test('H19, H20 are refused in revisions without batches, if they are empty or too long, or contain a handshake', async () => {
    const { connect, send } = await startServer()
    for (const version of ['2025-06-18', '2025-11-25']) {
      const client = await openSession(connect, version)
      expect(await send(client.post(batch))).toMatchObject({
        status: 400,
        json: { error: { code: -32600 } },
      })
    }
    const client = await openSession(connect, '2025-03-26')
    const long = Array.from({ length: 101 }, (_, id) => call('add', {}, id))
    for (const bad of [[], long])
      expect(await send(client.post(bad))).toMatchObject({ status: 400, json: { error: { code: -32600 } } })
    const answer = await send(client.post([{ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }]))
    expect(answer.json[0]).toMatchObject({ id: 1, error: { code: -32600 } })
    expect((await send(post('[{"jsonrpc":"2.0","id":1,"method":"ping"}]'))).status).toBe(400)
  })
})

test('insecureAnyHost disables the host check', async () => {
  const { send } = await startServer({ allowedHosts: insecureAnyHost })
  expect((await send(handshake('2025-06-18', { Host: 'evil.example' }))).status).toBe(200)
})
