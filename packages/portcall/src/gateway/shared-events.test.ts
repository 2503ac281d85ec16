/** Streams of events that several callers of a gateway share. */
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { eventually } from '../../test-kit/eventually.ts'
import { events } from '../events/server/extension.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import type { JsonObject, Notification, Response } from '../jsonrpc/message.ts'
import { MetaKey } from '../protocol/meta.ts'
import { clientMeta } from '../protocol/probes.ts'
import { nodeHandler } from '../serve/node.ts'
import { createServer } from '../server/server.ts'
import type { GatewayServerOptions } from './api/options.ts'
import { createGateway, type Gateway } from './gateway.ts'
import { accessRules } from './policy/access-rules.ts'

const NAME = 'shop__order.created'

function createShop(limits: object = {}) {
  const server = createServer({ name: 'shop', version: '1' }, { extensions: [events({ limits })] })
  const created = server.event(
    'order.created',
    { description: 'Orders', input: z.object({ region: z.string().optional() }), payload: z.object({ id: z.string() }) },
    { match: ({ data }, { arguments: { region } }) => region === undefined || data.id.startsWith(region) },
  )
  const counts = { opened: 0, open: 0 }
  const exchange: Exchange = async (request, context) => {
    if (request.method !== 'events/stream') return server.exchange(request, context)
    counts.opened++
    counts.open++
    return server.exchange(request, context).finally(() => counts.open--)
  }
  const emit = (...ids: string[]) => Promise.all(ids.map((id) => created.emit({ id }, { eventId: id })))
  return { server, exchange, created, counts, emit }
}

function open(target: GatewayServerOptions['target'], options: Partial<GatewayServerOptions> = {}) {
  const gateway = createGateway({ servers: { shop: { target, ...options } } })
  onTestFinished(() => gateway.close())
  return gateway
}

/** Serves a shop over HTTP. Its connections can be cut. */
async function serveShop(shop: ReturnType<typeof createShop>): Promise<{ url: string; http: HttpServer }> {
  const http = createHttpServer(nodeHandler({ ...shop.server, exchange: shop.exchange }))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, http }
}

interface Stream {
  readonly notifications: Notification[]
  readonly response: Promise<Response>
  readonly ids: string[]
  readonly cursor: unknown
  readonly methods: string[]
  close(): Promise<void>
}

interface StreamOptions {
  readonly principal?: string
  readonly args?: JsonObject
  readonly params?: JsonObject
  readonly notify?: () => Promise<void>
}

let opened = 0

function stream(gateway: Gateway, { principal, args = {}, params = {}, notify }: StreamOptions = {}): Stream {
  const notifications: Notification[] = []
  const controller = new AbortController()
  const id = `stream ${++opened}`
  const _meta = clientMeta({ name: 'test', version: '1' })
  const response = gateway.exchange(
    { jsonrpc: '2.0', id, method: 'events/stream', params: { name: NAME, arguments: args, cursor: null, ...params, _meta } },
    {
      signal: controller.signal,
      notify(notification) {
        expect(notification.params?._meta).toEqual({ [MetaKey.subscriptionId]: id })
        notifications.push(notification)
        return notify?.()
      },
      ...(principal !== undefined && { auth: { principal } }),
    },
  )
  response.catch(() => {})
  return {
    notifications,
    response,
    get ids() {
      return notifications
        .filter(({ method }) => method.endsWith('/event'))
        .map(({ params: { eventId } = {} }) => String(eventId))
    },
    get cursor() {
      return notifications.findLast(({ params }) => params?.cursor !== undefined)?.params?.cursor
    },
    get methods() {
      return notifications.map(({ method }) => method.slice('notifications/events/'.length))
    },
    async close() {
      controller.abort(new Error('cancelled'))
      await response.catch(() => {})
    },
  }
}

const active = (...streams: Stream[]) =>
  eventually(() => expect(streams.every(({ methods }) => methods[0] === 'active')).toBe(true))
const receive = (one: Stream, ids: string[]) => eventually(() => expect(one.ids).toEqual(ids))

