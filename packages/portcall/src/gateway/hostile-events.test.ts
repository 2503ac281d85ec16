/** A server behind a gateway that sends other messages on its streams of events than it may. */
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../test-kit/eventually.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import { type JsonObject, type Notification, notification, success } from '../jsonrpc/message.ts'
import { EVENTS_EXTENSION } from '../protocol/events.ts'
import { MetaKey } from '../protocol/meta.ts'
import { clientMeta } from '../protocol/probes.ts'
import { createGateway } from './gateway.ts'

const META = { [MetaKey.subscriptionId]: 'of another caller' }
const event = (more: JsonObject): Notification =>
  notification('notifications/events/event', { eventId: 'e', timestamp: '2026-11-29T00:00:00Z', data: {}, _meta: META, ...more })

/** A server whose stream sends these messages and stays open. */
const serverOf =
  (messages: readonly Notification[]): Exchange =>
  async ({ id, method }, context) => {
    if (method === 'server/discover') {
      const capabilities = { extensions: { [EVENTS_EXTENSION]: {} } }
      return success(id, {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities,
        ttlMs: 0,
        cacheScope: 'private',
      })
    }
    if (method === 'events/list')
      return success(id, {
        resultType: 'complete',
        events: [{ name: 'made', description: 'Made', delivery: ['push'], inputSchema: {}, payloadSchema: {} }],
      })
    for (const message of messages) context.notify(message)
    return new Promise(() => {})
  }

function openGateway(messages: readonly Notification[]) {
  const friendly = [
    notification('notifications/events/active', { cursor: 'f-0', truncated: false }),
    event({ eventId: 'f-1', cursor: 'f-1' }),
  ]
  const gateway = createGateway({
    servers: { bad: { exchange: serverOf(messages) }, good: { exchange: serverOf(friendly) } },
  })
  onTestFinished(() => gateway.close())
  return (name: string) => {
    const received: Notification[] = []
    const controller = new AbortController()
    const request = {
      jsonrpc: '2.0',
      id: name,
      method: 'events/stream',
      params: { name, arguments: {}, cursor: null, _meta: clientMeta({ name: 'test', version: '1' }) },
    } as const
    const response = gateway.exchange(request, { signal: controller.signal, notify: (message) => void received.push(message) })
    response.catch(() => {})
    onTestFinished(() => controller.abort())
    return { received, response }
  }
}

test('cannot use the events, streams and lists of others', async () => {
  const open = openGateway([
    notification('notifications/events/active', { cursor: 'b-0', truncated: false, _meta: META }),
    event({ eventId: 'spoofed', name: 'good__made', cursor: 'b-1' }),
    notification('notifications/events/list_changed', {}),
    notification('notifications/tools/list_changed', {}),
    notification('notifications/message', { level: 'error', data: 'x' }),
    notification('notifications/progress', { progressToken: 1, progress: 1 }),
    event({ eventId: 'last', name: 7 as never, cursor: 'b-2' }),
  ])
  const bad = open('bad__made')
  const good = open('good__made')
  await eventually(() => expect(bad.received.at(-1)?.params?.eventId).toBe('last'))
  await eventually(() => expect(good.received).toHaveLength(2))
  expect(bad.received.map(({ method }) => method.split('/').at(-1))).toEqual(['active', 'event', 'event'])
  for (const [{ received }, name] of [
    [bad, 'bad__made'],
    [good, 'good__made'],
  ] as const) {
    for (const { params } of received) expect(params?._meta).toEqual({ [MetaKey.subscriptionId]: name })
    for (const { params } of received.slice(1)) expect(params?.name).toBe(name)
  }
})

test('cannot go on after it has ended the stream', async () => {
  const open = openGateway([
    notification('notifications/events/active', { cursor: 'b-0', truncated: false }),
    notification('notifications/events/terminated', { error: { code: -32024, message: 'gone' } }),
    event({ eventId: 'late', cursor: 'b-1' }),
    notification('notifications/events/active', { cursor: 'b-2', truncated: true }),
  ])
  const { received, response } = open('bad__made')
  expect(await response).toMatchObject({ result: { resultType: 'complete' } })
  expect(received.map(({ method }) => method.split('/').at(-1))).toEqual(['active', 'terminated'])
})
