import { describe, expect, type Mock, test, vi } from 'vitest'
import { freePort } from '../../../../../test/support/free-port.mjs'
import { createTestCore, type TestCore } from '../../../test-kit/core.ts'
import {
  cleanup,
  type PeerServer,
  peer,
  type ServeOptions,
  serveExchange,
  until,
  type Visit,
  wait,
} from '../../../test-kit/peer.ts'
import { type Notification, notification, type Request, type Response, success } from '../../jsonrpc/message.ts'
import type { LegacyLink } from '../../legacy/link.ts'
import { LATEST_LEGACY } from '../../protocol/revisions.ts'
import { createHttpLink } from './client-legacy.ts'
import { createWebFetch } from './fetch-client.ts'
import { createNodeFetch } from './node-client.ts'
import type { HttpClientOptions } from './remote.ts'

const WAYS = { node: createNodeFetch, web: createWebFetch }

interface Client extends LegacyLink {
  readonly notifications: Notification[]
  readonly asked: Request[]
  readonly onGap: Mock<() => void>
  readonly onClose: Mock<(reason: Error | undefined) => void>
  readonly onError: Mock<(error: unknown) => void>
  /** How to answer what the server asks; at first, with an empty result. */
  readonly handlers: { answer(request: Request, signal: AbortSignal): Promise<Response> }
  /** Does the handshake. */
  shake(version?: string): Promise<Response>
  call(name: string, args?: object, signal?: AbortSignal): Promise<Response>
}

function open(url: string, options: Partial<HttpClientOptions> = {}, way: keyof typeof WAYS = 'node'): Client {
  const fetch = WAYS[way]()
  const onError = vi.fn()
  const link = createHttpLink({ url, fetch, onError, ...options })
  const client: Client = {
    ...link,
    notifications: [],
    asked: [],
    onGap: vi.fn(),
    onClose: vi.fn(),
    onError,
    handlers: { answer: async ({ id }) => success(id, {}) },
    async shake(version = '2025-11-25') {
      const params = { protocolVersion: version, capabilities: { elicitation: {} }, clientInfo: { name: 'test', version: '1' } }
      const response = await link.ask('initialize', params, {})
      await link.notify(notification('notifications/initialized'))
      return response
    },
    call: (name, args = {}, signal) =>
      link.ask('tools/call', { name, arguments: args, _meta: { progressToken: 't' } }, signal ? { signal } : {}),
  }
  link.receive({
    onRequest(request, signal) {
      client.asked.push(request)
      return client.handlers.answer(request, signal)
    },
    onNotification: (one) => void client.notifications.push(one),
    onGap: client.onGap,
    onClose: client.onClose,
  })
  cleanup(async () => {
    await link.close()
    fetch.close()
  })
  return client
}

type Answer = (visit: Visit, count: number) => void

const ID = 'session-1'

/** A hand-made server: the handshake is done, the rest is as the test says. */
async function theirs(answer: Answer, options: Partial<HttpClientOptions> = {}): Promise<Client & { peer: PeerServer }> {
  let count = 0
  const server = await peer((visit) => {
    if (visit.json?.method === 'initialize') visit.result({ protocolVersion: '2025-11-25' }, { 'MCP-Session-Id': ID })
    else if (visit.json?.method === 'notifications/initialized') visit.send(202)
    else if (visit.method === 'DELETE') visit.send(204)
    else answer(visit, ++count)
  })
  const client = open(server.url, { minRetryMs: 20, ...options })
  await client.shake()
  return { ...client, peer: server }
}

const gets = ({ visits }: PeerServer): Visit[] => visits.filter(({ method }) => method === 'GET')

