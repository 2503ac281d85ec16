import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { ConnectionLost, RpcError } from '../jsonrpc/errors.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import { success } from '../jsonrpc/message.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/surface.ts'
import { createClient } from './client.ts'
import type { ClientOptions } from './client-options.ts'
import { InvalidResult, TimeoutError } from './errors.ts'
import type { ClientEvent } from './options.ts'
import type { Client } from './surface.ts'

const info = { name: 'test', version: '1.0.0' }

function clientOf(exchange: Exchange, options: ClientOptions = {}, mirrors = false): Client {
  const connection = { exchange, mirrors, status: 'open' as const, close: async () => {} }
  return createClient(() => connection, options).client
}

function rich(): Server {
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

describe('using a server', () => {
  it('lists over pages, calls, reads, prompts, completes, discovers', async () => {
    const client = clientOf(rich().exchange)
    expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['add', 'greet', 'slow'])
    expect(await client.callTool('add', { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } })
    expect((await client.read('memo://7')).contents).toMatchObject([{ text: 'memo 7' }])
    expect(await client.resources().toArray()).toMatchObject([{ uri: 'memo://1' }])
    expect(await client.templates().toArray()).toMatchObject([{ uriTemplate: 'memo://{id}' }])
    expect((await client.getPrompt('p', { code: 'x' })).messages[0]?.content).toMatchObject({ text: 'x' })
    expect((await client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'code', value: 'a' })).values).toEqual(['a!'])
    expect(await client.discover()).toMatchObject({ instructions: 'hi', serverInfo: info })
    await expect(client.callTool('nobody')).rejects.toMatchObject({ name: 'RpcError', code: -32602 })
  })

  it('MRTR-006 MRTR-007 MRTR-008 answers questions, with defaults filled in', async () => {
    const elicit = vi.fn(({ defaults }) => ({ ...defaults, name: 'Ada' }))
    const client = clientOf(rich().exchange, { elicit })
    expect((await client.callTool('greet')).content).toEqual([{ type: 'text', text: 'hello Ada' }])
    expect(elicit.mock.calls[0]?.[0]).toMatchObject({ message: 'who?', defaults: { polite: true } })
    expect((await clientOf(rich().exchange, { elicit: () => 'decline' }).callTool('greet')).isError).toBe(true)
    await expect(clientOf(rich().exchange, { elicit: () => ({ name: 7 }) }).callTool('greet')).rejects.toMatchObject({
      code: 'UNANSWERED_INPUT',
    })
    await expect(clientOf(rich().exchange).callTool('greet')).rejects.toMatchObject({ code: -32021 })
  })

  it('MRTR-013 does not answer for ever', async () => {
    const endless: Exchange = async ({ id }) =>
      success(id, { resultType: 'input_required', inputRequests: {}, requestState: 'x' })
    await expect(clientOf(endless, { maxRounds: 3 }).callTool('x')).rejects.toBeInstanceOf(InvalidResult)
  })

  it('hears progress and logs', async () => {
    const events: ClientEvent[] = []
    const progress: number[] = []
    const client = clientOf(rich().exchange, { logLevel: 'info', onEvent: (event) => events.push(event) })
    await client.callTool('slow', {}, { onProgress: (update) => progress.push(update.progress) })
    expect(progress).toEqual([1, 2, 3])
    expect(events).toHaveLength(3)
  })

  it('BASE-022 BASE-023 reads results of old servers, and refuses unknown types', async () => {
    const old: Exchange = async ({ id }) => success(id, { content: [] })
    expect((await clientOf(old).callTool('x')).content).toEqual([])
    const odd: Exchange = async ({ id }) => success(id, { resultType: 'odd' })
    await expect(clientOf(odd).callTool('x')).rejects.toBeInstanceOf(InvalidResult)
  })
})

it('VER-003 asks again when a server refuses the version that it names among its own', async () => {
  let refusals = 0
  const exchange: Exchange = async ({ id, params }) => {
    const [version] = Object.values(params?._meta as object).filter((value) => typeof value === 'string')
    return refusals++ === 0 ? new RpcError(-32022, 'no', { supported: [version] }).response(id) : success(id, { content: [] })
  }
  expect((await clientOf(exchange).callTool('x')).content).toEqual([])
  const refusing: Exchange = async ({ id }) => new RpcError(-32022, 'no', { supported: ['1999-01-01'] }).response(id)
  await expect(clientOf(refusing).callTool('x')).rejects.toMatchObject({ code: -32022 })
})

