import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { eventually } from '../../../test-kit/eventually.ts'
import { type Caller, callerOf } from '../../../test-kit/server.ts'
import type { Auth } from '../../jsonrpc/exchange.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { EVENTS_EXTENSION, EventMethod, EventNotification, SUBSCRIPTION_ID_HEADER } from '../../protocol/events.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { METHODS } from '../../protocol/methods.ts'
import { createServer } from '../../server/server.ts'
import { memoryStores } from '../../stores/memory/memory.ts'
import type { Stores } from '../../stores/stores.ts'
import type { EventHooks } from './definition.ts'
import { type EventsOptions, events } from './extension.ts'

const REGION = z.object({ region: z.string() })
const ORDER = z.object({ orderId: z.string(), region: z.string() })
type OrderHooks = EventHooks<z.infer<typeof REGION>, z.infer<typeof ORDER>>
const MATCH: OrderHooks = { match: ({ data }, { arguments: { region } }) => data.region === region }
const EU = { name: 'order.created', arguments: { region: 'eu' } }

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean()
})

function createShop({ hooks = MATCH, stores, ...options }: EventsOptions & { hooks?: OrderHooks; stores?: Stores } = {}) {
  const errors: unknown[] = []
  const server = createServer(
    { name: 'shop', version: '1' },
    {
      extensions: [events(options)],
      ...(stores && { stores }),
      onEvent: (event) => errors.push(event.type === 'error' ? event.error : event),
    },
  )
  cleanups.push(() => server.close())
  const created = server.event('order.created', { description: 'A new order', input: REGION, payload: ORDER }, hooks)
  const emit = (orderId: string, region = 'eu') => created.emit({ orderId, region }, { eventId: `ord-${orderId}` })
  return { server, created, emit, errors, caller: callerOf(server) }
}

const idsOf = (result: JsonObject): unknown[] => (result.events as JsonObject[]).map(({ eventId }) => eventId)

/** Opens a stream, and collects its notifications. */
function openStream(caller: Caller, params: JsonObject, auth?: Auth) {
  const messages: { method: string; params: JsonObject }[] = []
  const controller = new AbortController()
  const response = caller.request('events/stream', params, {
    signal: controller.signal,
    notify: ({ method, params: sent = {} }) => void messages.push({ method, params: sent }),
    ...(auth && { auth }),
  })
  cleanups.push(() => controller.abort())
  const methods = () => messages.map(({ method }) => method.slice('notifications/events/'.length))
  const received = (method: string) => messages.filter((one) => one.method === `notifications/events/${method}`)
  return {
    messages,
    response,
    methods,
    received,
    abort: () => controller.abort(),
    until: (method: string, count = 1) => eventually(() => expect(received(method).length).toBeGreaterThanOrEqual(count)),
  }
}