describe('callers with the same rights and arguments', () => {
  test('share one stream of the server, which ends with the last of them', async () => {
    const shop = createShop()
    const gateway = open(shop.exchange)
    const [one, two, other] = [stream(gateway), stream(gateway), stream(gateway, { args: { region: 'eu' } })]
    await active(one, two, other)
    expect(shop.counts).toEqual({ opened: 2, open: 2 })
    await shop.emit('eu-1')
    await receive(one, ['eu-1'])
    const late = stream(gateway)
    await active(late)
    await shop.emit('us-2')
    for (const each of [one, two]) await receive(each, ['eu-1', 'us-2'])
    await receive(late, ['us-2'])
    expect(other.ids).toEqual(['eu-1'])
    expect(shop.counts.opened).toBe(2)
    await other.close()
    await one.close()
    await eventually(() => expect(shop.counts.open).toBe(1))
    await shop.emit('us-3')
    await receive(two, ['eu-1', 'us-2', 'us-3'])
    expect(one.ids).toEqual(['eu-1', 'us-2'])
    await Promise.all([two.close(), late.close()])
    await eventually(() => expect(shop.counts.open).toBe(0))
  })

  test('share it over HTTP, whoever they are, if all use the same credentials', async () => {
    const shop = createShop()
    const { url } = await serveShop(shop)
    const gateway = open(url)
    const [one, two] = [stream(gateway, { principal: 'ada' }), stream(gateway, { principal: 'bob' })]
    await active(one, two)
    await shop.emit('1')
    for (const each of [one, two]) await receive(each, ['1'])
    expect(shop.counts.opened).toBe(1)
  })

  test.each<[string, (shop: ReturnType<typeof createShop>) => Promise<Gateway> | Gateway]>([
    ['a server in this process', (shop) => open(shop.exchange)],
    ['a server with credentials of each caller', async (shop) => open((await serveShop(shop)).url, { sharing: 'principal' })],
    [
      'middleware',
      async (shop) => open((await serveShop(shop)).url, { middleware: [(request, context, next) => next(request, context)] }),
    ],
  ])('do not share it with others: %s', async (_, start) => {
    const shop = createShop()
    const gateway = await start(shop)
    const [one, two, again] = ['ada', 'bob', 'ada'].map((principal) => stream(gateway, { principal })) as [Stream, Stream, Stream]
    await active(one, two, again)
    expect(shop.counts.opened).toBe(2)
  })

  test('continue at their own positions, and share the stream again when they have caught up', async () => {
    const shop = createShop()
    const gateway = open(shop.exchange)
    const first = stream(gateway)
    await active(first)
    const start = first.cursor
    const ids = Array.from({ length: 100 }, (_, n) => `n-${String(n).padStart(3, '0')}`)
    for (const id of ids) await shop.emit(id)
    await receive(first, ids)
    // The gateway has the last messages, and not the first ones.
    const recent = first.notifications.find(({ params }) => params?.eventId === 'n-095')?.params?.cursor
    const returning = stream(gateway, { params: { cursor: recent } })
    await receive(returning, ids.slice(96))
    expect(returning.notifications[0]?.params).toMatchObject({ cursor: recent, truncated: false })
    expect(shop.counts.opened).toBe(1)
    const old = stream(gateway, { params: { cursor: start } })
    await receive(old, ids)
    await eventually(() => expect(shop.counts).toEqual({ opened: 2, open: 1 }))
    await shop.emit('new')
    await receive(old, [...ids, 'new'])
    await receive(first, [...ids, 'new'])
    await receive(returning, [...ids.slice(96), 'new'])
    await Promise.all([first.close(), returning.close(), old.close()])
    await eventually(() => expect(shop.counts.open).toBe(0))
  })

  test('pass maxAgeMs on to the server when events may be too old', async () => {
    const shop = createShop()
    const gateway = open(shop.exchange)
    const first = stream(gateway)
    await active(first)
    const start = first.cursor
    await shop.created.emit({ id: 'old' }, { eventId: 'old', timestamp: new Date(Date.now() - 60_000) })
    await receive(first, ['old'])
    const recent = stream(gateway, { params: { cursor: start, maxAgeMs: 1000 } })
    await active(recent)
    expect(recent.notifications[0]?.params).toMatchObject({ truncated: true })
    expect(recent.ids).toEqual([])
  })

  test('open at most a hundred streams each', async () => {
    const shop = createShop()
    const gateway = open((await serveShop(shop)).url)
    const streams = Array.from({ length: 100 }, () => stream(gateway, { principal: 'ada' }))
    await active(...streams)
    const data = { limit: 'maxPrincipalStreams', max: 100 }
    expect(await stream(gateway, { principal: 'ada' }).response).toMatchObject({ error: { code: -32025, data } })
    await streams[0]?.close()
    await active(stream(gateway, { principal: 'ada' }), stream(gateway, { principal: 'bob' }))
    expect(shop.counts.opened).toBe(1)
  })

  test('a caller that does not read is left, and the others are not held up', async () => {
    const shop = createShop()
    const gateway = open(shop.exchange)
    const [slow, fast] = [stream(gateway, { notify: () => new Promise<void>(() => {}) }), stream(gateway)]
    await active(slow, fast)
    const ids = Array.from({ length: 1100 }, (_, n) => `n-${n}`)
    for (let at = 0; at < ids.length; at += 100) await shop.emit(...ids.slice(at, at + 100))
    await eventually(() => expect(fast.ids).toHaveLength(1100))
    expect(await slow.response).toMatchObject({ result: { resultType: 'complete' } })
    expect(slow.ids.length).toBeLessThan(1100)
    const again = stream(gateway, { params: { cursor: slow.cursor } })
    await eventually(() => expect(new Set([...slow.ids, ...again.ids]).size).toBe(1100))
    expect(slow.ids.length + again.ids.length).toBe(1100)
  })

  test('a caller that does not read is left after a few large messages, too', async () => {
    const shop = createShop()
    const gateway = open(shop.exchange)
    const [slow, fast] = [stream(gateway, { notify: () => new Promise<void>(() => {}) }), stream(gateway)]
    await active(slow, fast)
    const ids = Array.from({ length: 30 }, (_, n) => `n-${n}`)
    for (const id of ids) await shop.created.emit({ id: id.padEnd(100_000) }, { eventId: id })
    await receive(fast, ids)
    expect(await slow.response).toMatchObject({ result: { resultType: 'complete' } })
    // 1 MiB, and the message that exceeds it.
    expect(slow.ids.length).toBeLessThanOrEqual(11)
    const again = stream(gateway, { params: { cursor: slow.cursor } })
    await eventually(() => expect([...slow.ids, ...again.ids]).toEqual(ids))
  })
})

