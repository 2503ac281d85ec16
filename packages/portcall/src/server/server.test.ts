import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { eventually } from '../../test-kit/eventually.ts'
import { callerOf } from '../../test-kit/server.ts'
import { RpcError } from '../jsonrpc/errors.ts'
import { deriveContext } from '../jsonrpc/exchange.ts'
import { ToolError } from './errors.ts'
import type { ServerEvent } from './events.ts'
import { createServer } from './server.ts'

const info = { name: 'test', version: '1.0.0' }

/** Returns a thenable that starts its work when it is awaited, as query builders do. */
const lazily = (start: (resolve: (value: string) => void, reject: (error: Error) => void) => void): Promise<string> =>
  ({ then: (...outcomes: Parameters<typeof start>) => start(...outcomes) }) as never

describe('tool results', () => {
  const events: ServerEvent[] = []
  const server = createServer(info, { onEvent: (event) => events.push(event) })
  const caller = callerOf(server)
  const call = (name: string, args = {}) => caller.result('tools/call', { name, arguments: args })

  server.tool('text', {}, () => 'hello')
  server.tool('nothing', {}, () => {})
  server.tool('blocks', {}, async () => [
    { type: 'text', text: 'a' },
    { type: 'image', data: '', mimeType: 'image/png' },
  ])
  server.tool('full', {}, () => ({ content: [], _meta: { 'example.com/x': 1 } }))
  server.tool('structured', { output: z.object({ celsius: z.number() }) }, () => ({ celsius: 21 }))
  server.tool('any', { output: { type: ['number', 'null'] } }, () => null)
  server.tool('wrong', { output: z.object({ celsius: z.number() }) }, () => ({ celsius: 'warm' }) as never)
  server.tool('shown', {}, () => {
    throw new ToolError('the city does not exist')
  })
  server.tool('hidden', {}, () => {
    throw new Error('password=hunter2')
  })
  server.tool('rpc', {}, () => {
    throw new RpcError(-40000, 'mine', { a: 1 })
  })
  server.tool('lazy', {}, () => lazily((resolve) => resolve('in time')))
  server.tool('lazily-wrong', {}, () => lazily((_, reject) => reject(new ToolError('not today'))))
  server.tool('never', { timeoutMs: 20 }, () => lazily(() => {}))
  server.tool('slow', { timeoutMs: 20 }, async (_args, { signal }) => {
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })

  it('TOOL-021 TOOL-023 are created from what a handler returns', async () => {
    expect(await call('text')).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: 'hello' }] })
    expect((await call('nothing')).content).toEqual([])
    expect((await call('blocks')).content).toHaveLength(2)
    expect((await call('full'))._meta).toMatchObject({ 'example.com/x': 1, 'io.modelcontextprotocol/serverInfo': info })
  })

  it('TOOL-028 TOOL-031 contain validated structured content, and its JSON as text', async () => {
    expect(await call('structured')).toMatchObject({
      structuredContent: { celsius: 21 },
      content: [{ type: 'text', text: '{"celsius":21}' }],
    })
    expect(await call('any')).toMatchObject({ structuredContent: null, content: [{ type: 'text', text: 'null' }] })
    expect(await call('wrong')).toMatchObject({ isError: true })
    expect(events.at(-1)).toMatchObject({ type: 'error', name: 'wrong' })
  })

  it('TOOL-032 H42 contain the message of a ToolError, and a reference to any other error', async () => {
    expect(await call('shown')).toMatchObject({ isError: true, content: [{ text: 'the city does not exist' }] })
    const hidden = await call('hidden')
    const last = events.at(-1)
    expect(JSON.stringify(hidden)).not.toContain('hunter2')
    expect(last).toMatchObject({ type: 'error', method: 'tools/call', name: 'hidden', error: new Error('password=hunter2') })
    expect(JSON.stringify(hidden)).toContain(last?.type === 'error' ? last.reference : 'no event')
    expect(await caller.error('tools/call', { name: 'rpc' })).toEqual({ code: -40000, message: 'mine', data: { a: 1 } })
  })

  it('are awaited if they are thenables, such as query builders', async () => {
    expect(await call('lazy')).toMatchObject({ content: [{ text: 'in time' }] })
    expect(await call('lazily-wrong')).toMatchObject({ isError: true, content: [{ text: 'not today' }] })
    expect(await call('never')).toMatchObject({ isError: true, content: [{ text: 'The tool did not finish within 20 ms' }] })
  })

  it('are errors after a timeout, which aborts the signal of the tool', async () => {
    expect(await call('slow')).toMatchObject({ isError: true, content: [{ text: 'The tool did not finish within 20 ms' }] })
  })

  it('TOOL-033 TOOL-034 TOOL-036 are errors for invalid calls', async () => {
    server.tool('typed', { input: z.object({ city: z.string() }) }, ({ city }) => city)
    const wrong = await call('typed', { city: 7 })
    expect(wrong).toMatchObject({ isError: true })
    expect(JSON.stringify(wrong.content)).toContain('city')
    expect(await caller.error('tools/call', { name: 'missing' })).toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown tool: missing'),
    })
    expect(await caller.error('tools/call', { name: 'constructor' })).toMatchObject({ code: -32602 })
    expect(await caller.error('tools/call', { name: 'text', arguments: [] })).toMatchObject({ code: -32602 })
    expect(await caller.error('tools/call', { name: 7 })).toMatchObject({ code: -32602 })
    expect(await call('text', { unexpected: 1 })).not.toMatchObject({ isError: true })
  })
})