describe.each(Object.keys(WAYS) as Array<keyof typeof WAYS>)('a server of ours, over %s', (way) => {
  async function ours(options: ServeOptions = {}): Promise<Client & { core: TestCore; url: string; stop(): Promise<void> }> {
    const core = createTestCore()
    const { url, close } = await serveExchange(core.exchange, options)
    return Object.assign(open(url, { minRetryMs: 50 }, way), { core, url, stop: close })
  }

  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    '%s shakes hands, answers, tells and asks',
    async (version) => {
      const client = await ours()
      expect(await client.shake(version)).toMatchObject({ result: { protocolVersion: version } })
      await client.opened(LATEST_LEGACY)
      expect(await client.call('add', { a: 1, b: 2 })).toMatchObject({ result: { content: [{ text: '3' }] } })
      expect(await client.call('progress')).toMatchObject({ result: { content: [{ text: 'told 3' }] } })
      expect(client.notifications.map(({ params }) => params?.progress)).toEqual([1, 2, 3])
      client.core.change()
      await until(() => client.notifications.at(-1)?.method === 'notifications/tools/list_changed')
      if (version < '2025-06-18') return
      client.handlers.answer = async ({ id }) => success(id, { action: 'accept', content: { name: 'Ada' } })
      expect(await client.call('ask')).toMatchObject({ result: { content: [{ text: expect.stringContaining('Ada') }] } })
      expect(client.asked).toMatchObject([{ method: 'elicitation/create' }])
    },
  )

  test('is left with a DELETE', async () => {
    const client = await ours()
    await client.shake()
    await client.opened(LATEST_LEGACY)
    const startedAt = performance.now()
    await client.close()
    expect(performance.now() - startedAt).toBeLessThan(5000)
    expect(client.onClose.mock.calls).toEqual([[undefined]])
    await expect(client.call('add')).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false })
  })

  test('hears that a call is given up (C41)', async () => {
    const client = await ours()
    await client.shake()
    const controller = new AbortController()
    const result = client.call('hold', {}, controller.signal)
    await until(() => client.core.events.includes('start hold'))
    controller.abort(new Error('enough'))
    await expect(result).rejects.toThrow('enough')
    await until(() => client.core.events.includes('abort hold'))
  })

  test('lets go of a call, and goes on with it later', async () => {
    const client = await ours()
    await client.shake()
    const result = client.call('hold', { say: true, retryMs: 60 })
    await until(() => client.notifications.length === 1)
    await wait(200)
    client.core.release()
    expect(await result).toMatchObject({ result: { content: [{ text: 'hold' }] } })
    expect(client.notifications.map(({ params }) => params?.progress)).toEqual([1, 2])
  })

  test('C28 that has forgotten the session is told apart from one that is lost', async () => {
    const client = await ours({ port: await freePort() })
    await client.shake()
    await client.opened(LATEST_LEGACY)
    await client.stop()
    await wait(50)
    await serveExchange(client.core.exchange, { port: Number(new URL(client.url).port) })
    await expect(client.call('add')).rejects.toMatchObject({ code: 'SESSION_LOST', retryable: true })
    expect(client.onClose).toHaveBeenCalledOnce()
    expect(client.onClose.mock.calls[0]?.[0]).toMatchObject({ code: 'SESSION_LOST' })
  })
})

describe('the headers', () => {
  test('repeat session and version after the handshake, and what a call adds', async () => {
    const { call, ask, opened, close, peer } = await theirs(
      (visit) => (visit.method === 'GET' ? visit.send(405) : visit.result()),
      {
        headers: { authorization: 'Bearer x' },
      },
    )
    await opened(LATEST_LEGACY)
    await call('x')
    await ask('tools/list', undefined, { send: { headers: { 'X-Trace': '1' } } })
    await close()
    const [initialize, ...rest] = peer.visits
    expect(initialize?.headers).not.toHaveProperty('mcp-session-id')
    expect(initialize?.headers).not.toHaveProperty('mcp-protocol-version')
    for (const { headers } of rest)
      expect(headers).toMatchObject({ 'mcp-session-id': ID, 'mcp-protocol-version': '2025-11-25', authorization: 'Bearer x' })
    expect(rest.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST', 'POST', 'DELETE'])
    expect(rest[1]?.headers.accept).toBe('text/event-stream')
    expect(rest[3]).toMatchObject({ headers: { 'x-trace': '1' }, json: { method: 'tools/list' } })
  })

  test('have no session that cannot be one', async () => {
    const server = await peer((visit) => visit.result({}, { 'Mcp-Session-Id': 'a\tb' }))
    const client = open(server.url)
    await client.ask('initialize', {}, {})
    await client.ask('ping', undefined, {})
    expect(server.visits[1]?.headers).not.toHaveProperty('mcp-session-id')
    await client.close()
    expect(server.visits).toHaveLength(2)
  })
})

describe('what is only accepted', () => {
  test('may be answered with 200 or 204, or with events', async () => {
    for (const status of [200, 202, 204]) {
      const { notify } = await theirs((visit) => visit.send(status))
      await notify(notification('n'))
    }
    const client = await theirs((visit) => {
      visit.stream()
      visit.event({ method: 'late' })
      visit.end()
    })
    await client.notify(notification('n'))
    await until(() => client.notifications.length === 1)
  })

  test('fails with the status', async () => {
    const { notify } = await theirs((visit) =>
      visit.send(400, '{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}', { 'content-type': 'application/json' }),
    )
    await expect(notify(notification('n'))).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 400, error: { message: 'no' } })
  })

  test('is not waited for beyond its time', async () => {
    const { notify, peer } = await theirs(() => {}, { acceptMs: 1500 })
    await expect(notify(notification('n'))).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      message: expect.stringContaining('1500 ms'),
    })
    await until(() => peer.visits.at(-1)?.closed)
  })
})

