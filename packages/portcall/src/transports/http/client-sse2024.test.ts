import { describe, expect, test, vi } from 'vitest'
import { createTestCore } from '../../../test-kit/core.ts'
import { cleanup, type PeerServer, peer, serveExchange, until, type Visit, wait } from '../../../test-kit/peer.ts'
import { type Notification, notification, type Request, success } from '../../jsonrpc/message.ts'
import { LATEST_LEGACY } from '../../protocol/revisions.ts'
import { createSse2024Link } from './client-sse2024.ts'
import { createNodeFetch } from './node-client.ts'
import type { HttpClientOptions } from './remote.ts'

function open(url: string, options: Partial<HttpClientOptions> = {}) {
  const fetch = createNodeFetch()
  const onError = vi.fn()
  const link = createSse2024Link({ url, fetch, onError, ...options })
  const notifications: Notification[] = []
  const asked: Request[] = []
  const onClose = vi.fn<(reason: Error | undefined) => void>()
  link.receive({
    onRequest: async (request) => {
      asked.push(request)
      return success(request.id, {})
    },
    onNotification: (one) => void notifications.push(one),
    onClose,
  })
  cleanup(async () => {
    await link.close()
    fetch.close()
  })
  const call = (name: string, args: object = {}, signal?: AbortSignal) =>
    link.ask('tools/call', { name, arguments: args, _meta: { progressToken: 't' } }, signal ? { signal } : {})
  return { ...link, notifications, asked, onClose, onError, call }
}

/** A hand-made server: its stream is the first visit. */
async function theirs(
  begin: (stream: Visit, peer: PeerServer) => void,
  answer: (visit: Visit, stream: Visit) => void = () => {},
  options: Partial<HttpClientOptions> = {},
) {
  const server: PeerServer = await peer((visit, count) => (count === 1 ? begin(visit, server) : answer(visit, server.visits[0]!)))
  return { ...open(server.url, options), peer: server }
}

const tell =
  (address: string) =>
  (stream: Visit): void => {
    stream.stream()
    stream.write(`event: endpoint\ndata: ${address}\n\n`)
  }
const reply = (visit: Visit, stream: Visit): void => {
  visit.send(202)
  if (visit.json.id !== undefined) stream.event({ id: visit.json.id, result: { path: visit.path } }, 'event: message\n')
}

describe('a server of ours', () => {
  test('shakes hands, answers, tells, and hears that a call is given up', async () => {
    const core = createTestCore()
    const { url } = await serveExchange(core.exchange)
    const { ask, notify, opened, call, notifications } = open(url)
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    expect(await ask('initialize', params, {})).toMatchObject({ result: { protocolVersion: '2024-11-05' } })
    await notify(notification('notifications/initialized'))
    await opened(LATEST_LEGACY)
    expect(await call('progress')).toMatchObject({ result: { content: [{ text: 'told 3' }] } })
    expect(notifications.map(({ params }) => params?.progress)).toEqual([1, 2, 3])
    core.change()
    await until(() => notifications.at(-1)?.method === 'notifications/tools/list_changed')
    const controller = new AbortController()
    const result = call('hold', {}, controller.signal)
    await until(() => core.events.includes('start hold'))
    controller.abort('enough')
    await expect(result).rejects.toBe('enough')
    await until(() => core.events.includes('abort hold'))
  })
})

