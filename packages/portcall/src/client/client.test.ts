import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { ConnectionLostError, RpcError } from '../jsonrpc/errors.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import { success } from '../jsonrpc/message.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/types.ts'
import type { ClientOptions } from './client.ts'
import { createClient } from './client.ts'
import { InvalidResultError, TimeoutError } from './errors.ts'
import type { ClientEvent } from './options.ts'
import type { Client } from './types.ts'

const info = { name: 'test', version: '1.0.0' }

function clientOf(exchange: Exchange, options: ClientOptions = {}, sendsParamHeaders = false): Client {
  const connection = { exchange, sendsParamHeaders, status: 'connected' as const, protocolVersion: '', close: async () => {} }
  return createClient(() => connection, options).client
}

function createTestServer(): Server {
  const server = createServer(info, { instructions: 'hi', cache: { tools: { ttlMs: 60_000 } }, pageSize: 2 })
  server.tool(
    'add',
    { input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ sum: a + b }),
  )
  server.tool('greet', {}, async (_args, call) => {
    const { name } = await call.elicit('who?', z.object({ name: z.string(), polite: z.boolean().default(true) }))
    return `hello ${name}`
  })
  server.tool('slow', {}, async (_args, call) => {
    for (let step = 1; step <= 3; step++) {
      await new Promise((resolve) => setTimeout(resolve, 30))
      call.progress(step, 3)
      call.log('error', step)
    }
    return 'done'
  })
  server.resource('memo://{id}', { list: () => [{ uri: 'memo://1', name: '1' }] }, ({ id }) => `memo ${id}`)
  server.prompt(
    'p',
    { arguments: z.object({ code: z.string() }), complete: { code: (value) => [`${value}!`] } },
    ({ code }) => code,
  )
  return server
}

describe('requests', () => {
  it('lists over pages, calls, reads, prompts, completes, discovers', async () => {
    const client = clientOf(createTestServer().exchange)
    expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['add', 'greet', 'slow'])
    expect(await client.callTool('add', { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } })
    expect((await client.readResource('memo://7')).contents).toMatchObject([{ text: 'memo 7' }])
    expect(await client.resources().toArray()).toMatchObject([{ uri: 'memo://1' }])
    expect(await client.resourceTemplates().toArray()).toMatchObject([{ uriTemplate: 'memo://{id}' }])
    expect((await client.getPrompt('p', { code: 'x' })).messages[0]?.content).toMatchObject({ text: 'x' })
    expect((await client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'code', value: 'a' })).values).toEqual(['a!'])
    expect(await client.discover()).toMatchObject({ instructions: 'hi', serverInfo: info })
    await expect(client.callTool('nobody')).rejects.toMatchObject({ name: 'RpcError', code: -32602 })
  })

  it('MRTR-006 MRTR-007 MRTR-008 handles input requests and applies the defaults of the schema', async () => {
    const elicit = vi.fn(({ defaults }) => ({ ...defaults, name: 'Ada' }))
    const client = clientOf(createTestServer().exchange, { elicit })
    expect((await client.callTool('greet')).content).toEqual([{ type: 'text', text: 'hello Ada' }])
    expect(elicit.mock.calls[0]?.[0]).toMatchObject({ message: 'who?', defaults: { polite: true } })
    expect((await clientOf(createTestServer().exchange, { elicit: () => 'decline' }).callTool('greet')).isError).toBe(true)
    await expect(clientOf(createTestServer().exchange, { elicit: () => ({ name: 7 }) }).callTool('greet')).rejects.toMatchObject({
      code: 'INPUT_HANDLER_FAILED',
    })
    await expect(clientOf(createTestServer().exchange).callTool('greet')).rejects.toMatchObject({ code: -32021 })
  })

  it('MRTR-013 limits the input round trips of a call', async () => {
    const endless: Exchange = async ({ id }) =>
      success(id, { resultType: 'input_required', inputRequests: {}, requestState: 'x' })
    await expect(clientOf(endless, { maxRoundTrips: 3 }).callTool('x')).rejects.toBeInstanceOf(InvalidResultError)
  })

  it('reports progress and log messages', async () => {
    const events: ClientEvent[] = []
    const progress: number[] = []
    const client = clientOf(createTestServer().exchange, { logLevel: 'info', onEvent: (event) => events.push(event) })
    await client.callTool('slow', {}, { onProgress: (update) => progress.push(update.progress) })
    expect(progress).toEqual([1, 2, 3])
    expect(events).toHaveLength(3)
  })

  it('BASE-022 BASE-023 accepts results without a resultType and rejects unknown types', async () => {
    const untyped: Exchange = async ({ id }) => success(id, { content: [] })
    expect((await clientOf(untyped).callTool('x')).content).toEqual([])
    const unknown: Exchange = async ({ id }) => success(id, { resultType: 'odd' })
    await expect(clientOf(unknown).callTool('x')).rejects.toBeInstanceOf(InvalidResultError)
  })
})

