/** The secrets of webhook subscriptions, and URLs with secrets, in what programs write about them. */
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { events } from 'portcall/events'
import { events as clientEvents, eventWebhook } from 'portcall/events/client'
import { type Exchange, isObject } from 'portcall/jsonrpc'
import { memoryStores } from 'portcall/stores'
import { recordExchange } from 'portcall/testing'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'

const QUERY_SECRET = 'q7Zk2vXr9LwBn4Ty'

test('EVT-107 neither logs nor recordings nor the store contain the secret of a webhook or that in its URL', async () => {
  const written: string[] = []
  const write = (...parts: unknown[]): void => void written.push(JSON.stringify(parts))
  const logger = { debug: write, info: write, warn: write, error: write, trace: write }
  let failures = 0
  const http = createHttpServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    // An endpoint may send back what it got, also where it fails.
    if (!body.includes('verification') && failures++ < 3) return void outgoing.writeHead(500).end(body)
    const init = { method: 'POST', headers: incoming.headers as Record<string, string>, body }
    const response = await webhook(new Request(url, init))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/hook?token=${QUERY_SECRET}`
  const webhook = eventWebhook({ url })
  const stores = memoryStores()
  const stored: string[] = []
  const store: typeof stores.store = {
    ...stores.store,
    set: (key, value, ...rest) => {
      stored.push(key, value)
      return stores.store.set(key, value, ...rest)
    },
    compareAndSet: (key, change) => {
      stored.push(key, JSON.stringify(change))
      return stores.store.compareAndSet(key, change)
    },
  }
  const limits = { retryDelayMs: 20, maxRetryDelayMs: 20, maxAttempts: 3 }
  const server = createServer(
    { name: 'shop', version: '1' },
    { extensions: [events({ webhooks: { allow: ['127.0.0.1'], limits } })], stores: { ...stores, store }, logger },
  )
  const created = server.event('order.created', { description: 'Orders', payload: { type: 'object' }, delivery: ['webhook'] })
  let secret = ''
  const withAuth: Exchange = (request, context) => {
    const delivery = request.params?.delivery
    if (isObject(delivery) && typeof delivery.secret === 'string') secret = delivery.secret
    return server.exchange(request, { ...context, auth: { principal: 'ada' } })
  }
  const recorded = recordExchange(withAuth)
  const client = await connect({ exchange: recorded }, { extensions: [clientEvents({ webhook })], logger })
  onTestFinished(async () => {
    await client.close()
    await server.event.stop()
    server.close()
    http.closeAllConnections()
    http.close()
  })
  const received: string[] = []
  await client.events.on('order.created', {}, ({ eventId }) => void received.push(eventId), { onError: write })
  await created.emit({ id: '1' }, { eventId: 'given-up' })
  await eventually(() => expect(written.join('\n')).toMatch(/given up after 3 attempts/))
  await created.emit({ id: '2' }, { eventId: 'received' })
  await eventually(() => expect(received).toEqual(['received']))
  expect(secret).toMatch(/^whsec_/)
  expect(stored.length).toBeGreaterThan(2)
  const lines = recorded.text()
  expect(lines).toMatch(/events\/subscribe/)
  for (const [what, text] of [
    ['logs', written.join('\n')],
    ['recording', lines],
    ['store', stored.join('\n')],
  ] as const)
    for (const one of [secret, secret.slice('whsec_'.length), QUERY_SECRET])
      expect([what, text.includes(one)]).toEqual([what, false])
})
