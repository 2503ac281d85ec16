/** Our client and our webhook with the servers of others that deliver events to webhooks: `mcp-handler` of Vercel, and `mcp-webhook-events` for Python. */
import { createMcpHandler, experimental_registerMcpEvents as registerMcpEvents, withMcpAuth } from 'mcp-handler'
import { connect } from 'portcall/client'
import { type EventWebhook, events, eventWebhook } from 'portcall/events/client'
import { Webhook } from 'standardwebhooks'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { serveHandler } from './serve-handler.ts'
import { type Program, start } from './servers/programs.ts'

type EventsOptions = Parameters<typeof registerMcpEvents>[1]
type StoredSubscription = Parameters<EventsOptions['subscriptions']['upsert']>[0]
type SubscriptionKey = Parameters<EventsOptions['subscriptions']['prepare']>[0]

const WEBHOOK_URL = 'https://app.example.com/hook'

/** Sends a message as the application behind `mcp-handler` does: signed by `standardwebhooks`. */
function post(webhook: EventWebhook, { id, url, secret }: Pick<StoredSubscription, 'id' | 'url' | 'secret'>, message: object) {
  const body = JSON.stringify(message)
  const messageId = 'eventId' in message ? String(message.eventId) : `msg_${Math.random()}`
  const at = new Date()
  const headers = {
    'content-type': 'application/json',
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(messageId, at, body),
    'x-mcp-subscription-id': id,
  }
  return webhook(new Request(url, { method: 'POST', headers, body }))
}

/** A server of `mcp-handler` with one type of events, whose deliveries the webhook receives. */
async function serveMcpHandler(webhook: EventWebhook) {
  const stored = new Map<string, StoredSubscription>()
  const options: EventsOptions = {
    getPrincipal: ({ clientId }) => clientId,
    events: [
      {
        name: 'order.created',
        description: 'A new order',
        inputSchema: z.object({ region: z.string() }),
        payloadSchema: z.object({ id: z.string() }),
        authorize: ({ region }) => region !== 'secret',
      },
    ],
    subscriptions: {
      prepare: async () => 'operation',
      upsert: async (subscription) => {
        stored.set(subscription.id, subscription)
        return { cursor: 'c-1', truncated: false, deliveryStatus: { active: true, lastError: null } }
      },
      remove: async ({ id }) => stored.delete(id),
    },
    delivery: {
      async verifyEndpoint(target: SubscriptionKey & { secret: string }) {
        const response = await post(webhook, target, { type: 'verification', challenge: 'n3Yq' })
        const echo: { challenge?: string } = response.ok ? await response.json() : {}
        return echo.challenge === 'n3Yq' ? { verified: true } : { verified: false, reason: 'challenge_failed' }
      },
    },
  }
  const handler = withMcpAuth(
    createMcpHandler((server) => registerMcpEvents(server, options), { serverInfo: { name: 'shop', version: '1' } }),
    (_, token) => (token === 'token-of-ann' ? { token, clientId: 'ann', scopes: [] } : undefined),
    { required: true },
  )
  return { url: `${await serveHandler(handler)}/mcp`, stored }
}

async function open(url: string, webhook: EventWebhook) {
  const client = await connect(url, { headers: { authorization: 'Bearer token-of-ann' }, extensions: [events({ webhook })] })
  onTestFinished(() => client.close())
  return client
}

describe('mcp-handler', () => {
  it('EVT-049 EVT-085 EVT-089 EVT-101 EVT-112 takes our subscription, and its messages reach our handler', async () => {
    const webhook = eventWebhook({ url: WEBHOOK_URL })
    const { url, stored } = await serveMcpHandler(webhook)
    const client = await open(url, webhook)
    expect(await client.events.list().toArray()).toMatchObject([{ name: 'order.created', delivery: ['webhook'] }])
    const received: unknown[] = []
    const subscription = await client.events.on('order.created', { region: 'eu' }, ({ data }) => void received.push(data), {
      onGap: () => received.push('gap'),
    })
    const [delivery] = [...stored.values()]
    if (!delivery) throw new Error('Nothing is subscribed')
    expect(delivery).toMatchObject({ principal: 'ann', name: 'order.created', arguments: { region: 'eu' }, cursor: null })
    const event = { eventId: 'e-1', name: 'order.created', timestamp: new Date().toISOString(), data: { id: '1' }, cursor: 'c-2' }
    expect((await post(webhook, delivery, event)).status).toBe(204)
    expect((await post(webhook, delivery, event)).status).toBe(204)
    expect((await post(webhook, delivery, { type: 'gap', cursor: 'c-9' })).status).toBe(204)
    expect((await post(webhook, { ...delivery, secret: `whsec_${btoa('x'.repeat(32))}` }, event)).status).toBe(401)
    expect(received).toEqual([{ id: '1' }, 'gap'])
    expect((await post(webhook, delivery, { type: 'terminated', error: { code: -32012, message: 'gone' } })).status).toBe(204)
    await expect(subscription.ended).rejects.toMatchObject({ reason: 'terminated', error: { code: -32012 } })
  })

  it('EVT-066 EVT-092 EVT-101 its errors reach the caller, and closing the subscription ends it there', async () => {
    const webhook = eventWebhook({ url: WEBHOOK_URL })
    const { url, stored } = await serveMcpHandler(webhook)
    const client = await open(url, webhook)
    await expect(client.events.on('order.created', { region: 'secret' }, () => {})).rejects.toMatchObject({ code: -32012 })
    await expect(client.events.on('order.created', {}, () => {})).rejects.toMatchObject({ code: -32602 })
    const elsewhere = eventWebhook({ url: 'https://app.example.com/other' })
    await expect(client.events.on('order.created', { region: 'eu' }, () => {}, { webhook: elsewhere })).rejects.toMatchObject({
      code: -32015,
      data: { reason: 'challenge_failed' },
    })
    const subscription = await client.events.on('order.created', { region: 'eu' }, () => {})
    expect(stored.size).toBe(1)
    await subscription.close()
    expect(stored.size).toBe(0)
  })
})

const python: Program = (inject('servers' as never) as Record<string, Program>)['events-python']!

describe.skipIf('missing' in python)('mcp-webhook-events', () => {
  it('EVT-053 EVT-071 EVT-089 verifies our endpoint, and delivers what it signs to it', async () => {
    const server = await start(python)
    onTestFinished(() => server.kill())
    let handler: EventWebhook | undefined
    const callback = await serveHandler(async (request) => (handler ? handler(request) : new Response(null, { status: 503 })))
    const webhook = (handler = eventWebhook({ url: `${callback}/hook` }))
    const client = await open(`${server.origin}/mcp`, webhook)
    const received: unknown[] = []
    const subscription = await client.events.on('order.created', { region: 'eu' }, ({ eventId, data }) => {
      received.push([eventId, data])
    })
    expect(subscription.status).toBe('active')
    const order = async (id: string, region: string) =>
      ((await client.callTool('order', { id, region })).content as { text: string }[])[0]?.text
    expect(await order('e-1', 'eu')).toBe('1 1')
    expect(await order('e-2', 'us')).toBe('0 0')
    await eventually(() => expect(received).toEqual([['e-1', { id: 'e-1', region: 'eu' }]]))
    await subscription.close()
    expect(await order('e-3', 'eu')).toBe('0 0')
  })
})