describe('the address', () => {
  test.each(['/messages?sessionId=1', 'messages?sessionId=1', 'HOST/messages?sessionId=1'])(
    '%s is where messages go',
    async (told) => {
      const { call, peer } = await theirs((stream, { origin }) => tell(told.replace('HOST', origin))(stream), reply, {
        headers: { authorization: 'x' },
      })
      expect(await call('x')).toMatchObject({ result: { path: '/messages?sessionId=1' } })
      expect(peer.visits[1]).toMatchObject({
        method: 'POST',
        headers: { authorization: 'x', 'content-type': 'application/json' },
      })
    },
  )

  test.each(['http://127.0.0.1:1/x', 'https://HOST/x', '//evil.example/x', 'file:///x', 'http://', 'javascript:1'])(
    'C70 %s is refused',
    async (told) => {
      const { call, onClose, peer } = await theirs((stream, { origin }) => tell(told.replace('HOST', origin.slice(7)))(stream))
      await expect(call('x')).rejects.toMatchObject({
        code: 'UNREADABLE_ANSWER',
        message: expect.stringContaining('another origin'),
      })
      expect(onClose.mock.calls).toMatchObject([[{ code: 'UNREADABLE_ANSWER' }]])
      await until(() => peer.visits[0]?.closed)
      expect(peer.visits).toHaveLength(1)
    },
  )

  test('C71 stays what it is', async () => {
    const { call, peer } = await theirs(tell('/first'), reply)
    await call('x')
    peer.visits[0]?.write('event: endpoint\ndata: /second\n\n')
    await wait(30)
    expect(await call('x')).toMatchObject({ result: { path: '/first' } })
  })

  test('is not waited for for ever', async () => {
    const { call, notify, onClose } = await theirs((stream) => stream.stream(), undefined, { acceptMs: 50 })
    await Promise.all([
      expect(call('x')).rejects.toMatchObject({ code: 'CONNECTION_LOST' }),
      expect(notify(notification('n'))).rejects.toMatchObject({ code: 'CONNECTION_LOST' }),
    ])
    expect(onClose).toHaveBeenCalledOnce()
  })
})

describe('a stream', () => {
  test('that cannot be had fails what waits', async () => {
    const refused = await theirs((stream) => stream.send(405))
    await expect(refused.call('x')).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 405 })
    const page = await theirs((stream) => stream.send(200, '<html>', { 'content-type': 'text/html' }))
    await expect(page.call('x')).rejects.toMatchObject({ code: 'UNREADABLE_ANSWER' })
    const reset = await theirs((stream) => stream.reset())
    await expect(reset.call('x')).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
  })

  test('that ends, or is reset, fails what waits at once', async () => {
    for (const fault of ['end', 'reset'] as const) {
      const { call, onClose, peer } = await theirs(tell('/post'), (visit) => visit.send(202))
      const result = call('x')
      await until(() => peer.visits.length === 2)
      await wait(20)
      const startedAt = performance.now()
      peer.visits[0]?.[fault]()
      await expect(result).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
      expect(performance.now() - startedAt).toBeLessThan(5000)
      expect(onClose.mock.calls).toMatchObject([[{ code: 'CONNECTION_LOST' }]])
      await expect(call('y')).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
    }
  })

  test('asks, and is answered with a POST', async () => {
    const { call, asked, peer } = await theirs(tell('/post'), (visit, stream) => {
      if (visit.json.result) return reply({ ...visit, json: peer.visits[1]!.json, send: (status) => visit.send(status) }, stream)
      visit.send(202)
      stream.event({ id: 0, method: 'ping' })
    })
    expect(await call('x')).toMatchObject({ result: {} })
    expect(asked).toMatchObject([{ method: 'ping' }])
    expect(peer.visits[2]?.json).toEqual({ jsonrpc: '2.0', id: 0, result: {} })
  })
})

describe('a message', () => {
  test('that is refused fails its own call only', async () => {
    const { call, notify, onClose, peer } = await theirs(tell('/post'), (visit, stream) => {
      if (visit.json.params?.name === 'bad' || visit.json.id === undefined) visit.send(500, 'broken')
      else if (visit.json.params.name === 'gone') visit.send(404)
      else reply(visit, stream)
    })
    await expect(call('bad')).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 500, body: 'broken' })
    await expect(call('gone')).rejects.toMatchObject({ code: 'SESSION_LOST' })
    await expect(notify(notification('n'))).rejects.toMatchObject({ code: 'HTTP_STATUS' })
    expect(await call('good')).toMatchObject({ result: {} })
    expect(onClose).not.toHaveBeenCalled()
    expect(peer.visits.some(({ json }) => json?.method === 'notifications/cancelled')).toBe(false)
  })
})

test('nothing is left after the end', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const { call, close, onClose, peer } = await theirs(tell('/post'), () => {})
  const pending = expect(call('x')).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false })
  await until(() => peer.visits.length === 2)
  await close()
  await pending
  expect(onClose.mock.calls).toEqual([[undefined]])
  await until(() => peer.visits.every(({ closed }) => closed))
  await until(() => timers() <= before)
})
