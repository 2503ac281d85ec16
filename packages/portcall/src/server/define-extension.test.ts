import { describe, expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { callerOf } from '../../test-kit/server.ts'
import { ErrorCode } from '../jsonrpc/errors.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import type { Request } from '../jsonrpc/message.ts'
import { defineServerExtension } from './define-extension.ts'
import type { ServerExtensionContext, ServerExtensionDefinition } from './extension.ts'
import type { RequestStateStore } from './input-requests/request-state.ts'
import { createServer } from './server.ts'

const ID = 'com.example/test'
const INFO = { name: 'test', version: '1' }
const DECLARED = { extensions: { [ID]: {} } }

type Definition = ServerExtensionDefinition<string, unknown>

const define = (setup: (context: ServerExtensionContext) => unknown): Definition => ({ id: ID, setup })
const serverWith = (setup: Definition['setup']) =>
  createServer(INFO, { extensions: [defineServerExtension(define(setup))], onEvent() {} })

describe('conflicts between extensions', () => {
  const install =
    (...definitions: Definition[]) =>
    () =>
      createServer(INFO, { extensions: definitions.map((definition) => defineServerExtension(definition)) })
  const empty = define(() => {})

  test.each(['test', '/test', 'com.example/', 'com..example/a', '1com/a', 'com.example/a/b', 'com.example/-a'])(
    'VER-017 the id %j is invalid',
    (id) => {
      expect(install({ ...empty, id })).toThrow(/is not a valid extension id/)
    },
  )
  test('an id is unique', () => expect(install(empty, empty)).toThrow(/installed twice/))
  test.each(['tools/call', 'notifications/test', ''])('the method %j is rejected', (method) => {
    expect(install(define((context) => context.method(method, {}, () => ({}))))).toThrow(/cannot define the method/)
  })
  test('a method is unique', () => {
    const twice = define((context) => {
      context.method('test/a', {}, () => ({}))
      context.method('test/a', {}, () => ({}))
    })
    expect(install(twice)).toThrow(/already defined/)
  })
  test.each(['tool', 'close', 'exchange', ''])('the name %j is rejected', (name) => {
    expect(install({ ...empty, name })).toThrow(/cannot be named/)
  })
  test('a subscription filter is unique', () => {
    const acceptAll = () => true as const
    const twice = define((context) => [
      context.handleSubscriptionFilter('a', acceptAll),
      context.handleSubscriptionFilter('a', acceptAll),
    ])
    expect(install(twice)).toThrow(/cannot handle the subscription filter a/)
  })
})

describe('a method of an extension', () => {
  const params = z.object({ count: z.number() })
  const result = z.object({ doubled: z.number() })
  const server = serverWith((context) => {
    context.method('test/double', { params, result }, ({ count }) => ({ doubled: count * 2 }))
    context.method('test/lie', { result }, () => ({ doubled: 'two' }) as never)
    context.method('test/open', { open: true, cache: { ttlMs: 5 } }, (params) => ({ keys: Object.keys(params) }))
    context.method('test/ask', { mayRequireInput: true }, async (_, call) => ({
      input: await call.elicit('What?', z.object({ word: z.string() })),
    }))
  })

  test('VER-018 requires that the caller declares the extension', async () => {
    expect(await callerOf(server, DECLARED).result('test/double', { count: 2 })).toMatchObject({
      doubled: 4,
      resultType: 'complete',
    })
    expect(await callerOf(server).error('test/double', { count: 2 })).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [ID]: {} } } },
    })
  })
  test('VER-021 validates its params and its result', async () => {
    const caller = callerOf(server, DECLARED)
    expect(await caller.error('test/double', { count: 'two' })).toMatchObject({
      code: ErrorCode.invalidParams,
      message: expect.stringContaining('count') as string,
    })
    expect(await caller.error('test/lie')).toMatchObject({ code: ErrorCode.internalError })
  })
  test('that is open is available to all callers; its results have the cache hint', async () => {
    expect(await callerOf(server).result('test/open')).toMatchObject({ ttlMs: 5, cacheScope: 'private' })
  })
  test('may request input', async () => {
    const caller = callerOf(server, { ...DECLARED, elicitation: { form: {} } })
    const { inputRequests, requestState } = await caller.result('test/ask')
    expect(Object.keys(inputRequests as object)).toEqual(['elicit-1'])
    const inputResponses = { 'elicit-1': { action: 'accept', content: { word: 'hey' } } }
    expect(await caller.result('test/ask', { inputResponses, requestState })).toMatchObject({ input: { word: 'hey' } })
  })
  test('is known to methodOf', () => {
    expect(server.methodOf('test/open')).toEqual({ extension: ID, cacheable: true })
    expect(server.methodOf('tools/call')).toMatchObject({ nameParam: 'name' })
    expect(createServer(INFO).methodOf('test/open')).toBeUndefined()
  })
})