it('VER-003 retries when a server rejects a version that it lists as supported', async () => {
  let rejections = 0
  const exchange: Exchange = async ({ id, params }) => {
    const [version] = Object.values(params?._meta as object).filter((value) => typeof value === 'string')
    return rejections++ === 0 ? new RpcError(-32022, 'no', { supported: [version] }).response(id) : success(id, { content: [] })
  }
  expect((await clientOf(exchange).callTool('x')).content).toEqual([])
  const rejecting: Exchange = async ({ id }) => new RpcError(-32022, 'no', { supported: ['1999-01-01'] }).response(id)
  await expect(clientOf(rejecting).callTool('x')).rejects.toMatchObject({ code: -32022 })
})

it.each([
  [{ timeout: 5 }, 'tools/call: options: unknown option "timeout". Pass timeouts: { requestTimeoutMs }'],
  [{ maxTotalTimeout: 5 }, 'unknown option "maxTotalTimeout". Pass timeouts: { totalTimeoutMs }'],
  [{ onprogress() {} }, 'unknown option "onprogress". Pass a function as "onProgress"'],
  [{ header: {} }, 'unknown option "header". Did you mean "headers"?'],
  [
    { timeouts: { requestTimeout: 5 } },
    'tools/call: timeouts: unknown option "requestTimeout". Did you mean "requestTimeoutMs"?',
  ],
])('a call refuses options that it would ignore: %j', async (options, message) => {
  const client = clientOf(createTestServer().exchange)
  await expect(client.callTool('add', { a: 1, b: 2 }, options as never)).rejects.toThrow(message)
})

