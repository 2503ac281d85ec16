import { describe, expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { ErrorCode } from '../jsonrpc/errors.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import type { Request } from '../jsonrpc/message.ts'
import type { ExtensionHost, ServerGuest } from './extension.ts'
import { extension } from './guest.ts'
import type { Keeper } from './keeper.ts'
import { callerOf } from './server.test-kit.ts'
import { createServer } from './server.ts'

const ID = 'com.example/guest'
const INFO = { name: 'host', version: '1' }
const DECLARED = { extensions: { [ID]: {} } }

type Guest = ServerGuest<string, unknown>

const guest = (serve: (host: ExtensionHost) => unknown): Guest => ({ id: ID, serve })
const serving = (serve: Guest['serve']) => createServer(INFO, { extensions: [extension(guest(serve))] })

describe('extensions that cannot live together', () => {
  const made =
    (...guests: Guest[]) =>
    () =>
      createServer(INFO, { extensions: guests.map((given) => extension(given)) })
  const nothing = guest(() => {})

  test.each(['guest', '/guest', 'com.example/', 'com..example/a', '1com/a', 'com.example/a/b', 'com.example/-a'])(
    'VER-017 the id %j is refused',
    (id) => {
      expect(made({ ...nothing, id })).toThrow(/is not the id of an extension/)
    },
  )
  test('an id can be given once', () => expect(made(nothing, nothing)).toThrow(/given twice/))
  test.each(['tools/call', 'notifications/told', ''])('the method %j is refused', (method) => {
    expect(made(guest((host) => host.method(method, {}, () => ({}))))).toThrow(/cannot have the method/)
  })
  test('a method has one owner', () => {
    const twice = guest((host) => {
      host.method('guest/a', {}, () => ({}))
      host.method('guest/a', {}, () => ({}))
    })
    expect(made(twice)).toThrow(/it is taken/)
  })
  test.each(['tool', 'close', 'exchange', ''])('the name %j is refused', (name) => {
    expect(made({ ...nothing, name })).toThrow(/cannot be called/)
  })
  test('a filter has one owner', () => {
    const admit = () => true as const
    const twice = guest((host) => [host.listen('a', admit), host.listen('a', admit)])
    expect(made(twice)).toThrow(/cannot have the filter a/)
  })
})

describe('a method', () => {
  const params = z.object({ count: z.number() })
  const result = z.object({ doubled: z.number() })
  const server = serving((host) => {
    host.method('guest/double', { params, result }, ({ count }) => ({ doubled: count * 2 }))
    host.method('guest/lie', { result }, () => ({ doubled: 'two' }) as never)
    host.method('guest/open', { open: true, cache: { ttlMs: 5 } }, (given) => ({ keys: Object.keys(given) }))
    host.method('guest/ask', { mayAsk: true }, async (_, call) => ({
      said: await call.elicit('What?', z.object({ word: z.string() })),
    }))
  })

  test('VER-018 is served to those who declare its extension', async () => {
    expect(await callerOf(server, DECLARED).result('guest/double', { count: 2 })).toMatchObject({
      doubled: 4,
      resultType: 'complete',
    })
    expect(await callerOf(server).error('guest/double', { count: 2 })).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [ID]: {} } } },
    })
  })
  test('VER-021 checks its params and its result', async () => {
    const caller = callerOf(server, DECLARED)
    expect(await caller.error('guest/double', { count: 'two' })).toMatchObject({
      code: ErrorCode.invalidParams,
      message: expect.stringContaining('count') as string,
    })
    expect(await caller.error('guest/lie')).toMatchObject({ code: ErrorCode.internalError })
  })
  test('that is open is served to all, and carries its hint', async () => {
    expect(await callerOf(server).result('guest/open')).toMatchObject({ ttlMs: 5, cacheScope: 'private' })
  })
  test('may ask', async () => {
    const caller = callerOf(server, { ...DECLARED, elicitation: { form: {} } })
    const { inputRequests, requestState } = await caller.result('guest/ask')
    expect(Object.keys(inputRequests as object)).toEqual(['elicit-1'])
    const inputResponses = { 'elicit-1': { action: 'accept', content: { word: 'hey' } } }
    expect(await caller.result('guest/ask', { inputResponses, requestState })).toMatchObject({ said: { word: 'hey' } })
  })
  test('is known to transports', () => {
    expect(server.methodOf('guest/open')).toEqual({ extension: ID, cacheable: true })
    expect(server.methodOf('tools/call')).toMatchObject({ nameParam: 'name' })
    expect(createServer(INFO).methodOf('guest/open')).toBeUndefined()
  })
})

test('VER-020 what a guest requires is declared, and its member is typed', async () => {
  const typed = extension({
    id: ID,
    name: 'guest',
    settings: { loud: true },
    requires: ['resources'],
    serve: () => ({ double: (count: number) => count * 2 }),
  })
  const server = createServer(INFO, { extensions: [typed] })
  expectTypeOf(server.guest.double).toEqualTypeOf<(count: number) => number>()
  expect(server.guest.double(2)).toBe(4)
  expect(await callerOf(server).result('server/discover')).toMatchObject({
    capabilities: { resources: {}, extensions: { [ID]: { loud: true } } },
  })
  expect((await callerOf(createServer(INFO)).result('server/discover')).capabilities).not.toHaveProperty('extensions')
})

