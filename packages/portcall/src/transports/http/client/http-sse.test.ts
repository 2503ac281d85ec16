import { describe, expect, test, vi } from 'vitest'
import {
  onTestEnd,
  type ScriptedRequest,
  type ScriptedServer,
  serveExchange,
  sleep,
  startScriptedServer,
  until,
} from '../../../../test-kit/scripted-server.ts'
import { createTestCore } from '../../../../test-kit/test-core.ts'
import { type Notification, notification, type Request, success } from '../../../jsonrpc/message.ts'
import { LATEST_LEGACY } from '../../../protocol/revisions.ts'
import type { HttpClientOptions } from './http-client.ts'
import { createHttpSseConnection } from './http-sse.ts'
import { createNodeFetch } from './node-fetch.ts'

function open(url: string, options: Partial<HttpClientOptions> = {}) {
  const fetch = createNodeFetch()
  const onError = vi.fn()
  const connection = createHttpSseConnection({ url, fetch, onError, ...options })
  const notifications: Notification[] = []
  const requests: Request[] = []
  const onClose = vi.fn<(reason: Error | undefined) => void>()
  connection.receive({
    onRequest: async (request) => {
      requests.push(request)
      return success(request.id, {})
    },
    onNotification: (notification) => void notifications.push(notification),
    onClose,
  })
  onTestEnd(async () => {
    await connection.close()
    fetch.close()
  })
  const call = (name: string, args: object = {}, signal?: AbortSignal) =>
    connection.request('tools/call', { name, arguments: args, _meta: { progressToken: 't' } }, signal && { signal })
  return { ...connection, notifications, requests, onClose, onError, call }
}

/** Connects to a scripted server. The first request is the one for the stream. */
async function connectToScript(
  onStream: (stream: ScriptedRequest, peer: ScriptedServer) => void,
  onPost: (visit: ScriptedRequest, stream: ScriptedRequest) => void = () => {},
  options: Partial<HttpClientOptions> = {},
) {
  const server: ScriptedServer = await startScriptedServer((visit, count) =>
    count === 1 ? onStream(visit, server) : onPost(visit, server.requests[0]!),
  )
  return { ...open(server.url, options), peer: server }
}

const sendEndpoint =
  (url: string) =>
  (stream: ScriptedRequest): void => {
    stream.stream()
    stream.write(`event: endpoint\ndata: ${url}\n\n`)
  }
const respond = (visit: ScriptedRequest, stream: ScriptedRequest): void => {
  visit.send(202)
  if (visit.json.id !== undefined) stream.event({ id: visit.json.id, result: { path: visit.path } }, 'event: message\n')
}

describe('with the server of this package', () => {
  test('performs the handshake, calls, receives notifications and cancels', async () => {
    const core = createTestCore()
    const { url } = await serveExchange(core.exchange)
    const { request, notify, initialized, call, notifications } = open(url)
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    expect(await request('initialize', params)).toMatchObject({ result: { protocolVersion: '2024-11-05' } })
    await notify(notification('notifications/initialized'))
    await initialized(LATEST_LEGACY)
    expect(await call('progress')).toMatchObject({ result: { content: [{ text: 'sent 3' }] } })
    expect(notifications.map(({ params }) => params?.progress)).toEqual([1, 2, 3])
    core.notifyChange()
    await until(() => notifications.at(-1)?.method === 'notifications/tools/list_changed')
    const controller = new AbortController()
    const result = call('hold', {}, controller.signal)
    await until(() => core.events.includes('start hold'))
    controller.abort('enough')
    await expect(result).rejects.toBe('enough')
    await until(() => core.events.includes('abort hold'))
  })
})

