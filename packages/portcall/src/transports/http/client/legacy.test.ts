import { describe, expect, type Mock, test, vi } from 'vitest'
import { freePort } from '../../../../../../test/support/free-port.mjs'
import {
  onTestEnd,
  type ScriptedRequest,
  type ScriptedServer,
  type ServeOptions,
  serveExchange,
  sleep,
  startScriptedServer,
  until,
} from '../../../../test-kit/scripted-server.ts'
import { createTestCore, type TestCore } from '../../../../test-kit/test-core.ts'
import { type Notification, notification, type Request, type Response, success } from '../../../jsonrpc/message.ts'
import type { LegacyConnection } from '../../../legacy/client/connection.ts'
import { LATEST_LEGACY } from '../../../protocol/revisions.ts'
import type { HttpClientOptions } from './http-client.ts'
import { createLegacyHttpConnection } from './legacy.ts'
import { createNodeFetch } from './node-fetch.ts'
import { createWebFetch } from './web-fetch.ts'

const FETCHES = { node: createNodeFetch, web: createWebFetch }

interface Client extends LegacyConnection {
  readonly notifications: Notification[]
  readonly requests: Request[]
  readonly onGap: Mock<() => void>
  readonly onClose: Mock<(reason: Error | undefined) => void>
  readonly onError: Mock<(error: unknown) => void>
  /** Responds to the requests of the server; by default with an empty result. */
  readonly handlers: { respond(request: Request, signal: AbortSignal): Promise<Response> }
  /** Performs the handshake. */
  initialize(version?: string): Promise<Response>
  call(name: string, args?: object, signal?: AbortSignal): Promise<Response>
}

function open(url: string, options: Partial<HttpClientOptions> = {}, platform: keyof typeof FETCHES = 'node'): Client {
  const fetch = FETCHES[platform]()
  const onError = vi.fn()
  const connection = createLegacyHttpConnection({ url, fetch, onError, ...options })
  const client: Client = {
    ...connection,
    notifications: [],
    requests: [],
    onGap: vi.fn(),
    onClose: vi.fn(),
    onError,
    handlers: { respond: async ({ id }) => success(id, {}) },
    async initialize(version = '2025-11-25') {
      const params = { protocolVersion: version, capabilities: { elicitation: {} }, clientInfo: { name: 'test', version: '1' } }
      const response = await connection.request('initialize', params)
      await connection.notify(notification('notifications/initialized'))
      return response
    },
    call: (name, args = {}, signal) =>
      connection.request('tools/call', { name, arguments: args, _meta: { progressToken: 't' } }, signal && { signal }),
  }
  connection.receive({
    onRequest(request, signal) {
      client.requests.push(request)
      return client.handlers.respond(request, signal)
    },
    onNotification: (notification) => void client.notifications.push(notification),
    onGap: client.onGap,
    onClose: client.onClose,
  })
  onTestEnd(async () => {
    await connection.close()
    fetch.close()
  })
  return client
}

type Script = (visit: ScriptedRequest, count: number) => void

const ID = 'session-1'

/** Connects to a scripted server. The handshake is done; the script answers everything after it. */
async function connectToScript(
  script: Script,
  options: Partial<HttpClientOptions> = {},
): Promise<Client & { peer: ScriptedServer }> {
  let count = 0
  const server = await startScriptedServer((visit) => {
    if (visit.json?.method === 'initialize') visit.result({ protocolVersion: '2025-11-25' }, { 'MCP-Session-Id': ID })
    else if (visit.json?.method === 'notifications/initialized') visit.send(202)
    else if (visit.method === 'DELETE') visit.send(204)
    else script(visit, ++count)
  })
  const client = open(server.url, { minRetryDelayMs: 20, ...options })
  await client.initialize()
  return { ...client, peer: server }
}

const gets = ({ requests }: ScriptedServer): ScriptedRequest[] => requests.filter(({ method }) => method === 'GET')