describe('an answer', () => {
  test('that broke off is picked up after its last event, not before the server wants it', async () => {
    let endedAt = 0
    const { call, peer, notifications } = await theirs((visit) => {
      visit.stream()
      if (visit.method === 'POST') {
        visit.write('id: e-1\nretry: 300\ndata: \n\n')
        visit.event({ method: 'one' }, 'id: e-2\n')
        visit.end()
        endedAt = performance.now()
      } else {
        visit.event({ method: 'two' }, 'id: e-3\n')
        visit.event({ id: 2, result: { x: 1 } })
      }
    })
    expect(await call('x')).toMatchObject({ id: 2, result: { x: 1 } })
    expect(notifications.map(({ method }) => method)).toEqual(['one', 'two'])
    const [get] = gets(peer)
    expect(get?.headers).toMatchObject({ 'last-event-id': 'e-2', 'mcp-session-id': ID })
    expect(get!.at - endedAt).toBeGreaterThan(290)
    expect(get!.at - endedAt).toBeLessThan(7000)
  })

  test('may be polled for more than once, and through failures', async () => {
    const { call, peer } = await theirs((visit, count) => {
      if (count === 2) return visit.send(503)
      if (count === 3) return visit.reset()
      visit.stream()
      visit.write(`id: e-${count}\nretry: 10\ndata:\n\n`)
      if (count === 6) visit.event({ id: 2, result: {} })
      else visit.end()
    })
    expect(await call('x')).toMatchObject({ id: 2 })
    expect(gets(peer).map(({ headers }) => headers['last-event-id'])).toEqual(['e-1', 'e-1', 'e-1', 'e-4', 'e-5'])
  })

  test('that cannot be picked up is lost, at once when the server says so', async () => {
    for (const status of [400, 404, 405]) {
      const { call, onClose } = await theirs((visit) => {
        if (visit.method === 'GET') return visit.send(status)
        visit.stream()
        visit.write('id: 1\nretry: 20\ndata:\n\n')
        visit.end()
      })
      await expect(call('x')).rejects.toMatchObject({
        code: 'CONNECTION_LOST',
        retryable: true,
        message: expect.stringContaining(String(status)),
      })
      expect(onClose).not.toHaveBeenCalled()
    }
  })

  test('that cannot be picked up is given up after some failures', async () => {
    const { call, peer } = await theirs(
      (visit) => {
        if (visit.method === 'GET') return visit.reset()
        visit.stream()
        visit.write('id: 1\nretry: 0\ndata:\n\n')
        visit.end()
      },
      { maxResumeFailures: 2 },
    )
    await expect(call('x')).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
    expect(gets(peer)).toHaveLength(3)
  })

  test('without numbered events is lost when it ends (C26)', async () => {
    for (const id of ['', 'id: a\0\n', 'id: ä\n', 'id: 1\n\nid:\n']) {
      const { call, peer } = await theirs((visit) => {
        visit.stream()
        visit.write(`${id}data:\n\n`)
        visit.end()
      })
      await expect(call('x')).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
      expect(gets(peer)).toHaveLength(0)
    }
  })

  test('is not asked for any more when the caller gives up, or the link is closed', async () => {
    const { call, close, peer } = await theirs((visit) => {
      if (visit.method === 'POST' && visit.json.method === 'notifications/cancelled') return visit.send(202)
      visit.stream()
      visit.write('id: 1\nretry: 60000\ndata:\n\n')
      visit.end()
    })
    const controller = new AbortController()
    const lost = expect(call('x', {}, controller.signal)).rejects.toThrow('enough')
    await until(() => peer.visits.at(-1)?.json?.method === 'tools/call')
    await wait(30)
    controller.abort(new Error('enough'))
    await lost
    await until(() => peer.visits.at(-1)?.json?.method === 'notifications/cancelled')
    expect(peer.visits.at(-1)?.json.params).toEqual({ requestId: 2 })
    const again = call('x')
    await until(() => peer.visits.filter(({ json }) => json?.method === 'tools/call').length === 2)
    await wait(30)
    await Promise.all([expect(again).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false }), close()])
    expect(gets(peer)).toHaveLength(0)
  })

  test('may be one of an array', async () => {
    const { call, notifications } = await theirs((visit) =>
      visit.send(200, `[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":${visit.json.id},"result":{}}]`, {
        'content-type': 'application/json',
      }),
    )
    expect(await call('x')).toMatchObject({ id: 2, result: {} })
    expect(notifications).toHaveLength(1)
  })
})