describe('around tools', () => {
  test('TSKX-002 may answer with a type of its own, seeing which tool it is', async () => {
    const server = serving((host) =>
      host.aroundTool((call, { name, definition }, next) =>
        host.declaredBy(call) ? { resultType: 'later', name, timeoutMs: definition.timeoutMs } : next(),
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
  test('the first is the outermost; nothing is around a tool that cannot be called', async () => {
    const seen: string[] = []
    const layer = (id: string) =>
      extension({
        id,
        serve: (host) =>
          host.aroundTool(async (_, __, next) => {
            seen.push(`> ${id}`)
            const result = await next()
            seen.push(`< ${id}`)
            return result
          }),
      })
    const server = createServer(INFO, { extensions: [layer('a/outer'), layer('a/inner')] })
    server.tool('known', {}, () => 'done')
    await callerOf(server).result('tools/call', { name: 'known' })
    expect(seen.splice(0)).toEqual(['> a/outer', '> a/inner', '< a/inner', '< a/outer'])
    await callerOf(server).error('tools/call', { name: 'unknown' })
    await callerOf(server).result('tools/call', { name: 'known', arguments: { odd: 1 } })
    expect(seen).toEqual([])
  })
  test('a call is run later, with a context and a memory of its own', async () => {
    let kept: Request | undefined
    let run: ((context: ExchangeContext, keeper: Keeper) => Promise<unknown>) | undefined
    const server = serving((host) =>
      host.aroundTool((call) => {
        kept = structuredClone(call.request)
        run = (context, keeper) => host.run(kept as Request, context, keeper)
        return { resultType: 'later' }
      }),
    )
    const steps: unknown[] = []
    server.tool('slow', {}, async (_, call) => {
      await call.progress(1)
      return String(await call.step('half', () => 21))
    })
    expect(await callerOf(server).result('tools/call', { name: 'slow' })).toMatchObject({ resultType: 'later' })
    const keeper: Keeper = {
      close: async () => 'state',
      open: async () => ({ round: 0, answers: {}, steps: {}, asked: {} }),
      step: async (...step) => void steps.push(step),
    }
    const context = { signal: new AbortController().signal, notify() {} }
    expect(await run?.(context, keeper)).toMatchObject({ result: { content: [{ text: '21' }] } })
    expect(steps).toEqual([['half', 21]])
  })
})

describe('subscriptions', () => {
  const open = async (filter: object, capabilities = DECLARED) => {
    let publish!: (subject: string, turn: number) => void
    const server = serving((host) => {
      host.listen('guestIds', (asked) => (Array.isArray(asked) ? asked.filter((id) => id !== 'secret') : undefined))
      publish = (subject, turn) =>
        host.publish({ key: 'guestIds', subject, method: 'notifications/guest', params: { subject, turn } })
    })
    const caller = callerOf(server, capabilities)
    const ended = caller.request('subscriptions/listen', { notifications: filter })
    return { server, caller, ended, publish }
  }
  const until = async (done: () => boolean) => {
    do await new Promise(setImmediate)
    while (!done())
  }
  const heard = async (count: number, { notifications }: ReturnType<typeof callerOf>) => {
    await until(() => notifications.length >= count)
    return notifications
  }

  test('SUB-002 SUB-003 SUB-005 tell of what was asked for, and was honoured', async () => {
    const { server, caller, ended, publish } = await open({ guestIds: ['a', 'secret'] })
    const [told] = await heard(1, caller)
    expect(told?.params?.notifications).toEqual({ guestIds: ['a'] })
    publish('b', 1)
    publish('secret', 1)
    publish('a', 2)
    expect((await heard(2, caller)).slice(1)).toMatchObject([
      {
        method: 'notifications/guest',
        params: { subject: 'a', turn: 2, _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
      },
    ])
    server.close()
    await ended
  })
  test('TSKX-028 a filter without the extension is refused', async () => {
    const { ended } = await open({ guestIds: ['a'] }, {} as never)
    expect(await ended).toMatchObject({ error: { code: -32021 } })
  })
  test('a reader who lags behind gets the last of each subject', async () => {
    let drain!: () => void
    const full = new Promise<void>((resolve) => {
      drain = resolve
    })
    const { server, publish } = await open({})
    const notices: unknown[] = []
    const notify: ExchangeContext['notify'] = ({ params }) => {
      notices.push(params?.turn)
      return notices.length === 2 ? full : undefined
    }
    const ended = callerOf(server, DECLARED).request(
      'subscriptions/listen',
      { notifications: { guestIds: ['a', 'b'] } },
      { notify },
    )
    await until(() => notices.length === 1)
    publish('a', 1)
    await until(() => notices.length === 2)
    for (const turn of [2, 3]) publish('a', turn)
    publish('b', 4)
    await until(() => true)
    drain()
    await until(() => notices.length === 4)
    expect(notices).toEqual([undefined, 1, 3, 4])
    server.close()
    await ended
  })
})

test('a guest hears of the end', () => {
  let closed = 0
  const server = serving((host) => host.onClose(() => closed++))
  server.close()
  server.close()
  expect(closed).toBe(1)
})

test('a list is cut into pages', async () => {
  const lists = extension(
    guest((host) => host.method('guest/list', { open: true }, (_, call) => host.page(['a', 'b', 'c'], call, (item) => item))),
  )
  const server = createServer(INFO, { pageSize: 2, extensions: [lists] })
  const { items, nextCursor } = await callerOf(server).result('guest/list')
  expect(items).toEqual(['a', 'b'])
  expect(await callerOf(server).result('guest/list', { cursor: nextCursor })).toMatchObject({ items: ['c'] })
  expect(await callerOf(server).error('guest/list', { cursor: 'odd' })).toMatchObject({ code: ErrorCode.invalidParams })
})
