import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { eventually } from '../../../../test-kit/eventually.ts'
import { callerOf } from '../../../../test-kit/server.ts'
import type { JsonObject, Notification } from '../../../jsonrpc/message.ts'
import { createServer } from '../../../server/server.ts'
import { memoryStores } from '../../../stores/memory/memory.ts'
import type { Stores } from '../../../stores/stores.ts'
import { checkSignature, createWebhookSecret } from '../../signature.ts'
import type { EventHooks } from '../definition.ts'
import { type EventsOptions, events } from '../extension.ts'
import type { WebhookLimits } from './limits.ts'
import type { WebhooksOptions } from './options.ts'

const REGION = z.object({ region: z.string() })
const ORDER = z.object({ orderId: z.string(), region: z.string() })
type OrderHooks = EventHooks<z.infer<typeof REGION>, z.infer<typeof ORDER>>
const MATCH: OrderHooks = { match: ({ data }, { arguments: { region } }) => data.region === region }
const ADA = { auth: { principal: 'ada' } }
const BOB = { auth: { principal: 'bob' } }
const QUICK: Partial<WebhookLimits> = { retryDelayMs: 10, maxRetryDelayMs: 20, sweepIntervalMs: 100, leaseTtlMs: 2000 }

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

interface Received {
  headers: IncomingHttpHeaders
  text: string
  body: JsonObject
}

/** An endpoint that answers challenges, and other messages as `answer` says. */
async function openEndpoint(answer: (received: Received) => number = () => 204) {
  const received: Received[] = []
  const challenges: Received[] = []
  const endpoint = { answersChallenges: true, answer, headers: {} as Record<string, string> }
  const server = createHttpServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const one = { headers: request.headers, text, body: JSON.parse(text) as JsonObject }
    if (one.body.type === 'verification') {
      challenges.push(one)
      response.end(JSON.stringify({ challenge: endpoint.answersChallenges ? one.body.challenge : 'x' }))
    } else {
      const status = endpoint.answer(one)
      received.push(one)
      response.writeHead(status, endpoint.headers).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const ids = (): unknown[] => received.filter(({ body }) => body.eventId).map(({ body }) => body.eventId)
  return Object.assign(endpoint, { url, received, challenges, ids })
}

/** Returns the secrets that a delivery is signed with. */
async function signers(received: Received | undefined, secrets: readonly string[]): Promise<string[]> {
  const { headers, text } = received as Received
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => String(headers[name]))
  const checks = await Promise.all(
    secrets.map((one) => checkSignature({ id: id ?? '', timestamp, signature }, text, { secrets: one })),
  )
  return secrets.filter((_, at) => checks[at]?.type === 'valid')
}

interface ShopOptions extends Omit<EventsOptions, 'webhooks'> {
  stores?: Stores
  hooks?: OrderHooks
  webhooks?: WebhooksOptions
  version?: number
}

function createShop({ stores, hooks = MATCH, webhooks, version = 1, ...options }: ShopOptions = {}) {
  const problems: string[] = []
  const { limits, ...rest } = webhooks ?? {}
  const server = createServer(
    { name: 'shop', version: '1' },
    {
      extensions: [events({ webhooks: { allow: ['127.0.0.1'], limits: { ...QUICK, ...limits }, ...rest }, ...options })],
      ...(stores && { stores }),
      onEvent: (event) => problems.push(event.type === 'error' ? String(event.error) : event.message),
    },
  )
  cleanups.push(async () => {
    server.close()
    await server.event.stop()
  })
  const created = server.event('order.created', { description: 'A new order', input: REGION, payload: ORDER, version }, hooks)
  const emit = (orderId: string, region = 'eu') => created.emit({ orderId, region }, { eventId: `ord-${orderId}` })
  const caller = callerOf(server)
  const params = (url: string, more: JsonObject = {}, secret = createWebhookSecret()): JsonObject => ({
    name: 'order.created',
    arguments: { region: 'eu' },
    cursor: null,
    delivery: { mode: 'webhook', url, secret },
    ...more,
  })
  const subscribe = (url: string, more: JsonObject = {}, secret?: string) =>
    caller.result('events/subscribe', params(url, more, secret), ADA)
  const unsubscribe = (url: string, context: object = ADA) =>
    caller.request('events/unsubscribe', { name: 'order.created', arguments: { region: 'eu' }, delivery: { url } }, context)
  return { server, created, emit, caller, params, subscribe, unsubscribe, problems }
}