test('VER-020 the capabilities of an extension are declared, and its API is typed', async () => {
  const typed = defineServerExtension({
    id: ID,
    name: 'test',
    settings: { loud: true },
    capabilities: ['resources'],
    setup: () => ({ double: (count: number) => count * 2 }),
  })
  const server = createServer(INFO, { extensions: [typed] })
  expectTypeOf(server.test.double).toEqualTypeOf<(count: number) => number>()
  expect(server.test.double(2)).toBe(4)
  expect(await callerOf(server).result('server/discover')).toMatchObject({
    capabilities: { resources: {}, extensions: { [ID]: { loud: true } } },
  })
  expect((await callerOf(createServer(INFO)).result('server/discover')).capabilities).not.toHaveProperty('extensions')
})

describe('tool middleware', () => {
  test('TSKX-002 may return its own result type, depending on the tool', async () => {
    const server = serverWith((context) =>
      context.useToolMiddleware((call, { name, definition }, next) =>
        context.capabilityOf(call) ? { resultType: 'later', name, timeoutMs: definition.timeoutMs } : next(),
      ),
    )
    server.tool('slow', { timeoutMs: 7 }, () => 'done')
    expect(await callerOf(server, DECLARED).result('tools/call', { name: 'slow' })).toMatchObject({
      resultType: 'later',
      name: 'slow',
      timeoutMs: 7,
    })
    expect(await callerOf(server).result('tools/call', { name: 'slow' })).toMatchObject({ content: [{ text: 'done' }] })
  })
  test('runs in order, and only if the call is valid', async () => {
    const seen: string[] = []
    const layer = (id: string) =>
      defineServerExtension({
        id,
        setup: (context) =>
          context.useToolMiddleware(async (_, __, next) => {
            seen.push(`> ${id}`)
            const result = await next()
            seen.push(`< ${id}`)
            return result
          }),
      })
    const server = createServer(INFO, { extensions: [layer('a/outer'), layer('a/inner')] })
    const input = { type: 'object', additionalProperties: false } as const
    server.tool('known', { input }, () => 'done')
    await callerOf(server).result('tools/call', { name: 'known' })
    expect(seen.splice(0)).toEqual(['> a/outer', '> a/inner', '< a/inner', '< a/outer'])
    await callerOf(server).error('tools/call', { name: 'unknown' })
    await callerOf(server).result('tools/call', { name: 'known', arguments: { odd: 1 } })
    expect(seen).toEqual([])
  })
  test('may dispatch the call later, with another context and its own state store', async () => {
    let saved: Request | undefined
    let run: ((context: ExchangeContext, stateStore: RequestStateStore) => Promise<unknown>) | undefined
    const server = serverWith((extension) =>
      extension.useToolMiddleware((call) => {
        saved = structuredClone(call.request)
        run = (context, stateStore) => extension.dispatch(saved as Request, context, stateStore)
        return { resultType: 'later' }
      }),
    )
    const steps: unknown[] = []
    server.tool('slow', {}, async (_, call) => {
      await call.progress(1)
      return String(await call.step('half', () => 21))
    })
    expect(await callerOf(server).result('tools/call', { name: 'slow' })).toMatchObject({ resultType: 'later' })
    const stateStore: RequestStateStore = {
      save: async () => 'state',
      load: async () => ({ roundTrips: 0, inputResponses: {}, steps: {}, inputRequests: {} }),
      saveStep: async (...step) => void steps.push(step),
    }
    const context = { signal: new AbortController().signal, notify() {} }
    expect(await run?.(context, stateStore)).toMatchObject({ result: { content: [{ text: '21' }] } })
    expect(steps).toEqual([['half', 21]])
  })
})

