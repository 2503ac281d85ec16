import { describe, expect, test, vi } from 'vitest'
import type { EventOccurrence } from '../../protocol/events.ts'
import { memoryStores } from '../../stores/memory/memory.ts'
import { createMemoryStore } from '../../stores/memory/store.ts'
import { generateKey } from '../../stores/sealing/seal.ts'
import { createWebhookSecret, signWebhook } from '../signature.ts'
import type { EventWebhook, EventWebhookOptions } from './types.ts'
import { eventWebhook } from './webhook.ts'

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const NOW = 1_795_770_904
const EVENT: EventOccurrence = {
  eventId: 'ord-7731',
  name: 'order.created',
  timestamp: '2026-11-27T09:15:04Z',
  data: { orderId: '7731', total: 42.5 },
  cursor: 'c-108',
}

interface Sending {
  readonly body?: unknown
  readonly secret?: string
  readonly id?: string
  readonly subscriptionId?: string
  readonly timestamp?: number
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
}

/** Sends a signed delivery. A text is the body; anything else is sent as JSON. */
async function send(webhook: EventWebhook, sending: Sending = {}): Promise<Response> {
  const { body = EVENT, secret = SECRET, id = 'ord-7731', subscriptionId = 'sub_1', timestamp = NOW, method = 'POST' } = sending
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': await signWebhook(secret, { id, timestamp, body: text }),
    'x-mcp-subscription-id': subscriptionId,
    ...sending.headers,
  }
  const present = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return webhook(
    new Request('https://app.example.com/hook', { method, headers: present, ...(method === 'POST' && { body: text }) }),
  )
}

const URL = 'https://app.example.com/hook'
const create = (options: EventWebhookOptions = {}): EventWebhook => eventWebhook({ url: URL, now: () => NOW * 1000, ...options })

describe('events', () => {
  test('EVT-074 EVT-085 passes an event on after its signature was checked, and answers 204', async () => {
    const onEvent = vi.fn()
    const response = await send(create({ secrets: SECRET, onEvent }))
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(onEvent.mock.calls).toEqual([[EVENT, { subscriptionId: 'sub_1', messageId: 'ord-7731' }]])
  })

  test('EVT-072 accepts a message id that is not the id of the event', async () => {
    const onEvent = vi.fn()
    expect((await send(create({ secrets: SECRET, onEvent }), { id: 'msg_1' })).status).toBe(204)
    expect(onEvent).toHaveBeenCalledTimes(1)
  })

  test('accepts an event without a cursor, or with the cursor null', async () => {
    const onEvent = vi.fn()
    const { cursor: _, ...without } = EVENT
    const webhook = create({ secrets: SECRET, onEvent })
    await send(webhook, { body: without, id: 'a' })
    await send(webhook, { body: { ...EVENT, eventId: 'b', cursor: null }, id: 'b' })
    expect(onEvent.mock.calls.map(([event]) => (event as EventOccurrence).cursor)).toEqual([undefined, null])
  })

  test('EVT-085 passes gaps and terminations on', async () => {
    const [onGap, onTerminated] = [vi.fn(), vi.fn()]
    const webhook = create({ secrets: SECRET, onGap, onTerminated })
    const error = { code: -32024, message: 'access withdrawn' }
    expect((await send(webhook, { id: 'msg_gap_1', body: { type: 'gap', cursor: 'c-140' } })).status).toBe(204)
    expect((await send(webhook, { id: 'msg_terminated_1', body: { type: 'terminated', error } })).status).toBe(204)
    expect(onGap).toHaveBeenCalledExactlyOnceWith('c-140', { subscriptionId: 'sub_1', messageId: 'msg_gap_1' })
    expect(onTerminated).toHaveBeenCalledExactlyOnceWith(error, expect.anything())
  })

  test('acknowledges an envelope of a type that does not exist yet', async () => {
    const onEvent = vi.fn()
    expect((await send(create({ secrets: SECRET, onEvent }), { body: { type: 'paused' } })).status).toBe(204)
    expect(onEvent).not.toHaveBeenCalled()
  })
})