describe('the standing stream', () => {
  const standing = (answer: Answer, options: Partial<HttpClientOptions> = {}) => {
    let count = 0
    return theirs((visit) => (visit.method === 'GET' ? answer(visit, ++count) : visit.result()), options)
  }

  test.each([400, 401, 404, 405, 406, 501 - 100])('that is refused with %i is not asked for again', async (status) => {
    const { opened, call, peer } = await standing((visit) => visit.send(status))
    await opened(LATEST_LEGACY)
    await wait(80)
    expect(gets(peer)).toHaveLength(1)
    expect(await call('x')).toMatchObject({ result: {} })
  })

  test('that is something else is not asked for again', async () => {
    const { opened, peer } = await standing((visit) => visit.send(200, '<html>', { 'content-type': 'text/html' }))
    await opened(LATEST_LEGACY)
    await wait(80)
    expect(gets(peer)).toHaveLength(1)
  })

  test('is waited for, but not for long', async () => {
    const { opened, peer } = await standing((visit) => void setTimeout(visit.stream, 100))
    let startedAt = performance.now()
    await opened(LATEST_LEGACY)
    expect(performance.now() - startedAt).toBeGreaterThan(90)
    const mute = await standing(() => {}, { openMs: 50 })
    startedAt = performance.now()
    await mute.opened(LATEST_LEGACY)
    expect(performance.now() - startedAt).toBeLessThan(5000)
    expect(gets(peer)).toHaveLength(1)
  })

  test('comes back from where it was, and tells when it cannot', async () => {
    const { opened, notifications, onGap, peer } = await standing((visit, count) => {
      if (count === 3) return visit.send(404)
      visit.stream()
      visit.event({ method: `n${count}` }, count === 1 ? 'id: 7\nretry: 20\n' : count === 2 ? 'id: 8\n' : '')
      if (count < 4) visit.end()
    })
    await opened(LATEST_LEGACY)
    await until(() => notifications.length === 3)
    expect(notifications.map(({ method }) => method)).toEqual(['n1', 'n2', 'n4'])
    expect(gets(peer).map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '7', '8', undefined])
    expect(onGap).toHaveBeenCalledOnce()
  })

  test.each([400, 404])('that is not known any more (%i) means that the session is lost', async (status) => {
    const { opened, onClose, close, peer } = await standing((visit, count) => {
      if (count > 1) return visit.send(status)
      visit.stream()
      visit.write('retry: 20\n\n')
      visit.end()
    })
    await opened(LATEST_LEGACY)
    await until(() => onClose.mock.calls.length === 1)
    expect(onClose.mock.calls[0]?.[0]).toMatchObject({ code: 'SESSION_LOST' })
    await close()
    expect(onClose).toHaveBeenCalledOnce()
    expect(peer.visits.filter(({ method }) => method === 'DELETE')).toEqual([])
  })

  test('C27 that ends at once does not become a storm, whatever the server says', async () => {
    const { opened, peer } = await standing(
      (visit) => {
        visit.stream()
        visit.write('retry: 0\n\n')
        visit.end()
      },
      { minRetryMs: 250 },
    )
    await opened(LATEST_LEGACY)
    await wait(1200)
    expect(gets(peer).length).toBeLessThan(6)
  })

  test('with an event that is too large is begun anew', async () => {
    const { opened, onGap, onError, peer } = await standing(
      (visit, count) => {
        visit.stream()
        visit.write('id: 1\nretry: 20\n\n')
        if (count === 1) visit.write(`id: 2\ndata: ${'x'.repeat(2000)}`)
      },
      { maxEventBytes: 1000 },
    )
    await opened(LATEST_LEGACY)
    await until(() => onGap.mock.calls.length === 1)
    expect(gets(peer).map(({ headers }) => headers['last-event-id'])).toEqual([undefined, undefined])
    expect(onError.mock.calls).toMatchObject([[{ code: 'UNREADABLE_ANSWER' }]])
  })

  test('comes back to a server that was away', async () => {
    const { opened, onGap, peer } = await standing((visit, count) => {
      if (count === 2) return visit.send(502)
      if (count === 3) return visit.reset()
      visit.stream()
      visit.write('retry: 20\n\n')
    })
    await opened(LATEST_LEGACY)
    gets(peer)[0]?.reset()
    await until(() => gets(peer).length === 4)
    await until(() => onGap.mock.calls.length === 1)
  })
})