describe('the endpoint event', () => {
  test.each(['/messages?sessionId=1', 'messages?sessionId=1', 'HOST/messages?sessionId=1'])(
    '%s is the URL for messages',
    async (endpoint) => {
      const { call, peer } = await connectToScript(
        (stream, { origin }) => sendEndpoint(endpoint.replace('HOST', origin))(stream),
        respond,
        {
          headers: { authorization: 'x' },
        },
      )
      expect(await call('x')).toMatchObject({ result: { path: '/messages?sessionId=1' } })
      expect(peer.requests[1]).toMatchObject({
        method: 'POST',
        headers: { authorization: 'x', 'content-type': 'application/json' },
      })
    },
  )

  test.each(['http://127.0.0.1:1/x', 'https://HOST/x', '//evil.example/x', 'file:///x', 'http://', 'javascript:1'])(
    'C70 %s is rejected',
    async (endpoint) => {
      const { call, onClose, peer } = await connectToScript((stream, { origin }) =>
        sendEndpoint(endpoint.replace('HOST', origin.slice(7)))(stream),
      )
      await expect(call('x')).rejects.toMatchObject({
        code: 'INVALID_RESPONSE',
        message: expect.stringContaining('another origin'),
      })
      expect(onClose.mock.calls).toMatchObject([[{ code: 'INVALID_RESPONSE' }]])
      await until(() => peer.requests[0]?.closed)
      expect(peer.requests).toHaveLength(1)
    },
  )

  test('C71 counts only once', async () => {
    const { call, peer } = await connectToScript(sendEndpoint('/first'), respond)
    await call('x')
    peer.requests[0]?.write('event: endpoint\ndata: /second\n\n')
    await sleep(30)
    expect(await call('x')).toMatchObject({ result: { path: '/first' } })
  })

  test('has a timeout', async () => {
    const { call, notify, onClose } = await connectToScript((stream) => stream.stream(), undefined, { notificationTimeoutMs: 50 })
    await Promise.all([
      expect(call('x')).rejects.toMatchObject({ code: 'CONNECTION_LOST' }),
      expect(notify(notification('n'))).rejects.toMatchObject({ code: 'CONNECTION_LOST' }),
    ])
    expect(onClose).toHaveBeenCalledOnce()
  })
})

describe('the stream', () => {
  test('fails the pending requests if it cannot be opened', async () => {
    const rejected = await connectToScript((stream) => stream.send(405))
    await expect(rejected.call('x')).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 405 })
    const page = await connectToScript((stream) => stream.send(200, '<html>', { 'content-type': 'text/html' }))
    await expect(page.call('x')).rejects.toMatchObject({ code: 'INVALID_RESPONSE' })
    const reset = await connectToScript((stream) => stream.reset())
    await expect(reset.call('x')).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
  })

  test('fails the pending requests immediately when it ends', async () => {
    for (const fault of ['close', 'reset'] as const) {
      const { call, onClose, peer } = await connectToScript(sendEndpoint('/post'), (visit) => visit.send(202))
      const result = call('x')
      await until(() => peer.requests.length === 2)
      await sleep(20)
      const startedAt = performance.now()
      peer.requests[0]?.[fault]()
      await expect(result).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
      expect(performance.now() - startedAt).toBeLessThan(5000)
      expect(onClose.mock.calls).toMatchObject([[{ code: 'CONNECTION_LOST' }]])
      await expect(call('y')).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
    }
  })

  test('carries requests of the server, which are answered with a POST', async () => {
    const { call, requests, peer } = await connectToScript(sendEndpoint('/post'), (visit, stream) => {
      if (visit.json.result)
        return respond({ ...visit, json: peer.requests[1]!.json, send: (status) => visit.send(status) }, stream)
      visit.send(202)
      stream.event({ id: 0, method: 'ping' })
    })
    expect(await call('x')).toMatchObject({ result: {} })
    expect(requests).toMatchObject([{ method: 'ping' }])
    expect(peer.requests[2]?.json).toEqual({ jsonrpc: '2.0', id: 0, result: {} })
  })
})

describe('a POST', () => {
  test('that fails does not affect other requests', async () => {
    const { call, notify, onClose, peer } = await connectToScript(sendEndpoint('/post'), (visit, stream) => {
      if (visit.json.params?.name === 'bad' || visit.json.id === undefined) visit.send(500, 'broken')
      else if (visit.json.params.name === 'unknown') visit.send(404)
      else respond(visit, stream)
    })
    await expect(call('bad')).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 500, body: 'broken' })
    await expect(call('unknown')).rejects.toMatchObject({ code: 'SESSION_EXPIRED' })
    await expect(notify(notification('n'))).rejects.toMatchObject({ code: 'HTTP_STATUS' })
    expect(await call('good')).toMatchObject({ result: {} })
    expect(onClose).not.toHaveBeenCalled()
    expect(peer.requests.some(({ json }) => json?.method === 'notifications/cancelled')).toBe(false)
  })
})

test('closing releases everything', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const { call, close, onClose, peer } = await connectToScript(sendEndpoint('/post'), () => {})
  const pending = expect(call('x')).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false })
  await until(() => peer.requests.length === 2)
  await close()
  await pending
  expect(onClose.mock.calls).toEqual([[undefined]])
  await until(() => peer.requests.every(({ closed }) => closed))
  await until(() => timers() <= before)
})
