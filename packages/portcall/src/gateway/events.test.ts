import { describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { eventually } from '../../test-kit/eventually.ts'
import { connect } from '../connect/connect.ts'
import { events as clientEvents } from '../events/client/extension.ts'
import { events } from '../events/server/extension.ts'
import { isSuccess, type JsonObject, type Notification, type Response } from '../jsonrpc/message.ts'
import { CALLER_SESSION } from '../protocol/caller-identity.ts'
import { EVENTS_EXTENSION } from '../protocol/events.ts'
import { type DeclaredExtensions, legacyExtensions } from '../protocol/extensions.ts'
import { MetaKey } from '../protocol/meta.ts'
import { clientMeta } from '../protocol/probes.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/types.ts'
import { createGateway, type Gateway } from './gateway.ts'
import { accessRules } from './policy/access-rules.ts'
import type { GatewayPolicy } from './policy/types.ts'

const ORDER = z.object({ id: z.string() })

function createShop(name: string) {
  const server = createServer(
    { name, version: '1' },
    { extensions: [events({ webhooks: true, limits: { pollIntervalMs: 10 } })] },
  )
  const created = server.event('order.created', { description: `Orders of ${name}`, payload: ORDER })
  return { server, created }
}

function createPlain() {
  return createServer({ name: 'plain', version: '1' }).tool('echo', {}, () => 'hi')
}

function open(policy?: GatewayPolicy) {
  const [one, two] = [createShop('one'), createShop('two')]
  const gateway = createGateway({
    servers: { one: one.server, two: two.server, plain: createPlain() },
    ...(policy && { policy }),
  })
  onTestFinished(() => gateway.close())
  return { one, two, gateway }
}

interface Sent {
  readonly notifications: Notification[]
  readonly response: Promise<Response>
  abort(): void
}

/** Sends a request as a client of the newest revision. */
function send(gateway: Gateway, method: string, params: JsonObject = {}, principal?: string): Sent {
  const notifications: Notification[] = []
  const controller = new AbortController()
  const _meta = { ...clientMeta({ name: 'test', version: '1' }), ...(params._meta as object | undefined) }
  const response = gateway.exchange(
    { jsonrpc: '2.0', id: `${method} 1`, method, params: { ...params, _meta } },
    {
      signal: controller.signal,
      notify: (notification) => void notifications.push(notification),
      ...(principal !== undefined && { auth: { principal } }),
    },
  )
  response.catch(() => {})
  return { notifications, response, abort: () => controller.abort(new Error('cancelled')) }
}

const ask = (gateway: Gateway, method: string, params?: JsonObject, principal?: string): Promise<Response> =>
  send(gateway, method, params, principal).response

async function connectTo(gateway: Gateway) {
  const client = await connect(gateway, { extensions: [clientEvents({ minPollDelayMs: 10 })] })
  onTestFinished(() => client.close())
  return client
}

const methodsOf = ({ notifications }: Sent): string[] => notifications.map(({ method }) => method)

describe('a gateway of servers with events', () => {
  test('declares the extension, also if a server has not, and lists the types of all without webhook', async () => {
    const { gateway } = open()
    const discovered = await ask(gateway, 'server/discover')
    expect(discovered).toMatchObject({
      result: { capabilities: { extensions: { [EVENTS_EXTENSION]: { listChanged: true } } } },
    })
    expect(await ask(gateway, 'events/list', {}, 'ada')).toMatchObject({
      result: {
        resultType: 'complete',
        events: [
          { name: 'one__order.created', description: 'Orders of one', delivery: ['poll', 'push'] },
          { name: 'two__order.created', description: 'Orders of two', delivery: ['poll', 'push'] },
        ],
      },
    })
  })

  test('does not offer them to clients of older revisions', async () => {
    const { gateway } = open()
    const discovered = await ask(gateway, 'server/discover')
    const { extensions } = (isSuccess(discovered) ? discovered.result.capabilities : {}) as { extensions: DeclaredExtensions }
    expect(legacyExtensions(extensions)).toEqual({})
    const inSession = { [CALLER_SESSION]: {} }
    for (const method of ['events/list', 'events/poll', 'events/stream', 'events/subscribe'])
      expect(await ask(gateway, method, { name: 'one__order.created', _meta: inSession })).toMatchObject({
        error: { code: -32601 },
      })
  })

  test('does not know the methods if no server has the extension', async () => {
    const gateway = createGateway({ servers: { plain: createPlain() } })
    onTestFinished(() => gateway.close())
    for (const method of ['events/list', 'events/poll', 'events/stream', 'events/subscribe', 'events/unsubscribe'])
      expect(await ask(gateway, method, { name: 'a' })).toMatchObject({ error: { code: -32601 } })
    const discovered = await ask(gateway, 'server/discover')
    expect(JSON.stringify(discovered)).not.toContain(EVENTS_EXTENSION)
  })

  test.each(['poll', 'push'] as const)('delivers events of the same name by %s, each from its server', async (mode) => {
    const { one, two, gateway } = open()
    const client = await connectTo(gateway)
    const received: string[] = []
    for (const server of ['one', 'two'])
      await client.events.on(
        `${server}__order.created`,
        {},
        ({ name, data }) => void received.push(`${name} ${String(data.id)}`),
        {
          mode,
        },
      )
    await one.created.emit({ id: '1' })
    await two.created.emit({ id: '2' })
    await eventually(() => expect(received.toSorted()).toEqual(['one__order.created 1', 'two__order.created 2']))
  })

  test('passes cursors on, and names a stream after the request of the client', async () => {
    const { one, gateway } = open()
    const name = 'one__order.created'
    const start = await ask(gateway, 'events/poll', { name, arguments: {}, cursor: null })
    await one.created.emit({ id: '1' })
    const { cursor } = isSuccess(start) ? start.result : {}
    expect(cursor).toEqual(expect.any(String))
    expect(await ask(gateway, 'events/poll', { name, arguments: {}, cursor })).toMatchObject({
      result: { resultType: 'complete', events: [{ name, data: { id: '1' } }], hasMore: false, truncated: false },
    })
    const stream = send(gateway, 'events/stream', { name, arguments: {}, cursor })
    await eventually(() => expect(methodsOf(stream)).toContain('notifications/events/event'))
    expect(stream.notifications).toMatchObject([
      { method: 'notifications/events/active', params: { cursor, truncated: false } },
      { method: 'notifications/events/event', params: { name, data: { id: '1' } } },
    ])
    for (const { params } of stream.notifications) expect(params?._meta).toEqual({ [MetaKey.subscriptionId]: 'events/stream 1' })
    stream.abort()
    await stream.response.catch(() => {})
    await eventually(() => expect(gateway.status().servers.one?.inFlight).toBe(0))
  })

  test('ends streams with a result when it is closed', async () => {
    const { gateway } = open()
    const stream = send(gateway, 'events/stream', { name: 'one__order.created', arguments: {}, cursor: null })
    await eventually(() => expect(methodsOf(stream)).toEqual(['notifications/events/active']))
    await gateway.close()
    expect(await stream.response).toMatchObject({
      result: { resultType: 'complete', _meta: { [MetaKey.subscriptionId]: 'events/stream 1' } },
    })
  })

  test('passes on that the server has ended a stream, and its errors', async () => {
    const { one, gateway } = open()
    const name = 'one__order.created'
    const stream = send(gateway, 'events/stream', { name, arguments: {}, cursor: null })
    await eventually(() => expect(methodsOf(stream)).toEqual(['notifications/events/active']))
    one.created.remove()
    expect(await stream.response).toMatchObject({ result: { resultType: 'complete' } })
    expect(stream.notifications.at(-1)).toMatchObject({
      method: 'notifications/events/terminated',
      params: { error: { code: -32023, data: { kind: 'event' } } },
    })
    expect(await ask(gateway, 'events/poll', { name, arguments: {}, cursor: null })).toMatchObject({
      error: { code: -32023, data: { kind: 'event' } },
    })
    expect(await ask(gateway, 'events/poll', { name: 'two__order.created', arguments: 7 })).toMatchObject({
      error: { code: -32602 },
    })
    expect(await ask(gateway, 'events/stream', { name: 'order.created', arguments: {} })).toMatchObject({
      error: { code: -32023, data: { kind: 'event' } },
    })
  })

  test('reports changes of the list to those who listen', async () => {
    const { two, gateway } = open()
    const client = await connectTo(gateway)
    await ask(gateway, 'events/list')
    let changes = 0
    const listening = send(gateway, 'subscriptions/listen', { notifications: { eventsListChanged: true } })
    await eventually(() => expect(methodsOf(listening)).toEqual(['notifications/subscriptions/acknowledged']))
    expect(listening.notifications[0]?.params).toMatchObject({ notifications: { eventsListChanged: true } })
    client.events.onListChanged(() => changes++)
    two.server.event('order.paid', { description: 'Paid', payload: ORDER })
    await eventually(() => expect(methodsOf(listening)).toContain('notifications/events/list_changed'))
    await eventually(() => {
      two.server.event('order.sent', { description: 'Sent', payload: ORDER }).remove()
      expect(changes).toBeGreaterThan(0)
    })
    expect(JSON.stringify(await ask(gateway, 'events/list'))).toContain('two__order.paid')
    listening.abort()
  })

  test('does not acknowledge changes of the list if no server has events', async () => {
    const gateway = createGateway({ servers: { plain: createPlain() } })
    onTestFinished(() => gateway.close())
    await ask(gateway, 'server/discover')
    const listening = send(gateway, 'subscriptions/listen', { notifications: { eventsListChanged: true } })
    await eventually(() => expect(listening.notifications[0]?.params).toMatchObject({ notifications: {} }))
    expect(JSON.stringify(listening.notifications)).not.toContain('eventsListChanged')
    listening.abort()
  })

  test('refuses webhooks', async () => {
    const { gateway } = open()
    const params = {
      name: 'one__order.created',
      arguments: {},
      delivery: { mode: 'webhook', url: 'https://a.example', secret: 'x' },
    }
    for (const method of ['events/subscribe', 'events/unsubscribe'])
      expect(await ask(gateway, method, params, 'ada')).toMatchObject({
        error: { code: -32026, data: { feature: 'deliveryMode', value: 'webhook' } },
      })
  })
})

describe('an open stream', () => {
  test.each<[string, (gateway: Gateway, kept: Server) => unknown]>([
    ['a policy', (gateway) => gateway.setPolicy(accessRules({ default: 'allow', rules: [{ events: 'one__*', do: 'deny' }] }))],
    ['the removal of the server', (gateway, two) => gateway.setServers({ two })],
  ])('is terminated by %s, and others go on', async (_, change) => {
    const { one, two, gateway } = open()
    const [first, second] = ['one', 'two'].map((server) =>
      send(gateway, 'events/stream', { name: `${server}__order.created`, arguments: {}, cursor: null }),
    ) as [Sent, Sent]
    for (const stream of [first, second])
      await eventually(() => expect(methodsOf(stream)).toEqual(['notifications/events/active']))
    await change(gateway, two.server)
    expect(await first.response).toMatchObject({ result: { _meta: { [MetaKey.subscriptionId]: 'events/stream 1' } } })
    expect(first.notifications.at(-1)).toMatchObject({
      method: 'notifications/events/terminated',
      params: { error: { code: -32023 }, _meta: { [MetaKey.subscriptionId]: 'events/stream 1' } },
    })
    await one.created.emit({ id: '1' })
    await two.created.emit({ id: '2' })
    await eventually(() => expect(second.notifications.at(-1)?.params).toMatchObject({ data: { id: '2' } }))
    expect(JSON.stringify(first.notifications)).not.toContain('notifications/events/event')
    second.abort()
  })
})

describe('access rules', () => {
  test('hide an event type, and answer requests for it as for one that does not exist', async () => {
    const { gateway } = open(accessRules({ default: 'allow', rules: [{ events: 'one__order.*', do: 'deny' }] }))
    const listed = await ask(gateway, 'events/list')
    expect(listed).toMatchObject({ result: { events: [{ name: 'two__order.created' }] } })
    for (const method of ['events/poll', 'events/stream'])
      expect(await ask(gateway, method, { name: 'one__order.created', arguments: {}, cursor: null })).toMatchObject({
        error: { code: -32023, data: { kind: 'event' } },
      })
  })
})