describe('what the server asks', () => {
  test('is answered with a POST of its own while the call goes on', async () => {
    const { call, peer } = await theirs((visit) => {
      if (visit.json.result) {
        visit.send(202)
        const first = peer.visits.find(({ json }) => json?.method === 'tools/call')
        first?.event({ id: first.json.id, result: { heard: visit.json } })
        return
      }
      visit.stream()
      visit.event({ id: 'q', method: 'elicitation/create', params: {} })
    })
    expect(await call('x')).toMatchObject({ result: { heard: { jsonrpc: '2.0', id: 'q', result: {} } } })
  })

  test('can be given up by the server', async () => {
    const { call, asked, notifications, peer, handlers } = await theirs((visit) => {
      if (visit.json.method !== 'tools/call') return visit.send(202)
      visit.stream()
      visit.event({ id: 0, method: 'elicitation/create' })
      setTimeout(() => visit.event({ method: 'notifications/cancelled', params: { requestId: 0, reason: 'late' } }), 30)
      setTimeout(() => visit.event({ id: visit.json.id, result: {} }), 60)
    })
    let reason: unknown
    handlers.answer = ({ id }, signal) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          reason = signal.reason
          resolve(success(id, {}))
        }),
      )
    expect(await call('x')).toMatchObject({ result: {} })
    expect(asked).toHaveLength(1)
    expect(reason).toBe('late')
    expect(notifications).toEqual([])
    expect(peer.visits.filter(({ json }) => json?.result)).toEqual([])
  })

  test('C15 2,000 times at once is answered, some at a time', async () => {
    const { call, peer, asked } = await theirs(
      (visit) => {
        if (visit.json.result) return visit.send(202)
        visit.stream()
        visit.write(Array.from({ length: 2000 }, (_, id) => `data: {"jsonrpc":"2.0","id":${id},"method":"ping"}\n\n`).join(''))
        visit.event({ id: visit.json.id, result: {} })
      },
      { maxAsked: 20 },
    )
    expect(await call('x')).toMatchObject({ result: {} })
    await until(() => peer.visits.length === 2003)
    expect(asked).toHaveLength(2000)
    expect(peer.connections).toBeLessThan(30)
  })

  test('and cannot be told any more is reported', async () => {
    const { call, onError } = await theirs((visit) => {
      if (visit.json.result) return visit.send(500)
      visit.stream()
      visit.event({ id: 1, method: 'ping' })
      setTimeout(() => visit.event({ id: visit.json.id, result: {} }), 50)
    })
    await call('x')
    await until(() => onError.mock.calls.length > 0)
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'HTTP_STATUS', status: 500 })
  })
})

test('C28 a session that is not known any more is lost for all', async () => {
  const { call, onClose, close, peer } = await theirs((visit) =>
    visit.json?.params.name === 'x' ? visit.stream() : visit.send(404),
  )
  const first = call('x')
  await expect(call('y')).rejects.toMatchObject({ code: 'SESSION_LOST' })
  await Promise.all([expect(first).rejects.toMatchObject({ code: 'CONNECTION_LOST' }), close()])
  expect(onClose).toHaveBeenCalledOnce()
  expect(peer.visits.some(({ method }) => method === 'DELETE')).toBe(false)
})

test.each(['Bad Request: No valid session ID provided', 'Bad Request: Server not initialized'])(
  'a session of which a 400 says "%s" is lost',
  async (message) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } })
    const { call, onClose } = await theirs((visit) => visit.send(400, body, { 'content-type': 'application/json' }))
    await expect(call('x')).rejects.toMatchObject({ code: 'SESSION_LOST' })
    expect(onClose).toHaveBeenCalledOnce()
  },
)

test('a 400 that is about something else is the answer', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'Bad Request: too odd' } })
  const { call, onClose } = await theirs((visit) => visit.send(400, body, { 'content-type': 'application/json' }))
  expect(await call('x')).toMatchObject({ error: { code: -32000 } })
  expect(onClose).not.toHaveBeenCalled()
})

test('C28 without a session, 404 is a status', async () => {
  const server = await peer((visit) => visit.send(404))
  await expect(open(server.url).ask('tools/list', undefined, {})).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 404 })
})

test('nothing is left after the end, also when the server does not let go', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const { call, opened, close, peer } = await theirs((visit) => visit.stream(), { leaveMs: 100 })
  await opened(LATEST_LEGACY)
  const pending = expect(call('x')).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false })
  await until(() => peer.visits.length === 4)
  await close()
  await pending
  await until(() => timers() <= before)
  await until(() =>
    peer.visits.every(({ closed, method, json }) => closed || method === 'DELETE' || json?.method !== 'tools/call'),
  )
})