describe('subscriptions', () => {
  const open = async (filter: object, capabilities = DECLARED) => {
    let publish!: (subject: string, turn: number) => void
    const server = serverWith((context) => {
      context.handleSubscriptionFilter('testIds', (ids) => (Array.isArray(ids) ? ids.filter((id) => id !== 'secret') : undefined))
      publish = (subject, turn) =>
        context.publish({ key: 'testIds', subject, method: 'notifications/test', params: { subject, turn } })
    })
    const caller = callerOf(server, capabilities)
    const ended = caller.request('subscriptions/listen', { notifications: filter })
    return { server, caller, ended, publish }
  }
  const until = async (done: () => boolean) => {
    do await new Promise(setImmediate)
    while (!done())
  }
  const received = async (count: number, { notifications }: ReturnType<typeof callerOf>) => {
    await until(() => notifications.length >= count)
    return notifications
  }

  test('SUB-002 SUB-003 SUB-005 receive only what they requested and the server accepted', async () => {
    const { server, caller, ended, publish } = await open({ testIds: ['a', 'secret'] })
    const [acknowledgement] = await received(1, caller)
    expect(acknowledgement?.params?.notifications).toEqual({ testIds: ['a'] })
    publish('b', 1)
    publish('secret', 1)
    publish('a', 2)
    expect((await received(2, caller)).slice(1)).toMatchObject([
      {
        method: 'notifications/test',
        params: { subject: 'a', turn: 2, _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
      },
    ])
    server.close()
    await ended
  })
  test('TSKX-028 need the extension for its filters', async () => {
    const { ended } = await open({ testIds: ['a'] }, {} as never)
    expect(await ended).toMatchObject({ error: { code: -32021 } })
  })
  test('receive only the latest change of each subject if they are slow', async () => {
    let drain!: () => void
    const drained = new Promise<void>((resolve) => {
      drain = resolve
    })
    const { server, publish } = await open({})
    const turns: unknown[] = []
    const notify: ExchangeContext['notify'] = ({ params }) => {
      turns.push(params?.turn)
      return turns.length === 2 ? drained : undefined
    }
    const ended = callerOf(server, DECLARED).request(
      'subscriptions/listen',
      { notifications: { testIds: ['a', 'b'] } },
      { notify },
    )
    await until(() => turns.length === 1)
    publish('a', 1)
    await until(() => turns.length === 2)
    for (const turn of [2, 3]) publish('a', turn)
    publish('b', 4)
    await until(() => true)
    drain()
    await until(() => turns.length === 4)
    expect(turns).toEqual([undefined, 1, 3, 4])
    server.close()
    await ended
  })
})

test('close listeners are called once', () => {
  let closed = 0
  const server = serverWith((context) => context.onClose(() => closed++))
  server.close()
  server.close()
  expect(closed).toBe(1)
})

test('a list is split into pages', async () => {
  const lists = defineServerExtension(
    define((context) =>
      context.method('test/list', { open: true }, (_, call) => context.paginate(['a', 'b', 'c'], call, (item) => item)),
    ),
  )
  const server = createServer(INFO, { pageSize: 2, extensions: [lists] })
  const { items, nextCursor } = await callerOf(server).result('test/list')
  expect(items).toEqual(['a', 'b'])
  expect(await callerOf(server).result('test/list', { cursor: nextCursor })).toMatchObject({ items: ['c'] })
  expect(await callerOf(server).error('test/list', { cursor: 'odd' })).toMatchObject({ code: ErrorCode.invalidParams })
})