describe.each(Object.keys(FETCHES) as Array<keyof typeof FETCHES>)('with the server of this package, over %s', (platform) => {
  async function connectToServer(
    options: ServeOptions = {},
  ): Promise<Client & { core: TestCore; url: string; stop(): Promise<void> }> {
    const core = createTestCore()
    const { url, close } = await serveExchange(core.exchange, options)
    return Object.assign(open(url, { minRetryDelayMs: 50 }, platform), { core, url, stop: close })
  }

  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    '%s performs the handshake, calls, receives notifications and server requests',
    async (version) => {
      const client = await connectToServer()
      expect(await client.initialize(version)).toMatchObject({ result: { protocolVersion: version } })
      await client.initialized(LATEST_LEGACY)
      expect(await client.call('add', { a: 1, b: 2 })).toMatchObject({ result: { content: [{ text: '3' }] } })
      expect(await client.call('progress')).toMatchObject({ result: { content: [{ text: 'sent 3' }] } })
      expect(client.notifications.map(({ params }) => params?.progress)).toEqual([1, 2, 3])
      client.core.notifyChange()
      await until(() => client.notifications.at(-1)?.method === 'notifications/tools/list_changed')
      if (version < '2025-06-18') return
      client.handlers.respond = async ({ id }) => success(id, { action: 'accept', content: { name: 'Ada' } })
      expect(await client.call('ask')).toMatchObject({ result: { content: [{ text: expect.stringContaining('Ada') }] } })
      expect(client.requests).toMatchObject([{ method: 'elicitation/create' }])
    },
  )

  test('closing ends the session with a DELETE', async () => {
    const client = await connectToServer()
    await client.initialize()
    await client.initialized(LATEST_LEGACY)
    const startedAt = performance.now()
    await client.close()
    expect(performance.now() - startedAt).toBeLessThan(5000)
    expect(client.onClose.mock.calls).toEqual([[undefined]])
    await expect(client.call('add')).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false })
  })

  test('C41 aborting a call cancels it on the server', async () => {
    const client = await connectToServer()
    await client.initialize()
    const controller = new AbortController()
    const result = client.call('hold', {}, controller.signal)
    await until(() => client.core.events.includes('start hold'))
    controller.abort(new Error('enough'))
    await expect(result).rejects.toThrow('enough')
    await until(() => client.core.events.includes('abort hold'))
  })

  test('resumes a stream that the server closed during a call', async () => {
    const client = await connectToServer()
    await client.initialize()
    const result = client.call('hold', { notify: true, retryDelayMs: 60 })
    await until(() => client.notifications.length === 1)
    await sleep(200)
    client.core.release()
    expect(await result).toMatchObject({ result: { content: [{ text: 'hold' }] } })
    expect(client.notifications.map(({ params }) => params?.progress)).toEqual([1, 2])
  })

  test('C28 a restarted server causes SESSION_EXPIRED instead of CONNECTION_LOST', async () => {
    const client = await connectToServer({ port: await freePort() })
    await client.initialize()
    await client.initialized(LATEST_LEGACY)
    await client.stop()
    await sleep(50)
    await serveExchange(client.core.exchange, { port: Number(new URL(client.url).port) })
    await expect(client.call('add')).rejects.toMatchObject({ code: 'SESSION_EXPIRED', retryable: true })
    expect(client.onClose).toHaveBeenCalledOnce()
    expect(client.onClose.mock.calls[0]?.[0]).toMatchObject({ code: 'SESSION_EXPIRED' })
  })
})