describe('events', () => {
  it('EVT-001 EVT-006 EVT-008 EVT-009 declares the extension and lists event types', async () => {
    const { caller } = createShop()
    const { capabilities } = await caller.result('server/discover')
    expect(capabilities).toMatchObject({ extensions: { [EVENTS_EXTENSION]: { listChanged: true } } })
    expect(capabilities).not.toHaveProperty('events')
    const listed = await caller.result('events/list')
    expect(listed).toMatchObject({
      resultType: 'complete',
      events: [
        {
          name: 'order.created',
          description: 'A new order',
          delivery: ['poll', 'push'],
          inputSchema: { type: 'object', required: ['region'] },
          payloadSchema: { type: 'object', required: ['orderId', 'region'] },
        },
      ],
    })
  })

  it('EVT-004 a server without the extension does not know the methods', async () => {
    const server = createServer({ name: 'plain', version: '1' })
    expect(await callerOf(server).error('events/list')).toMatchObject({ code: -32601 })
  })

  it.each([
    ['spec', -32026, { error: { code: -32023, data: { kind: 'subscription' } } }],
    ['chatgpt', -32014, { result: { resultType: 'complete' } }],
  ] as const)('EVT-100 without webhooks, nothing can be subscribed to (%s)', async (profile, code, unsubscribed) => {
    const { caller } = createShop({ profile })
    const delivery = {
      mode: 'webhook',
      url: 'https://app.example.com/',
      secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
    }
    expect(await caller.error('events/subscribe', { ...EU, delivery }, { auth: { principal: 'ada' } })).toMatchObject({
      code,
      message: 'The events order.created cannot be received by webhook',
      data: { feature: 'deliveryMode', value: 'webhook' },
    })
    expect(await caller.request('events/unsubscribe', { ...EU, delivery })).toMatchObject(unsubscribed)
  })

  it('EVT-007 keeps the reserved names for the extension', async () => {
    const { caller } = createShop()
    expect(Object.values(EventMethod).every((method) => method.startsWith('events/'))).toBe(true)
    expect(Object.values(EventNotification).every((method) => method.startsWith('notifications/events/'))).toBe(true)
    expect(SUBSCRIPTION_ID_HEADER).toBe('X-MCP-Subscription-Id')
    expect([...METHODS.keys()].filter((method) => method.includes('events/'))).toEqual([])
    for (const method of ['events/', 'events/other', 'events/list/all'])
      expect(await caller.error(method)).toMatchObject({ code: -32601 })
  })

  it('EVT-010 serves each type by its own modes only, and none of them is mandatory', async () => {
    const { caller, server } = createShop()
    for (const mode of ['poll', 'push'] as const)
      server.event(`by.${mode}`, { description: 'x', payload: z.object({}), delivery: [mode] })
    const { events: listed } = await caller.result('events/list')
    expect(listed).toMatchObject([{}, { name: 'by.poll', delivery: ['poll'] }, { name: 'by.push', delivery: ['push'] }])
    for (const [method, name] of [
      ['events/poll', 'by.push'],
      ['events/stream', 'by.poll'],
    ] as const)
      expect(await caller.error(method, { name })).toMatchObject({ code: -32026, data: { feature: 'deliveryMode' } })
  })

  it('EVT-013 EVT-014 announces changes of the list to those who listen', async () => {
    const { server, caller } = createShop()
    const controller = new AbortController()
    cleanups.push(() => controller.abort())
    const listening = caller.request(
      'subscriptions/listen',
      { notifications: { eventsListChanged: true } },
      { signal: controller.signal },
    )
    await eventually(() =>
      expect(caller.notifications[0]).toMatchObject({
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: { eventsListChanged: true } },
      }),
    )
    const { remove } = server.event('order.paid', { description: 'An order was paid', payload: ORDER })
    await eventually(() => expect(caller.notifications[1]?.method).toBe('notifications/events/list_changed'))
    remove()
    await eventually(() => expect(caller.notifications[2]?.method).toBe('notifications/events/list_changed'))
    controller.abort()
    await listening
  })

  it('EVT-021 refuses definitions and data that are wrong', async () => {
    const { server, created } = createShop({ limits: { maxEventBytes: 1000 } })
    expect(() => server.event('order created', { description: 'x', payload: ORDER })).toThrow('the name of an event type')
    expect(() => server.event('order.created', { description: 'x', payload: ORDER })).toThrow('order.created')
    expect(() => server.event('other', { payload: ORDER } as never)).toThrow('description is missing')
    expect(() => server.event('other', { description: 'x', payload: ORDER, delivery: ['poll'], replay: false })).toThrow('poll')
    expect(() => server.event('other', { description: 'x', payload: z.string() })).toThrow('must describe an object')
    await expect(created.emit({ orderId: 7 } as never)).rejects.toThrow('does not match the payload of order.created')
    await expect(created.emit({ orderId: '7', region: 'ü'.repeat(600) })).rejects.toThrow('more than 1000 bytes')
    await expect(created.emit({ orderId: '7', region: 'eu' }, { eventId: 'a.b' })).rejects.toThrow('eventId')
    await expect(server.event.emit('nothing', {})).rejects.toThrow('There is no event type "nothing"')
  })
})