describe('timeouts', () => {
  it('LIFE-019 LIFE-022 LIFE-023 progress extends the request timeout up to the total timeout', async () => {
    const client = clientOf(createTestServer().exchange, { timeouts: { requestTimeoutMs: 60, totalTimeoutMs: 60_000 } })
    await expect(client.callTool('slow')).rejects.toBeInstanceOf(TimeoutError)
    expect((await client.callTool('slow', {}, { onProgress: () => {} })).content).toMatchObject([{ text: 'done' }])
    await expect(client.callTool('slow', {}, { onProgress: () => {}, timeouts: { totalTimeoutMs: 50 } })).rejects.toBeInstanceOf(
      TimeoutError,
    )
  })

  it('LIFE-021 can be set for each method', async () => {
    const client = clientOf(createTestServer().exchange, {
      timeouts: { requestTimeoutMs: 20 },
      methodTimeouts: { 'tools/call': { requestTimeoutMs: 60_000 } },
    })
    expect((await client.callTool('slow')).content).toMatchObject([{ text: 'done' }])
    await expect(
      clientOf(createTestServer().exchange, { methodTimeouts: { 'tools/call': { requestTimeoutMs: 20 } } }).callTool('slow'),
    ).rejects.toBeInstanceOf(TimeoutError)
  })

  it('are paused while the user is asked for input', async () => {
    const elicit = (): Promise<{ name: string }> => new Promise((resolve) => setTimeout(() => resolve({ name: 'Ada' }), 1500))
    const client = clientOf(createTestServer().exchange, { elicit, timeouts: { requestTimeoutMs: 1000 } })
    expect((await client.callTool('greet')).content).toMatchObject([{ text: 'hello Ada' }])
  })

  it('a call rejects with the abort reason', async () => {
    const reason = new Error('enough')
    const client = clientOf(createTestServer().exchange)
    await expect(client.callTool('slow', {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), 20)
    await expect(client.callTool('slow', {}, { signal: controller.signal })).rejects.toBe(reason)
  })
})

describe('results that violate their output schema', () => {
  const server = createServer(info)
  server.tool('count', { output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } }, () => ({ n: 1 }))
  const misbehaving: Exchange = async (request, context) => {
    const response = await server.exchange(request, context)
    return request.method === 'tools/call' ? success(request.id, { content: [], structuredContent: { n: 'one' } }) : response
  }

  it('TOOL-030 are typed errors for tools that were listed before', async () => {
    const client = clientOf(misbehaving)
    expect(await client.callTool('count')).toMatchObject({ structuredContent: { n: 'one' } })
    await client.tools().toArray()
    await expect(client.callTool('count')).rejects.toBeInstanceOf(InvalidResultError)
  })

  it('C33 C35 one invalid tool does not affect the list', async () => {
    const tools = [
      { name: 'remote', inputSchema: { type: 'object' }, outputSchema: { $ref: 'https://example.com/x' } },
      { name: 'odd', inputSchema: { type: 'object' }, outputSchema: { type: 42 } },
    ]
    const events: ClientEvent[] = []
    const client = clientOf(
      async ({ id, method }) => success(id, method === 'tools/list' ? { tools } : { content: [], structuredContent: 1 }),
      {
        onEvent: (event) => events.push(event),
      },
    )
    expect(await client.tools().toArray()).toHaveLength(2)
    expect(await client.callTool('remote')).toMatchObject({ structuredContent: 1 })
    expect(await client.callTool('odd')).toMatchObject({ structuredContent: 1 })
    expect(events[0]).toMatchObject({ type: 'warning', message: expect.stringContaining('remote') })
  })
})

describe('headers', () => {
  const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }

  it('HTTP-070 HTTP-078 sends arguments as headers, and HTTP-084 lists the tools again once after a mismatch', async () => {
    const sent: unknown[] = []
    const exchange: Exchange = async ({ id, method }, { outgoing }) => {
      if (method === 'tools/list') return success(id, { tools: [{ name: 't', inputSchema }] })
      sent.push(outgoing?.headers)
      return outgoing?.headers?.['Mcp-Param-Region']
        ? success(id, { content: [] })
        : new RpcError(-32020, 'Header mismatch').response(id)
    }
    await clientOf(exchange, {}, true).callTool('t', { region: 'eu' }, { headers: { 'x-mine': '1' } })
    expect(sent).toEqual([{ 'x-mine': '1' }, { 'Mcp-Param-Region': 'eu', 'x-mine': '1' }])
  })

  it('HTTP-070 sends arguments of a call that is sent as a plain request as headers, too', async () => {
    const sent: unknown[] = []
    const exchange: Exchange = async ({ id, method }, { outgoing }) => {
      if (method === 'tools/list') return success(id, { tools: [{ name: 't', inputSchema }] })
      sent.push(outgoing?.headers)
      return success(id, { content: [] })
    }
    const client = clientOf(exchange, {}, true)
    await client.tools().toArray()
    await client.request('tools/call', { name: 't', arguments: { region: 'eu' } })
    await client.request('tools/call', { name: 'unknown' })
    await client.request('prompts/get', { name: 't', arguments: { region: 'eu' } })
    expect(sent).toEqual([{ 'Mcp-Param-Region': 'eu' }, undefined, undefined])
  })

  it('HTTP-075 HTTP-076 leaves out tools with invalid header parameters', async () => {
    const bad = { type: 'object', properties: { n: { type: 'number', 'x-mcp-header': 'N' } } }
    const exchange: Exchange = async ({ id }) =>
      success(id, {
        tools: [
          { name: 'bad', inputSchema: bad },
          { name: 'good', inputSchema },
        ],
      })
    const events: ClientEvent[] = []
    expect(
      await clientOf(exchange, { onEvent: (event) => events.push(event) }, true)
        .tools()
        .toArray(),
    ).toMatchObject([{ name: 'good' }])
    expect(events).toMatchObject([{ type: 'warning', message: expect.stringContaining('bad') }])
    expect(await clientOf(exchange).tools().toArray()).toHaveLength(2)
  })
})