describe('time', () => {
  it('LIFE-019 LIFE-022 LIFE-023 has a deadline that progress extends, up to a total', async () => {
    const client = clientOf(rich().exchange, { deadlines: { requestMs: 60, totalMs: 60_000 } })
    await expect(client.callTool('slow')).rejects.toBeInstanceOf(TimeoutError)
    expect((await client.callTool('slow', {}, { onProgress: () => {} })).content).toMatchObject([{ text: 'done' }])
    await expect(client.callTool('slow', {}, { onProgress: () => {}, deadlines: { totalMs: 50 } })).rejects.toBeInstanceOf(
      TimeoutError,
    )
  })

  it('LIFE-021 differs by method, if the host wants that', async () => {
    const client = clientOf(rich().exchange, {
      deadlines: { requestMs: 20 },
      methodDeadlines: { 'tools/call': { requestMs: 60_000 } },
    })
    expect((await client.callTool('slow')).content).toMatchObject([{ text: 'done' }])
    await expect(
      clientOf(rich().exchange, { methodDeadlines: { 'tools/call': { requestMs: 20 } } }).callTool('slow'),
    ).rejects.toBeInstanceOf(TimeoutError)
  })

  it('stands still while a human is asked', async () => {
    const elicit = (): Promise<{ name: string }> => new Promise((resolve) => setTimeout(() => resolve({ name: 'Ada' }), 1500))
    const client = clientOf(rich().exchange, { elicit, deadlines: { requestMs: 1000 } })
    expect((await client.callTool('greet')).content).toMatchObject([{ text: 'hello Ada' }])
  })

  it('gives up when told to, with the reason that was given', async () => {
    const reason = new Error('enough')
    const client = clientOf(rich().exchange)
    await expect(client.callTool('slow', {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), 20)
    await expect(client.callTool('slow', {}, { signal: controller.signal })).rejects.toBe(reason)
  })
})

describe('results that break their schema', () => {
  const server = createServer(info)
  server.tool('liar', { output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } }, () => ({ n: 1 }))
  const lying: Exchange = async (request, context) => {
    const response = await server.exchange(request, context)
    return request.method === 'tools/call' ? success(request.id, { content: [], structuredContent: { n: 'one' } }) : response
  }

  it('TOOL-030 are typed errors for tools that were listed', async () => {
    const client = clientOf(lying)
    expect(await client.callTool('liar')).toMatchObject({ structuredContent: { n: 'one' } })
    await client.tools().toArray()
    await expect(client.callTool('liar')).rejects.toBeInstanceOf(InvalidResult)
  })

  it('C33 C35 one bad tool does not spoil the list', async () => {
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

  it('HTTP-070 HTTP-078 mirrors arguments, and HTTP-084 learns the schema anew once when they do not fit', async () => {
    const sent: unknown[] = []
    const exchange: Exchange = async ({ id, method }, { send }) => {
      if (method === 'tools/list') return success(id, { tools: [{ name: 't', inputSchema }] })
      sent.push(send?.headers)
      return send?.headers?.['Mcp-Param-Region']
        ? success(id, { content: [] })
        : new RpcError(-32020, 'Header mismatch').response(id)
    }
    await clientOf(exchange, {}, true).callTool('t', { region: 'eu' }, { headers: { 'x-mine': '1' } })
    expect(sent).toEqual([{ 'x-mine': '1' }, { 'Mcp-Param-Region': 'eu', 'x-mine': '1' }])
  })

  it('HTTP-075 HTTP-076 leaves out tools that cannot be mirrored', async () => {
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
  it('C30 C31 ends on pages that do not', async () => {
    const circle: Exchange = async ({ id }) => success(id, { tools: [], nextCursor: 'same' })
    await expect(clientOf(circle).tools().toArray()).rejects.toThrow('circle')
    let page = 0
    const endless: Exchange = async ({ id }) => success(id, { tools: [], nextCursor: String(++page) })
    await expect(clientOf(endless).tools().toArray()).rejects.toThrow('more than 64 pages')
    expect(page).toBe(64)
  })

  it('CACHE-004 CACHE-012 keeps what has a lifetime until it changes', async () => {
    const server = rich()
    const counted = vi.fn(server.exchange)
    const client = clientOf(counted)
    await client.tools().toArray()
    await client.tools().toArray()
    const lists = () => counted.mock.calls.filter(([{ method }]) => method === 'tools/list').length
    expect(lists()).toBe(2)
    const changes = client.listen({ toolsListChanged: true })
    await changes.honoured
    server.tool('late', {}, () => 'x')
    for await (const change of changes) {
      expect(change).toEqual({ type: 'tools' })
      break
    }
    expect((await client.tools().toArray()).map(({ name }) => name)).toContain('late')
    expect(lists()).toBe(4)
  })

  it('CACHE-008 gives what is stale when nothing fresh can be had', async () => {
    let down = false
    const exchange: Exchange = async ({ id }) => {
      if (down) throw new ConnectionLost('down')
      return success(id, { contents: [{ uri: 'x:1', text: 'kept' }], ttlMs: 1 })
    }
    const client = clientOf(exchange, { cache: { staleOnErrorMs: 60_000 } })
    await client.read('x:1')
    down = true
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect((await client.read('x:1')).contents).toMatchObject([{ text: 'kept' }])
    await expect(clientOf(exchange).read('x:1')).rejects.toBeInstanceOf(ConnectionLost)
  })
})

describe('changes', () => {
  it('SUB-012 SUB-013 come back after the connection was lost, with one change for each kind', async () => {
    const server = rich()
    let cut: (() => void) | undefined
    const flaky: Exchange = (request, context) => {
      if (request.method !== 'subscriptions/listen') return server.exchange(request, context)
      return Promise.race([
        server.exchange(request, context),
        new Promise<never>((_, reject) => (cut = () => reject(new ConnectionLost('cut')))),
      ])
    }
    const events: ClientEvent[] = []
    const client = clientOf(flaky, { onEvent: (event) => events.push(event) })
    const changes = client.listen({ toolsListChanged: true, resourceSubscriptions: ['memo://1'] })
    await changes.honoured
    cut?.()
    const seen = []
    for await (const change of changes) {
      seen.push(change)
      if (seen.length === 2) break
    }
    expect(seen).toEqual([{ type: 'tools' }, { type: 'resource', uri: 'memo://1' }])
    expect(events.map(({ type }) => type)).toEqual(['lost', 'restored'])
  })

  it('end with the error of a server that refuses', async () => {
    const refusing: Exchange = async ({ id }) => new RpcError(-32601, 'no').response(id)
    const changes = clientOf(refusing).listen({ toolsListChanged: true })
    await expect(changes.honoured).rejects.toMatchObject({ code: -32601 })
    await expect(changes[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: -32601 })
  })
})
