import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../../../../test-kit/eventually.ts'
import { MODERN_VERSION, requestMeta } from '../../../../test-kit/raw-connection.ts'
import { createTestCore } from '../../../../test-kit/test-core.ts'
import { createFetchHandler } from './fetch.ts'
import type { HttpOptions } from './options.ts'

const URL = 'http://localhost:3000/mcp'

function start(options: HttpOptions = {}) {
  const core = createTestCore()
  return { core, handler: createFetchHandler(core.exchange, options) }
}

function request(name: string, args: object = {}, init: RequestInit = {}): Request {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args, _meta: requestMeta() },
  })
  const headers = {
    'content-type': 'application/json',
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  }
  return new Request(URL, { method: 'POST', body, ...init, headers: { ...headers, ...init.headers } })
}

describe('a web request', () => {
  test('is answered with JSON', async () => {
    const { handler } = start()
    const response = await handler(request('add', { a: 1, b: 2 }))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect((await response.json()).result.content[0].text).toBe('3')
  })

  test('is answered with a stream', async () => {
    const { handler } = start()
    const response = await handler(request('progress'))
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect((await response.text()).match(/^data: /gm)).toHaveLength(4)
  })

  test('is answered together with those of the same turn of the event loop', async () => {
    const { core } = start()
    const events: string[] = []
    const exchange: typeof core.exchange = (...call) => {
      events.push('call')
      return core.exchange(...call)
    }
    const handler = createFetchHandler(exchange)
    const call = async (delay: number) => {
      for (let step = 0; step < delay; step++) await undefined
      await handler(request('add', { a: 1, b: 2 }))
      events.push('response')
    }
    await Promise.all([call(0), call(200), call(400)])
    expect(events).toEqual(['call', 'call', 'call', 'response', 'response', 'response'])
  })

  test('passes the same host check', async () => {
    const { handler } = start()
    expect((await handler(request('add', {}, { headers: { origin: 'http://evil.example' } }))).status).toBe(403)
    expect((await handler(new Request('http://evil.example/mcp'))).status).toBe(403)
    const response = await handler(new Request(URL, { method: 'PUT' }))
    expect([response.status, (await response.json()).error.code]).toEqual([405, -32600])
  })

  test('has the same limits', async () => {
    const { handler } = start({ maxBodyBytes: 1000, bodyIdleTimeoutMs: 50 })
    const post = (body: BodyInit) => handler(request('add', {}, { body, duplex: 'half' } as RequestInit))
    expect((await post('x'.repeat(1001))).status).toBe(413)
    expect((await post(new Uint8Array([0x22, 0xff, 0x22]))).status).toBe(400)
    expect((await post('\ufeff{}')).status).toBe(400)
    expect((await post(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) }))).status).toBe(408)
    expect((await post(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(100)) }))).status).toBe(413)
  })

  test('with a small declared body has the same limits, and is read without a stream', async () => {
    const { handler } = start({ maxBodyBytes: 1000, bodyIdleTimeoutMs: 50 })
    const declared = (body: BodyInit, length = 100) => {
      const init = { body, duplex: 'half', headers: { 'content-length': String(length) } } as RequestInit
      return Object.defineProperty(request('add', {}, init), 'body', { get: () => expect.unreachable('a stream was created') })
    }
    const post = async (body: BodyInit, length?: number) => {
      const response = await handler(declared(body, length))
      return [response.status, (await response.json()).error.code]
    }
    expect(await post('{"jsonrpc":"2.0","id":1,"method":"x"}')).toEqual([400, -32602])
    expect(await post('x'.repeat(1001))).toEqual([413, -32600])
    expect(await post('x', 1001)).toEqual([413, -32600])
    expect(await post(new Uint8Array([0x22, 0xff, 0x22]))).toEqual([400, -32700])
    expect(await post('\ufeff{}')).toEqual([400, -32700])
    expect(await post(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) }))).toEqual([
      408, -32600,
    ])
  })

  test('without a body is rejected', async () => {
    const { handler } = start()
    expect((await handler(request('add', {}, { body: null }))).status).toBe(400)
  })
})

describe('a client that disconnects', () => {
  test('before the response cancels the call', async () => {
    const { core, handler } = start()
    const controller = new AbortController()
    const pending = handler(request('hold', {}, { signal: controller.signal }))
    await eventually(() => expect(core.running).toBe(1))
    controller.abort()
    await eventually(() => expect([core.running, core.events.at(-1)]).toEqual([0, 'abort hold']))
    expect((await pending).status).toBe(499)
  })

  test('gets its response even if the handler ignores the signal', async () => {
    const { core, handler } = start()
    const controller = new AbortController()
    const pending = handler(request('deaf', {}, { signal: controller.signal }))
    await eventually(() => expect(core.running).toBe(1))
    controller.abort()
    expect((await pending).status).toBe(499)
    core.release()
  })

  test('is not looked for while a short call runs', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { handler } = start()
    const short = Object.defineProperty(request('add', { a: 1, b: 2 }), 'signal', { get: () => expect.unreachable('a signal') })
    expect((await handler(short)).status).toBe(200)
  })

  test('during a stream cancels the call', async () => {
    const { core, handler } = start()
    const response = await handler(request('hold', { notify: true }))
    await response.body?.cancel()
    await eventually(() => expect([core.running, core.events.at(-1)]).toEqual([0, 'abort hold']))
  })

  test('after the response cancels nothing', async () => {
    const { core, handler } = start()
    const controller = new AbortController()
    const pending = handler(request('hold', {}, { signal: controller.signal }))
    await eventually(() => expect(core.running).toBe(1))
    core.release()
    await (await pending).text()
    controller.abort()
    expect(core.events).toEqual(['start hold'])
  })
})

describe('a slow reader', () => {
  test('slows down a producer that waits', async () => {
    const { core, handler } = start({ highWaterMarkBytes: 100_000 })
    const response = await handler(request('progress', { times: 100, size: 10_000, wait: true }))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(core.running).toBe(1)
    expect((await response.text()).match(/^data: /gm)).toHaveLength(101)
    expect(core.running).toBe(0)
  })

  test('loses notifications of a producer that does not wait, but not the response', async () => {
    const { handler } = start({ highWaterMarkBytes: 10_000, maxBufferedBytes: 50_000 })
    const response = await handler(request('progress', { times: 100, size: 10_000 }))
    const events = (await response.text()).match(/^data: /gm) ?? []
    expect(events.length).toBeLessThan(10)
    expect(events.length).toBeGreaterThan(4)
  })

  test('is disconnected if it reads nothing at all', async () => {
    const { core, handler } = start({ highWaterMarkBytes: 10_000, writeTimeoutMs: 50 })
    const response = await handler(request('progress', { times: 100, size: 10_000, wait: true }))
    await eventually(() => expect(core.running).toBe(0))
    await expect(response.text()).rejects.toThrow()
  })
})

test('after close, new requests get 503', async () => {
  const { handler } = start()
  await handler.close(0)
  const response = await handler(request('add'))
  expect([response.status, (await response.json()).error.code]).toEqual([503, -32603])
})
