/** Deliveries that a server makes again, because it could not store that they were accepted: as after the end of a process. */
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { eventually } from '../../test-kit/eventually.ts'
import { connect } from '../connect/connect.ts'
import { createServer } from '../server/server.ts'
import { memoryStores } from '../stores/memory/memory.ts'
import type { Stores } from '../stores/stores.ts'
import { events as clientEvents } from './client/extension.ts'
import { eventWebhook } from './receiver/webhook.ts'
import { events } from './server/extension.ts'

/** Returns stores that do not store the first outcome of a delivery. */
function forgetful(): { readonly stores: Stores; readonly lost: () => number } {
  const stores = memoryStores()
  let lost = 0
  const { compareAndSet } = stores.store
  const store: Stores['store'] = {
    ...stores.store,
    async compareAndSet(key, change) {
      if (lost > 0 || !change.value?.includes('"lastDeliveryAt"')) return compareAndSet(key, change)
      lost++
      throw new Error('The store is away')
    },
  }
  return { stores: { ...stores, store }, lost: () => lost }
}

test('EVT-020 EVT-077 are handled once by eventWebhook and by client.events.on', async () => {
  const messages: { readonly id: unknown; readonly body: string }[] = []
  const http = createHttpServer(async (incoming, outgoing) => {
    let body = ''
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk
    messages.push({ id: incoming.headers['webhook-id'], body })
    const response = await webhook(
      new Request(url, { method: 'POST', headers: incoming.headers as Record<string, string>, body }),
    )
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/hook`
  const passedOn: string[] = []
  const webhook = eventWebhook({ url, onEvent: ({ eventId }) => void passedOn.push(eventId) })
  const { stores, lost } = forgetful()
  const shop = createServer(
    { name: 'shop', version: '1' },
    {
      stores,
      extensions: [events({ webhooks: { allow: ['127.0.0.1'], limits: { sweepIntervalMs: 50 } } })],
      onEvent() {},
    },
  )
  const created = shop.event('order.created', { description: 'Orders', payload: z.object({ id: z.string() }) })
  const client = await connect(
    { ...shop, exchange: (request, context) => shop.exchange(request, { ...context, auth: { principal: 'ada' } }) },
    { extensions: [clientEvents({ webhook })] },
  )
  onTestFinished(async () => {
    await client.close()
    await shop.event.stop()
    shop.close()
    http.closeAllConnections()
    http.close()
  })
  const handled: string[] = []
  const { mode } = await client.events.on('order.created', {}, ({ eventId }) => void handled.push(eventId))
  expect(mode).toBe('webhook')
  for (const id of ['1', '2']) await created.emit({ id }, { eventId: `ord-${id}` })
  await eventually(() => expect(messages.map(({ id }) => id)).toEqual([expect.anything(), 'ord-1', 'ord-1', 'ord-2']))
  expect(messages[1]?.body).toBe(messages[2]?.body)
  await eventually(() => expect([lost(), passedOn, handled]).toEqual([1, ['ord-1', 'ord-2'], ['ord-1', 'ord-2']]))
})
