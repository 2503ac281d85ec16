/** The client of events and webhooks against servers of this library, over real sockets. */
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer, generateKey } from 'portcall'
import { connect } from 'portcall/client'
import { events as servedEvents } from 'portcall/events'
import { type EventOptions, type EventWebhook, events, eventWebhook } from 'portcall/events/client'
import { HttpError } from 'portcall/http'
import { serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'

const EU = { region: 'eu' }
const TOKEN = 'secret-of-ann'

/** Serves orders on a port. Servers with the same stores have the same events. */
async function serveOrders({ port = 0, stores = memoryStores(), sealingKeys = [generateKey()] } = {}) {
  const server = createServer(
    { name: 'shop', version: '1' },
    {
      stores,
      sealingKeys,
      extensions: [
        servedEvents({
          limits: { pollIntervalMs: 50, heartbeatIntervalMs: 100 },
          webhooks: { allow: ['127.0.0.1'], limits: { retryDelayMs: 200 } },
        }),
      ],
      onEvent() {},
    },
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
  const authenticate = ({ header }: { header(name: string): string | undefined }) => {
    if (header('authorization') !== `Bearer ${TOKEN}`)
      throw new HttpError(401, {}, { code: -32600, message: 'An access token is needed' })
    return { principal: 'ann' }
  }
  const listening = await serve(server, { port, handleProcessSignals: false, authenticate })
  onTestFinished(() => listening.close())
  const emit = (orderId: string) => created.emit({ orderId, region: 'eu' }, { eventId: `ord-${orderId}` })
  return { url: listening.url, close: () => listening.close(), emit, stores, sealingKeys, created }
}

const open = async (url: string) => {
  const client = await connect(url, {
    headers: { authorization: `Bearer ${TOKEN}` },
    extensions: [events({ minPollDelayMs: 20 })],
  })
  onTestFinished(() => client.close())
  return client
}

/** Serves a webhook on this machine. */
async function serveWebhook(options: Parameters<typeof eventWebhook>[0] = {}) {
  let webhook: EventWebhook
  const requests: Array<{ status: number; type: unknown }> = []
  const server = createHttpServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const response = await webhook(
      new Request('http://127.0.0.1/', { method: 'POST', headers: incoming.headers as Record<string, string>, body }),
    )
    requests.push({ status: response.status, type: JSON.parse(body.toString()).type })
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  webhook = eventWebhook({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, ...options })
  return { webhook, requests }
}

describe.each<[string, () => Promise<EventOptions>]>([
  ['push', async () => ({ mode: 'push' })],
  ['poll', async () => ({ mode: 'poll' })],
  ['webhook', async () => ({ webhook: (await serveWebhook()).webhook })],
])('%s over HTTP', (mode, prepare) => {
  test('EVT-029 EVT-108 receives events in order, and stops', async () => {
    const { url, emit } = await serveOrders()
    const client = await open(url)
    const ids: unknown[] = []
    const subscription = await client.events.on('order.created', EU, ({ data }) => void ids.push(data.orderId), await prepare())
    expect(subscription.mode).toBe(mode)
    for (const id of ['1', '2', '3', '4', '5']) await emit(id)
    await eventually(() => expect(ids).toEqual(['1', '2', '3', '4', '5']))
    await client.events.closeAll()
    expect(subscription.status).toBe('closed')
  })

  test('EVT-048 EVT-040 misses nothing while its server restarts', async () => {
    const first = await serveOrders()
    const client = await open(first.url)
    const ids: unknown[] = []
    await client.events.on('order.created', EU, ({ data }) => void ids.push(data.orderId), { ...(await prepare()), onError() {} })
    await first.emit('1')
    await eventually(() => expect(ids).toEqual(['1']))
    await first.close()
    const { stores, sealingKeys } = first
    const second = await serveOrders({ port: Number(new URL(first.url).port), stores, sealingKeys })
    await second.emit('2')
    await second.emit('3')
    await eventually(() => expect(ids).toEqual(['1', '2', '3']))
  })
})

describe('webhooks over HTTP', () => {
  test('EVT-081 EVT-077 an event whose handler failed is sent again, and handled once', async () => {
    const { url, emit } = await serveOrders()
    const client = await open(url)
    const { webhook, requests } = await serveWebhook()
    const handler = vi.fn().mockRejectedValueOnce(new Error('The database is away'))
    await client.events.on('order.created', EU, handler, { webhook })
    await emit('1')
    await eventually(() => expect(requests.map(({ status }) => status)).toEqual([200, 500, 204]))
    expect(handler).toHaveBeenCalledTimes(2)
  })

  test('EVT-112 a removed type ends the subscription by its envelope', async () => {
    const { url, created } = await serveOrders()
    const client = await open(url)
    const { webhook } = await serveWebhook()
    const subscription = await client.events.on('order.created', EU, () => {}, { webhook })
    created.remove()
    await expect(subscription.ended).rejects.toMatchObject({ reason: 'terminated', error: { code: -32023 } })
  })

  test('EVT-092 a URL that does not answer the challenge is refused, with its category and nothing else', async () => {
    const { url } = await serveOrders()
    const client = await open(url)
    const refused = client.events.on('order.created', EU, () => {}, { webhook: eventWebhook({ url: 'http://127.0.0.1:1/' }) })
    await expect(refused).rejects.toMatchObject({ code: -32027, data: { reason: 'connection_refused' } })
    const internal = client.events.on('order.created', EU, () => {}, { webhook: eventWebhook({ url: 'https://10.0.0.1/' }) })
    await expect(internal).rejects.toMatchObject({ code: -32602 })
  })
})
