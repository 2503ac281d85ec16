/** Events by webhook with others: `standardwebhooks` signs and verifies, and the AI SDK subscribes and receives. */
import {
  createMCPClient,
  experimental_createMCPEventWebhook as createMCPEventWebhook,
  type experimental_MCPEventStore as MCPEventStore,
} from '@ai-sdk/mcp'
import { createServer, defineServerExtension, generateKey } from 'portcall'
import { createEventSender, events as servedEvents } from 'portcall/events'
import { checkSignature, createWebhookSecret, eventWebhook, signWebhook } from 'portcall/events/client'
import { serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { serveHandler } from './serve-handler.ts'

type Subscription = Parameters<MCPEventStore['set']>[0]

const EVENT = {
  eventId: 'ord-7731',
  name: 'order.created',
  timestamp: '2026-11-27T09:15:04Z',
  data: { orderId: 'ü' },
  cursor: 'c-1',
}
const BODY = JSON.stringify(EVENT)

describe('standardwebhooks', () => {
  const secret = createWebhookSecret()
  const webhook = new Webhook(secret)

  it('EVT-073 EVT-074 verifies what we sign, and we verify what it signs', async () => {
    const at = new Date()
    const timestamp = Math.floor(at.getTime() / 1000)
    const ours = await signWebhook([createWebhookSecret(), secret], { id: 'ord-7731', timestamp, body: BODY })
    const headers = { 'webhook-id': 'ord-7731', 'webhook-timestamp': String(timestamp), 'webhook-signature': ours }
    expect(webhook.verify(BODY, headers)).toEqual(EVENT)
    const theirs = webhook.sign('ord-7731', at, BODY)
    expect(ours.split(' ')).toContain(theirs)
    const sent = { id: 'ord-7731', timestamp: String(timestamp), signature: theirs }
    expect(await checkSignature(sent, BODY, { secrets: secret })).toEqual({ type: 'valid', secret })
  })

  it('signs a delivery that our handler accepts, and refuses one of ours that was changed', async () => {
    const received: unknown[] = []
    const handler = eventWebhook({ secrets: secret, onEvent: (event) => received.push(event) })
    const at = new Date()
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': webhook.sign('msg_1', at, BODY),
      'x-mcp-subscription-id': 'sub_1',
    }
    const post = (body: string): Promise<Response> =>
      handler(new Request('https://app.example.com/', { method: 'POST', headers, body }))
    expect((await post(BODY)).status).toBe(204)
    expect((await post(`${BODY} `)).status).toBe(401)
    expect(received).toEqual([EVENT])
    expect(() => webhook.verify(`${BODY} `, headers)).toThrow()
  })
})

/** The store that the AI SDK asks for. */
function createStore(): MCPEventStore & { readonly all: Map<string, Subscription> } {
  const all = new Map<string, Subscription>()
  return {
    all,
    get: async (key) => all.get(key),
    getById: async (id) => [...all.values()].find((one) => one.id === id),
    set: async (subscription) => void all.set(subscription.key, subscription),
    async update(key, patch) {
      const known = all.get(key)
      if (known) all.set(key, { ...known, ...patch })
    },
    delete: async (key) => void all.delete(key),
  }
}

const sender = createEventSender({ allow: ['127.0.0.1'] })

/** A server whose webhooks are verified and served by our sender. */
async function serveEvents() {
  const subscriptions: Array<{ url: string; secrets: string }> = []
  const unsubscribed: unknown[] = []
  const extension = defineServerExtension({
    id: 'io.modelcontextprotocol/events',
    otherCapabilities: { events: {} },
    setup(context) {
      const type = { name: 'order.created', description: 'An order', delivery: ['webhook'], inputSchema: {}, payloadSchema: {} }
      context.method('events/list', { open: true }, () => ({ events: [type] }))
      context.method('events/subscribe', { open: true }, async ({ delivery }) => {
        const { url, secret } = delivery as { url: string; secret: string }
        const subscription = { url, secrets: secret }
        expect(await sender.verify({ ...subscription, subscriptionId: 'sub_1' })).toEqual({ type: 'verified' })
        subscriptions.push(subscription)
        return { id: 'sub_1', refreshBefore: new Date(Date.now() + 3_600_000).toISOString(), cursor: 'c-0', truncated: false }
      })
      context.method('events/unsubscribe', { open: true }, ({ delivery }) => {
        unsubscribed.push(delivery)
        return {}
      })
    },
  })
  const { url, close } = await serve(createServer({ name: 'shop', version: '1' }, { extensions: [extension] }), { port: 0 })
  onTestFinished(() => close())
  const send = (body: object, messageId: string) => {
    const [subscription] = subscriptions
    if (!subscription) throw new Error('There is no subscription')
    return sender.deliver({ ...subscription, subscriptionId: 'sub_1', messageId, body: JSON.stringify(body) })
  }
  return { url, unsubscribed, send }
}