describe('EVT-077 repeated messages', () => {
  test.each([
    ['the same message', {}],
    ['the same event in another message', { id: 'msg_2' }],
    ['the same message with another timestamp', { timestamp: NOW + 30 }],
    ['the same message id', { body: { ...EVENT, eventId: 'other' } }],
  ])('%s is acknowledged and not passed on', async (_, second) => {
    const onEvent = vi.fn()
    const webhook = create({ secrets: SECRET, onEvent })
    await send(webhook)
    expect((await send(webhook, second)).status).toBe(204)
    expect(onEvent).toHaveBeenCalledTimes(1)
  })

  test('two subscriptions may receive the same event, and an event may have the id of another message', async () => {
    const onEvent = vi.fn()
    const webhook = create({ secrets: SECRET, onEvent })
    await send(webhook)
    await send(webhook, { subscriptionId: 'sub_2' })
    await send(webhook, { id: 'x', body: { ...EVENT, eventId: 'y' } })
    await send(webhook, { id: 'y', body: { ...EVENT, eventId: 'z' } })
    expect(onEvent).toHaveBeenCalledTimes(4)
  })

  test('two at the same time call the function once', async () => {
    const onEvent = vi.fn(() => new Promise((resolve) => setTimeout(resolve, 5)))
    const webhook = create({ secrets: SECRET, onEvent })
    const responses = await Promise.all([send(webhook), send(webhook), send(webhook)])
    expect(responses.map(({ status }) => status)).toEqual([204, 204, 204])
    expect(onEvent).toHaveBeenCalledTimes(1)
  })

  test('EVT-079 an event that was not stored is not acknowledged, and is passed on again', async () => {
    const onError = vi.fn()
    const onEvent = vi.fn().mockRejectedValueOnce(new Error('the database is away: secret-host'))
    const webhook = create({ secrets: SECRET, onEvent, onError })
    const failed = await send(webhook)
    expect(failed.status).toBe(500)
    expect(await failed.text()).not.toContain('secret-host')
    expect(onError).toHaveBeenCalledTimes(1)
    expect((await send(webhook)).status).toBe(204)
    expect(onEvent).toHaveBeenCalledTimes(2)
  })

  test('processes with one store recognize the messages of each other', async () => {
    const onEvent = vi.fn()
    const shared = { secrets: SECRET, onEvent, store: createMemoryStore(), sealingKeys: [generateKey()] }
    await send(create(shared))
    expect((await send(create(shared))).status).toBe(204)
    expect(onEvent).toHaveBeenCalledTimes(1)
  })
})