describe('events/poll', () => {
  it('EVT-023 EVT-030 EVT-031 starts now without a cursor, and continues at one', async () => {
    const { caller, emit } = createShop()
    await emit('1')
    const first = await caller.result('events/poll', { ...EU, cursor: null })
    expect(first).toMatchObject({ events: [], cursor: expect.any(String), truncated: false, hasMore: false, nextPollMs: 5000 })
    await emit('2')
    await emit('3', 'us')
    await emit('4')
    const second = await caller.result('events/poll', { ...EU, cursor: first.cursor })
    expect(idsOf(second)).toEqual(['ord-2', 'ord-4'])
    expect(second).toMatchObject({ truncated: false, hasMore: false })
    expect(second.events).toMatchObject([
      { name: 'order.created', data: { orderId: '2', region: 'eu' }, timestamp: expect.stringMatching(/^\d{4}-.*Z$/) },
      {},
    ])
    expect(JSON.stringify(second.events)).not.toContain('cursor')
    expect(await caller.result('events/poll', { ...EU, cursor: second.cursor })).toMatchObject({ events: [], truncated: false })
  })

  it('EVT-033 leaves nothing behind that a client would have to remove', async () => {
    const stores = memoryStores()
    const { caller, emit } = createShop({ stores })
    await emit('1')
    const { cursor } = await caller.result('events/poll', EU)
    const before = await stores.store.list('')
    for (let at = 0; at < 10; at++) {
      await caller.result('events/poll', { ...EU, cursor })
      await caller.result(
        'events/poll',
        { name: 'order.created', arguments: { region: `r${at}` } },
        { auth: { principal: 'ada' } },
      )
    }
    expect(await stores.store.list('')).toEqual(before)
  })

  it('EVT-022 a cursor that is absent is null, and arguments that are absent are none', async () => {
    const { server, caller } = createShop()
    const beeped = server.event('beeped', { description: 'A beep', payload: z.object({}) })
    const absent = await caller.result('events/poll', { name: 'beeped' })
    const given = await caller.result('events/poll', { name: 'beeped', arguments: {}, cursor: null })
    expect(absent).toEqual(given)
    await beeped.emit({}, { eventId: 'b-1' })
    expect(idsOf(await caller.result('events/poll', { name: 'beeped', cursor: absent.cursor }))).toEqual(['b-1'])
  })

  it('EVT-011 EVT-017 a type with more optional members goes on from earlier cursors', async () => {
    const stores = memoryStores()
    const { emit, caller, server } = createShop({ stores })
    const { cursor } = await caller.result('events/poll', { ...EU, cursor: null })
    await emit('1')
    server.close()
    const next = createServer({ name: 'shop', version: '2' }, { stores, extensions: [events()] })
    cleanups.push(() => next.close())
    const payload = ORDER.extend({ note: z.string().optional() })
    const input = REGION.extend({ shop: z.string().optional() })
    const created = next.event(
      'order.created',
      { description: 'Orders', input, payload },
      { match: ({ data }) => data.region === 'eu' },
    )
    await created.emit({ orderId: '2', region: 'eu', note: 'new' }, { eventId: 'ord-2' })
    const polled = await callerOf(next).result('events/poll', { ...EU, cursor })
    expect([idsOf(polled), polled.truncated]).toEqual([['ord-1', 'ord-2'], false])
  })

  it('starts on a log without events', async () => {
    const { caller, emit } = createShop()
    const { cursor } = await caller.result('events/poll', EU)
    await emit('1')
    expect(idsOf(await caller.result('events/poll', { ...EU, cursor }))).toEqual(['ord-1'])
  })

  it('EVT-032 cuts results at maxEvents, and says that there is more', async () => {
    const { caller, emit } = createShop({ limits: { maxPollEvents: 3 } })
    let { cursor } = await caller.result('events/poll', EU)
    for (let at = 0; at < 7; at++) await emit(String(at))
    const pages: unknown[][] = []
    for (const maxEvents of [2, 100, 0]) {
      const page = await caller.result('events/poll', { ...EU, cursor, maxEvents })
      expect(page.hasMore).toBe(true)
      pages.push(idsOf(page))
      cursor = page.cursor
    }
    expect(pages.map((page) => page.length)).toEqual([2, 3, 1])
    const last = await caller.result('events/poll', { ...EU, cursor })
    expect([...pages.flat(), ...idsOf(last)]).toEqual(Array.from({ length: 7 }, (_, at) => `ord-${at}`))
    expect(last.hasMore).toBe(false)
  })

  it('EVT-026 a position that is unknown is a gap and not an error', async () => {
    const stores = memoryStores({ log: { maxEntries: 3 } })
    const { caller, emit } = createShop({ stores })
    const { cursor } = await caller.result('events/poll', EU)
    for (let at = 0; at < 5; at++) await emit(String(at))
    const gap = await caller.result('events/poll', { ...EU, cursor })
    expect(gap.truncated).toBe(true)
    expect(idsOf(gap)).toEqual(['ord-2', 'ord-3', 'ord-4'])
    expect(await caller.result('events/poll', { ...EU, cursor: gap.cursor })).toMatchObject({ events: [], truncated: false })
    for (const foreign of ['', 'x', '1.a.', `1.a.${'x'.repeat(64)}`, '1.b.nothing', 'x'.repeat(100_000), '1.a.\u{1f600}'])
      expect(await caller.result('events/poll', { ...EU, cursor: foreign })).toMatchObject({ truncated: true })
  })

  it('EVT-025 maxAgeMs and retentionMs leave out old events, which is a gap', async () => {
    let time = 1_000_000
    const { server, caller, emit } = createShop({ now: () => time })
    const short = server.event('short', { description: 'x', payload: z.object({}), retentionMs: 1500 })
    const { cursor } = await caller.result('events/poll', EU)
    const { cursor: shortCursor } = await caller.result('events/poll', { name: 'short' })
    for (const id of ['1', '2', '3']) {
      await emit(id)
      await short.emit({}, { eventId: id })
      time += 1000
    }
    const cut = await caller.result('events/poll', { ...EU, cursor, maxAgeMs: 2000 })
    expect([idsOf(cut), cut.truncated]).toEqual([['ord-2', 'ord-3'], true])
    const all = await caller.result('events/poll', { ...EU, cursor, maxAgeMs: 3000 })
    expect([idsOf(all), all.truncated]).toEqual([['ord-1', 'ord-2', 'ord-3'], false])
    const none = await caller.result('events/poll', { ...EU, cursor, maxAgeMs: 0 })
    expect([idsOf(none), none.truncated]).toEqual([[], true])
    expect(await caller.result('events/poll', { ...EU, cursor: null, maxAgeMs: 0 })).toMatchObject({ truncated: false })
    const kept = await caller.result('events/poll', { name: 'short', cursor: shortCursor })
    expect([idsOf(kept), kept.truncated]).toEqual([['3'], true])
  })

  it('EVT-034 answers wrong params, unknown types and other modes with the errors of the profile', async () => {
    const { server, caller } = createShop({ limits: { maxArgumentBytes: 100 } })
    server.event('live', { description: 'x', payload: z.object({}), replay: false })
    const error = (params: JsonObject) => caller.error('events/poll', params)
    expect(await error({ name: 'order.paid' })).toMatchObject({ code: -32023, data: { kind: 'event' } })
    expect(await error({ name: 'live' })).toMatchObject({ code: -32026, data: { feature: 'deliveryMode', value: 'poll' } })
    for (const params of [
      {},
      { name: 7 },
      { name: 'order.created' },
      { name: 'order.created', arguments: [] },
      { name: 'order.created', arguments: { region: 7 } },
      { name: 'order.created', arguments: { region: 'x'.repeat(100) } },
      { ...EU, cursor: 7 },
      { ...EU, maxAgeMs: -1 },
      { ...EU, maxAgeMs: 'x' },
      { ...EU, maxEvents: -1 },
    ])
      expect(await error(params)).toMatchObject({ code: -32602 })
    const sketch = createShop({ profile: 'chatgpt' })
    expect(await sketch.caller.error('events/poll', { name: 'order.paid' })).toMatchObject({ code: -32011 })
  })

  it('EVT-104 EVT-111 asks the hook authorize at each poll, and sends events to one principal only', async () => {
    const allowed = new Set(['ada', 'bob'])
    const { created, caller } = createShop({
      hooks: { authorize: ({ principal = '', arguments: { region } }) => allowed.has(principal) && region === 'eu' },
    })
    const poll = (principal: string, params: JsonObject = EU) => caller.request('events/poll', params, { auth: { principal } })
    expect(await poll('eve')).toMatchObject({ error: { code: -32024 } })
    expect(await caller.error('events/poll', EU)).toMatchObject({ code: -32024 })
    expect(await poll('ada', { ...EU, arguments: { region: 'us' } })).toMatchObject({ error: { code: -32024 } })
    const first = await poll('ada')
    const { cursor } = 'result' in first ? first.result : {}
    await created.emit({ orderId: '1', region: 'eu' }, { eventId: 'for-ada', principal: 'ada' })
    await created.emit({ orderId: '2', region: 'eu' }, { eventId: 'for-all' })
    expect(await poll('ada', { ...EU, cursor })).toMatchObject({
      result: { events: [{ eventId: 'for-ada' }, { eventId: 'for-all' }] },
    })
    expect(await poll('bob', { ...EU, cursor })).toMatchObject({ result: { events: [{ eventId: 'for-all' }] } })
    allowed.delete('ada')
    expect(await poll('ada', { ...EU, cursor })).toMatchObject({ error: { code: -32024 } })
  })

  it('hides types from those who may not see them, and asks for scopes', async () => {
    const { server, caller } = createShop()
    server.event('secret', { description: 'x', payload: z.object({}), visible: ({ auth }) => auth?.principal === 'ada' })
    server.event('scoped', { description: 'x', payload: z.object({}), scopes: ['orders'] })
    const names = async (auth?: Auth) =>
      ((await caller.result('events/list', {}, auth && { auth })).events as JsonObject[]).map(({ name }) => name)
    expect(await names()).not.toContain('secret')
    expect(await names({ principal: 'ada' })).toContain('secret')
    expect(await caller.error('events/poll', { name: 'secret' })).toMatchObject({ code: -32023 })
    const auth = { principal: 'eve' }
    expect(await caller.error('events/poll', { name: 'scoped' }, { auth })).toMatchObject({
      code: -32600,
      data: { requiredScopes: ['orders'] },
    })
  })

  it('EVT-103 whoever receives events may do no more than before', async () => {
    const { server, created, caller } = createShop()
    server.tool('refund', { scopes: ['refunds'] }, () => 'done')
    const ada = { auth: { principal: 'ada', scopes: [] } }
    const { cursor } = await caller.result('events/poll', EU, ada)
    await created.emit({ orderId: '1', region: 'eu' }, { eventId: 'ord-1', meta: { scopes: ['refunds'] } })
    expect(idsOf(await caller.result('events/poll', { ...EU, cursor }, ada))).toEqual(['ord-1'])
    expect(await caller.error('tools/call', { name: 'refund', arguments: {} }, ada)).toMatchObject({
      code: -32600,
      data: { requiredScopes: ['refunds'] },
    })
  })

  it('EVT-016 a new version ends earlier cursors, and the sketch has no own number for it', async () => {
    const stores = memoryStores()
    const before = createShop({ stores })
    const { cursor } = await before.caller.result('events/poll', EU)
    before.created.remove()
    before.server.event('order.created', { description: 'x', payload: ORDER, version: 2 })
    expect(await before.caller.error('events/poll', { name: 'order.created', cursor })).toMatchObject({
      code: -32026,
      data: { feature: 'payloadSchema', reason: 'schema_changed' },
    })
  })

  it('transforms data for each subscriber', async () => {
    const { caller, emit } = createShop({
      hooks: { ...MATCH, transform: ({ data, eventId }, { arguments: { region } }) => ({ ...data, seenBy: region, eventId }) },
    })
    const { cursor } = await caller.result('events/poll', EU)
    await emit('1')
    expect(await caller.result('events/poll', { ...EU, cursor })).toMatchObject({
      events: [{ data: { orderId: '1', seenBy: 'eu', eventId: 'ord-1' } }],
    })
  })

  it('another process emits through the store', async () => {
    const stores = memoryStores()
    const one = createShop({ stores })
    const other = createShop({ stores })
    const { cursor } = await one.caller.result('events/poll', EU)
    await other.emit('1')
    expect(idsOf(await one.caller.result('events/poll', { ...EU, cursor }))).toEqual(['ord-1'])
  })
})