describe('lists and caches', () => {
  it('C30 C31 stops at repeated cursors and endless pages', async () => {
    const repeating: Exchange = async ({ id }) => success(id, { tools: [], nextCursor: 'same' })
    expect(await clientOf(repeating).tools().toArray()).toEqual([])
    let page = 0
    const endless: Exchange = async ({ id }) => success(id, { tools: [{ name: `tool ${++page}` }], nextCursor: String(page) })
    expect(await clientOf(endless).tools().toArray()).toHaveLength(64)
    expect(page).toBe(64)
  })

  it('CACHE-004 CACHE-012 caches results with a ttlMs until they change', async () => {
    const server = createTestServer()
    const counted = vi.fn(server.exchange)
    const client = clientOf(counted)
    await client.tools().toArray()
    await client.tools().toArray()
    const lists = () => counted.mock.calls.filter(([{ method }]) => method === 'tools/list').length
    expect(lists()).toBe(2)
    const changes = client.listen({ toolsListChanged: true })
    await changes.acknowledged
    server.tool('added', {}, () => 'x')
    for await (const change of changes) {
      expect(change).toEqual({ type: 'tools' })
      break
    }
    expect((await client.tools().toArray()).map(({ name }) => name)).toContain('added')
    expect(lists()).toBe(4)
  })

  it('CACHE-008 returns a stale result when the request fails', async () => {
    let down = false
    const exchange: Exchange = async ({ id }) => {
      if (down) throw new ConnectionLostError('down')
      return success(id, { contents: [{ uri: 'x:1', text: 'cached' }], ttlMs: 1 })
    }
    const client = clientOf(exchange, { cache: { staleIfErrorTtlMs: 60_000 } })
    await client.readResource('x:1')
    down = true
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect((await client.readResource('x:1')).contents).toMatchObject([{ text: 'cached' }])
    await expect(clientOf(exchange).readResource('x:1')).rejects.toBeInstanceOf(ConnectionLostError)
  })
})

describe('subscriptions', () => {
  it('SUB-012 SUB-013 resubscribe after a disconnect and deliver one change of each kind', async () => {
    const server = createTestServer()
    let disconnect: (() => void) | undefined
    const unreliable: Exchange = (request, context) => {
      if (request.method !== 'subscriptions/listen') return server.exchange(request, context)
      return Promise.race([
        server.exchange(request, context),
        new Promise<never>((_, reject) => (disconnect = () => reject(new ConnectionLostError('disconnected')))),
      ])
    }
    const events: ClientEvent[] = []
    const client = clientOf(unreliable, { onEvent: (event) => events.push(event) })
    const changes = client.listen({ toolsListChanged: true, resourceSubscriptions: ['memo://1'] })
    await changes.acknowledged
    disconnect?.()
    const seen = []
    for await (const change of changes) {
      seen.push(change)
      if (seen.length === 2) break
    }
    expect(seen).toEqual([{ type: 'tools' }, { type: 'resource', uri: 'memo://1' }])
    expect(events.map(({ type }) => type)).toEqual(['disconnected', 'reconnected'])
  })

  it('end with the error of a server that rejects them', async () => {
    const rejecting: Exchange = async ({ id }) => new RpcError(-32601, 'no').response(id)
    const changes = clientOf(rejecting).listen({ toolsListChanged: true })
    await expect(changes.acknowledged).rejects.toMatchObject({ code: -32601 })
    await expect(changes[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: -32601 })
  })
})