describe('request headers', () => {
  test('contain session id and version after the handshake, and the headers of the call', async () => {
    const { call, request, initialized, close, peer } = await connectToScript(
      (visit) => (visit.method === 'GET' ? visit.send(405) : visit.result()),
      {
        headers: { authorization: 'Bearer x' },
      },
    )
    await initialized(LATEST_LEGACY)
    await call('x')
    await request('tools/list', undefined, { signal: new AbortController().signal, outgoing: { headers: { 'X-Trace': '1' } } })
    await close()
    const [initialize, ...rest] = peer.requests
    expect(initialize?.headers).not.toHaveProperty('mcp-session-id')
    expect(initialize?.headers).not.toHaveProperty('mcp-protocol-version')
    for (const { headers } of rest)
      expect(headers).toMatchObject({ 'mcp-session-id': ID, 'mcp-protocol-version': '2025-11-25', authorization: 'Bearer x' })
    expect(rest.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST', 'POST', 'DELETE'])
    expect(rest[1]?.headers.accept).toBe('text/event-stream')
    expect(rest[3]).toMatchObject({ headers: { 'x-trace': '1' }, json: { method: 'tools/list' } })
  })

  test('do not contain an invalid session id', async () => {
    const server = await startScriptedServer((visit) => visit.result({}, { 'Mcp-Session-Id': 'a\tb' }))
    const client = open(server.url)
    await client.request('initialize', {})
    await client.request('ping', undefined)
    expect(server.requests[1]?.headers).not.toHaveProperty('mcp-session-id')
    await client.close()
    expect(server.requests).toHaveLength(2)
  })
})

describe('a notification', () => {
  test('may be accepted with 200 or 204, or with a stream', async () => {
    for (const status of [200, 202, 204]) {
      const { notify } = await connectToScript((visit) => visit.send(status))
      await notify(notification('n'))
    }
    const client = await connectToScript((visit) => {
      visit.stream()
      visit.event({ method: 'update' })
      visit.close()
    })
    await client.notify(notification('n'))
    await until(() => client.notifications.length === 1)
  })

  test('rejects with the HTTP status', async () => {
    const { notify } = await connectToScript((visit) =>
      visit.send(400, '{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}', { 'content-type': 'application/json' }),
    )
    await expect(notify(notification('n'))).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 400, error: { message: 'no' } })
  })

  test('has a timeout', async () => {
    const { notify, peer } = await connectToScript(() => {}, { notificationTimeoutMs: 1500 })
    await expect(notify(notification('n'))).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      message: expect.stringContaining('1500 ms'),
    })
    await until(() => peer.requests.at(-1)?.closed)
  })
})

