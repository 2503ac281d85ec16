import assert from 'node:assert/strict'
import test from 'node:test'
import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { events } from 'portcall/events'
import { createFakeClock, eventReceiver } from 'portcall/testing'
import * as z from 'zod'

test('an event that could not be delivered arrives ten seconds later', async () => {
  const clock = createFakeClock({ now: Date.now() })
  const restore = clock.install()
  const receiver = eventReceiver()
  const server = createServer(
    { name: 'shop', version: '1.0.0' },
    { extensions: [events({ webhooks: { fetch: receiver.fetch } })] },
  )
  const created = server.event('order.created', { description: 'A new order.', payload: z.object({ id: z.string() }) })
  // Webhooks belong to a user: this is Ann.
  const client = await connect((request, context) => server.exchange(request, { ...context, auth: { principal: 'ann' } }))

  const { url, secret } = receiver
  await client.request('events/subscribe', { name: 'order.created', delivery: { mode: 'webhook', url, secret } })
  receiver.answerNext(503)
  await created.emit({ id: '7731' })
  for (let second = 0; second < 60 && receiver.events.length === 0; second++) await clock.advance(1000)

  assert.deepEqual(
    receiver.deliveries.map(({ type, status, signature }) => [type, status, signature]),
    [
      ['verification', 200, 'valid'],
      ['event', 503, 'valid'],
      ['event', 204, 'valid'],
    ],
  )
  restore()
  await client.close()
  server.close()
})
