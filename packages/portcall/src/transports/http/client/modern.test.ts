import { describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../../../../test/support/free-port.mjs'
import { eventually } from '../../../../test-kit/eventually.ts'
import { requestMeta } from '../../../../test-kit/raw-connection.ts'
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
import type { ExchangeContext } from '../../../jsonrpc/exchange.ts'
import { isSuccess, type Notification, type Request, type Response } from '../../../jsonrpc/message.ts'
import { InvalidHeaderError } from '../common/invalid-header-error.ts'
import type { HttpClientOptions } from './http-client.ts'
import { createHttpExchange, type HttpExchange } from './modern.ts'
import { createNodeFetch } from './node-fetch.ts'
import { createWebFetch } from './web-fetch.ts'

const FETCHES = { node: createNodeFetch, web: createWebFetch }

/** Returns a controller, and a function that aborts with it when the client has read what the server has sent. */
function abortLater() {
  const controller = new AbortController()
  return { controller, abortSoon: () => void setTimeout(() => controller.abort(new Error('enough')), 100) }
}
const NEVER = new AbortController().signal

let lastId = 0
const request = (method: string, params: object = {}): Request => ({
  jsonrpc: '2.0',
  id: ++lastId,
  method,
  params: { ...params, _meta: requestMeta() },
})
const call = (name: string, args: object = {}): Request => request('tools/call', { name, arguments: args })

interface Client extends HttpExchange {
  readonly notifications: Notification[]
  send(request: Request, context?: Partial<ExchangeContext>): Promise<Response>
}

describe.each(Object.keys(FETCHES) as Array<keyof typeof FETCHES>)('over %s', (platform) => {
  function open(url: string, options: Partial<HttpClientOptions> = {}): Client {
    const fetch = FETCHES[platform]()
    const http = createHttpExchange({ url, fetch, ...options })
    onTestEnd(async () => {
      await http.close()
      fetch.close()
    })
    const notifications: Notification[] = []
    const notify = (notification: Notification): void => void notifications.push(notification)
    return { ...http, notifications, send: (message, context) => http.exchange(message, { signal: NEVER, notify, ...context }) }
  }

  async function connectToServer(options: ServeOptions = {}): Promise<Client & { core: TestCore }> {
    const core = createTestCore()
    const { url } = await serveExchange(core.exchange, options)
    return { ...open(url), core }
  }

  async function connectToScript(
    script: (visit: ScriptedRequest, count: number) => void,
    options: Partial<HttpClientOptions> = {},
  ): Promise<Client & { peer: ScriptedServer }> {
    const server = await startScriptedServer(script)
    return { ...open(server.url, options), peer: server }
  }

  describe('with the server of this package', () => {
    test('returns a JSON response', async () => {
      const { send } = await connectToServer()
      expect(await send(call('add', { a: 1, b: 2 }))).toMatchObject({ id: lastId, result: { content: [{ text: '3' }] } })
    })

    test('delivers progress before the result', async () => {
      const { send, notifications } = await connectToServer()
      expect(await send(call('progress', { times: 500, wait: true }))).toMatchObject({
        result: { content: [{ text: 'sent 500' }] },
      })
      expect(notifications.map(({ params }) => params?.progress)).toEqual(Array.from({ length: 500 }, (_, at) => at + 1))
    })

    test('returns errors that have an HTTP status', async () => {
      const { send } = await connectToServer()
      expect(await send(request('no/such'))).toMatchObject({ id: lastId, error: { code: -32601 } })
      expect(await send(call('nothing'))).toMatchObject({ id: lastId, error: { code: -32602 } })
      const unknown = request('tools/list')
      unknown.params!._meta = { ...requestMeta(), 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
      expect(await send(unknown)).toMatchObject({ error: { code: -32022, data: { supported: ['2026-07-28'] } } })
    })

    test('sends the headers of the call', async () => {
      const { send } = await connectToServer()
      const result = send(call('header', { region: 'eu' }), { outgoing: { headers: { 'Mcp-Param-Region': 'eu' } } })
      expect(await result).toMatchObject({ result: { content: [{ text: 'eu eu' }] } })
    })

    test('C38 accepts names in any script', async () => {
      const { send } = await connectToServer()
      for (const name of ['größe', ' x ', '=?base64?eA==?=', 'a\r\nb', ''])
        expect(await send(call(name))).toMatchObject({
          error: { code: -32602, message: expect.stringContaining('unknown tool') },
        })
    })

    test('C41 aborting a call cancels it immediately', async () => {
      const { send, core } = await connectToServer()
      for (const notify of [false, true]) {
        const controller = new AbortController()
        const reason = new Error('cancelled by the user')
        const result = send(call('hold', { notify, name: `notify ${notify}` }), { signal: controller.signal })
        await until(() => core.running === 1)
        controller.abort(reason)
        await expect(result).rejects.toBe(reason)
        await until(() => core.events.includes(`abort notify ${notify}`))
      }
    })

    test('subscribes until one side ends it', async () => {
      const { send, core, notifications, close } = await connectToServer()
      const controller = new AbortController()
      const subscription = send(request('subscriptions/listen', { notifications: { toolsListChanged: true } }), {
        signal: controller.signal,
      })
      await until(() => notifications.length === 1)
      core.notifyChange()
      await until(() => notifications.length === 2)
      core.endSubscriptions()
      expect(await subscription).toMatchObject({ result: { _meta: {} } })
      const second = send(request('subscriptions/listen'))
      await until(() => notifications.length === 3)
      await close()
      await expect(second).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false })
      await until(() => core.lastContext?.signal.aborted)
      await expect(send(call('add'))).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false })
    })

    test('reconnects after a restart of the server', async () => {
      const core = createTestCore()
      const first = await serveExchange(core.exchange, { port: await freePort() })
      const { send } = open(first.url)
      expect(isSuccess(await send(call('add')))).toBe(true)
      const [lost] = await Promise.allSettled([send(call('deaf')), until(() => core.running === 1).then(() => first.close())])
      expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'CONNECTION_LOST', retryable: true } })
      // An idle connection may turn out to be closed first.
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
    test('has the headers that the specification requires', async () => {
      const { send, peer } = await connectToScript((visit) => visit.result())
      await send(request('resources/read', { uri: 'file:///ä b' }), {
        outgoing: { headers: { 'X-Trace': '1', 'Mcp-Method': 'evil', ACCEPT: 'evil' } },
      })
      expect(peer.requests[0]).toMatchObject({
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
      expect(peer.requests[1]?.headers).not.toHaveProperty('mcp-name')
      expect(peer.requests[1]?.headers).not.toHaveProperty('x-trace')
    })

    test('calls the header function for each request', async () => {
      let count = 0
      const { send, peer } = await connectToScript((visit) => visit.result(), {
        headers: async () => [['Authorization', `Bearer ${++count}`]],
      })
      for (const _ of [1, 2]) await send(request('tools/list'))
      expect(peer.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer 1', 'Bearer 2'])
    })

    test('is not sent with an invalid header', async () => {
      const { send, peer } = await connectToScript((visit) => visit.result())
      await expect(send(request('tools/list'), { outgoing: { headers: { 'X-A': 'a\r\nb: c' } } })).rejects.toThrow(
        InvalidHeaderError,
      )
      await expect(send(request('tools/list'), { outgoing: { headers: { 'X A': 'a' } } })).rejects.toThrow(InvalidHeaderError)
      expect(() => open(peer.url, { headers: { 'X-A': 'a\nb' } })).toThrow(InvalidHeaderError)
      for (const url of ['ftp://localhost', 'http://user:secret@localhost', 'file:///etc'])
        expect(() => open(url)).toThrow(TypeError)
      expect(peer.requests).toEqual([])
    })

    test('that was aborted before is not sent', async () => {
      const { send, peer } = await connectToScript((visit) => visit.result())
      await expect(send(request('tools/list'), { signal: AbortSignal.abort('no') })).rejects.toBe('no')
      expect(peer.requests).toEqual([])
    })

    test('reuses the connection, also after a stream', async () => {
      let ended = 0
      const { send, peer } = await connectToScript((visit) => {
        const body = `data: ${JSON.stringify({ jsonrpc: '2.0', id: visit.json.id, result: {} })}\n\n`
        visit.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n')
        visit.write(`${body.length.toString(16)}\r\n${body}\r\n`)
        setTimeout(() => {
          visit.write('0\r\n\r\n')
          ended++
        }, 20)
      })
      const sendAndWait = async (): Promise<void> => {
        const before = ended
        await send(request('tools/list'))
        await until(() => ended > before)
        await sleep(100)
      }
      await sendAndWait()
      // A slow test process may exceed the drain timeout, which closes the connection.
      await eventually(async () => {
        const before = peer.connections
        for (let times = 0; times < 3; times++) await sendAndWait()
        expect(peer.connections).toBe(before)
      })
    })
  })

  describe('a response', () => {
    const respondWith = (body: string, headers: Record<string, string> = {}, status = 200) =>
      connectToScript((visit) =>
        visit.send(status, body.replaceAll('ID', visit.json.id), { 'content-type': 'application/json', ...headers }),
      )
    const streamWith = (body: string, headers: Record<string, string> = {}) =>
      connectToScript((visit) => {
        visit.stream(headers)
        visit.write(body.replaceAll('ID', visit.json.id))
        visit.close()
      })
    const valid = '{"jsonrpc":"2.0","id":ID,"result":{"x":1}}'

    test('may name its charset and start with a byte order mark', async () => {
      for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
        const { send } = await respondWith(`\ufeff${valid}`, { 'content-type': type })
        expect(await send(call('x'))).toMatchObject({ result: { x: 1 } })
      }
      const { send } = await streamWith(`data: ${valid}\n\n`, { 'content-type': 'text/event-stream;charset=UTF-8' })
      expect(await send(call('x'))).toMatchObject({ result: { x: 1 } })
    })

    test('may be an error without an id', async () => {
      for (const id of ['"id":null,', '']) {
        const { send } = await respondWith(`{"jsonrpc":"2.0",${id}"error":{"code":-32600,"message":"no"}}`, {}, 400)
        expect(await send(call('x'))).toEqual({ jsonrpc: '2.0', id: lastId, error: { code: -32600, message: 'no' } })
      }
    })

    test.each([
      ['C07 with another id', '{"jsonrpc":"2.0","id":"ID","result":{}}'],
      ['C08 with the id null', '{"jsonrpc":"2.0","id":null,"result":{}}'],
      ['C08 with the id __proto__', '{"jsonrpc":"2.0","id":"__proto__","result":{}}'],
      ['C09 with a result and an error', '{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":"x"}}'],
      ['with another JSON-RPC version', '{"jsonrpc":"1.0","id":ID,"result":{}}'],
      ['that is not an object', '[1]'],
      ['that is not JSON', '{'],
      ['that is empty', ''],
      ['C11 that is nested too deeply', `{"jsonrpc":"2.0","id":ID,"result":{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`],
    ])('%s is invalid', async (_, body) => {
      const asJson = await respondWith(body)
      await expect(asJson.send(call('x'))).rejects.toMatchObject({
        code: expect.stringMatching(/INVALID_RESPONSE|CONNECTION_LOST/),
      })
      const asStream = await streamWith(`data: ${body}\n\ndata: ${valid}\n\n`)
      expect(await asStream.send(call('x'))).toMatchObject({ id: lastId, result: { x: 1 } })
    })

    test('C10 cannot pollute prototypes', async () => {
      const { send } = await respondWith('{"jsonrpc":"2.0","id":ID,"result":{"__proto__":{"polluted":1}}}')
      await send(call('x'))
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    })

    test('C14 may follow 100,000 notifications', async () => {
      const note = 'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}\n\n'
      const { send, notifications } = await streamWith(`${note.repeat(100_000)}data: ${valid}\n\n`)
      expect(await send(call('x'))).toMatchObject({ result: { x: 1 } })
      expect(notifications).toHaveLength(100_000)
    })

    test('is read with backpressure', async () => {
      const note = `data: {"jsonrpc":"2.0","method":"n","params":{"x":"${'x'.repeat(1000)}"}}\n\n`
      const { send, peer } = await connectToScript((visit) => {
        visit.stream()
        visit.write(note.repeat(50_000))
      })
      const controller = new AbortController()
      const result = send(call('x'), {
        signal: controller.signal,
        notify: () => new Promise((resolve) => controller.signal.addEventListener('abort', () => resolve())),
      })
      await until(() => peer.requests.length === 1)
      await sleep(300)
      expect(peer.requests[0]?.socket.writableLength).toBeGreaterThan(30_000_000)
      controller.abort()
      await expect(result).rejects.toThrow()
    })

    test('can be aborted while the reader is busy', async () => {
      const { send, peer, close } = await connectToScript((visit) => {
        visit.stream()
        visit.write(`data: {"jsonrpc":"2.0","method":"n"}\n\n`.repeat(100_000))
      })
      let resume = (): void => {}
      const result = send(call('x'), { notify: () => new Promise((resolve) => (resume = resolve)) })
      await until(() => peer.requests.length === 1)
      await sleep(50)
      await close()
      await until(() => peer.requests[0]?.closed)
      resume()
      await expect(result).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false })
    })

    test('C16 that is not UTF-8 is invalid', async () => {
      const malformed = (visit: ScriptedRequest) =>
        Buffer.concat([
          Buffer.from(`{"jsonrpc":"2.0","id":${visit.json.id},"result":{"x":"`),
          Buffer.from([0xff]),
          Buffer.from('"}}'),
        ])
      const asJson = await connectToScript((visit) => {
        visit.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n`)
        visit.write(malformed(visit))
        visit.close()
      })
      await expect(asJson.send(call('x'))).rejects.toMatchObject({ code: 'INVALID_RESPONSE' })
      const asStream = await connectToScript((visit) => {
        visit.stream()
        visit.write(Buffer.concat([Buffer.from('data: '), malformed(visit), Buffer.from('\n\n')]))
        visit.close()
      })
      await expect(asStream.send(call('x'))).rejects.toMatchObject({
        code: 'INVALID_RESPONSE',
        message: expect.stringContaining('UTF-8'),
      })
    })

    test('C20 with an endless event fails', async () => {
      const { send, peer } = await connectToScript((visit) => {
        visit.stream()
        const piece = Buffer.alloc(1 << 20, 'x')
        const more = (left: number): void => void (left > 0 && visit.socket.write(piece, (error) => error ?? more(left - 1)))
        more(200)
      })
      await expect(send(call('x'))).rejects.toMatchObject({
        code: 'INVALID_RESPONSE',
        message: expect.stringContaining('4194304'),
      })
      await until(() => peer.requests[0]?.closed)
      expect(peer.requests[0]?.socket.bytesWritten).toBeLessThan(40 << 20)
    })

    test('C21 of 150 MB fails', async () => {
      const { send, peer } = await connectToScript((visit) => {
        visit.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${150 << 20}\r\n\r\n`)
        const piece = Buffer.alloc(1 << 20, ' ')
        const more = (left: number): void => void (left > 0 && visit.socket.write(piece, (error) => error ?? more(left - 1)))
        more(150)
      })
      await expect(send(call('x'))).rejects.toMatchObject({
        code: 'INVALID_RESPONSE',
        message: expect.stringContaining(String(24 << 20)),
      })
      await until(() => peer.requests[0]?.closed)
    })

    test('C22d may follow an event with invalid JSON and events of other types', async () => {
      const onError = vi.fn()
      const { send } = await connectToScript(
        (visit) => {
          visit.stream()
          visit.write(
            `data: {bad\n\nevent: other\ndata: {"jsonrpc":"2.0","id":${visit.json.id},"result":{"x":2}}\n\nevent: endpoint\ndata: /\n\nid: 1\ndata:\n\n`,
          )
          visit.event({ id: visit.json.id, result: { x: 1 } })
        },
        { onError },
      )
      expect(await send(call('x'))).toMatchObject({ result: { x: 1 } })
      expect(onError).toHaveBeenCalledOnce()
      expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'INVALID_RESPONSE' })
    })

    test('C22e with an incomplete last event is lost', async () => {
      const { send } = await streamWith(`data: ${valid}\n`)
      await expect(send(call('x'))).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
    })

    test('C23 that never ends can be aborted', async () => {
      const { controller, abortSoon } = abortLater()
      const { send, peer } = await connectToScript((visit) => {
        visit.stream()
        abortSoon()
      })
      await expect(send(call('x'), { signal: controller.signal })).rejects.toThrow('enough')
      await until(() => peer.requests[0]?.closed)
    })

    test('C23 whose heartbeats stop is lost', async () => {
      const { send } = await connectToScript(
        (visit) => {
          visit.stream()
          visit.write(':\n\n')
        },
        { idleTimeoutMs: 100 },
      )
      await expect(send(call('x'))).rejects.toMatchObject({ code: 'CONNECTION_LOST', message: expect.stringContaining('100 ms') })
    })

    test('C23 that stops in the middle of the JSON text is lost', async () => {
      const { send } = await connectToScript(
        (visit) => visit.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"json'),
        { idleTimeoutMs: 100 },
      )
      await expect(send(call('x'))).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
    })

    test('may have a long pause between head and body', async () => {
      const { send } = await connectToScript(
        (visit) => {
          const body = JSON.stringify({ jsonrpc: '2.0', id: visit.json.id, result: {} })
          visit.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`)
          setTimeout(() => visit.write(body), 300)
        },
        { idleTimeoutMs: 50 },
      )
      expect(isSuccess(await send(call('x')))).toBe(true)
    })

    test('without heartbeats has no idle timeout', async () => {
      const { send } = await connectToScript(
        (visit) => {
          visit.stream()
          setTimeout(() => visit.event({ id: visit.json.id, result: {} }), 300)
        },
        { idleTimeoutMs: 50 },
      )
      expect(isSuccess(await send(call('x')))).toBe(true)
    })

    test('C24 that never starts can be aborted', async () => {
      const { controller, abortSoon } = abortLater()
      const { send, peer } = await connectToScript(abortSoon)
      await expect(send(call('x'), { signal: controller.signal })).rejects.toThrow('enough')
      await until(() => peer.requests[0]?.closed)
    })

    const FAULTS: ReadonlyArray<readonly [string, (visit: ScriptedRequest) => void]> = [
      ['C25 a reset', (visit) => visit.reset()],
      [
        'C25 a reset within a stream',
        (visit) => {
          visit.stream()
          visit.write(':\n\n')
          setTimeout(visit.reset, 20)
        },
      ],
      [
        'C25 a reset within the JSON text',
        (visit) => {
          visit.send(200, '{', { 'content-length': '10', 'content-type': 'application/json' })
          setTimeout(visit.reset, 20)
        },
      ],
      ['C26 an end without a response', (visit) => visit.close()],
      [
        'C26 the end of a stream',
        (visit) => {
          visit.stream()
          visit.event({ method: 'n' })
          visit.close()
        },
      ],
      ['C26 the end of an empty stream', (visit) => visit.stream({ 'content-length': '0' })],
      [
        'the end within a chunk',
        (visit) => {
          visit.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nff\r\ndata: x')
          visit.close()
        },
      ],
      [
        'data that is not HTTP',
        (visit) => {
          visit.write('hello\r\n\r\n')
          visit.close()
        },
      ],
      [
        'a protocol switch',
        (visit) => {
          visit.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')
          visit.close()
        },
      ],
    ]

    test.each(FAULTS)('%s fails the request immediately', async (_, fault) => {
      let failedAt = 0
      const { send } = await connectToScript((visit) => {
        fault(visit)
        failedAt = performance.now()
      })
      const { reason } = (await Promise.allSettled([send(call('x'))]))[0] as PromiseRejectedResult
      expect(reason).toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
      expect(performance.now() - failedAt).toBeLessThan(5000)
    })

    test('C29 that is a web page is reported as such', async () => {
      const { send } = await respondWith('<html>', { 'content-type': 'text/html' })
      await expect(send(call('x'))).rejects.toMatchObject({
        code: 'INVALID_RESPONSE',
        message: expect.stringContaining('text/html'),
      })
    })

    test('C29 of 50 MB with an error status is not read to its end', async () => {
      const { send, peer } = await respondWith('x'.repeat(50 << 20), { 'content-type': 'text/plain' }, 500)
      await expect(send(call('x'))).rejects.toMatchObject({
        code: 'HTTP_STATUS',
        status: 500,
        retryable: true,
        body: 'x'.repeat(1000),
      })
      await until(() => peer.requests[0]?.closed)
    })

    test('with a status for authorization or overload is a status error, whatever the body contains', async () => {
      const error = '{"jsonrpc":"2.0","id":ID,"error":{"code":-32600,"message":"who are you"}}'
      for (const status of [401, 403, 429, 500, 503]) {
        const { send } = await respondWith(
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

    test('without a body is a status error', async () => {
      for (const status of [202, 204, 400, 404, 405]) {
        const { send } = await connectToScript((visit) => visit.send(status))
        await expect(send(call('x'))).rejects.toMatchObject({ code: status < 300 ? 'INVALID_RESPONSE' : 'HTTP_STATUS' })
      }
    })
  })

  test.runIf(platform === 'node')('connecting has a timeout', async () => {
    const server = await startScriptedServer(() => {})
    const { send } = open(server.url.replace('http:', 'https:'), { connectTimeoutMs: 80 })
    await expect(send(call('x'))).rejects.toMatchObject({ code: 'CONNECTION_LOST', message: expect.stringContaining('80 ms') })
    await until(() => server.openConnections === 0)
  })

  describe('a redirect', () => {
    const redirectTo = (location: (origin: string) => string, status = 307) =>
      connectToScript(
        (visit) => {
          if (visit.path === '/mcp') visit.send(status, '', { location: location(`http://${visit.headers.host}`) })
          else visit.result({ path: visit.path })
        },
        { headers: { authorization: 'Bearer secret', 'x-api-key': 'secret' } },
      )

    test('C61 to another origin is not followed', async () => {
      const other = await startScriptedServer((visit) => visit.result())
      for (const status of [301, 302, 303, 307, 308]) {
        const { send, peer: first } = await redirectTo(() => `${other.origin}/elsewhere`, status)
        const { reason } = (await Promise.allSettled([send(call('x'))]))[0] as PromiseRejectedResult
        expect(reason).toMatchObject({ code: 'HTTP_STATUS', status, message: expect.stringContaining(other.origin) })
        expect(first.requests).toHaveLength(1)
      }
      expect(other.requests).toEqual([])
      expect(other.connections).toBe(0)
    })

    test.each(['file:///etc/passwd', 'http://', 'data:,x', 'http://127.0.0.1:1/'])(
      'C29 to %s is not followed',
      async (location) => {
        const { send } = await redirectTo(() => location)
        await expect(send(call('x'))).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 307 })
      },
    )

    test('to the same origin is followed once, with method, body and headers', async () => {
      for (const location of ['/mcp/', 'http://HOST/mcp/']) {
        const { send, peer } = await redirectTo((origin) => location.replace('http://HOST', origin))
        expect(await send(call('x'))).toMatchObject({ result: { path: '/mcp/' } })
        expect(peer.requests[1]).toMatchObject({
          method: 'POST',
          body: peer.requests[0]?.body,
          headers: { authorization: 'Bearer secret' },
        })
      }
      const { send, peer } = await redirectTo(() => '/mcp')
      await expect(send(call('x'))).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 307 })
      expect(peer.requests).toHaveLength(2)
    })
  })

  test('closing releases everything', async () => {
    const server = await startScriptedServer((visit, count) => {
      if (count === 1) visit.result()
      else if (count === 2) visit.stream()
    })
    const before = active()
    const fetch = FETCHES[platform]()
    const { exchange, close } = createHttpExchange({ url: server.url, fetch })
    const controller = new AbortController()
    const add = vi.spyOn(controller.signal, 'addEventListener')
    const remove = vi.spyOn(controller.signal, 'removeEventListener')
    const context = { signal: controller.signal, notify() {} }
    await exchange(call('x'), context)
    const pending = Promise.allSettled([exchange(call('x'), context), exchange(call('x'), context)])
    await until(() => server.requests.length === 3)
    await close()
    fetch.close()
    expect(await pending).toMatchObject([{ reason: { code: 'CONNECTION_LOST' } }, { reason: { code: 'CONNECTION_LOST' } }])
    expect(add).toHaveBeenCalled()
    expect(remove).toHaveBeenCalledTimes(add.mock.calls.length)
    if (platform === 'node') await until(() => server.openConnections === 0)
    await until(() => active() <= before)
  })
})

function active(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}