describe('a stream of the server', () => {
  test('that is lost is opened again at its position, and nobody misses or repeats an event', async () => {
    const shop = createShop()
    const { url, http } = await serveShop(shop)
    const gateway = open(url)
    const streams = [stream(gateway), stream(gateway)]
    await active(...streams)
    await shop.emit('1')
    for (const one of streams) await receive(one, ['1'])
    http.closeAllConnections()
    await eventually(() => expect(streams.every(({ methods }) => methods.includes('error'))).toBe(true))
    await shop.emit('2')
    for (const one of streams) await receive(one, ['1', '2'])
    expect(shop.counts.opened).toBe(2)
    expect(JSON.stringify(streams[0]?.notifications)).not.toContain('127.0.0.1')
    await Promise.all(streams.map((one) => one.close()))
    await eventually(() => expect(shop.counts.open).toBe(0))
  })

  test('that the server closes is opened again without a word', async () => {
    const shop = createShop({ streamTtlMs: 1500 })
    const gateway = open(shop.exchange)
    const one = stream(gateway)
    await active(one)
    await eventually(() => expect(shop.counts.opened).toBe(2))
    await shop.emit('1')
    await receive(one, ['1'])
    expect(one.methods).toEqual(['active', 'event'])
  })

  test.each<[string, JsonObject, unknown]>([
    ['gaps', { method: 'active', cursor: 'c2', truncated: true }, true],
    ['heartbeats', { method: 'heartbeat', cursor: 'c2' }, undefined],
    ['errors', { method: 'error', error: { code: -32603, message: 'slow' } }, undefined],
  ])('has %s, which reach each caller', async (_, { method, ...params }, truncated) => {
    let notify: ((notification: Notification) => unknown) | undefined
    const gateway = open(scripted((send) => (notify = send)))
    const streams = [stream(gateway), stream(gateway)]
    await active(...streams)
    notify?.({ jsonrpc: '2.0', method: `notifications/events/${method}`, params })
    for (const one of streams) await eventually(() => expect(one.notifications.at(-1)?.params).toMatchObject(params))
    for (const one of streams) expect(one.notifications.at(-1)?.params?.truncated).toBe(truncated)
  })

  test('without positions has a gap when it is opened again', async () => {
    const ends: (() => void)[] = []
    const gateway = open(scripted((_, end) => ends.push(end), null))
    const streams = [stream(gateway), stream(gateway)]
    await active(...streams)
    ends[0]?.()
    await eventually(() => expect(ends).toHaveLength(2))
    for (const one of streams)
      await eventually(() => expect(one.notifications.at(-1)).toMatchObject({ params: { cursor: null, truncated: true } }))
  })

  test('that the server refuses when it is opened again ends for all, with the reason', async () => {
    const ends: (() => void)[] = []
    let isGone = false
    const gateway = open(
      scripted(
        (_, end) => ends.push(end),
        'c1',
        () => isGone,
      ),
    )
    const streams = [stream(gateway), stream(gateway)]
    await active(...streams)
    isGone = true
    ends[0]?.()
    for (const one of streams) {
      expect(await one.response).toMatchObject({ result: { resultType: 'complete' } })
      expect(one.notifications.at(-1)).toMatchObject({
        method: 'notifications/events/terminated',
        params: { error: { code: -32024 } },
      })
    }
  })

  test('that the server refuses at once is an error for each caller', async () => {
    const gateway = open(
      scripted(
        () => {},
        'c1',
        () => true,
      ),
    )
    const streams = [stream(gateway), stream(gateway)]
    for (const { response } of streams) expect(await response).toMatchObject({ error: { code: -32024 } })
  })

  test('goes on for the callers that a policy leaves it to', async () => {
    const shop = createShop()
    const { url } = await serveShop(shop)
    const gateway = open(url)
    const [ada, bob] = [stream(gateway, { principal: 'ada' }), stream(gateway, { principal: 'bob' })]
    await active(ada, bob)
    gateway.setPolicy(accessRules({ default: 'allow', rules: [{ events: '*', principals: 'bob', do: 'deny' }] }))
    expect(await bob.response).toMatchObject({ result: {} })
    expect(bob.methods.at(-1)).toBe('terminated')
    await shop.emit('1')
    await receive(ada, ['1'])
    expect(bob.ids).toEqual([])
  })
})

