/** Events of servers that deliver to webhooks only, through a gateway that receives them. */
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { delay } from '../../../util/src/timers.ts'
import { eventually } from '../../test-kit/eventually.ts'
import { connect } from '../connect/connect.ts'
import { events as clientEvents } from '../events/client/extension.ts'
import type { EventOptions, SavedEventState } from '../events/client/types.ts'
import { eventWebhook } from '../events/receiver/webhook.ts'
import { events } from '../events/server/extension.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import { type JsonObject, success } from '../jsonrpc/message.ts'
import { EVENTS_EXTENSION } from '../protocol/events.ts'
import { createServer } from '../server/server.ts'
import { createGateway } from './gateway.ts'

const NAME = 'shop__order.created'
const TYPE = { name: 'order.created', description: 'Orders', delivery: ['webhook'], inputSchema: {}, payloadSchema: {} }
const discovered = {
  supportedVersions: ['2026-07-28'],
  capabilities: { extensions: { [EVENTS_EXTENSION]: {} } },
  ttlMs: 0,
  cacheScope: 'private',
}

async function openGateway({
  beforeAnswer = async (_: string): Promise<void> => {},
  isAway = (_: string): boolean => false,
} = {}) {
  const http = createHttpServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const request = new Request(url, { method: 'POST', headers: incoming.headers as Record<string, string>, body })
    const response = isAway(body.toString()) ? new Response(null, { status: 503 }) : await webhook(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/events`
  const webhook = eventWebhook({ url })
  const shop = createServer(
    { name: 'shop', version: '1' },
    {
      extensions: [
        events({
          webhooks: {
            allow: ['127.0.0.1'],
            limits: { sweepIntervalMs: 100, retryDelayMs: 50, maxRetryDelayMs: 50, maxAttempts: 1000 },
          },
        }),
      ],
    },
  )
  const created = shop.event('order.created', {
    description: 'Orders',
    payload: z.object({ id: z.string() }),
    delivery: ['webhook'],
  })
  const sent: { readonly method: string; readonly params: JsonObject | undefined }[] = []
  const target: Exchange = async (request, context) => {
    sent.push({ method: request.method, params: request.params })
    const response = await shop.exchange(request, { ...context, auth: { principal: 'gateway' } })
    await beforeAnswer(request.method)
    return response
  }
  const gateway = createGateway({ servers: { shop: { target: { exchange: target }, eventWebhook: webhook } } })
  onTestFinished(async () => {
    await gateway.close()
    await shop.event.stop()
    shop.close()
    http.closeAllConnections()
    http.close()
  })
  const subscriptions = () => sent.filter(({ method }) => method === 'events/subscribe')
  return { gateway, created, sent, subscriptions, url }
}

test('feed the streams of callers, which learn neither the URL nor the secret', async () => {
  const { gateway, created, sent, subscriptions, url } = await openGateway()
  const seen: unknown[] = []
  const spied: Exchange = async (request, context) => {
    const notify: typeof context.notify = (notification) => {
      seen.push(notification)
      return context.notify(notification)
    }
    const response = await gateway.exchange(request, { ...context, signal: context.signal, notify })
    seen.push(response)
    return response
  }
  const clients = await Promise.all([0, 1].map(() => connect({ ...gateway, exchange: spied }, { extensions: [clientEvents()] })))
  for (const client of clients) onTestFinished(() => client.close())
  expect(await clients[0]?.events.list().toArray()).toMatchObject([{ name: NAME, delivery: ['push'] }])
  const received: string[][] = [[], []]
  const opened = await Promise.all(
    clients.map((client, at) => client.events.on(NAME, {}, ({ eventId }) => void received[at]?.push(eventId))),
  )
  await created.emit({ id: '1' }, { eventId: 'ord-1' })
  await eventually(() => expect(received).toEqual([['ord-1'], ['ord-1']]))
  expect(subscriptions()).toHaveLength(1)
  const delivery = subscriptions()[0]?.params?.delivery as { url: string; secret: string }
  expect(delivery.url.startsWith(url)).toBe(true)
  for (const secret of [delivery.secret, delivery.url, url]) expect(JSON.stringify(seen)).not.toContain(secret)
  await opened[0]?.close()
  await created.emit({ id: '2' }, { eventId: 'ord-2' })
  await eventually(() => expect(received).toEqual([['ord-1'], ['ord-1', 'ord-2']]))
  await opened[1]?.close()
  await eventually(() => expect(sent.at(-1)?.method).toBe('events/unsubscribe'))
})

test('end the streams when the server removes the type', async () => {
  const { gateway, created } = await openGateway()
  await using client = await connect(gateway, { extensions: [clientEvents()] })
  const subscription = await client.events.on(NAME, {}, () => {})
  created.remove()
  await expect(subscription.ended).rejects.toMatchObject({ reason: 'terminated', error: { code: -32023 } })
})

test('may begin before the response to the subscription: the server repeats what is too much', async () => {
  const ids = Array.from({ length: 40 }, (_, n) => `ord-${n}`)
  const { gateway, created } = await openGateway({
    async beforeAnswer(method) {
      if (method !== 'events/subscribe') return
      for (const eventId of ids) await created.emit({ id: '1' }, { eventId })
      await delay(500)
    },
  })
  await using client = await connect(gateway, { extensions: [clientEvents()] })
  const received = new Set<string>()
  await client.events.on(NAME, {}, ({ eventId }) => void received.add(eventId))
  await eventually(() => expect([...received].toSorted()).toEqual(ids.toSorted()))
})

describe('a caller that leaves while a delivery has failed, and comes back', () => {
  const ids = (...numbers: number[]) => numbers.map((n) => `ord-${n}`)

  async function openFailing() {
    let isFailing = true
    const { gateway, created } = await openGateway({ isAway: (body) => isFailing && body.includes('"eventId":"ord-1"') })
    let saved: SavedEventState | undefined
    const state = { load: () => saved, save: (_: string, next: SavedEventState) => void (saved = next) }
    const receive = async (options: EventOptions = {}) => {
      const received: string[] = []
      const client = await connect(gateway, { extensions: [clientEvents()] })
      onTestFinished(() => client.close())
      const { close } = await client.events.on(NAME, {}, ({ eventId }) => void received.push(eventId), options)
      return { received, close }
    }
    return {
      emit: async (...eventIds: string[]) => {
        for (const eventId of eventIds) await created.emit({ id: '1' }, { eventId })
      },
      repeat: () => void (isFailing = false),
      receive,
      receiveSaved: () => receive({ state }),
    }
  }

  test.each([
    ['before', true],
    ['after', false],
  ])('%s its repetition misses nothing that others get meanwhile', async (_, isBefore) => {
    const { emit, repeat, receive, receiveSaved } = await openFailing()
    const [other, first] = [await receive(), await receiveSaved()]
    await emit(...ids(0, 1, 2))
    await eventually(() => expect(first.received).toEqual(ids(0, 2)))
    await first.close()
    await emit(...ids(3, 4))
    await eventually(() => expect(other.received).toEqual(ids(0, 2, 3, 4)))
    const repeated = () => eventually(() => expect(other.received).toEqual(ids(0, 2, 3, 4, 1)))
    if (!isBefore) repeat()
    if (!isBefore) await repeated()
    const second = await receiveSaved()
    repeat()
    await repeated()
    await eventually(() => expect(new Set(second.received)).toEqual(new Set(ids(1, 3, 4))))
  })

  test('misses nothing when no other caller has stayed', async () => {
    const { emit, repeat, receiveSaved } = await openFailing()
    const first = await receiveSaved()
    await emit(...ids(0, 1, 2))
    await eventually(() => expect(first.received).toEqual(ids(0, 2)))
    await first.close()
    await emit(...ids(3))
    repeat()
    const second = await receiveSaved()
    await eventually(() => expect(second.received).toEqual(ids(1, 2, 3)))
  })
})

test('fail when the server names no subscription, which then is ended', async () => {
  const methods: string[] = []
  const exchange: Exchange = async ({ id, method }) => {
    methods.push(method)
    const lists = { 'server/discover': discovered, 'events/list': { events: [TYPE] }, 'events/unsubscribe': {} }
    if (method === 'events/subscribe') return success(id, { resultType: 'complete', refreshBefore: null })
    if (Object.hasOwn(lists, method)) return success(id, { resultType: 'complete', ...lists[method as keyof typeof lists] })
    return { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } }
  }
  const gateway = createGateway({
    servers: { shop: { target: { exchange }, eventWebhook: eventWebhook({ url: 'https://app.example.com/events' }) } },
  })
  onTestFinished(() => gateway.close())
  await using client = await connect(gateway, { extensions: [clientEvents()] })
  await expect(client.events.on(NAME, {}, () => {})).rejects.toMatchObject({ code: -32603 })
  await eventually(() => expect(methods.slice(-2)).toEqual(['events/subscribe', 'events/unsubscribe']))
})

test('need a webhook with a URL', () => {
  const secrets = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
  const shop = createServer({ name: 'shop', version: '1' })
  expect(() => createGateway({ servers: { shop: { target: shop, eventWebhook: eventWebhook({ secrets }) } } })).toThrow(
    'the server "shop": the eventWebhook has no url',
  )
})