describe('events/subscribe', () => {
  it('EVT-050 EVT-053 EVT-071 EVT-083 EVT-089 proves the endpoint, then delivers signed events with a cursor', async () => {
    const endpoint = await openEndpoint()
    const { subscribe, emit, caller } = createShop()
    const secret = createWebhookSecret()
    await emit('0')
    const result = await subscribe(endpoint.url, {}, secret)
    expect(result).toMatchObject({
      resultType: 'complete',
      id: expect.stringMatching(/^sub_[0-9a-f]{32}$/),
      refreshBefore: expect.stringMatching(/Z$/),
      cursor: expect.any(String),
      truncated: false,
    })
    expect(result).not.toHaveProperty('deliveryStatus')
    expect(endpoint.challenges).toHaveLength(1)
    await emit('1')
    await emit('2', 'us')
    await emit('3')
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1', 'ord-3']))
    const [first] = endpoint.received
    expect(first?.headers).toMatchObject({ 'webhook-id': 'ord-1', 'x-mcp-subscription-id': result.id })
    expect(first?.body).toMatchObject({ name: 'order.created', data: { orderId: '1' }, cursor: expect.any(String) })
    const { headers, text } = first as Received
    const signed = {
      id: String(headers['webhook-id']),
      timestamp: String(headers['webhook-timestamp']),
      signature: String(headers['webhook-signature']),
    }
    expect(await checkSignature(signed, text, { secrets: secret })).toMatchObject({ type: 'valid' })
    const { cursor } = first?.body ?? {}
    const polled = await caller.result('events/poll', { name: 'order.created', arguments: { region: 'eu' }, cursor }, ADA)
    expect(polled.events).toMatchObject([{ eventId: 'ord-3' }])
  })

  it('EVT-051 EVT-069 EVT-096 EVT-099 refuses callers without a principal, wrong URLs, secrets and params', async () => {
    const endpoint = await openEndpoint()
    const { caller, params, server } = createShop()
    server.event('live', { description: 'x', payload: z.object({}), delivery: ['push'] })
    expect(await caller.error('events/subscribe', params(endpoint.url))).toMatchObject({ code: -32024 })
    const error = (more: JsonObject) => caller.error('events/subscribe', { ...params(endpoint.url), ...more }, ADA)
    for (const delivery of [
      undefined,
      'x',
      {},
      { url: endpoint.url },
      { url: endpoint.url, secret: 'whsec_x' },
      { url: 7, secret: createWebhookSecret() },
      ...['http://example.com/', 'https://10.0.0.1/', 'https://u:p@example.com/', 'https://example.com/#x', 'no url'].map(
        (url) => ({ url, secret: createWebhookSecret() }),
      ),
    ])
      expect(await error({ delivery })).toMatchObject({ code: -32602 })
    const push = { mode: 'push', url: endpoint.url, secret: createWebhookSecret() }
    expect(await error({ delivery: push })).toMatchObject({ code: -32026, data: { feature: 'deliveryMode', value: 'push' } })
    expect(await error({ name: 'live', arguments: {} })).toMatchObject({ code: -32026, data: { feature: 'deliveryMode' } })
    for (const ttlMs of [-1, 'x', Number.NaN]) expect(await error({ ttlMs })).toMatchObject({ code: -32602 })
    expect(endpoint.challenges).toEqual([])
  })

  it('EVT-092 EVT-093 a proof is required, for each principal and URL', async () => {
    const endpoint = await openEndpoint()
    endpoint.answersChallenges = false
    const { caller, params, subscribe } = createShop()
    const refused = await caller.error('events/subscribe', params(endpoint.url), ADA)
    expect(refused).toMatchObject({ code: -32027, data: { reason: 'challenge_failed' } })
    const away = await caller.error('events/subscribe', params('http://127.0.0.1:1/'), ADA)
    expect(away).toMatchObject({ code: -32027, data: { reason: 'connection_refused' } })
    endpoint.answersChallenges = true
    await subscribe(endpoint.url)
    await subscribe(endpoint.url, { arguments: { region: 'us' } })
    expect(endpoint.challenges).toHaveLength(2)
    await caller.result('events/subscribe', params(endpoint.url), BOB)
    expect(endpoint.challenges).toHaveLength(3)
  })

  it('EVT-094 a host gets few challenges that it does not return, on whatever port, and as many as it returns', async () => {
    const [victim, receiver] = [await openEndpoint(), await openEndpoint()]
    victim.answersChallenges = false
    const { caller, params, subscribe } = createShop({ webhooks: { limits: { maxChallenges: 3 } } })
    for (const path of ['1', '2', '3', '4', '5']) await subscribe(`${receiver.url}?${path}`)
    for (const url of [victim.url, 'http://127.0.0.1:1/', 'http://127.0.0.1:2/'])
      expect(await caller.error('events/subscribe', params(url), ADA)).toMatchObject({ code: -32027 })
    for (const [url, context] of [
      ['http://127.0.0.1:3/', ADA],
      [victim.url, BOB],
    ] as const)
      expect(await caller.error('events/subscribe', params(url), context)).toMatchObject({
        code: -32025,
        data: { limit: 'maxChallenges', max: 3 },
      })
    expect(victim.challenges).toHaveLength(1)
  })

  it('EVT-106 a principal cannot send any number of challenges through the server', async () => {
    const endpoint = await openEndpoint()
    const limits = { maxPrincipalChallenges: 3, maxPrincipalSubscriptions: 2 }
    const { caller, params, subscribe, unsubscribe } = createShop({ webhooks: { limits } })
    const urls = ['1', '2', '3', '4'].map((path) => `${endpoint.url}?${path}`) as [string, string, string, string]
    for (const url of urls.slice(0, 2)) await subscribe(url)
    // The limit of subscriptions is tested before the challenge.
    expect(await caller.error('events/subscribe', params(urls[2]), ADA)).toMatchObject({
      code: -32025,
      data: { limit: 'maxPrincipalSubscriptions' },
    })
    expect(endpoint.challenges).toHaveLength(2)
    await unsubscribe(urls[0])
    await subscribe(urls[2])
    await unsubscribe(urls[1])
    expect(await caller.error('events/subscribe', params(urls[3]), ADA)).toMatchObject({
      code: -32025,
      data: { limit: 'maxPrincipalChallenges', max: 3 },
    })
    await caller.result('events/subscribe', params(urls[3]), BOB)
    expect(endpoint.challenges).toHaveLength(4)
  })

  it('EVT-088 an endpoint that the operator knows needs no challenge', async () => {
    const endpoint = await openEndpoint()
    endpoint.answersChallenges = false
    const { subscribe, emit } = createShop({
      webhooks: { isKnown: (url, principal) => url.endsWith('/hook') && principal === 'ada' },
    })
    await subscribe(endpoint.url)
    await emit('1')
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1']))
    expect(endpoint.challenges).toEqual([])
  })

  it('EVT-052 EVT-054 EVT-056 EVT-057 EVT-064 a refresh keeps the id and the position, and it alone replaces the secret', async () => {
    const endpoint = await openEndpoint()
    let time = Date.now()
    const { subscribe, emit, caller, params } = createShop({ now: () => time })
    const [one, two] = [createWebhookSecret(), createWebhookSecret()]
    const first = await subscribe(endpoint.url, {}, one)
    await emit('1')
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1']))
    const second = await subscribe(endpoint.url, { cursor: first.cursor }, two)
    expect(second).toMatchObject({
      id: first.id,
      truncated: false,
      cursor: endpoint.received[0]?.body.cursor,
      deliveryStatus: { active: true, lastError: null, lastDeliveryAt: expect.any(String) },
    })
    await emit('2')
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1', 'ord-2']))
    expect(String(endpoint.received[1]?.headers['webhook-signature']).split(' ')).toHaveLength(2)
    time += 600_000
    await emit('3')
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1', 'ord-2', 'ord-3']))
    expect(String(endpoint.received[2]?.headers['webhook-signature']).split(' ')).toHaveLength(1)
    expect(await signers(endpoint.received[2], [one, two])).toEqual([two])
    // Whatever else happens to the subscription, the secret stays.
    await subscribe(endpoint.url, {}, two)
    time += 1_800_000
    await subscribe(endpoint.url, { ttlMs: 86_400_000 }, two)
    time += 80_000_000
    await emit('4')
    await eventually(() => expect(endpoint.ids().at(-1)).toBe('ord-4'))
    expect(await signers(endpoint.received[3], [one, two])).toEqual([two])
    const others = [
      await subscribe(endpoint.url, { arguments: { region: 'us' } }),
      await subscribe(`${endpoint.url}?x`),
      await caller.result('events/subscribe', params(endpoint.url), BOB),
    ]
    expect(new Set([first, ...others].map(({ id }) => id)).size).toBe(4)
  })

  it('EVT-055 a refresh with a cursor that is ahead moves the position', async () => {
    const endpoint = await openEndpoint(({ body }) => (body.eventId === 'ord-3' ? 204 : 500))
    const HOUR_MS = 3_600_000
    const limits = { maxAttempts: 1000, maxHeld: 1, retryDelayMs: HOUR_MS, maxRetryDelayMs: HOUR_MS }
    const { subscribe, emit, caller } = createShop({ webhooks: { limits } })
    const { cursor } = await subscribe(endpoint.url)
    for (const id of ['1', '2', '3']) await emit(id)
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1']))
    const selection = { name: 'order.created', arguments: { region: 'eu' } }
    const polled = await caller.result('events/poll', { ...selection, cursor, maxEvents: 2 }, ADA)
    expect((await subscribe(endpoint.url, { cursor: polled.cursor })).cursor).toBe(polled.cursor)
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1', 'ord-3']))
  })

  it('EVT-058 EVT-059 grants a time within the limits, and none without end unless it is allowed', async () => {
    const endpoint = await openEndpoint()
    const time = 1_000_000_000_000
    const granted = async (shop: ReturnType<typeof createShop>, ttlMs?: number | null) => {
      const { refreshBefore } = await shop.subscribe(endpoint.url, ttlMs === undefined ? {} : { ttlMs })
      return refreshBefore === null ? null : Date.parse(String(refreshBefore)) - time
    }
    const shop = createShop({ now: () => time })
    expect(await granted(shop)).toBe(3_600_000)
    expect(await granted(shop, 600_000)).toBe(600_000)
    expect(await granted(shop, 1)).toBe(300_000)
    expect(await granted(shop, 1e15)).toBe(86_400_000)
    expect(await granted(shop, null)).toBe(86_400_000)
    const endless = createShop({ now: () => time, webhooks: { allowEndless: true } })
    expect(await granted(endless, null)).toBeNull()
    expect(await granted(endless)).toBe(3_600_000)
  })

  it('EVT-106 limits the subscriptions of a principal and of all', async () => {
    const endpoint = await openEndpoint()
    const { caller, params } = createShop({ webhooks: { limits: { maxSubscriptions: 3, maxPrincipalSubscriptions: 2 } } })
    const subscribe = (path: string, context: object) =>
      caller.request('events/subscribe', params(`${endpoint.url}?${path}`), context)
    for (const [path, context, limit] of [
      ['1', ADA],
      ['2', ADA],
      ['3', ADA, 'maxPrincipalSubscriptions'],
      ['2', ADA],
      ['3', BOB],
      ['4', BOB, 'maxSubscriptions'],
    ] as const)
      expect(await subscribe(path, context)).toMatchObject(
        limit ? { error: { code: -32025, data: { limit } } } : { result: { refreshBefore: expect.any(String) } },
      )
  })

  it('EVT-066 EVT-067 EVT-068 unsubscribes by key, and nobody else can', async () => {
    const endpoint = await openEndpoint()
    const { subscribe, unsubscribe, emit } = createShop()
    await subscribe(endpoint.url)
    expect(await unsubscribe(endpoint.url, BOB)).toMatchObject({ error: { code: -32023, data: { kind: 'subscription' } } })
    expect(await unsubscribe(endpoint.url, {})).toMatchObject({ error: { code: -32024 } })
    await emit('1')
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1']))
    expect(await unsubscribe(endpoint.url)).toMatchObject({ result: { resultType: 'complete' } })
    expect(await unsubscribe(endpoint.url)).toMatchObject({ error: { code: -32023 } })
    await emit('2')
    await subscribe(endpoint.url)
    await emit('3')
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1', 'ord-3']))
    const lenient = createShop({ profile: 'chatgpt' })
    expect(await lenient.unsubscribe(endpoint.url)).toMatchObject({ result: { resultType: 'complete' } })
  })

  it('lists webhooks for callers with a principal only', async () => {
    const { caller, server } = createShop()
    server.event('hook.only', { description: 'x', payload: z.object({}), delivery: ['webhook'] })
    const listed = async (context?: object) => (await caller.result('events/list', {}, context)).events
    expect(await listed()).toMatchObject([{ name: 'order.created', delivery: ['poll', 'push'] }])
    expect(await listed(ADA)).toMatchObject([{ delivery: ['poll', 'push', 'webhook'] }, { delivery: ['webhook'] }])
  })
})