describe('requests', () => {
  const server = createServer(info, { instructions: 'be nice' })
  const onlyAlice = { visible: ({ auth }: { auth?: { principal: string } | undefined }) => auth?.principal === 'alice' }
  server.tool('secret', onlyAlice, () => 'x')
  server.tool('open', {}, () => 'x')
  server.resource('x://secret', onlyAlice, () => 'x')
  server.prompt('secret', onlyAlice, () => 'x')
  const caller = callerOf(server)
  const alice = { auth: { principal: 'alice' } }

  it('TOOL-003 TOOL-037 see only visible items, in lists and in calls', async () => {
    expect((await caller.result('tools/list')).tools).toMatchObject([{ name: 'open' }])
    expect((await caller.result('tools/list', {}, alice)).tools).toMatchObject([{ name: 'secret' }, { name: 'open' }])
    expect(await caller.error('tools/call', { name: 'secret' })).toMatchObject({ code: -32602 })
    expect(await caller.result('tools/call', { name: 'secret' }, alice)).toMatchObject({ resultType: 'complete' })
    expect(await caller.error('resources/read', { uri: 'x://secret' })).toMatchObject({
      code: -32602,
      data: { uri: 'x://secret' },
    })
    expect(await caller.error('prompts/get', { name: 'secret' })).toMatchObject({ code: -32602 })
  })

  it('BASE-041 VER-002 VER-004 need valid metadata and a known method', async () => {
    expect(await caller.result('server/discover')).toMatchObject({
      instructions: 'be nice',
      capabilities: { tools: { listChanged: true } },
      ttlMs: 0,
    })
    expect(await caller.error('server/discover', { _meta: undefined })).toMatchObject({ code: -32602 })
    const old = callerOf(server, {}, { 'io.modelcontextprotocol/protocolVersion': '1999-01-01' })
    expect(await old.error('server/discover')).toMatchObject({
      code: -32022,
      data: { requested: '1999-01-01', supported: expect.any(Array) },
    })
    expect(await caller.error('tools/destroy')).toMatchObject({ code: -32601 })
    expect(await caller.error('completion/complete')).toMatchObject({ code: -32601 })
  })
})

describe('subscriptions', () => {
  it('SUB-003 SUB-005 are acknowledged, receive the requested changes and end with a result', async () => {
    const server = createServer(info)
    server.tool('a', {}, () => 'x')
    server.resource('x://{id}', {}, () => 'x')
    await new Promise((resolve) => setTimeout(resolve))
    const caller = callerOf(server)
    const filter = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['x://1', 'y://none'] }
    const end = caller.result('subscriptions/listen', { notifications: filter })
    await eventually(() => expect(caller.notifications).toHaveLength(1))
    expect(caller.notifications[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: {
        notifications: { toolsListChanged: true, resourceSubscriptions: ['x://1'] },
        _meta: { 'io.modelcontextprotocol/subscriptionId': 1 },
      },
    })
    for (let index = 0; index < 100; index++) server.tool(`t${index}`, {}, () => 'x')
    server.resourceUpdated('x://1')
    server.resourceUpdated('x://2')
    await eventually(() => expect(caller.notifications).toHaveLength(3))
    expect(caller.notifications.map(({ method }) => method).sort()).toEqual([
      'notifications/resources/updated',
      'notifications/subscriptions/acknowledged',
      'notifications/tools/list_changed',
    ])
    server.close()
    expect(await end).toMatchObject({ resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } })
  })
})

describe('slow subscribers', () => {
  it('H49 receive each missed change once, and too many changes as one of their collection', async () => {
    const server = createServer(info)
    server.resource('x://{+path}', {}, () => 'x')
    const caller = callerOf(server)
    let drain: (() => void) | undefined
    const sent: unknown[] = []
    const notify = (notification: { params?: Record<string, unknown> | undefined }): Promise<void> | undefined => {
      sent.push(notification.params?.uri)
      return sent.length === 2 ? new Promise((resolve) => (drain = resolve)) : undefined
    }
    void caller.request(
      'subscriptions/listen',
      { notifications: { resourceSubscriptions: ['x://all'] } },
      { notify: notify as never },
    )
    await eventually(() => expect(sent).toHaveLength(1))
    for (let index = 0; index < 10_000; index++) server.resourceUpdated(`x://all/${index}`)
    await eventually(() => expect(sent).toHaveLength(2))
    drain?.()
    await eventually(() => expect(sent).toContain('x://all'))
    expect(sent.length).toBeLessThan(2100)
    server.close()
  })
})

describe('middleware', () => {
  it('can change the context of a request', async () => {
    const server = createServer(info)
    server.tool('who', {}, async (_args, call) => {
      await call.progress(1)
      return `${call.auth?.principal} ${call.signal.aborted}`
    })
    server.use((request, context, next) => next(request, deriveContext(context, { auth: { principal: 'ada' } })))
    expect((await callerOf(server).result('tools/call', { name: 'who' })).content).toMatchObject([{ text: 'ada false' }])
  })

  it('wraps every request, the first outermost', async () => {
    const server = createServer(info)
    server.tool('a', {}, () => 'x')
    const order: string[] = []
    server.use(async (request, context, next) => {
      order.push('first')
      const response = await next(request, context)
      order.push('last')
      return response
    })
    server.use((request, context, next) => {
      order.push('second')
      return next(request, context)
    })
    await callerOf(server).result('tools/call', { name: 'a' })
    expect(order).toEqual(['first', 'second', 'last'])
  })
})