describe('a response stream', () => {
  test('that broke is resumed after its last event, not before the delay that the server sent', async () => {
    let endedAt = 0
    const { call, peer, notifications } = await connectToScript((visit) => {
      visit.stream()
      if (visit.method === 'POST') {
        visit.write('id: e-1\nretry: 300\ndata: \n\n')
        visit.event({ method: 'one' }, 'id: e-2\n')
        visit.close()
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

  test('may have batches as events, as 2025-03-26 allows', async () => {
    const { call, notifications } = await connectToScript((visit) => {
      visit.stream()
      const messages = [{ method: 'one' }, { method: 'two' }, { id: visit.json?.id, result: { x: 1 } }]
      visit.write(`data: ${JSON.stringify(messages.map((message) => ({ jsonrpc: '2.0', ...message })))}\n\n`)
    })
    expect(await call('x')).toMatchObject({ result: { x: 1 } })
    expect(notifications.map(({ method }) => method)).toEqual(['one', 'two'])
  })

  test('is resumed repeatedly, also after failures', async () => {
    const { call, peer } = await connectToScript((visit, count) => {
      if (count === 2) return visit.send(503)
      if (count === 3) return visit.reset()
      visit.stream()
      visit.write(`id: e-${count}\nretry: 10\ndata:\n\n`)
      if (count === 6) visit.event({ id: 2, result: {} })
      else visit.close()
    })
    expect(await call('x')).toMatchObject({ id: 2 })
    expect(gets(peer).map(({ headers }) => headers['last-event-id'])).toEqual(['e-1', 'e-1', 'e-1', 'e-4', 'e-5'])
  })

  test('that the server cannot resume is lost immediately', async () => {
    for (const status of [400, 404, 405]) {
      const { call, onClose } = await connectToScript((visit) => {
        if (visit.method === 'GET') return visit.send(status)
        visit.stream()
        visit.write('id: 1\nretry: 20\ndata:\n\n')
        visit.close()
      })
      await expect(call('x')).rejects.toMatchObject({
        code: 'CONNECTION_LOST',
        retryable: true,
        message: expect.stringContaining(String(status)),
      })
      expect(onClose).not.toHaveBeenCalled()
    }
  })

  test('is lost after the maximum number of failures', async () => {
    const { call, peer } = await connectToScript(
      (visit) => {
        if (visit.method === 'GET') return visit.reset()
        visit.stream()
        visit.write('id: 1\nretry: 0\ndata:\n\n')
        visit.close()
      },
      { maxResumeFailures: 2 },
    )
    await expect(call('x')).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
    expect(gets(peer)).toHaveLength(3)
  })

  test('C26 without event ids is lost when it ends', async () => {
    for (const id of ['', 'id: a\0\n', 'id: ä\n', 'id: 1\n\nid:\n']) {
      const { call, peer } = await connectToScript((visit) => {
        visit.stream()
        visit.write(`${id}data:\n\n`)
        visit.close()
      })
      await expect(call('x')).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
      expect(gets(peer)).toHaveLength(0)
    }
  })

  test('is not resumed after an abort, or after the connection was closed', async () => {
    const { call, close, peer } = await connectToScript((visit) => {
      if (visit.method === 'POST' && visit.json.method === 'notifications/cancelled') return visit.send(202)
      visit.stream()
      visit.write('id: 1\nretry: 60000\ndata:\n\n')
      visit.close()
    })
    const controller = new AbortController()
    const lost = expect(call('x', {}, controller.signal)).rejects.toThrow('enough')
    await until(() => peer.requests.at(-1)?.json?.method === 'tools/call')
    await sleep(30)
    controller.abort(new Error('enough'))
    await lost
    await until(() => peer.requests.at(-1)?.json?.method === 'notifications/cancelled')
    expect(peer.requests.at(-1)?.json.params).toEqual({ requestId: 2 })
    const second = call('x')
    await until(() => peer.requests.filter(({ json }) => json?.method === 'tools/call').length === 2)
    await sleep(30)
    await Promise.all([expect(second).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false }), close()])
    expect(gets(peer)).toHaveLength(0)
  })

  test('a response may be part of a JSON array', async () => {
    const { call, notifications } = await connectToScript((visit) =>
      visit.send(200, `[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":${visit.json.id},"result":{}}]`, {
        'content-type': 'application/json',
      }),
    )
    expect(await call('x')).toMatchObject({ id: 2, result: {} })
    expect(notifications).toHaveLength(1)
  })
})

describe('the standalone stream', () => {
  const connectWithStream = (script: Script, options: Partial<HttpClientOptions> = {}) => {
    let count = 0
    return connectToScript((visit) => (visit.method === 'GET' ? script(visit, ++count) : visit.result()), options)
  }

  test.each([400, 401, 404, 405, 406, 501 - 100])('that is rejected with %i is not requested again', async (status) => {
    const { initialized, call, peer } = await connectWithStream((visit) => visit.send(status))
    await initialized(LATEST_LEGACY)
    await sleep(80)
    expect(gets(peer)).toHaveLength(1)
    expect(await call('x')).toMatchObject({ result: {} })
  })

  test('that has another content type is not requested again', async () => {
    const { initialized, peer } = await connectWithStream((visit) => visit.send(200, '<html>', { 'content-type': 'text/html' }))
    await initialized(LATEST_LEGACY)
    await sleep(80)
    expect(gets(peer)).toHaveLength(1)
  })

  test('delays the first call, up to a timeout', async () => {
    const { initialized, peer } = await connectWithStream((visit) => void setTimeout(visit.stream, 100))
    let startedAt = performance.now()
    await initialized(LATEST_LEGACY)
    expect(performance.now() - startedAt).toBeGreaterThan(90)
    const silent = await connectWithStream(() => {}, { streamOpenTimeoutMs: 50 })
    startedAt = performance.now()
    await silent.initialized(LATEST_LEGACY)
    expect(performance.now() - startedAt).toBeLessThan(5000)
    expect(gets(peer)).toHaveLength(1)
  })

  test('is resumed where it broke, and reports a gap if that fails', async () => {
    const { initialized, notifications, onGap, peer } = await connectWithStream((visit, count) => {
      if (count === 3) return visit.send(404)
      visit.stream()
      visit.event({ method: `n${count}` }, count === 1 ? 'id: 7\nretry: 20\n' : count === 2 ? 'id: 8\n' : '')
      if (count < 4) visit.close()
    })
    await initialized(LATEST_LEGACY)
    await until(() => notifications.length === 3)
    expect(notifications.map(({ method }) => method)).toEqual(['n1', 'n2', 'n4'])
    expect(gets(peer).map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '7', '8', undefined])
    expect(onGap).toHaveBeenCalledOnce()
  })

  test.each([400, 404])('that is rejected after it was open (%i) means that the session has expired', async (status) => {
    const { initialized, onClose, close, peer } = await connectWithStream((visit, count) => {
      if (count > 1) return visit.send(status)
      visit.stream()
      visit.write('retry: 20\n\n')
      visit.close()
    })
    await initialized(LATEST_LEGACY)
    await until(() => onClose.mock.calls.length === 1)
    expect(onClose.mock.calls[0]?.[0]).toMatchObject({ code: 'SESSION_EXPIRED' })
    await close()
    expect(onClose).toHaveBeenCalledOnce()
    expect(peer.requests.filter(({ method }) => method === 'DELETE')).toEqual([])
  })

  test('C27 that always ends immediately is requested with a minimum delay', async () => {
    const { initialized, peer } = await connectWithStream(
      (visit) => {
        visit.stream()
        visit.write('retry: 0\n\n')
        visit.close()
      },
      { minRetryDelayMs: 250 },
    )
    await initialized(LATEST_LEGACY)
    await sleep(1200)
    expect(gets(peer).length).toBeLessThan(6)
  })

  test('with an event that is too large is not resumed but reopened', async () => {
    const { initialized, onGap, onError, peer } = await connectWithStream(
      (visit, count) => {
        visit.stream()
        visit.write('id: 1\nretry: 20\n\n')
        if (count === 1) visit.write(`id: 2\ndata: ${'x'.repeat(2000)}`)
      },
      { maxEventBytes: 1000 },
    )
    await initialized(LATEST_LEGACY)
    await until(() => onGap.mock.calls.length === 1)
    expect(gets(peer).map(({ headers }) => headers['last-event-id'])).toEqual([undefined, undefined])
    expect(onError.mock.calls).toMatchObject([[{ code: 'INVALID_RESPONSE' }]])
  })

  test('is reopened after the server was unavailable', async () => {
    const { initialized, onGap, peer } = await connectWithStream((visit, count) => {
      if (count === 2) return visit.send(502)
      if (count === 3) return visit.reset()
      visit.stream()
      visit.write('retry: 20\n\n')
    })
    await initialized(LATEST_LEGACY)
    gets(peer)[0]?.reset()
    await until(() => gets(peer).length === 4)
    await until(() => onGap.mock.calls.length === 1)
  })
})

describe('a request of the server', () => {
  test('is answered with a POST while the call is running', async () => {
    const { call, peer } = await connectToScript((visit) => {
      if (visit.json.result) {
        visit.send(202)
        const first = peer.requests.find(({ json }) => json?.method === 'tools/call')
        first?.event({ id: first.json.id, result: { received: visit.json } })
        return
      }
      visit.stream()
      visit.event({ id: 'q', method: 'elicitation/create', params: {} })
    })
    expect(await call('x')).toMatchObject({ result: { received: { jsonrpc: '2.0', id: 'q', result: {} } } })
  })

  test('can be cancelled by the server', async () => {
    const { call, requests, notifications, peer, handlers } = await connectToScript((visit) => {
      if (visit.json.method !== 'tools/call') return visit.send(202)
      visit.stream()
      visit.event({ id: 0, method: 'elicitation/create' })
      setTimeout(() => visit.event({ method: 'notifications/cancelled', params: { requestId: 0, reason: 'too late' } }), 30)
      setTimeout(() => visit.event({ id: visit.json.id, result: {} }), 60)
    })
    let reason: unknown
    handlers.respond = ({ id }, signal) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          reason = signal.reason
          resolve(success(id, {}))
        }),
      )
    expect(await call('x')).toMatchObject({ result: {} })
    expect(requests).toHaveLength(1)
    expect(reason).toBe('too late')
    expect(notifications).toEqual([])
    expect(peer.requests.filter(({ json }) => json?.result)).toEqual([])
  })

  test('C15 2,000 concurrent requests are answered with limited concurrency', async () => {
    const { call, peer, requests } = await connectToScript(
      (visit) => {
        if (visit.json.result) return visit.send(202)
        visit.stream()
        visit.write(Array.from({ length: 2000 }, (_, id) => `data: {"jsonrpc":"2.0","id":${id},"method":"ping"}\n\n`).join(''))
        visit.event({ id: visit.json.id, result: {} })
      },
      { maxInboundRequests: 20 },
    )
    expect(await call('x')).toMatchObject({ result: {} })
    await until(() => peer.requests.length === 2003)
    expect(requests).toHaveLength(2000)
    expect(peer.connections).toBeLessThan(30)
  })

  test('whose response cannot be delivered is reported as an error', async () => {
    const { call, onError } = await connectToScript((visit) => {
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

test('C28 an expired session ends the connection', async () => {
  const { call, onClose, close, peer } = await connectToScript((visit) =>
    visit.json?.params.name === 'x' ? visit.stream() : visit.send(404),
  )
  const first = call('x')
  await expect(call('y')).rejects.toMatchObject({ code: 'SESSION_EXPIRED' })
  await Promise.all([expect(first).rejects.toMatchObject({ code: 'CONNECTION_LOST' }), close()])
  expect(onClose).toHaveBeenCalledOnce()
  expect(peer.requests.some(({ method }) => method === 'DELETE')).toBe(false)
})

test.each(['Bad Request: No valid session ID provided', 'Bad Request: Server not initialized'])(
  'a 400 with "%s" means that the session has expired',
  async (message) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } })
    const { call, onClose } = await connectToScript((visit) => visit.send(400, body, { 'content-type': 'application/json' }))
    await expect(call('x')).rejects.toMatchObject({ code: 'SESSION_EXPIRED' })
    expect(onClose).toHaveBeenCalledOnce()
  },
)

test('another 400 is the response to the request', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'Bad Request: too odd' } })
  const { call, onClose } = await connectToScript((visit) => visit.send(400, body, { 'content-type': 'application/json' }))
  expect(await call('x')).toMatchObject({ error: { code: -32000 } })
  expect(onClose).not.toHaveBeenCalled()
})

test('C28 without a session, 404 is an HTTP status error', async () => {
  const server = await startScriptedServer((visit) => visit.send(404))
  await expect(open(server.url).request('tools/list', undefined)).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 404 })
})

test('closing releases everything, even if the server does not respond', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const { call, initialized, close, peer } = await connectToScript((visit) => visit.stream(), { sessionCloseTimeoutMs: 100 })
  await initialized(LATEST_LEGACY)
  const pending = expect(call('x')).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false })
  await until(() => peer.requests.length === 4)
  await close()
  await pending
  await until(() => timers() <= before)
  await until(() =>
    peer.requests.every(({ closed, method, json }) => closed || method === 'DELETE' || json?.method !== 'tools/call'),
  )
})