describe('32.5 what is refused', () => {
  const refused = async (sending: Sending, options: EventWebhookOptions = { secrets: SECRET }): Promise<Response> => {
    const onEvent = vi.fn()
    const response = await send(create({ onEvent, ...options }), sending)
    expect(onEvent).not.toHaveBeenCalled()
    return response
  }

  test.each<[number, string, Sending]>([
    [405, 'GET', { method: 'GET' }],
    [415, 'another media type', { headers: { 'content-type': 'text/plain' } }],
    [415, 'no media type', { headers: { 'content-type': '' } }],
    [400, 'no message id', { headers: { 'webhook-id': undefined } }],
    [400, 'no subscription id', { headers: { 'x-mcp-subscription-id': undefined } }],
    [400, 'no timestamp', { headers: { 'webhook-timestamp': undefined } }],
    [400, 'no signature', { headers: { 'webhook-signature': undefined } }],
    [400, 'a timestamp that is none', { headers: { 'webhook-timestamp': 'now' } }],
    [401, 'another secret', { secret: createWebhookSecret() }],
    [401, 'a signature that is none', { headers: { 'webhook-signature': 'v1,AAAA' } }],
    [401, 'another id than the signed one', { headers: { 'webhook-id': 'other' } }],
    [401, 'EVT-075 a message that is replayed after 5 minutes', { timestamp: NOW - 301 }],
    [401, 'a message of the future', { timestamp: NOW + 301 }],
    [400, 'no JSON', { body: 'eventId=1' }],
    [400, 'an array', { body: [EVENT] }],
    [400, 'an empty body', { body: '' }],
    [400, 'an event without data', { body: { ...EVENT, data: undefined } }],
    [400, 'an event with an id that is no text', { body: { ...EVENT, eventId: 7 } }],
    [400, 'neither event nor envelope', { body: {} }],
    [400, 'a challenge that is no text', { body: { type: 'verification', challenge: {} } }],
    [400, 'an endless challenge', { body: { type: 'verification', challenge: 'x'.repeat(2000) } }],
    [413, 'a large body', { body: JSON.stringify('x'.repeat(256 * 1024)) }],
    [413, 'a large body without a length', { body: JSON.stringify('x'.repeat(256 * 1024)), headers: { 'content-length': '' } }],
  ])('%i for %s', async (status, _, sending) => {
    expect((await refused(sending)).status).toBe(status)
  })

  test('405 names the method to use', async () => {
    expect((await refused({ method: 'GET' })).headers.get('allow')).toBe('POST')
  })

  test('EVT-084 503 for events of unknown subscriptions, and 401 for a verification', async () => {
    const options = { secrets: async () => undefined }
    const response = await refused({}, options)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect((await refused({ body: { type: 'gap', cursor: 'c' } }, options)).status).toBe(503)
    expect((await refused({ body: { type: 'verification', challenge: 'x' } }, options)).status).toBe(401)
    expect((await refused({}, {})).status).toBe(503)
  })

  test('503 for an event that nobody in this process takes, which may reach another one', async () => {
    expect((await send(eventWebhook({ secrets: SECRET, now: () => NOW * 1000 }))).status).toBe(503)
  })

  test('a body may take any time', async () => {
    expect((await send(create({ secrets: SECRET, bodyTimeoutMs: Infinity, onEvent: () => {} }))).status).toBe(204)
  })

  test('408 for a body that does not arrive', async () => {
    const webhook = create({ secrets: SECRET, bodyTimeoutMs: 20 })
    const body = new ReadableStream({ pull: () => new Promise(() => {}) })
    const headers = { 'content-type': 'application/json', 'webhook-id': 'a', 'x-mcp-subscription-id': 's' }
    const request = new Request('https://app.example.com/', { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
    expect((await webhook(request)).status).toBe(408)
  })

  test('500 and an error if the body was read before', async () => {
    const onError = vi.fn()
    const webhook = create({ secrets: SECRET, onError })
    const headers = { 'content-type': 'application/json', 'webhook-id': 'a', 'x-mcp-subscription-id': 's' }
    const request = new Request('https://app.example.com/', { method: 'POST', headers, body: '{}' })
    await request.text()
    expect((await webhook(request)).status).toBe(500)
    expect(String(onError.mock.calls)).toMatch(/before anything parses its body/)
  })
})

describe('registered subscriptions', () => {
  const registration = { secret: SECRET, name: 'order.created', arguments: { region: 'eu' } }
  const source = { subscriptionId: 'sub_1', messageId: 'ord-7731', name: 'order.created', arguments: { region: 'eu' } }
  const challenge = { type: 'verification', challenge: 'n3Yq-5mE7w0kT1' }

  test('EVT-089 EVT-090 answers the challenge before the id is known, and takes events from then on', async () => {
    const listener = { onEvent: vi.fn() }
    const webhook = create()
    const subscription = await webhook.register({ ...registration, listener })
    const response = await send(webhook, { id: 'msg_verification_1', body: challenge })
    expect([response.status, await response.json()]).toEqual([200, { challenge: 'n3Yq-5mE7w0kT1' }])
    expect((await send(webhook)).status).toBe(204)
    await subscription.confirm('sub_1', NOW * 1000 + 60_000)
    expect(listener.onEvent.mock.calls).toEqual([[EVENT, source]])
  })

  test('takes an event that is faster than the result of the subscription', async () => {
    const listener = { onEvent: vi.fn() }
    const webhook = create()
    await webhook.register({ ...registration, listener })
    expect((await send(webhook)).status).toBe(204)
    expect(listener.onEvent).toHaveBeenCalledTimes(1)
  })

  test('calls the function of the options too, also in a process that did not subscribe', async () => {
    const onEvent = vi.fn()
    const shared = { onEvent, store: createMemoryStore(), sealingKeys: [generateKey()] }
    const subscribing = create(shared)
    await (await subscribing.register(registration)).confirm('sub_1', null)
    expect((await send(create(shared))).status).toBe(204)
    expect(onEvent.mock.calls).toEqual([[EVENT, source]])
  })

  test('refuses a known subscription with the secret of another one', async () => {
    const webhook = create()
    const [one, other] = [createWebhookSecret(), createWebhookSecret()]
    await (await webhook.register({ ...registration, secret: one, listener: { onEvent() {} } })).confirm('sub_1', null)
    await (await webhook.register({ ...registration, secret: other, listener: { onEvent() {} } })).confirm('sub_2', null)
    expect((await send(webhook, { secret: one, subscriptionId: 'sub_1' })).status).toBe(204)
    expect((await send(webhook, { secret: other, subscriptionId: 'sub_1', id: 'x' })).status).toBe(401)
  })

  test('a server that names the id of a subscription at another server neither ends it nor takes its events', async () => {
    const webhook = create()
    const own = { onEvent: vi.fn(), onTerminated: vi.fn() }
    const hostile = createWebhookSecret()
    await (await webhook.register({ ...registration, listener: own })).confirm('sub_1', null)
    const other = await webhook.register({ ...registration, secret: hostile, listener: { onEvent() {} } })
    // It delivers before it answers, it answers, and it takes an id in advance.
    expect((await send(webhook, { secret: hostile })).status).toBe(204)
    await other.confirm('sub_1', null)
    expect((await send(webhook, { secret: hostile, id: 'ord-2', body: { ...EVENT, eventId: 'ord-2' } })).status).toBe(204)
    for (const id of ['ord-7731', 'ord-2'])
      expect((await send(webhook, { id, body: { ...EVENT, eventId: id } })).status).toBe(204)
    expect(own.onEvent.mock.calls.map(([{ eventId }]) => eventId)).toEqual(['ord-7731', 'ord-2'])
    const terminated = { type: 'terminated', error: { code: -32023, message: 'gone' } }
    expect((await send(webhook, { secret: hostile, id: 'msg_t', body: terminated })).status).toBe(204)
    await other.end()
    expect(own.onTerminated).not.toHaveBeenCalled()
    expect((await send(webhook, { id: 'ord-3', body: { ...EVENT, eventId: 'ord-3' } })).status).toBe(204)
    expect((await send(webhook, { secret: hostile, id: 'ord-4' })).status).toBe(401)
  })

  test('410 after the end, and challenges again when the same subscription is made again', async () => {
    const webhook = create()
    const listener = { onEvent: vi.fn() }
    const first = await webhook.register({ ...registration, listener })
    await first.confirm('sub_1', null)
    await first.end()
    expect((await send(webhook)).status).toBe(410)
    const again = await webhook.register({ ...registration, secret: createWebhookSecret(), listener })
    expect((await send(webhook)).status).toBe(410)
    await again.end()
    await webhook.register({ ...registration, listener })
    expect((await send(webhook, { id: 'v', body: challenge })).status).toBe(200)
    expect((await send(webhook)).status).toBe(204)
  })

  test('a termination ends it', async () => {
    const webhook = create()
    const listener = { onTerminated: vi.fn() }
    await (await webhook.register({ ...registration, listener })).confirm('sub_1', null)
    await send(webhook, { id: 'msg_t', body: { type: 'terminated', error: { code: -32023, message: 'gone' } } })
    expect(listener.onTerminated).toHaveBeenCalledTimes(1)
    expect((await send(webhook)).status).toBe(410)
  })

  test('is forgotten some time after it expired', async () => {
    let now = NOW * 1000
    const store = createMemoryStore({ now: () => now })
    const webhook = create({ store, sealingKeys: [generateKey()], now: () => now, onEvent() {} })
    await (await webhook.register(registration)).confirm('sub_1', now + 60_000)
    now += 60_000 + 900_001
    expect((await send(webhook, { timestamp: now / 1000 - 1 })).status).toBe(400)
    expect((await send(webhook, { timestamp: Math.floor(now / 1000) })).status).toBe(503)
  })

  test('keeps the secret encrypted', async () => {
    const store = createMemoryStore()
    const webhook = create({ store, sealingKeys: [generateKey()] })
    await (await webhook.register(registration)).confirm('sub_1', null)
    const values = await Promise.all((await store.list('')).map((key) => store.get(key)))
    expect(values.length).toBeGreaterThan(0)
    expect(JSON.stringify(values)).not.toContain(SECRET.slice(6, 20))
    expect(() => eventWebhook({ url: URL, store })).toThrow(/sealingKeys/)
  })
})

describe('several processes', () => {
  const registration = { secret: SECRET, name: 'order.created', arguments: {} }
  const processes = () => {
    const stores = memoryStores()
    return [create({ stores }), create({ stores })] as const
  }

  test('pass a delivery on to the one that subscribed, once and in order', async () => {
    const [one, other] = processes()
    const ids: string[] = []
    const listener = { onEvent: ({ eventId }: EventOccurrence) => void ids.push(eventId) }
    await (await one.register({ ...registration, listener })).confirm('sub_1', null)
    const expected = Array.from({ length: 20 }, (_, at) => `ord-${at}`)
    for (const [at, eventId] of expected.entries()) {
      const sending = { id: eventId, body: { ...EVENT, eventId } }
      const statuses = await Promise.all([at % 2 ? one : other, other].map((webhook) => send(webhook, sending)))
      expect(statuses.map(({ status }) => status)).toEqual([204, 204])
    }
    expect(ids).toEqual(expected)
    expect((await send(other, { secret: createWebhookSecret(), id: 'forged' })).status).toBe(401)
  })

  test('answer challenges for each other, and pass terminations on', async () => {
    const [one, other] = processes()
    const onTerminated = vi.fn()
    const subscription = await one.register({ ...registration, listener: { onTerminated } })
    const challenge = { type: 'verification', challenge: 'n3Yq-5mE7w0kT1' }
    expect((await send(other, { id: 'v', body: challenge })).status).toBe(200)
    await subscription.confirm('sub_1', null)
    const error = { code: -32023, message: 'gone' }
    expect((await send(other, { id: 't', body: { type: 'terminated', error } })).status).toBe(204)
    expect(onTerminated).toHaveBeenCalledExactlyOnceWith(error, expect.objectContaining({ subscriptionId: 'sub_1' }))
    expect((await send(other)).status).toBe(410)
  })

  test('say that it failed, or that nobody takes it, so that the server sends it again', async () => {
    const [one, other] = processes()
    let failures = 1
    const onEvent = vi.fn(() => {
      if (failures-- > 0) throw new Error('the disk is full')
    })
    const subscription = await one.register({ ...registration, listener: { onEvent } })
    await subscription.confirm('sub_1', null)
    expect((await send(other)).status).toBe(500)
    expect((await send(other)).status).toBe(204)
    expect(onEvent).toHaveBeenCalledTimes(2)
    subscription.detach()
    expect((await send(other, { id: 'x', body: { ...EVENT, eventId: 'x' } })).status).toBe(503)
    await subscription.end()
    expect((await send(other)).status).toBe(410)
  })

  test('keep no secret in the store that is not encrypted, and take either store or stores', async () => {
    const stores = memoryStores()
    await (await create({ stores }).register({ ...registration, listener: {} })).confirm('sub_1', null)
    const values = await Promise.all((await stores.store.list('')).map((key) => stores.store.get(key)))
    expect(values.length).toBeGreaterThan(1)
    expect(JSON.stringify(values)).not.toContain(SECRET.slice(6, 20))
    expect(() => create({ stores, store: stores.store })).toThrow('either store or stores')
  })
})

test('refuses a URL with a password', () => {
  expect(() => eventWebhook({ url: 'https://a:b@app.example.com/' })).toThrow(/url/)
  expect(() => eventWebhook({ url: 'http://app.example.com/' })).toThrow('eventWebhook: url must be an https URL')
  expect(() => eventWebhook({ url: 'http://127.0.0.1:8085/' })).not.toThrow()
  for (const options of [undefined, {}, { onEvent() {} }]) expect(() => eventWebhook(options as never)).toThrow(/eventWebhook/)
  expect(() => eventWebhook({ onEvent() {} })).toThrow('nothing can be verified. Pass url')
  expect(create({ url: 'https://app.example.com/hook' }).url).toBe('https://app.example.com/hook')
})