describe('the AI SDK', () => {
  it('EVT-089 EVT-071 subscribes, answers our challenge, and receives our events, gaps and terminations', async () => {
    const store = createStore()
    const received: unknown[] = []
    const callback = await serveHandler(
      createMCPEventWebhook({
        store,
        onEvent: async ({ event, subscription }) => void received.push([subscription.id, event]),
        onGap: async ({ gap }) => void received.push(gap),
        onTerminated: async ({ termination }) => void received.push(termination),
      }),
    )
    const { url, send, unsubscribed } = await serveEvents()
    const client = await createMCPClient({ transport: { type: 'http', url: String(url) }, experimental_events: { store } })
    onTestFinished(() => client.close())
    const events = client.experimental_events as Extract<typeof client.experimental_events, { refresh: unknown }>
    const subscription = await events.subscribe({
      name: 'order.created',
      arguments: {},
      delivery: { mode: 'webhook', url: `${callback}/hook`, allowInsecureLocalhost: true },
    } as never)
    expect(subscription).toMatchObject({ id: 'sub_1', cursor: 'c-0', truncated: false })
    expect(await send(EVENT, 'ord-7731')).toEqual({ type: 'delivered' })
    // It refuses a message id that is not the id of the event.
    expect(await send(EVENT, 'msg_1')).toEqual({ type: 'retry', reason: 'http_4xx' })
    expect(await send({ type: 'gap', cursor: 'c-9' }, 'msg_gap_1')).toEqual({ type: 'delivered' })
    expect([...store.all.values()]).toMatchObject([{ cursor: 'c-9', truncated: true }])
    await events.unsubscribe({ id: 'sub_1' } as never)
    expect(unsubscribed).toMatchObject([{ mode: 'webhook' }])
    expect(received).toEqual([['sub_1', expect.objectContaining(EVENT)], { type: 'gap', cursor: 'c-9', truncated: true }])
    expect(await send(EVENT, 'ord-7731')).toEqual({ type: 'retry', reason: 'http_4xx' })
  })
  it('EVT-049 EVT-054 EVT-066 uses webhooks of our server in the profile of the sketch', async () => {
    const server = createServer(
      { name: 'shop', version: '1' },
      {
        stores: memoryStores(),
        sealingKeys: [generateKey()],
        extensions: [servedEvents({ profile: 'chatgpt', webhooks: { allow: ['127.0.0.1'] } })],
      },
    )
    const payload = z.object({ orderId: z.string() })
    const created = server.event('order.created', { description: 'An order', input: z.object({ region: z.string() }), payload })
    const listening = await serve(server, { port: 0, authenticate: () => ({ principal: 'ann' }) })
    onTestFinished(() => listening.close())
    const store = createStore()
    const received: unknown[] = []
    const callback = await serveHandler(
      createMCPEventWebhook({ store, onEvent: async ({ event }) => void received.push([event.eventId, event.data]) }),
    )
    const client = await createMCPClient({ transport: { type: 'http', url: listening.url }, experimental_events: { store } })
    onTestFinished(() => client.close())
    const events = client.experimental_events as Extract<typeof client.experimental_events, { refresh: unknown }>
    const { id } = await events.subscribe({
      name: 'order.created',
      arguments: { region: 'eu' },
      delivery: { mode: 'webhook', url: `${callback}/hook`, allowInsecureLocalhost: true },
    } as never)
    await created.emit({ orderId: '7731' }, { eventId: 'ord-7731' })
    await expect.poll(() => received, { timeout: 30_000 }).toEqual([['ord-7731', { orderId: '7731' }]])
    expect(await events.refresh({ id } as never)).toMatchObject({ id, truncated: false })
    await events.unsubscribe({ id } as never)
    expect(store.all.size).toBe(0)
  })
})
