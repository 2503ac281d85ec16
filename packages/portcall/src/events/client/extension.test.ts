import { afterEach, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { eventually } from '../../../test-kit/eventually.ts'
import { connect } from '../../connect/connect.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { EVENTS_EXTENSION, type EventOccurrence } from '../../protocol/events.ts'
import { MetaKey } from '../../protocol/meta.ts'
import type { Call } from '../../server/call.ts'
import { defineServerExtension } from '../../server/define-extension.ts'
import { createServer } from '../../server/server.ts'
import { createFakeClock } from '../../testing/fake-clock.ts'
import { eventWebhook } from '../receiver/webhook.ts'
import { events as serverEvents } from '../server/extension.ts'
import { signWebhook } from '../signature.ts'
import { EventSubscriptionError } from './errors.ts'
import { events } from './extension.ts'
import type { ClientEventsOptions, EventStateStore, SavedEventState } from './types.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

type Answer = (params: JsonObject, call: Call, count: number) => object | Promise<object>
type Script = { readonly [method: string]: Answer }

const EU = { region: 'eu' }
const occurrence = (eventId: string, more: Partial<EventOccurrence> = {}): EventOccurrence => ({
  eventId,
  name: 'order.created',
  timestamp: '2026-11-27T09:15:04Z',
  data: { orderId: eventId },
  ...more,
})
const typeWith =
  (...delivery: string[]): Answer =>
  () => ({ events: [{ name: 'order.created', description: 'An order', delivery }] })

/** Connects to a server that answers as the script says. Records the params of each request. */
async function scripted(script: Script, options: ClientEventsOptions = {}) {
  const requests: Array<{ method: string; params: JsonObject }> = []
  const metas: JsonObject[] = []
  const counts = new Map<string, number>()
  const extension = defineServerExtension({
    id: EVENTS_EXTENSION,
    setup(context) {
      for (const [method, answer] of Object.entries(script))
        context.method(method, { open: true, ...(method === 'events/stream' && { longLived: true }) }, (params, call) => {
          const { _meta, ...own } = params
          metas.push(_meta as JsonObject)
          requests.push({ method, params: own })
          const count = (counts.get(method) ?? 0) + 1
          counts.set(method, count)
          return answer(params, call, count)
        })
    },
  })
  const server = createServer({ name: 'shop', version: '1' }, { extensions: [extension], onEvent() {} })
  const client = await connect(server, { extensions: [events({ minPollDelayMs: 1, ...options })] })
  closing.push(
    () => client.close(),
    () => server.close(),
  )
  const paramsOf = (method: string): JsonObject[] => requests.filter((one) => one.method === method).map(({ params }) => params)
  return { client, requests, metas, paramsOf }
}

/** Keeps states in memory, as JSON. */
function memoryState(initial: Record<string, SavedEventState> = {}): EventStateStore & { states: Map<string, SavedEventState> } {
  const states = new Map(Object.entries(initial))
  return {
    states,
    load: (key) => states.get(key),
    save: (key, state) => void states.set(key, JSON.parse(JSON.stringify(state)) as SavedEventState),
  }
}

const stateKey = '{"arguments":{"region":"eu"},"name":"order.created"}'
const never = (): Promise<never> => new Promise(() => {})
const notify = (call: Call, method: string, params: JsonObject): void =>
  void call.notify(`notifications/events/${method}`, { ...params, _meta: { [MetaKey.subscriptionId]: call.request.id } })

describe('with a server of this library', () => {
  const shop = async (options: ClientEventsOptions = {}) => {
    const server = createServer(
      { name: 'shop', version: '1' },
      { extensions: [serverEvents({ limits: { pollIntervalMs: 10 } })], onEvent() {} },
    )
    const created = server.event(
      'order.created',
      {
        description: 'A new order',
        input: z.object({ region: z.string() }),
        payload: z.object({ orderId: z.string(), region: z.string() }),
      },
      { match: ({ data }, { arguments: { region } }) => data.region === region },
    )
    const client = await connect(server, { extensions: [events({ minPollDelayMs: 1, ...options })] })
    closing.push(
      () => client.close(),
      () => server.close(),
    )
    return { server, client, created }
  }

  test.each(['push', 'poll'] as const)('EVT-108 receives events by %s, in order', async (mode) => {
    const { client, created } = await shop()
    const ids: string[] = []
    const subscription = await client.events.on('order.created', EU, ({ data }) => void ids.push(String(data.orderId)), { mode })
    expect([subscription.mode, subscription.status]).toEqual([mode, 'active'])
    for (const orderId of ['1', '2', '3']) {
      await created.emit({ orderId, region: 'eu' })
      await created.emit({ orderId, region: 'us' })
    }
    await eventually(() => expect(ids).toEqual(['1', '2', '3']))
    await subscription.close()
    expect(subscription.status).toBe('closed')
    await subscription.ended
  })

  test('EVT-063 two subscriptions to the same events with states of their own are open side by side, in the list of the client', async () => {
    const { client } = await shop({})
    const [state, other] = [memoryState(), memoryState()]
    await client.events.on('order.created', EU, () => {}, { state })
    await expect(client.events.on('order.created', EU, () => {}, { state })).rejects.toThrow(/open subscription/)
    await client.events.on('order.created', EU, () => {}, { state: other })
    await client.events.on('order.created', EU, () => {})
    expect(client.events.subscriptions()).toHaveLength(3)
  })

  test('lists types, prefers push to poll, and continues at the saved position', async () => {
    const state = memoryState()
    const { client, created } = await shop({ state })
    expect((await client.events.list().toArray()).map(({ name, delivery }) => [name, delivery])).toEqual([
      ['order.created', ['poll', 'push']],
    ])
    const handled: unknown[] = []
    const first = await client.events.on('order.created', EU, ({ data }) => void handled.push(data.orderId))
    expect(first.mode).toBe('push')
    await created.emit({ orderId: '1', region: 'eu' })
    await eventually(() => expect(handled).toEqual(['1']))
    await first.close()
    await created.emit({ orderId: '2', region: 'eu' })
    const ids: unknown[] = []
    await client.events.on('order.created', EU, ({ data }) => void ids.push(data.orderId))
    await eventually(() => expect(ids).toEqual(['2']))
  })

  test('has ended when the event that was handled last is saved', async () => {
    const kept = memoryState()
    let isHandled = false
    let isSaving = false
    const save: EventStateStore['save'] = async (key, state) => {
      isSaving = isHandled
      await new Promise((resolve) => setTimeout(resolve, 50))
      await kept.save(key, state)
    }
    const { client, created } = await shop({ state: { load: kept.load, save } })
    const stop = new AbortController()
    const handler = (): void => {
      isHandled = true
    }
    const { ended } = await client.events.on('order.created', EU, handler, { signal: stop.signal })
    await created.emit({ orderId: '1', region: 'eu' })
    await eventually(() => expect(isSaving).toBe(true))
    const before = kept.states.get(stateKey)?.cursor
    stop.abort()
    await ended
    expect(kept.states.get(stateKey)?.cursor).not.toBe(before)
  })

  test('a removed type ends the subscription with the reason', async () => {
    const { client, created } = await shop()
    const subscription = await client.events.on('order.created', EU, () => {}, { mode: 'push' })
    created.remove()
    await expect(subscription.ended).rejects.toMatchObject({ reason: 'terminated', error: { code: -32023 } })
    expect(subscription.status).toBe('terminated')
    expect(client.events.subscriptions()).toEqual([])
  })

  test('EVT-015 tells of changes of the list', async () => {
    const { server, client } = await shop()
    const listener = vi.fn()
    const stop = client.events.onListChanged(listener)
    let count = 0
    await eventually(() => {
      server.event(`other${count++}`, { description: 'Another', payload: z.object({}) })
      expect(listener).toHaveBeenCalled()
    })
    stop()
  })
})

describe('EVT-003 servers without events', () => {
  test('no request is sent to a server that does not declare them', async () => {
    const server = createServer({ name: 'shop', version: '1' })
    const client = await connect(server, { extensions: [events()] })
    closing.push(() => client.close())
    await expect(client.events.list().toArray()).rejects.toMatchObject({ code: 'EXTENSION_UNSUPPORTED' })
    await expect(client.events.on('a', {}, () => {})).rejects.toMatchObject({ code: 'EXTENSION_UNSUPPORTED' })
  })

  test('EVT-010 a type that is not listed, and one that cannot be delivered here', async () => {
    const { client } = await scripted({ 'events/list': typeWith('webhook') })
    await expect(client.events.on('order.created', {}, () => {})).rejects.toMatchObject({ reason: 'no_delivery_mode' })
    await expect(client.events.on('order.gone', {}, () => {})).rejects.toMatchObject({ reason: 'unknown_event' })
    await expect(client.events.on('order.created', {}, () => {}, { mode: 'push' })).rejects.toBeInstanceOf(EventSubscriptionError)
    await expect(client.events.on('order.created', 'eu' as never, () => {})).rejects.toThrow(TypeError)
    await expect(client.events.on('order.created', {}, undefined as never)).rejects.toThrow(/handler/)
    await expect(client.events.on('order.created', {}, () => {}, { handler: 1 } as never)).rejects.toThrow(/unknown option/)
  })
})

describe('poll', () => {
  const polling = (answer: Answer, options: ClientEventsOptions = {}) =>
    scripted({ 'events/list': typeWith('poll'), 'events/poll': answer }, options)

  test('EVT-020 EVT-028 EVT-031 EVT-032 starts at null, sends the last position, and asks at once while there is more', async () => {
    const ids: string[] = []
    const { client, paramsOf } = await polling((_, __, count) => {
      if (count === 1) return { events: [], cursor: 'c-1', truncated: false, hasMore: false, nextPollMs: 0 }
      if (count === 2) return { events: [occurrence('a'), occurrence('b')], cursor: 'c-2', hasMore: true, nextPollMs: 60_000 }
      if (count === 3) return { events: [occurrence('b'), occurrence('c')], cursor: 'c-3', hasMore: false, nextPollMs: 60_000 }
      return never()
    })
    const subscription = await client.events.on('order.created', EU, ({ eventId }) => void ids.push(eventId), { maxEvents: 2 })
    await eventually(() => expect(ids).toEqual(['a', 'b', 'c']))
    await eventually(() => expect(subscription.cursor).toBe('c-3'))
    expect(paramsOf('events/poll')).toEqual(
      [null, 'c-1', 'c-2'].map((cursor) => ({ name: 'order.created', arguments: EU, cursor, maxEvents: 2 })),
    )
  })

  test('EVT-002 declares the extension, without settings', async () => {
    const { client, metas } = await polling(() => ({
      events: [],
      cursor: 'c',
      truncated: false,
      hasMore: false,
      nextPollMs: 60_000,
    }))
    await client.events.on('order.created', EU, () => {})
    expect(metas.length).toBeGreaterThan(1)
    for (const meta of metas) expect(meta[MetaKey.clientCapabilities]).toMatchObject({ extensions: { [EVENTS_EXTENSION]: {} } })
  })

  test('waits as long as the server asks, and a second at least', async () => {
    const installed = createFakeClock({ now: Date.now() })
    const { client, paramsOf } = await scripted(
      {
        'events/list': typeWith('poll'),
        'events/poll': (_, __, count) => ({ events: [], cursor: 'c', hasMore: true, nextPollMs: count < 3 ? 15_000 : -5 }),
      },
      { minPollDelayMs: 1000 },
    )
    const clock = installed.install()
    try {
      await client.events.on('order.created', {}, () => {})
      await installed.advance(1)
      expect(paramsOf('events/poll')).toHaveLength(2)
      await installed.advance(14_000)
      expect(paramsOf('events/poll')).toHaveLength(2)
      await installed.advance(1100)
      expect(paramsOf('events/poll')).toHaveLength(3)
      await installed.advance(800)
      expect(paramsOf('events/poll')).toHaveLength(3)
      await installed.advance(300)
      expect(paramsOf('events/poll')).toHaveLength(4)
    } finally {
      clock()
    }
  })

  test('EVT-026 EVT-027 reports a gap, after the position was saved', async () => {
    const state = memoryState()
    const onGap = vi.fn(() => state.states.get(stateKey)?.cursor)
    const { client } = await polling(
      (_, __, count) => (count === 1 ? { events: [], cursor: 'c-9', truncated: true, hasMore: false, nextPollMs: 0 } : never()),
      { state },
    )
    await client.events.on('order.created', EU, () => {}, { onGap })
    await eventually(() => expect(onGap).toHaveBeenCalledExactlyOnceWith('c-9'))
    expect(onGap).toHaveReturnedWith('c-9')
  })

  test('EVT-024 a position that is null or missing is neither saved nor sent', async () => {
    const state = memoryState()
    const { client, paramsOf } = await polling(
      (_, __, count) =>
        count > 3 ? never() : { events: [], ...(count === 2 && { cursor: null }), hasMore: false, nextPollMs: 0 },
      { state },
    )
    await client.events.on('order.created', EU, () => {})
    await eventually(() => expect(paramsOf('events/poll')).toHaveLength(4))
    expect(new Set(paramsOf('events/poll').map(({ cursor }) => cursor))).toEqual(new Set([null]))
    expect(state.states.size).toBe(0)
  })

  test.each([-32023, -32011])('EVT-101 EVT-111 the error %i ends the subscription', async (code) => {
    const { client } = await polling((_, __, count) => {
      if (count > 1) throw new RpcError(code, 'gone', { kind: 'event' })
      return { events: [], cursor: 'c', hasMore: false, nextPollMs: 0 }
    })
    const subscription = await client.events.on('order.created', EU, () => {})
    await expect(subscription.ended).rejects.toMatchObject({ code })
  })

  test('survives errors that may pass, and sends the same position again', async () => {
    const onError = vi.fn()
    const ids: string[] = []
    const { client, paramsOf } = await polling((_, __, count) => {
      if (count === 2) throw new RpcError(-32603, 'away')
      if (count > 3) return never()
      return { events: count === 3 ? [occurrence('a'), { bad: true }] : [], cursor: `c-${count}`, hasMore: false, nextPollMs: 0 }
    })
    await client.events.on('order.created', EU, ({ eventId }) => void ids.push(eventId), { onError })
    await eventually(() => expect(ids).toEqual(['a']))
    expect(
      paramsOf('events/poll')
        .map(({ cursor }) => cursor)
        .slice(0, 3),
    ).toEqual([null, 'c-1', 'c-1'])
    expect(onError).toHaveBeenCalledTimes(2)
  })

  test('the error of the first attempt is thrown', async () => {
    const { client } = await polling(() => {
      throw new RpcError(-32024, 'no')
    })
    await expect(client.events.on('order.created', EU, () => {})).rejects.toMatchObject({ code: -32024 })
    expect(client.events.subscriptions()).toEqual([])
  })

  test('starts again when the server does not know the position, and reports the gap', async () => {
    const state = memoryState({ [stateKey]: { cursor: 'old-epoch' } })
    const onGap = vi.fn()
    const { client, paramsOf } = await polling(
      ({ cursor }, __, count) => {
        if (cursor !== null) throw new RpcError(-32026, 'no', { feature: 'cursor' })
        return count > 2 ? never() : { events: [], cursor: null, hasMore: false, nextPollMs: 0 }
      },
      { state },
    )
    await client.events.on('order.created', EU, () => {}, { onGap })
    expect(
      paramsOf('events/poll')
        .map(({ cursor }) => cursor)
        .slice(0, 2),
    ).toEqual(['old-epoch', null])
    expect(onGap).toHaveBeenCalledExactlyOnceWith(null)
  })

  test('a handler that throws is called again, and its event is not lost without a word', async () => {
    const onError = vi.fn()
    const handler = vi.fn(({ eventId }: EventOccurrence) => {
      if (eventId === 'bad' || handler.mock.calls.length === 1) throw new Error(eventId)
    })
    const { client } = await polling((_, __, count) =>
      count > 1 ? never() : { events: [occurrence('a'), occurrence('bad'), occurrence('c')], cursor: 'c-1', hasMore: false },
    )
    const subscription = await client.events.on('order.created', EU, handler, { onError })
    await eventually(() => expect(subscription.cursor).toBe('c-1'))
    expect(handler.mock.calls.map(([{ eventId }]) => eventId)).toEqual(['a', 'a', 'bad', 'bad', 'bad', 'c'])
    expect(onError).toHaveBeenCalledExactlyOnceWith(new Error('bad'))
  })
})

describe('push', () => {
  const streaming = (answer: Answer, options: ClientEventsOptions = {}) =>
    scripted({ 'events/list': typeWith('poll', 'push'), 'events/stream': answer }, options)

  test('EVT-028 EVT-042 follows the positions of events, heartbeats and gaps', async () => {
    const cursors: unknown[] = []
    const onGap = vi.fn()
    const { client } = await streaming(
      async (_, call) => {
        notify(call, 'active', { cursor: 'c-1', truncated: false })
        notify(call, 'event', occurrence('a', { cursor: 'c-2' }) as unknown as JsonObject)
        notify(call, 'heartbeat', { cursor: 'c-3' })
        notify(call, 'active', { cursor: 'c-9', truncated: true })
        notify(call, 'event', occurrence('b') as unknown as JsonObject)
        notify(call, 'event', { eventId: 7 })
        notify(call, 'error', { error: { code: -32603, message: 'upstream slow' } })
        return never()
      },
      { state: { load: () => undefined, save: (_, saved) => void cursors.push(saved.cursor) } },
    )
    const onError = vi.fn()
    const handled: EventOccurrence[] = []
    const subscription = await client.events.on('order.created', EU, (event) => void handled.push(event), { onGap, onError })
    await eventually(() => expect(handled).toHaveLength(2))
    expect(handled).toEqual([occurrence('a', { cursor: 'c-2' }), occurrence('b')])
    expect(cursors).toEqual(['c-1', 'c-2', 'c-3', 'c-9'])
    expect(onGap).toHaveBeenCalledExactlyOnceWith('c-9')
    expect(onError).toHaveBeenCalledTimes(2)
    expect(subscription.status).toBe('active')
  })

  test('EVT-048 opens a lost stream again with the last position', async () => {
    const { client, paramsOf } = await streaming(async (_, call, count) => {
      notify(call, 'active', { cursor: `c-${count}`, truncated: false })
      return count > 2 ? never() : {}
    })
    await client.events.on('order.created', EU, () => {}, { onError() {} })
    await eventually(() => expect(paramsOf('events/stream').map(({ cursor }) => cursor)).toEqual([null, 'c-1', 'c-2']))
  })

  test('EVT-040 EVT-041 opens a silent stream again, and heartbeats keep it', async () => {
    const timers: ReturnType<typeof setInterval>[] = []
    closing.push(() => timers.forEach(clearInterval))
    const { client, paramsOf } = await streaming(
      async (_, call, count) => {
        notify(call, 'active', { cursor: `c-${count}`, truncated: false })
        if (count === 2) timers.push(setInterval(() => notify(call, 'heartbeat', { cursor: `h-${Date.now()}` }), 20))
        return never()
      },
      { silenceTimeoutMs: 400 },
    )
    const subscription = await client.events.on('order.created', EU, () => {}, { onError() {} })
    await eventually(() => expect(paramsOf('events/stream')).toHaveLength(2))
    const since = Date.now()
    await eventually(() => expect(Number(subscription.cursor?.slice(2))).toBeGreaterThan(since + 900))
    expect(paramsOf('events/stream')).toHaveLength(2)
  })

  test('EVT-112 a termination ends it with the reason, and no stream is opened again', async () => {
    const { client, paramsOf } = await streaming(async (_, call) => {
      notify(call, 'active', { cursor: 'c-1', truncated: false })
      notify(call, 'terminated', { error: { code: -32012, message: 'access withdrawn' } })
      return never()
    })
    const subscription = await client.events.on('order.created', EU, () => {})
    await expect(subscription.ended).rejects.toMatchObject({
      code: 'EVENT_SUBSCRIPTION_FAILED',
      reason: 'terminated',
      error: { code: -32012, message: 'access withdrawn' },
    })
    expect(paramsOf('events/stream')).toHaveLength(1)
  })

  test('large events are not buffered without end while a handler is slow', async () => {
    let sent = 0
    const text = 'x'.repeat(1024 * 1024)
    const { client } = await streaming(async ({ cursor }, call) => {
      notify(call, 'active', { cursor, truncated: false })
      while (sent < 100 && !call.signal.aborted)
        notify(call, 'event', occurrence(`e${++sent}`, { cursor: `c-${sent}`, data: { text } }) as unknown as JsonObject)
      return never()
    })
    const closed = new Promise<unknown>((resolve) => {
      void client.events.on('order.created', EU, never, { onError: resolve })
    })
    expect(String(await closed)).toMatch(/faster than they are handled/)
    expect(sent).toBeLessThan(20)
  })

  test('a flood is not buffered without end', async () => {
    const handled = new Set<string>()
    const { client, paramsOf } = await streaming(async ({ cursor }, call) => {
      const from = Number(String(cursor ?? 'c-0').slice(2))
      notify(call, 'active', { cursor, truncated: false })
      for (let at = from + 1; at <= 3000; at++)
        notify(call, 'event', occurrence(`e${at}`, { cursor: `c-${at}` }) as unknown as JsonObject)
      return never()
    })
    await client.events.on('order.created', EU, ({ eventId }) => void handled.add(eventId), { onError() {} })
    await eventually(() => expect(handled.size).toBe(3000))
    expect(paramsOf('events/stream').length).toBeGreaterThan(1)
  })

  test('EVT-044 closing cancels the request; an aborted signal and a closed client do, too', async () => {
    const ends: string[] = []
    const { client } = await streaming(async ({ arguments: args }, call) => {
      notify(call, 'active', { cursor: null, truncated: false })
      return new Promise((_, reject) =>
        call.signal.addEventListener('abort', () => {
          ends.push(String((args as JsonObject).n))
          reject(call.signal.reason)
        }),
      )
    })
    const controller = new AbortController()
    const one = await client.events.on('order.created', { n: 1 }, () => {})
    const two = await client.events.on('order.created', { n: 2 }, () => {}, { signal: controller.signal })
    const three = await client.events.on('order.created', { n: 3 }, () => {})
    expect(client.events.subscriptions()).toEqual([one, two, three])
    await one.close()
    await eventually(() => expect(ends).toEqual(['1']))
    controller.abort()
    await eventually(() => expect(ends).toEqual(['1', '2']))
    await client.close()
    await eventually(() => expect(ends).toEqual(['1', '2', '3']))
    await three.ended
    expect(client.events.subscriptions()).toEqual([])
  })

  test('the position of an event whose handler closes the subscription is saved', async () => {
    const state = memoryState()
    const { client } = await streaming(
      async (_, call) => {
        notify(call, 'active', { cursor: 'c-1', truncated: false })
        for (const id of ['a', 'b']) notify(call, 'event', occurrence(id, { cursor: `c-${id}` }) as unknown as JsonObject)
        return never()
      },
      { state },
    )
    const subscription = await client.events.on('order.created', EU, (_, { close }) => void close())
    await subscription.ended
    await subscription.close()
    expect(state.states.get(stateKey)).toEqual({ cursor: 'c-a' })
  })

  test('a signal that is aborted while the state is loaded leaves nothing behind', async () => {
    const controller = new AbortController()
    const load = async (): Promise<undefined> => controller.abort() as undefined
    const { client } = await streaming(never, { state: { load, save() {} } })
    await expect(client.events.on('order.created', EU, () => {}, { signal: controller.signal })).rejects.toThrow(/closed/)
    expect(client.events.subscriptions()).toEqual([])
  })

  test('EVT-113 closeAll stops everything', async () => {
    const { client } = await streaming(async (_, call) => {
      notify(call, 'active', { cursor: null, truncated: false })
      return never()
    })
    const open = [
      await client.events.on('order.created', { n: 1 }, () => {}),
      await client.events.on('order.created', { n: 2 }, () => {}),
    ]
    await client.events.closeAll()
    expect(open.map(({ status }) => status)).toEqual(['closed', 'closed'])
    expect(client.events.subscriptions()).toEqual([])
  })
})

describe('webhook', () => {
  const URL = 'https://app.example.com/mcp-events'
  const key = `{"arguments":{"region":"eu"},"name":"order.created","url":"${URL}"}`
  const inOneHour = (): string => new Date(Date.now() + 3_600_000).toISOString()

  /** Sends a delivery to a webhook, as the server would. */
  const send = async (webhook: ReturnType<typeof eventWebhook>, secret: unknown, body: object, id = 'm1'): Promise<Response> => {
    const timestamp = Math.floor(Date.now() / 1000)
    const text = JSON.stringify(body)
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': await signWebhook(String(secret), { id, timestamp, body: text }),
      'x-mcp-subscription-id': 'sub_1',
    }
    return webhook(new Request(URL, { method: 'POST', headers, body: text }))
  }
  const deliveryOf = (params: JsonObject | undefined): JsonObject => params?.delivery as JsonObject

  const subscribing = async (
    answer: Answer = () => ({ id: 'sub_1', refreshBefore: inOneHour(), cursor: 'c-1' }),
    state = memoryState(),
  ) => {
    const webhook = eventWebhook({ url: URL })
    const setup = await scripted(
      { 'events/list': typeWith('poll', 'push', 'webhook'), 'events/subscribe': answer, 'events/unsubscribe': () => ({}) },
      { webhook, state },
    )
    return { webhook, state, ...setup }
  }

  test('EVT-049 EVT-069 EVT-089 subscribes with a secret of its own, answers the challenge, and takes events', async () => {
    const seen: unknown[] = []
    const { webhook, client, paramsOf } = await subscribing(async (params) => {
      const response = await send(webhook, deliveryOf(params).secret, { type: 'verification', challenge: 'n3Yq' }, 'v1')
      seen.push(await response.json())
      return { id: 'sub_1', refreshBefore: inOneHour(), cursor: 'c-1', truncated: false }
    })
    const handled: string[] = []
    const subscription = await client.events.on('order.created', EU, ({ eventId }) => void handled.push(eventId), {
      ttlMs: 3_600_000,
    })
    expect([subscription.mode, seen]).toEqual(['webhook', [{ challenge: 'n3Yq' }]])
    const [params] = paramsOf('events/subscribe')
    expect(params).toEqual({
      name: 'order.created',
      arguments: EU,
      cursor: null,
      ttlMs: 3_600_000,
      delivery: { mode: 'webhook', url: URL, secret: expect.stringMatching(/^whsec_/) },
    })
    const { secret } = deliveryOf(params)
    expect((await send(webhook, secret, occurrence('a', { cursor: 'c-2' }))).status).toBe(204)
    expect((await send(webhook, secret, occurrence('a', { cursor: 'c-2' }), 'm2')).status).toBe(204)
    expect([handled, subscription.cursor]).toEqual([['a'], 'c-2'])
  })

  test('a handler that throws makes the server send the event again', async () => {
    const { webhook, client, paramsOf } = await subscribing()
    const handler = vi.fn().mockRejectedValueOnce(new Error('away'))
    const subscription = await client.events.on('order.created', EU, handler)
    const { secret } = deliveryOf(paramsOf('events/subscribe')[0])
    expect((await send(webhook, secret, occurrence('a', { cursor: 'c-2' }))).status).toBe(500)
    expect(subscription.cursor).toBe('c-1')
    expect((await send(webhook, secret, occurrence('a', { cursor: 'c-2' }))).status).toBe(204)
    expect([handler.mock.calls.length, subscription.cursor]).toEqual([2, 'c-2'])
  })

  test('EVT-060 EVT-028 refreshes in the second half of the time, with the last position and the same secret', async () => {
    const clock = createFakeClock({ now: Date.now() })
    const statuses: unknown[] = []
    const deliveryStatus = { active: false, lastDeliveryAt: null, lastError: 'timeout' }
    const { webhook, client, paramsOf } = await subscribing((_, __, count) => ({
      id: 'sub_1',
      refreshBefore: count === 2 ? null : new Date(Date.now() + 600_000).toISOString().replace('Z', '+00:00'),
      cursor: `c-${count}`,
      ...(count > 1 && { deliveryStatus, truncated: true }),
    }))
    const installed = clock.install()
    try {
      const onGap = vi.fn()
      await client.events.on('order.created', EU, () => {}, { onGap, onDeliveryStatus: (status) => statuses.push(status) })
      await send(webhook, deliveryOf(paramsOf('events/subscribe')[0]).secret, { type: 'gap', cursor: 'g-1' })
      expect(onGap).toHaveBeenCalledExactlyOnceWith('g-1')
      await clock.advance(299_000)
      expect(paramsOf('events/subscribe')).toHaveLength(1)
      await clock.advance(242_000)
      while (onGap.mock.calls.length < 2) await clock.advance(0)
      const [first, second] = paramsOf('events/subscribe')
      expect(second).toEqual({ ...first, cursor: 'g-1' })
      expect([statuses, onGap.mock.calls]).toEqual([[deliveryStatus], [['g-1'], ['c-2']]])
      // EVT-115: a subscription without end is refreshed within a day.
      await clock.advance(11 * 3_600_000)
      expect(paramsOf('events/subscribe')).toHaveLength(2)
      await clock.advance(11 * 3_600_000)
      expect(paramsOf('events/subscribe').length).toBeGreaterThan(2)
    } finally {
      installed()
    }
  })

  test('continues after a restart: the same secret and position, and deliveries before the refresh are known', async () => {
    const state = memoryState()
    const first = await subscribing(undefined, state)
    await first.client.events.on('order.created', EU, () => {})
    const { secret } = deliveryOf(first.paramsOf('events/subscribe')[0])
    await first.client.close()
    expect(first.paramsOf('events/unsubscribe')).toEqual([])
    expect(state.states.get(key)).toEqual({ cursor: 'c-1', webhook: { id: 'sub_1', secret, refreshBefore: expect.any(String) } })
    const handled: string[] = []
    const second = await subscribing(async () => {
      await send(second.webhook, secret, occurrence('a'))
      return { id: 'sub_1', refreshBefore: inOneHour(), cursor: 'c-1' }
    }, state)
    await second.client.events.on('order.created', EU, ({ eventId }) => void handled.push(eventId))
    expect(second.paramsOf('events/subscribe')[0]).toMatchObject({ cursor: 'c-1', delivery: { secret } })
    expect(handled).toEqual(['a'])
  })

  test('EVT-066 EVT-067 closing unsubscribes, forgets the secret and keeps the position', async () => {
    const { webhook, client, paramsOf, state } = await subscribing()
    const subscription = await client.events.on('order.created', EU, () => {})
    const { secret } = deliveryOf(paramsOf('events/subscribe')[0])
    await subscription.close()
    expect(paramsOf('events/unsubscribe')).toEqual([
      { name: 'order.created', arguments: EU, delivery: { mode: 'webhook', url: URL } },
    ])
    expect(state.states.get(key)).toEqual({ cursor: 'c-1' })
    expect((await send(webhook, secret, occurrence('a'))).status).toBe(410)
  })

  test('EVT-112 a termination of the server ends it', async () => {
    const { webhook, client, paramsOf } = await subscribing()
    const subscription = await client.events.on('order.created', EU, () => {})
    const { secret } = deliveryOf(paramsOf('events/subscribe')[0])
    expect((await send(webhook, secret, { type: 'terminated', error: { code: -32024, message: 'no' } })).status).toBe(204)
    await expect(subscription.ended).rejects.toMatchObject({ reason: 'terminated', error: { code: -32024 } })
  })

  test.each([
    [-32027, { reason: 'challenge_failed' }],
    [-32015, { reason: 'timeout' }],
  ])('EVT-092 the error %i of the first attempt is thrown', async (code, data) => {
    const { client } = await subscribing(() => {
      throw new RpcError(code, 'The endpoint does not answer', data)
    })
    await expect(client.events.on('order.created', EU, () => {})).rejects.toMatchObject({ code, data })
  })

  test('two subscriptions with one state are refused, and a webhook without a URL too', async () => {
    const { client } = await subscribing()
    await client.events.on('order.created', EU, () => {})
    await expect(client.events.on('order.created', EU, () => {})).rejects.toThrow(/open subscription/)
    const both = ['a', 'b'].map(() => client.events.on('order.created', { region: 'us' }, () => {}))
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    await expect(
      client.events.on('order.created', EU, () => {}, {
        webhook: eventWebhook({ secrets: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' }),
      }),
    ).rejects.toThrow(/no url/)
  })
})