/** A server whose streams are in the hands of the test. */
function scripted(
  onStream: (notify: (notification: Notification) => unknown, end: () => void) => unknown,
  cursor: string | null = 'c1',
  isRefused: () => boolean = () => false,
): Exchange {
  const shop = createShop()
  return async (request, context) => {
    if (request.method !== 'events/stream') return shop.server.exchange(request, context)
    if (isRefused()) return { jsonrpc: '2.0', id: request.id, error: { code: -32024, message: 'withdrawn' } }
    await context.notify({ jsonrpc: '2.0', method: 'notifications/events/active', params: { cursor, truncated: false } })
    await new Promise<void>((resolve, reject) => {
      context.signal.addEventListener('abort', () => reject(context.signal.reason))
      onStream(context.notify, resolve)
    })
    return { jsonrpc: '2.0', id: request.id, result: { resultType: 'complete' } }
  }
}

describe('streams of a server whose options change', () => {
  test('end with a result, so that callers come back at their position', async () => {
    const shop = createShop()
    const { url } = await serveShop(shop)
    const gateway = createGateway({
      servers: { shop: { target: url }, other: { target: createServer({ name: 'o', version: '1' }) } },
    })
    onTestFinished(() => gateway.close())
    const one = stream(gateway)
    await active(one)
    await shop.emit('us-1')
    await receive(one, ['us-1'])
    await gateway.setServers({ shop: { target: url } })
    await shop.emit('us-2')
    await receive(one, ['us-1', 'us-2'])
    expect(shop.counts.opened).toBe(1)
    await gateway.setServers({ shop: { target: url, listTimeoutMs: 1999 } })
    expect(await one.response).toMatchObject({ result: { resultType: 'complete' } })
    await eventually(() => expect(shop.counts.open).toBe(0))
    await shop.emit('us-3')
    const again = stream(gateway, { params: { cursor: one.cursor } as JsonObject })
    await receive(again, ['us-3'])
  })
  test('do not end for good when it is removed and added at once', async () => {
    const shop = createShop()
    const { url } = await serveShop(shop)
    const other = { target: createServer({ name: 'o', version: '1' }) }
    const gateway = createGateway({ servers: { shop: { target: url }, other } })
    onTestFinished(() => gateway.close())
    const one = stream(gateway)
    await active(one)
    await Promise.all([gateway.setServers({ other }), gateway.setServers({ shop: { target: url }, other })])
    expect(await one.response).toMatchObject({ result: { resultType: 'complete' } })
    expect(one.methods).not.toContain('terminated')
  })
})
