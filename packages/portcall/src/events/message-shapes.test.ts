/** The messages of both sides, against a schema of the tables of SEP-3415 that knows nothing of this library. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { eventually } from '../../test-kit/eventually.ts'
import { connect } from '../connect/connect.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { createServer } from '../server/server.ts'
import { events as clientEvents } from './client/extension.ts'
import { eventWebhook } from './receiver/webhook.ts'
import { events } from './server/extension.ts'

const text = { type: 'string', minLength: 1 }
const cursor = { type: ['string', 'null'] }
const bool = { type: 'boolean' }
const count = { type: 'integer', minimum: 0 }
const time = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' }
const anything = { type: 'object' }
const exactly = (required: JsonObject, optional: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { ...required, ...optional, _meta: anything },
  required: Object.keys(required),
  additionalProperties: false,
})
const occurrence = { eventId: text, name: text, timestamp: time, data: anything }
const result = (members: JsonObject, optional: JsonObject = {}): JsonObject =>
  exactly({ resultType: { const: 'complete' }, ...members }, optional)
const type = exactly({
  name: text,
  description: text,
  delivery: { type: 'array', minItems: 1, uniqueItems: true, items: { enum: ['poll', 'push', 'webhook'] } },
  inputSchema: anything,
  payloadSchema: anything,
})
const start = { name: text, arguments: anything, cursor }
const secret = { type: 'string', pattern: '^whsec_[A-Za-z0-9+/]{32,88}={0,2}$' }
const error = exactly({ code: { type: 'integer' }, message: text }, { data: {} })
const RESULTS: JsonObject = {
  'events/list': result({ events: { type: 'array', items: type } }, { nextCursor: text }),
  'events/poll': result({
    ...{ events: { type: 'array', items: exactly(occurrence) }, cursor },
    ...{ truncated: bool, hasMore: bool, nextPollMs: count },
  }),
  'events/stream': result({ _meta: anything }),
  'events/subscribe': result(
    { id: text, refreshBefore: { anyOf: [time, { type: 'null' }] }, cursor, truncated: bool },
    { deliveryStatus: anything },
  ),
  'events/unsubscribe': result({}),
}
const PARAMS: JsonObject = {
  'events/list': exactly({ _meta: anything }, { cursor: text }),
  'events/poll': exactly({ ...start, _meta: anything }, { maxAgeMs: count, maxEvents: count }),
  'events/stream': exactly({ ...start, _meta: anything }, { maxAgeMs: count }),
  'events/subscribe': exactly(
    { ...start, delivery: exactly({ mode: { const: 'webhook' }, url: text, secret }), _meta: anything },
    { maxAgeMs: count, ttlMs: { type: ['integer', 'null'] } },
  ),
  'events/unsubscribe': exactly({
    name: text,
    arguments: anything,
    delivery: exactly({ mode: { const: 'webhook' }, url: text }),
    _meta: anything,
  }),
}
const id = { _meta: { type: 'object', required: ['io.modelcontextprotocol/subscriptionId'] } }
const NOTIFICATIONS: JsonObject = {
  'notifications/events/active': exactly({ cursor, truncated: bool, ...id }),
  'notifications/events/event': exactly({ ...occurrence, cursor, ...id }),
  'notifications/events/heartbeat': exactly({ cursor, ...id }),
  'notifications/events/error': exactly({ error, ...id }),
  'notifications/events/terminated': exactly({ error, ...id }),
}
const DELIVERY: JsonObject = {
  anyOf: [
    exactly({ ...occurrence, cursor }),
    exactly({ type: { const: 'verification' }, challenge: text }),
    exactly({ type: { const: 'gap' }, cursor }),
    exactly({ type: { const: 'terminated' }, error }),
  ],
}

const ajv = new Ajv2020({ strict: false })

function check(schema: unknown, value: unknown, what: string): void {
  ajv.validate(schema as object, JSON.parse(JSON.stringify(value ?? {})))
  expect(ajv.errors, `${what}: ${JSON.stringify(value)}`).toBeNull()
}

test('EVT-006 EVT-009 EVT-018 EVT-030 EVT-036 EVT-049 EVT-050 EVT-066 EVT-087 messages have the shapes of the tables', async () => {
  const seen = new Set<string>()
  const webhook = eventWebhook({ url: 'https://app.example.com/hook' })
  const deliver: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    check(DELIVERY, await request.clone().json(), 'delivery')
    return webhook(request)
  }
  const limits = { heartbeatIntervalMs: 20, pollIntervalMs: 10 }
  const server = createServer(
    { name: 'shop', version: '1' },
    { extensions: [events({ limits, webhooks: { fetch: deliver, limits: { sweepIntervalMs: 50 } } })] },
  )
  onTestFinished(async () => {
    await server.event.stop()
    server.close()
  })
  const created = server.event('order.created', { description: 'An order', payload: z.object({ id: z.string() }) })
  const exchange: Exchange = async (request, context) => {
    const { method, params } = request
    if (!method.startsWith('events/')) return server.exchange(request, context)
    check(PARAMS[method], params, `params of ${method}`)
    const notify: typeof context.notify = (notification) => {
      seen.add(notification.method)
      check(NOTIFICATIONS[notification.method], notification.params, notification.method)
      return context.notify(notification)
    }
    const { signal } = context
    const response = await server.exchange(request, { signal, notify, auth: { principal: 'ada' } })
    seen.add(method)
    check('result' in response ? RESULTS[method] : error, 'result' in response ? response.result : response.error, method)
    return response
  }
  await using client = await connect({ exchange }, { extensions: [clientEvents({ webhook, minPollDelayMs: 10 })] })
  const received: string[] = []
  const subscriptions = await Promise.all(
    (['poll', 'push', 'webhook'] as const).map((mode) =>
      client.events.on('order.created', {}, () => void received.push(mode), {
        mode,
        maxAgeMs: 60_000,
        maxEvents: 10,
        ttlMs: 600_000,
      }),
    ),
  )
  await created.emit({ id: '1' })
  await eventually(() => expect(received.toSorted()).toEqual(['poll', 'push', 'webhook']))
  await eventually(() => expect(seen).toContain('notifications/events/heartbeat'))
  await subscriptions[2]?.close()
  created.remove()
  for (const subscription of subscriptions.slice(0, 2)) await expect(subscription.ended).rejects.toThrow()
  for (const expected of [
    ...Object.keys(RESULTS),
    'notifications/events/active',
    'notifications/events/event',
    'notifications/events/terminated',
  ])
    expect(seen).toContain(expected)
})