describe('deliveries', () => {
  it('EVT-076 EVT-081 are repeated with the same id, and do not hold up later ones', async () => {
    let failures = 0
    const endpoint = await openEndpoint(({ body }) => (body.eventId === 'ord-2' && failures++ < 3 ? 503 : 200))
    const { subscribe, emit } = createShop({ webhooks: { limits: { retryDelayMs: 300, maxRetryDelayMs: 300 } } })
    await subscribe(endpoint.url)
    for (const id of ['1', '2', '3']) await emit(id)
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1', 'ord-2', 'ord-3', 'ord-2', 'ord-2', 'ord-2']))
    await emit('4')
    await eventually(() => expect(endpoint.ids().at(-1)).toBe('ord-4'))
    expect((await subscribe(endpoint.url)).deliveryStatus).toMatchObject({ active: true, lastError: null })
  })

  it('EVT-083 the cursor does not pass an event that waits for another attempt', async () => {
    let isAway = true
    const endpoint = await openEndpoint(({ body }) => (body.eventId === 'ord-2' && isAway ? 500 : 200))
    const { subscribe, emit, caller } = createShop({
      webhooks: { limits: { retryDelayMs: 300, maxRetryDelayMs: 300, maxAttempts: 1000 } },
    })
    const after = async (cursor: unknown) => {
      const selection = { name: 'order.created', arguments: { region: 'eu' } }
      const { events } = await caller.result('events/poll', { ...selection, cursor }, ADA)
      return (events as { eventId: string }[]).map(({ eventId }) => eventId)
    }
    const cursorOf = (id: string) => endpoint.received.findLast(({ body }) => body.eventId === id)?.body.cursor
    await subscribe(endpoint.url)
    for (const id of ['1', '2', '3', '4']) await emit(id)
    await eventually(() => expect(endpoint.ids()).toContain('ord-4'))
    for (const id of ['ord-1', 'ord-3', 'ord-4']) expect(await after(cursorOf(id))).toEqual(['ord-2', 'ord-3', 'ord-4'])
    expect(await after((await subscribe(endpoint.url)).cursor)).toEqual(['ord-2', 'ord-3', 'ord-4'])
    isAway = false
    await eventually(async () => expect(await after((await subscribe(endpoint.url)).cursor)).toEqual([]))
    expect(await after(cursorOf('ord-2'))).toEqual([])
  })

  it('EVT-081 a few events of a subscription wait for another attempt, and then all', async () => {
    let isAway = true
    const endpoint = await openEndpoint(() => (isAway ? 500 : 200))
    const limits = { maxHeld: 3, maxAttempts: 1000, retryDelayMs: 100, maxRetryDelayMs: 100 }
    const { subscribe, emit } = createShop({ webhooks: { limits } })
    await subscribe(endpoint.url)
    for (const id of ['1', '2', '3', '4', '5']) await emit(id)
    await eventually(() => expect(endpoint.ids().length).toBeGreaterThan(9))
    expect(new Set(endpoint.ids())).toEqual(new Set(['ord-1', 'ord-2', 'ord-3']))
    isAway = false
    await eventually(() => expect(new Set(endpoint.ids())).toEqual(new Set(['ord-1', 'ord-2', 'ord-3', 'ord-4', 'ord-5'])))
  })

  it('EVT-081 an endpoint that asks to wait gets no other event meanwhile', async () => {
    const endpoint = await openEndpoint(({ body }) => (body.eventId === 'ord-1' ? 503 : 200))
    endpoint.headers = { 'retry-after': '3600' }
    const other = await openEndpoint()
    const { subscribe, emit } = createShop()
    await subscribe(endpoint.url)
    await subscribe(other.url)
    await emit('1')
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1']))
    for (const id of ['2', '3']) await emit(id)
    await eventually(() => expect(other.ids()).toEqual(['ord-1', 'ord-2', 'ord-3']))
    expect(endpoint.ids()).toEqual(['ord-1'])
    const { deliveryStatus } = (await subscribe(endpoint.url)) as { deliveryStatus?: { retryAfterMs?: number } }
    expect(deliveryStatus?.retryAfterMs).toBeGreaterThan(3_500_000)
  })

  it('EVT-081 the events that wait for another attempt survive a restart', async () => {
    let isAway = true
    const endpoint = await openEndpoint(({ body }) => (body.eventId === 'ord-1' && isAway ? 500 : 200))
    const stores = memoryStores()
    const limits = { maxAttempts: 1000, retryDelayMs: 500, maxRetryDelayMs: 500 }
    const first = createShop({ stores, webhooks: { limits } })
    await first.subscribe(endpoint.url)
    for (const id of ['1', '2', '3']) await first.emit(id)
    await eventually(() => expect(endpoint.ids()).toContain('ord-3'))
    await first.server.event.stop()
    isAway = false
    const second = createShop({ stores, webhooks: { limits } })
    await second.emit('4')
    await eventually(() => expect(endpoint.ids().slice(-2).toSorted()).toEqual(['ord-1', 'ord-4']))
  })

  it('EVT-080 EVT-081 410, 413 and the last failed attempt give the event up, and later ones are delivered', async () => {
    const statuses: Record<string, number> = { 'ord-1': 410, 'ord-2': 413, 'ord-3': 500 }
    const endpoint = await openEndpoint(({ body }) => statuses[String(body.eventId)] ?? 200)
    const { subscribe, emit, problems } = createShop({ webhooks: { limits: { maxAttempts: 2 } } })
    await subscribe(endpoint.url)
    for (const id of ['1', '2', '3', '4']) await emit(id)
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1', 'ord-2', 'ord-3', 'ord-4', 'ord-3']))
    const problem = /^An event was given up after 2 attempts: .* fails with http_5xx$/
    await eventually(() => expect(problems).toEqual([expect.stringMatching(problem)]))
  })

  it.each([
    ['', 3_600_000],
    ['EVT-062 of a subscription without end ', null],
  ])('EVT-065 EVT-086 %sare suspended after lasting failure, and a refresh resumes them with what waits', async (_, ttlMs) => {
    const endpoint = await openEndpoint(() => 500)
    const { subscribe, emit, problems } = createShop({
      webhooks: { allowEndless: true, limits: { suspendAfterMs: 0, maxAttempts: 100 } },
    })
    expect((await subscribe(endpoint.url, { ttlMs })).refreshBefore).toEqual(ttlMs === null ? null : expect.any(String))
    await emit('1')
    await emit('2')
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1']))
    endpoint.answer = () => 204
    const refreshed = await eventually(async () => {
      const result = await subscribe(endpoint.url)
      expect(result.deliveryStatus).toMatchObject({ active: false, lastError: 'http_5xx', failedSince: expect.any(String) })
      return result
    })
    expect(JSON.stringify(refreshed)).not.toContain('127.0.0.1')
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1', 'ord-1', 'ord-2']))
    expect((await subscribe(endpoint.url)).deliveryStatus).toMatchObject({ active: true })
    expect(problems).toEqual([expect.stringMatching(/^Deliveries are suspended: .* fails with http_5xx$/)])
  })

  it('EVT-026 EVT-087 events that are gone from the log are a gap', async () => {
    const stores = memoryStores({ log: { maxEntries: 2 } })
    const endpoint = await openEndpoint(() => 503)
    const { subscribe, emit } = createShop({
      stores,
      webhooks: { limits: { maxAttempts: 1000, retryDelayMs: 200, maxRetryDelayMs: 200 } },
    })
    await subscribe(endpoint.url)
    await emit('1')
    await eventually(() => expect(endpoint.ids()).toContain('ord-1'))
    // The events that this process has kept in memory are gone too.
    for (let id = 2; id < 13_000; id++) await emit(String(id))
    endpoint.received.length = 0
    endpoint.answer = () => 204
    await eventually(() => expect(endpoint.ids().at(-1)).toBe('ord-12999'))
    const gap = endpoint.received.find(({ body }) => body.type === 'gap')
    expect(gap?.headers['webhook-id']).toMatch(/^msg_gap_/)
    expect(gap?.body).toMatchObject({ type: 'gap', cursor: expect.any(String) })
  })

  it('EVT-105 EVT-111 a caller that lost the right gets a last message, and no more', async () => {
    const endpoint = await openEndpoint()
    const allowed = new Set(['ada'])
    const { subscribe, emit, caller, params } = createShop({
      hooks: { ...MATCH, authorize: ({ principal = '', auth }) => allowed.has(principal) && auth?.principal === principal },
    })
    await subscribe(endpoint.url)
    await emit('1')
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1']))
    allowed.clear()
    await emit('2')
    await eventually(() => expect(endpoint.received.at(-1)?.body).toMatchObject({ type: 'terminated', error: { code: -32024 } }))
    expect(endpoint.received.at(-1)?.headers['webhook-id']).toMatch(/^msg_terminated_/)
    expect(await caller.error('events/subscribe', params(endpoint.url), ADA)).toMatchObject({ code: -32024 })
    allowed.add('ada')
    expect(await subscribe(endpoint.url)).not.toHaveProperty('deliveryStatus')
    expect(endpoint.ids()).toEqual(['ord-1'])
  })

  it('EVT-016 end when the type is removed, or has another version', async () => {
    const endpoint = await openEndpoint()
    const stores = memoryStores()
    const { subscribe, created, server } = createShop({ stores })
    await subscribe(endpoint.url)
    await subscribe(`${endpoint.url}?2`)
    created.remove()
    await eventually(() => expect(endpoint.received.map(({ body }) => body.type)).toEqual(['terminated', 'terminated']))
    expect(endpoint.received[0]?.body).toMatchObject({ error: { code: -32023, data: { kind: 'event' } } })
    server.event('order.created', { description: 'A new order', input: REGION, payload: ORDER }, MATCH)
    await subscribe(endpoint.url)
    const next = createShop({ stores, version: 2 })
    await next.emit('1')
    await eventually(() => expect(endpoint.received).toHaveLength(3))
    expect(endpoint.received[2]?.body).toMatchObject({
      type: 'terminated',
      error: { code: -32026, data: { reason: 'schema_changed' } },
    })
  })

  it('EVT-012 end when the arguments are not valid any more; a new name beside the old one ends nothing', async () => {
    const endpoint = await openEndpoint()
    const stores = memoryStores()
    const { subscribe, created, server } = createShop({ stores })
    await subscribe(endpoint.url)
    const next = server.event('order.created.v2', {
      description: 'x',
      input: REGION.extend({ shop: z.string() }),
      payload: ORDER,
    })
    await next.emit({ orderId: '1', region: 'eu' })
    await created.emit({ orderId: '2', region: 'eu' }, { eventId: 'ord-2' })
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-2']))
    server.close()
    await server.event.stop()
    const stricter = createServer(
      { name: 'shop', version: '2' },
      { stores, extensions: [events({ webhooks: { allow: ['127.0.0.1'], limits: QUICK } })], onEvent() {} },
    )
    cleanups.push(async () => {
      stricter.close()
      await stricter.event.stop()
    })
    const input = z.object({ region: z.enum(['us']) })
    await stricter.event('order.created', { description: 'x', input, payload: ORDER }).emit({ orderId: '3', region: 'eu' })
    const data = { feature: 'inputSchema', reason: 'schema_changed' }
    await eventually(() =>
      expect(endpoint.received[1]?.body).toMatchObject({ type: 'terminated', error: { code: -32026, data } }),
    )
    expect(endpoint.received).toHaveLength(2)
  })

  it('EVT-061 survive a restart, with secrets that cannot be read in the store', async () => {
    const endpoint = await openEndpoint()
    const stores = memoryStores()
    const before = createShop({ stores })
    const secret = createWebhookSecret()
    const { id } = await before.subscribe(endpoint.url, {}, secret)
    before.server.close()
    await before.server.event.stop()
    const keys = (await stores.store.list('')).filter((key) => key.startsWith('events/'))
    const values = await Promise.all(keys.map((key) => stores.store.get(key)))
    expect(keys.length).toBeGreaterThan(1)
    expect(JSON.stringify([keys, values])).not.toContain(secret.slice(6, 20))
    expect(JSON.stringify([keys, values])).not.toContain(endpoint.url)
    const emitter = createShop({ stores, webhooks: { runWorker: false } })
    await emitter.emit('1')
    const after = createShop({ stores })
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1']))
    expect(endpoint.received[0]?.headers['x-mcp-subscription-id']).toBe(id)
    expect((await after.subscribe(endpoint.url)).id).toBe(id)
  })

  it('a hook that does not return, or throws, is a failed attempt, and does not hold up the end of the process', async () => {
    const endpoint = await openEndpoint()
    let calls = 0
    const { subscribe, emit, problems, server } = createShop({
      limits: { hookTimeoutMs: 30 },
      webhooks: { limits: { maxAttempts: 3 } },
      hooks: {
        match: ({ eventId }) => {
          if (eventId === 'ord-2') throw new Error('the database is away')
          // Asked once before the lease is taken, and then for the delivery.
          return eventId === 'ord-1' && calls++ < 2 ? new Promise(() => {}) : eventId !== 'ord-9' || new Promise(() => {})
        },
      },
    })
    await subscribe(endpoint.url)
    for (const id of ['1', '2', '3', '9']) await emit(id)
    await eventually(() => expect(endpoint.ids().toSorted()).toEqual(['ord-1', 'ord-3']))
    expect(problems[0]).toContain('hookTimeoutMs')
    await eventually(() => expect(problems.filter((problem) => problem.includes('database'))).toHaveLength(3))
    await server.event.stop()
  })

  it('EVT-106 slow endpoints of one principal do not hold up the deliveries of others', async () => {
    const quick = await openEndpoint()
    const delayed: (() => void)[] = []
    const stuck = createHttpServer((request, response) => {
      request.resume()
      delayed.push(() => response.writeHead(204).end())
    })
    await new Promise<void>((resolve) => stuck.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => {
      stuck.closeAllConnections()
      stuck.close()
    })
    const { port } = stuck.address() as AddressInfo
    const limits = { maxConcurrent: 6, maxHostConcurrent: 6, maxPrincipalConcurrent: 4, timeoutMs: 3_600_000 }
    const isKnown = (url: string) => url !== quick.url
    const { caller, params, emit } = createShop({ webhooks: { limits, isKnown } })
    for (let at = 0; at < 9; at++) await caller.result('events/subscribe', params(`http://127.0.0.1:${port}/${at}`), ADA)
    await caller.result('events/subscribe', params(quick.url), BOB)
    await emit('1')
    await eventually(() => expect(delayed).toHaveLength(4))
    await emit('2')
    await eventually(() => expect(quick.ids()).toEqual(['ord-1', 'ord-2']))
    for (const finish of delayed) finish()
    await eventually(() => expect(delayed.length).toBeGreaterThan(4))
  })

  it('EVT-019 an event has the same id in all modes and attempts, also one that the server has made', async () => {
    let failures = 0
    const endpoint = await openEndpoint(() => (failures++ === 0 ? 500 : 204))
    const { subscribe, created, caller } = createShop()
    const { cursor } = await subscribe(endpoint.url)
    const given = await created.emit({ orderId: '1', region: 'eu' }, { eventId: 'upstream-1' })
    const made = await created.emit({ orderId: '2', region: 'eu' })
    expect([given, made]).toEqual(['upstream-1', expect.not.stringContaining('.')])
    await eventually(() => expect(endpoint.ids().toSorted()).toEqual([given, given, made].toSorted()))
    const selection = { name: 'order.created', arguments: { region: 'eu' }, cursor }
    const idsOf = (all: unknown) => (all as JsonObject[]).map(({ eventId }) => eventId)
    for (let poll = 0; poll < 2; poll++)
      expect(idsOf((await caller.result('events/poll', selection, ADA)).events)).toEqual([given, made])
    const pushed: unknown[] = []
    const controller = new AbortController()
    const notify = ({ method, params }: Notification): void =>
      void (method === 'notifications/events/event' && pushed.push(params?.eventId))
    const streamed = caller.request('events/stream', selection, { ...ADA, signal: controller.signal, notify })
    await eventually(() => expect(pushed).toEqual([given, made]))
    controller.abort()
    await streamed
  })

  it('one of several processes delivers, and each event once', async () => {
    const endpoint = await openEndpoint()
    const stores = memoryStores()
    const shops = [createShop({ stores }), createShop({ stores }), createShop({ stores })]
    await shops[0]?.subscribe(endpoint.url)
    const sent: string[] = []
    for (let id = 0; id < 100; id++) sent.push(`ord-${id}`)
    for (const [index, id] of sent.entries()) await shops[index % 3]?.emit(id.slice(4))
    await eventually(() => expect(endpoint.ids()).toHaveLength(100))
    expect(endpoint.ids()).toEqual(sent)
  })

  it('expire without a refresh', async () => {
    const endpoint = await openEndpoint()
    let time = Date.now()
    const { subscribe, unsubscribe, emit } = createShop({ now: () => time })
    await subscribe(endpoint.url, { ttlMs: 300_000 })
    await emit('1')
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1']))
    time += 300_001
    await emit('2')
    expect(await unsubscribe(endpoint.url)).toMatchObject({ error: { code: -32023 } })
    await subscribe(endpoint.url)
    await emit('3')
    await eventually(() => expect(endpoint.ids().at(-1)).toBe('ord-3'))
  })

  it('EVT-072 may have ids of their own', async () => {
    let isFirst = true
    const endpoint = await openEndpoint(() => {
      const status = isFirst ? 500 : 204
      isFirst = false
      return status
    })
    const { subscribe, emit } = createShop({ profile: { webhookId: 'message' } })
    await subscribe(endpoint.url)
    await emit('1')
    await eventually(() => expect(endpoint.ids()).toEqual(['ord-1', 'ord-1']))
    const ids = endpoint.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(1)
    expect(ids[0]).toMatch(/^msg_[0-9a-f]{32}$/)
  })
})
