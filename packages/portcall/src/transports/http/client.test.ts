import { describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../../../test/support/free-port.mjs'
import { createTestCore, type TestCore } from '../../../test-kit/core.ts'
import { eventually } from '../../../test-kit/eventually.ts'
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
import { envelope } from '../../../test-kit/raw.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isSuccess, type Notification, type Request, type Response } from '../../jsonrpc/message.ts'
import { createHttpExchange, type HttpExchange } from './client.ts'
import { createWebFetch } from './fetch-client.ts'
import { createNodeFetch } from './node-client.ts'
import type { HttpClientOptions } from './remote.ts'

const WAYS = { node: createNodeFetch, web: createWebFetch }
const NEVER = new AbortController().signal

let lastId = 0
const request = (method: string, params: object = {}): Request => ({
  jsonrpc: '2.0',
  id: ++lastId,
  method,
  params: { ...params, _meta: envelope() },
})
const call = (name: string, args: object = {}): Request => request('tools/call', { name, arguments: args })

interface Client extends HttpExchange {
  readonly notifications: Notification[]
  send(request: Request, context?: Partial<ExchangeContext>): Promise<Response>
}

describe.each(Object.keys(WAYS) as Array<keyof typeof WAYS>)('over %s', (way) => {
  function open(url: string, options: Partial<HttpClientOptions> = {}): Client {
    const fetch = WAYS[way]()
    const http = createHttpExchange({ url, fetch, ...options })
    cleanup(async () => {
      await http.close()
      fetch.close()
    })
    const notifications: Notification[] = []
    const notify = (notification: Notification): void => void notifications.push(notification)
    return { ...http, notifications, send: (message, context) => http.exchange(message, { signal: NEVER, notify, ...context }) }
  }

  async function ours(options: ServeOptions = {}): Promise<Client & { core: TestCore }> {
    const core = createTestCore()
    const { url } = await serveExchange(core.exchange, options)
    return { ...open(url), core }
  }

  async function theirs(
    answer: (visit: Visit, count: number) => void,
    options: Partial<HttpClientOptions> = {},
  ): Promise<Client & { peer: PeerServer }> {
    const server = await peer(answer)
    return { ...open(server.url, options), peer: server }
  }

  describe('a server of ours', () => {
    test('answers with one JSON text', async () => {
      const { send } = await ours()
      expect(await send(call('add', { a: 1, b: 2 }))).toMatchObject({ id: lastId, result: { content: [{ text: '3' }] } })
    })

    test('tells of progress first', async () => {
      const { send, notifications } = await ours()
      expect(await send(call('progress', { times: 500, wait: true }))).toMatchObject({
        result: { content: [{ text: 'told 500' }] },
      })
      expect(notifications.map(({ params }) => params?.progress)).toEqual(Array.from({ length: 500 }, (_, at) => at + 1))
    })

    test('answers errors with statuses of their own', async () => {
      const { send } = await ours()
      expect(await send(request('no/such'))).toMatchObject({ id: lastId, error: { code: -32601 } })
      expect(await send(call('nothing'))).toMatchObject({ id: lastId, error: { code: -32602 } })
      const unknown = request('tools/list')
      unknown.params!._meta = { ...envelope(), 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
      expect(await send(unknown)).toMatchObject({ error: { code: -32022, data: { supported: ['2026-07-28'] } } })
    })

    test('sees the headers that a caller adds', async () => {
      const { send } = await ours()
      const result = send(call('header', { region: 'eu' }), { send: { headers: { 'Mcp-Param-Region': 'eu' } } })
      expect(await result).toMatchObject({ result: { content: [{ text: 'eu eu' }] } })
    })

    test('C38 accepts names of any alphabet', async () => {
      const { send } = await ours()
      for (const name of ['größe', ' x ', '=?base64?eA==?=', 'a\r\nb', ''])
        expect(await send(call(name))).toMatchObject({
          error: { code: -32602, message: expect.stringContaining('unknown tool') },
        })
    })

    test('C41 hears that a call is given up, at once', async () => {
      const { send, core } = await ours()
      for (const say of [false, true]) {
        const controller = new AbortController()
        const reason = new Error('changed my mind')
        const result = send(call('hold', { say, name: `say ${say}` }), { signal: controller.signal })
        await until(() => core.running === 1)
        controller.abort(reason)
        await expect(result).rejects.toBe(reason)
        await until(() => core.events.includes(`abort say ${say}`))
      }
    })

    test('keeps a subscription open', async () => {
      const { send, core, notifications, close } = await ours()
      const controller = new AbortController()
      const listening = send(request('subscriptions/listen', { notifications: { toolsListChanged: true } }), {
        signal: controller.signal,
      })
      await until(() => notifications.length === 1)
      core.change()
      await until(() => notifications.length === 2)
      core.end()
      expect(await listening).toMatchObject({ result: { _meta: {} } })
      const again = send(request('subscriptions/listen'))
      await until(() => notifications.length === 3)
      await close()
      await expect(again).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false })
      await until(() => core.last?.signal.aborted)
      await expect(send(call('add'))).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false })
    })

    test('is reached again after it was away', async () => {
      const core = createTestCore()
      const first = await serveExchange(core.exchange, { port: await freePort() })
      const { send } = open(first.url)
      expect(isSuccess(await send(call('add')))).toBe(true)
      const [lost] = await Promise.allSettled([send(call('deaf')), until(() => core.running === 1).then(() => first.close())])
      expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'CONNECTION_LOST', retryable: true } })
      // A connection that was kept may be found to be closed first.
      await eventually(() =>
        expect(send(call('add'))).rejects.toMatchObject({
          code: 'CONNECTION_LOST',
          message: expect.stringContaining('ECONNREFUSED'),
        }),
      )
      await serveExchange(core.exchange, { port: first.port })
      expect(isSuccess(await send(call('add')))).toBe(true)
    })
  })

  describe('a request', () => {
    test('says what the specification wants', async () => {
      const { send, peer } = await theirs((visit) => visit.result())
      await send(request('resources/read', { uri: 'file:///ä b' }), {
        send: { headers: { 'X-Trace': '1', 'Mcp-Method': 'evil', ACCEPT: 'evil' } },
      })
      expect(peer.visits[0]).toMatchObject({
        method: 'POST',
        path: '/mcp',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'resources/read',
          'mcp-name': `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode('file:///ä b')))}?=`,
          'x-trace': '1',
        },
      })
      await send(request('tools/list'))
      expect(peer.visits[1]?.headers).not.toHaveProperty('mcp-name')
      expect(peer.visits[1]?.headers).not.toHaveProperty('x-trace')
    })

    test('carries headers that are made anew each time', async () => {
      let count = 0
      const { send, peer } = await theirs((visit) => visit.result(), {
        headers: async () => [['Authorization', `Bearer ${++count}`]],
      })
      for (const _ of [1, 2]) await send(request('tools/list'))
      expect(peer.visits.map(({ headers }) => headers.authorization)).toEqual(['Bearer 1', 'Bearer 2'])
    })

    test('is not sent with a header that cannot be', async () => {
      const { send, peer } = await theirs((visit) => visit.result())
      await expect(send(request('tools/list'), { send: { headers: { 'X-A': 'a\r\nb: c' } } })).rejects.toThrow(TypeError)
      await expect(send(request('tools/list'), { send: { headers: { 'X A': 'a' } } })).rejects.toThrow(TypeError)
      expect(() => open(peer.url, { headers: { 'X-A': 'a\nb' } })).toThrow(TypeError)
      for (const url of ['ftp://localhost', 'http://user:secret@localhost', 'file:///etc'])
        expect(() => open(url)).toThrow(TypeError)
      expect(peer.visits).toEqual([])
    })

    test('that was given up from the start is not sent', async () => {
      const { send, peer } = await theirs((visit) => visit.result())
      await expect(send(request('tools/list'), { signal: AbortSignal.abort('no') })).rejects.toBe('no')
      expect(peer.visits).toEqual([])
    })

    test('uses the connection of the one before, also after a stream', async () => {
      let ended = 0
      const { send, peer } = await theirs((visit) => {
        const body = `data: ${JSON.stringify({ jsonrpc: '2.0', id: visit.json.id, result: {} })}\n\n`
        visit.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n')
        visit.write(`${body.length.toString(16)}\r\n${body}\r\n`)
        setTimeout(() => {
          visit.write('0\r\n\r\n')
          ended++
        }, 20)
      })
      const turn = async (): Promise<void> => {
        const before = ended
        await send(request('tools/list'))
        await until(() => ended > before)
        await wait(100)
      }
      await turn()
      // Who stands still for longer than the rest of a stream is waited for lets go of its connection.
      await eventually(async () => {
        const before = peer.connections
        for (let times = 0; times < 3; times++) await turn()
        expect(peer.connections).toBe(before)
      })
    })
  })

  describe('an answer', () => {
    const answering = (body: string, headers: Record<string, string> = {}, status = 200) =>
      theirs((visit) =>
        visit.send(status, body.replaceAll('ID', visit.json.id), { 'content-type': 'application/json', ...headers }),
      )
    const streaming = (body: string, headers: Record<string, string> = {}) =>
      theirs((visit) => {
        visit.stream(headers)
        visit.write(body.replaceAll('ID', visit.json.id))
        visit.end()
      })
    const good = '{"jsonrpc":"2.0","id":ID,"result":{"x":1}}'

    test('may name its character set, and begin with a byte order mark', async () => {
      for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
        const { send } = await answering(`\ufeff${good}`, { 'content-type': type })
        expect(await send(call('x'))).toMatchObject({ result: { x: 1 } })
      }
      const { send } = await streaming(`data: ${good}\n\n`, { 'content-type': 'text/event-stream;charset=UTF-8' })
      expect(await send(call('x'))).toMatchObject({ result: { x: 1 } })
    })

    test('may be an error that names no request', async () => {
      for (const id of ['"id":null,', '']) {
        const { send } = await answering(`{"jsonrpc":"2.0",${id}"error":{"code":-32600,"message":"no"}}`, {}, 400)
        expect(await send(call('x'))).toEqual({ jsonrpc: '2.0', id: lastId, error: { code: -32600, message: 'no' } })
      }
    })

    test.each([
      ['C07 to another id', '{"jsonrpc":"2.0","id":"ID","result":{}}'],
      ['C08 to nothing', '{"jsonrpc":"2.0","id":null,"result":{}}'],
      ['C08 to __proto__', '{"jsonrpc":"2.0","id":"__proto__","result":{}}'],
      ['C09 with a result and an error', '{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":"x"}}'],
      ['with another version', '{"jsonrpc":"1.0","id":ID,"result":{}}'],
      ['that is no object', '[1]'],
      ['that is not JSON', '{'],
      ['that is empty', ''],
      ['C11 that is nested deeply', `{"jsonrpc":"2.0","id":ID,"result":{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`],
    ])('%s is none', async (_, body) => {
      const inOne = await answering(body)
      await expect(inOne.send(call('x'))).rejects.toMatchObject({
        code: expect.stringMatching(/UNREADABLE_ANSWER|CONNECTION_LOST/),
      })
      const inEvents = await streaming(`data: ${body}\n\ndata: ${good}\n\n`)
      expect(await inEvents.send(call('x'))).toMatchObject({ id: lastId, result: { x: 1 } })
    })

    test('C10 cannot change what all objects have', async () => {
      const { send } = await answering('{"jsonrpc":"2.0","id":ID,"result":{"__proto__":{"polluted":1}}}')
      await send(call('x'))
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    })

    test('C14 comes after 100,000 notifications', async () => {
      const note = 'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}\n\n'
      const { send, notifications } = await streaming(`${note.repeat(100_000)}data: ${good}\n\n`)
      expect(await send(call('x'))).toMatchObject({ result: { x: 1 } })
      expect(notifications).toHaveLength(100_000)
    })

    test('is not read faster than its reader takes it', async () => {
      const note = `data: {"jsonrpc":"2.0","method":"n","params":{"x":"${'x'.repeat(1000)}"}}\n\n`
      const { send, peer } = await theirs((visit) => {
        visit.stream()
        visit.write(note.repeat(50_000))
      })
      const controller = new AbortController()
      const result = send(call('x'), {
        signal: controller.signal,
        notify: () => new Promise((go) => controller.signal.addEventListener('abort', () => go())),
      })
      await until(() => peer.visits.length === 1)
      await wait(300)
      expect(peer.visits[0]?.socket.writableLength).toBeGreaterThan(30_000_000)
      controller.abort()
      await expect(result).rejects.toThrow()
    })

    test('may be given up while its reader is busy', async () => {
      const { send, peer, close } = await theirs((visit) => {
        visit.stream()
        visit.write(`data: {"jsonrpc":"2.0","method":"n"}\n\n`.repeat(100_000))
      })
      let go = (): void => {}
      const result = send(call('x'), { notify: () => new Promise((resolve) => (go = resolve)) })
      await until(() => peer.visits.length === 1)
      await wait(50)
      await close()
      await until(() => peer.visits[0]?.closed)
      go()
      await expect(result).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false })
    })

    test('C16 that is not UTF-8 is none', async () => {
      const broken = (visit: Visit) =>
        Buffer.concat([
          Buffer.from(`{"jsonrpc":"2.0","id":${visit.json.id},"result":{"x":"`),
          Buffer.from([0xff]),
          Buffer.from('"}}'),
        ])
      const inOne = await theirs((visit) => {
        visit.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n`)
        visit.write(broken(visit))
        visit.end()
      })
      await expect(inOne.send(call('x'))).rejects.toMatchObject({ code: 'UNREADABLE_ANSWER' })
      const inEvents = await theirs((visit) => {
        visit.stream()
        visit.write(Buffer.concat([Buffer.from('data: '), broken(visit), Buffer.from('\n\n')]))
        visit.end()
      })
      await expect(inEvents.send(call('x'))).rejects.toMatchObject({
        code: 'UNREADABLE_ANSWER',
        message: expect.stringContaining('UTF-8'),
      })
    })

    test('C20 with an event that never ends is given up', async () => {
      const { send, peer } = await theirs((visit) => {
        visit.stream()
        const piece = Buffer.alloc(1 << 20, 'x')
        const more = (left: number): void => void (left > 0 && visit.socket.write(piece, (error) => error ?? more(left - 1)))
        more(200)
      })
      await expect(send(call('x'))).rejects.toMatchObject({
        code: 'UNREADABLE_ANSWER',
        message: expect.stringContaining('4194304'),
      })
      await until(() => peer.visits[0]?.closed)
      expect(peer.visits[0]?.socket.bytesWritten).toBeLessThan(40 << 20)
    })

    test('C21 of 150 MB is given up', async () => {
      const { send, peer } = await theirs((visit) => {
        visit.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${150 << 20}\r\n\r\n`)
        const piece = Buffer.alloc(1 << 20, ' ')
        const more = (left: number): void => void (left > 0 && visit.socket.write(piece, (error) => error ?? more(left - 1)))
        more(150)
      })
      await expect(send(call('x'))).rejects.toMatchObject({
        code: 'UNREADABLE_ANSWER',
        message: expect.stringContaining('16777216'),
      })
      await until(() => peer.visits[0]?.closed)
    })

    test('C22d comes after an event that is no JSON, and one of another type', async () => {
      const onError = vi.fn()
      const { send } = await theirs(
        (visit) => {
          visit.stream()
          visit.write(
            `data: {bad\n\nevent: other\ndata: {"jsonrpc":"2.0","id":${visit.json.id},"result":{"x":2}}\n\nid: 1\ndata:\n\n`,
          )
          visit.event({ id: visit.json.id, result: { x: 1 } })
        },
        { onError },
      )
      expect(await send(call('x'))).toMatchObject({ result: { x: 1 } })
      expect(onError).toHaveBeenCalledOnce()
      expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'UNREADABLE_ANSWER' })
    })

    test('C22e whose last event is cut is lost', async () => {
      const { send } = await streaming(`data: ${good}\n`)
      await expect(send(call('x'))).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
    })

    test('C23 is waited for until the caller gives up', async () => {
      const { send, peer } = await theirs((visit) => visit.stream())
      await expect(send(call('x'), { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ name: 'TimeoutError' })
      await until(() => peer.visits[0]?.closed)
    })

    test('C23 that was kept alive and is not any more is lost', async () => {
      const { send } = await theirs(
        (visit) => {
          visit.stream()
          visit.write(':\n\n')
        },
        { idleMs: 100 },
      )
      await expect(send(call('x'))).rejects.toMatchObject({ code: 'CONNECTION_LOST', message: expect.stringContaining('100 ms') })
    })

    test('C23 that stops in the middle of a JSON text is lost', async () => {
      const { send } = await theirs(
        (visit) => visit.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"json'),
        { idleMs: 100 },
      )
      await expect(send(call('x'))).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
    })

    test('whose head comes long before its body may take its time', async () => {
      const { send } = await theirs(
        (visit) => {
          const body = JSON.stringify({ jsonrpc: '2.0', id: visit.json.id, result: {} })
          visit.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`)
          setTimeout(() => visit.write(body), 300)
        },
        { idleMs: 50 },
      )
      expect(isSuccess(await send(call('x')))).toBe(true)
    })

    test('that was never kept alive may take its time', async () => {
      const { send } = await theirs(
        (visit) => {
          visit.stream()
          setTimeout(() => visit.event({ id: visit.json.id, result: {} }), 300)
        },
        { idleMs: 50 },
      )
      expect(isSuccess(await send(call('x')))).toBe(true)
    })

    test('C24 that never begins is waited for until the caller gives up', async () => {
      const { send, peer } = await theirs(() => {})
      await expect(send(call('x'), { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ name: 'TimeoutError' })
      await until(() => peer.visits[0]?.closed)
    })

    const FAULTS: ReadonlyArray<readonly [string, (visit: Visit) => void]> = [
      ['C25 a reset', (visit) => visit.reset()],
      [
        'C25 a reset in a stream',
        (visit) => {
          visit.stream()
          visit.write(':\n\n')
          setTimeout(visit.reset, 20)
        },
      ],
      [
        'C25 a reset in a JSON text',
        (visit) => {
          visit.send(200, '{', { 'content-length': '10', 'content-type': 'application/json' })
          setTimeout(visit.reset, 20)
        },
      ],
      ['C26 an end without an answer', (visit) => visit.end()],
      [
        'C26 the end of a stream',
        (visit) => {
          visit.stream()
          visit.event({ method: 'n' })
          visit.end()
        },
      ],
      ['C26 the end of an empty stream', (visit) => visit.stream({ 'content-length': '0' })],
      [
        'the end in the middle of a chunk',
        (visit) => {
          visit.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nff\r\ndata: x')
          visit.end()
        },
      ],
      [
        'what is not HTTP',
        (visit) => {
          visit.write('hello\r\n\r\n')
          visit.end()
        },
      ],
      [
        'a change of protocols',
        (visit) => {
          visit.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')
          visit.end()
        },
      ],
    ]

    test.each(FAULTS)('%s loses the call at once', async (_, fault) => {
      let failedAt = 0
      const { send } = await theirs((visit) => {
        fault(visit)
        failedAt = performance.now()
      })
      const { reason } = (await Promise.allSettled([send(call('x'))]))[0] as PromiseRejectedResult
      expect(reason).toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
      expect(performance.now() - failedAt).toBeLessThan(5000)
    })

    test('C29 that is a page says so', async () => {
      const { send } = await answering('<html>', { 'content-type': 'text/html' })
      await expect(send(call('x'))).rejects.toMatchObject({
        code: 'UNREADABLE_ANSWER',
        message: expect.stringContaining('text/html'),
      })
    })

    test('C29 that is a status of 50 MB is read no further than needed', async () => {
      const { send, peer } = await answering('x'.repeat(50 << 20), { 'content-type': 'text/plain' }, 500)
      await expect(send(call('x'))).rejects.toMatchObject({
        code: 'HTTP_STATUS',
        status: 500,
        retryable: true,
        body: 'x'.repeat(1000),
      })
      await until(() => peer.visits[0]?.closed)
    })

    test('that wants authorization is a status, whatever its body says', async () => {
      const error = '{"jsonrpc":"2.0","id":ID,"error":{"code":-32600,"message":"who are you"}}'
      for (const status of [401, 403, 429, 500, 503]) {
        const { send } = await answering(
          error,
          { 'www-authenticate': 'Bearer resource_metadata="x"', 'retry-after': '3' },
          status,
        )
        const { reason } = (await Promise.allSettled([send(call('x'))]))[0] as PromiseRejectedResult
        expect(reason).toMatchObject({ code: 'HTTP_STATUS', status, retryable: status >= 429, error: { message: 'who are you' } })
        expect(reason.message).toContain('who are you')
        expect(reason.header('www-authenticate')).toContain('resource_metadata')
      }
    })

    test('that is a bare status is one', async () => {
      for (const status of [202, 204, 400, 404, 405]) {
        const { send } = await theirs((visit) => visit.send(status))
        await expect(send(call('x'))).rejects.toMatchObject({ code: status < 300 ? 'UNREADABLE_ANSWER' : 'HTTP_STATUS' })
      }
    })
  })

  test.runIf(way === 'node')('a connection has to be there in time', async () => {
    const server = await peer(() => {})
    const { send } = open(server.url.replace('http:', 'https:'), { connectMs: 80 })
    await expect(send(call('x'))).rejects.toMatchObject({ code: 'CONNECTION_LOST', message: expect.stringContaining('80 ms') })
    await until(() => server.open === 0)
  })

  describe('a redirect', () => {
    const redirecting = (location: (origin: string) => string, status = 307) =>
      theirs(
        (visit) => {
          if (visit.path === '/mcp') visit.send(status, '', { location: location(`http://${visit.headers.host}`) })
          else visit.result({ path: visit.path })
        },
        { headers: { authorization: 'Bearer secret', 'x-api-key': 'secret' } },
      )

    test('C61 to another origin is not followed', async () => {
      const other = await peer((visit) => visit.result())
      for (const status of [301, 302, 303, 307, 308]) {
        const { send, peer: first } = await redirecting(() => `${other.origin}/elsewhere`, status)
        const { reason } = (await Promise.allSettled([send(call('x'))]))[0] as PromiseRejectedResult
        expect(reason).toMatchObject({ code: 'HTTP_STATUS', status, message: expect.stringContaining(other.origin) })
        expect(first.visits).toHaveLength(1)
      }
      expect(other.visits).toEqual([])
      expect(other.connections).toBe(0)
    })

    test.each(['file:///etc/passwd', 'http://', 'data:,x', 'http://127.0.0.1:1/'])(
      'C29 to %s is not followed',
      async (location) => {
        const { send } = await redirecting(() => location)
        await expect(send(call('x'))).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 307 })
      },
    )

    test('to the same origin is followed once, with everything', async () => {
      for (const location of ['/mcp/', 'http://HOST/mcp/']) {
        const { send, peer } = await redirecting((origin) => location.replace('http://HOST', origin))
        expect(await send(call('x'))).toMatchObject({ result: { path: '/mcp/' } })
        expect(peer.visits[1]).toMatchObject({
          method: 'POST',
          body: peer.visits[0]?.body,
          headers: { authorization: 'Bearer secret' },
        })
      }
      const { send, peer } = await redirecting(() => '/mcp')
      await expect(send(call('x'))).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 307 })
      expect(peer.visits).toHaveLength(2)
    })
  })

  test('nothing is left after the end', async () => {
    const server = await peer((visit, count) => {
      if (count === 1) visit.result()
      else if (count === 2) visit.stream()
    })
    const before = active()
    const fetch = WAYS[way]()
    const { exchange, close } = createHttpExchange({ url: server.url, fetch })
    const controller = new AbortController()
    const add = vi.spyOn(controller.signal, 'addEventListener')
    const remove = vi.spyOn(controller.signal, 'removeEventListener')
    const context = { signal: controller.signal, notify() {} }
    await exchange(call('x'), context)
    const pending = Promise.allSettled([exchange(call('x'), context), exchange(call('x'), context)])
    await until(() => server.visits.length === 3)
    await close()
    fetch.close()
    expect(await pending).toMatchObject([{ reason: { code: 'CONNECTION_LOST' } }, { reason: { code: 'CONNECTION_LOST' } }])
    expect(add).toHaveBeenCalled()
    expect(remove).toHaveBeenCalledTimes(add.mock.calls.length)
    if (way === 'node') await until(() => server.open === 0)
    await until(() => active() <= before)
  })
})

function active(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}