describe('events/stream', () => {
  it('EVT-035 EVT-036 EVT-037 sends active first, then events with a cursor', async () => {
    const { caller, emit } = createShop()
    const stream = openStream(caller, EU)
    await stream.until('active')
    await emit('1')
    await emit('2', 'us')
    await emit('3')
    await stream.until('event', 2)
    expect(stream.methods()).toEqual(['active', 'event', 'event'])
    const [active, first, second] = stream.messages.map(({ params }) => params)
    expect(active).toMatchObject({ truncated: false, cursor: expect.any(String), _meta: { [MetaKey.subscriptionId]: 1 } })
    expect(first).toMatchObject({ eventId: 'ord-1', data: { orderId: '1' }, _meta: { [MetaKey.subscriptionId]: 1 } })
    expect(second).toMatchObject({ eventId: 'ord-3' })
    const again = openStream(caller, { ...EU, cursor: first?.cursor })
    await again.until('event')
    expect(again.messages.map(({ params }) => params.eventId)).toEqual([undefined, 'ord-3'])
    stream.abort()
    expect(await stream.response).toMatchObject({ result: {} })
  })

  it('EVT-045 EVT-046 streams of one caller are open side by side, and each carries its own messages', async () => {
    const { emit, caller, server } = createShop()
    const eu = openStream(caller, { ...EU, cursor: null })
    const us = openStream(caller, { ...EU, arguments: { region: 'us' }, cursor: null })
    await Promise.all([eu.until('active'), us.until('active')])
    await emit('1')
    await emit('2', 'us')
    server.event('other', { description: 'Another type', payload: z.object({}) })
    await Promise.all([eu.until('event'), us.until('event')])
    for (const [stream, id] of [
      [eu, 'ord-1'],
      [us, 'ord-2'],
    ] as const) {
      expect(stream.methods()).toEqual(['active', 'event'])
      expect(stream.received('event')[0]?.params.eventId).toBe(id)
    }
    const idOf = ({ messages }: typeof eu) => new Set(messages.map(({ params }) => JSON.stringify(params._meta)))
    expect([idOf(eu).size, idOf(us).size, new Set([...idOf(eu), ...idOf(us)]).size]).toEqual([1, 1, 2])
  })

  it('EVT-038 EVT-039 EVT-028 sends heartbeats with the position, also behind events of others', async () => {
    const { caller, emit } = createShop({ limits: { heartbeatIntervalMs: 20 } })
    const stream = openStream(caller, EU)
    await stream.until('heartbeat')
    await emit('1', 'us')
    const at = stream.received('active')[0]?.params.cursor
    await eventually(() => expect(stream.received('heartbeat').at(-1)?.params.cursor).not.toBe(at))
    const { cursor } = stream.received('heartbeat').at(-1)?.params ?? {}
    expect(await caller.result('events/poll', { ...EU, cursor })).toMatchObject({ events: [], truncated: false })
  })

  it('EVT-042 a gap at the start and during the stream is an active message with truncated', async () => {
    const stores = memoryStores({ log: { maxEntries: 2 } })
    let block: Promise<void> | undefined
    const { caller, emit } = createShop({
      stores,
      hooks: {
        async match() {
          await block
          return true
        },
      },
    })
    const { cursor } = await caller.result('events/poll', EU)
    for (const id of ['1', '2', '3']) await emit(id)
    const stream = openStream(caller, { ...EU, cursor })
    await stream.until('event', 2)
    expect(stream.messages.map(({ params }) => params.truncated ?? params.eventId)).toEqual([true, 'ord-2', 'ord-3'])
    let release = (): void => {}
    block = new Promise((resolve) => {
      release = resolve
    })
    await emit('4')
    for (let id = 5; id < 2000; id++) await emit(String(id))
    release()
    await eventually(() => expect(stream.received('event').at(-1)?.params.eventId).toBe('ord-1999'))
    expect(stream.received('active').map(({ params }) => params.truncated)).toEqual([true, true])
  })

  it('EVT-024 types without replay have null as the cursor', async () => {
    const { server, caller } = createShop()
    const live = server.event('live', { description: 'x', payload: z.object({}), replay: false })
    const stream = openStream(caller, { name: 'live', cursor: 'anything' })
    await stream.until('active')
    await live.emit({})
    await stream.until('event')
    expect(stream.messages.map(({ params }) => params.cursor)).toEqual([null, null])
    expect(stream.messages[0]?.params.truncated).toBe(false)
  })

  it('EVT-035 answers what is invalid with an error before anything is sent', async () => {
    const { caller } = createShop()
    const stream = openStream(caller, { name: 'nothing' })
    expect(await stream.response).toMatchObject({ error: { code: -32023 } })
    expect(stream.messages).toEqual([])
  })

  it('EVT-105 ends with Forbidden before the event that the caller may not see', async () => {
    let isAllowed = true
    const { caller, emit } = createShop({ hooks: { ...MATCH, authorize: () => isAllowed } })
    const stream = openStream(caller, EU)
    await stream.until('active')
    await emit('1')
    await stream.until('event')
    isAllowed = false
    await emit('2')
    expect(await stream.response).toMatchObject({ result: { _meta: { [MetaKey.subscriptionId]: 1 } } })
    expect(stream.methods()).toEqual(['active', 'event', 'terminated'])
    expect(stream.received('terminated')[0]?.params).toMatchObject({ error: { code: -32024 } })
  })

  it('EVT-016 ends when its type is removed', async () => {
    const { caller, created } = createShop()
    const stream = openStream(caller, EU)
    await stream.until('active')
    created.remove()
    await stream.response
    expect(stream.received('terminated')[0]?.params).toMatchObject({ error: { code: -32023, data: { kind: 'event' } } })
  })

  it('EVT-043 ends with a result when the server closes', async () => {
    const { server, caller } = createShop()
    const stream = openStream(caller, EU)
    await stream.until('active')
    server.close()
    expect(await stream.response).toMatchObject({
      result: { resultType: 'complete', _meta: { [MetaKey.subscriptionId]: 1 } },
    })
    expect(stream.methods()).toEqual(['active'])
  })

  it('reports hooks that throw, calls them again, and goes on after a gap', async () => {
    let calls = 0
    const { caller, emit, errors } = createShop({
      hooks: {
        match({ eventId }) {
          if (eventId === 'ord-2' && calls++ < 1) throw new Error('the database is away')
          return true
        },
      },
    })
    const stream = openStream(caller, EU)
    await stream.until('active')
    await emit('1')
    await emit('2')
    await stream.until('event', 2)
    expect(stream.methods()).toEqual(['active', 'event', 'error', 'event'])
    expect(JSON.stringify(stream.messages)).not.toContain('database')
    expect(stream.received('error')[0]?.params.error).toMatchObject({ code: -32603, message: expect.stringMatching(/Reference/) })
    expect(errors).toHaveLength(1)
  })

  it('EVT-039 a slow hook, and events of others, do not hold up heartbeats', async () => {
    let release = (): void => {}
    const slow = new Promise<void>((resolve) => {
      release = resolve
    })
    const { caller, emit } = createShop({
      limits: { heartbeatIntervalMs: 20 },
      hooks: {
        async match({ data }) {
          await slow
          return data.region === 'eu'
        },
      },
    })
    const stream = openStream(caller, EU)
    await stream.until('active')
    const start = stream.messages[0]?.params.cursor
    await emit('1', 'us')
    await emit('2')
    await stream.until('heartbeat', 3)
    expect(stream.received('heartbeat').map(({ params }) => params.cursor)).toEqual(stream.received('heartbeat').map(() => start))
    release()
    await stream.until('event')
    expect(stream.received('event')[0]?.params.eventId).toBe('ord-2')
  })

  it('a hook that never returns does not keep a stream open whose client is gone', async () => {
    const { caller, emit, server } = createShop({ limits: { maxStreams: 1 }, hooks: { match: () => new Promise(() => {}) } })
    const stream = openStream(caller, EU)
    await stream.until('active')
    await emit('1')
    stream.abort()
    await stream.response
    const again = openStream(caller, EU)
    await again.until('active')
    await emit('2')
    server.close()
    expect(await again.response).toMatchObject({ result: {} })
  })

  it('EVT-043 a stream ends with a result after its time', async () => {
    const { caller } = createShop({ limits: { streamTtlMs: 30 } })
    const stream = openStream(caller, EU)
    expect(await stream.response).toMatchObject({ result: { _meta: { [MetaKey.subscriptionId]: 1 } } })
    expect(stream.methods()).toEqual(['active'])
  })

  it('times that are endless, or too long for a timer, are not at once', async () => {
    const endless = { heartbeatIntervalMs: Infinity, pollIntervalMs: Infinity, streamTtlMs: Infinity }
    for (const limits of [endless, { streamTtlMs: 60 * 86_400_000 }]) {
      const { caller, emit } = createShop({ limits })
      const stream = openStream(caller, EU)
      await stream.until('active')
      await setTimeout(30)
      await emit('1')
      await stream.until('event')
      expect(stream.methods()).toEqual(['active', 'event'])
      stream.abort()
      await stream.response
    }
  })

  it('limits the streams of a principal and of all', async () => {
    const { caller } = createShop({ limits: { maxStreams: 3, maxPrincipalStreams: 2 } })
    const ada = { principal: 'ada' }
    const streams = [openStream(caller, EU, ada), openStream(caller, EU, ada)]
    for (const stream of streams) await stream.until('active')
    expect(await openStream(caller, EU, ada).response).toMatchObject({
      error: { code: -32025, data: { limit: 'maxPrincipalStreams', max: 2 } },
    })
    const bob = openStream(caller, EU, { principal: 'bob' })
    await bob.until('active')
    expect(await openStream(caller, EU).response).toMatchObject({ error: { data: { limit: 'maxStreams', max: 3 } } })
    streams[0]?.abort()
    await streams[0]?.response
    await openStream(caller, EU, ada).until('active')
  })
})
