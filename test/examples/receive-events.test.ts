import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, defineServerExtension } from 'portcall'
import { events } from 'portcall/events'
import { signWebhook } from 'portcall/events/client'
import { expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { handleOrders } from '../../examples/receive-events-later.ts'
import { subscribe, webhook } from '../../examples/receive-webhooks.ts'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'

test('receive-events prints the events of one region', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => log.mockRestore())
  await import('../../examples/receive-events.ts')
  expect(log.mock.calls).toEqual([
    ['order.created', ['poll', 'push']],
    [{ orderId: '7731', region: 'eu' }],
    [{ orderId: '7733', region: 'eu' }],
  ])
})

test('receive-events-later continues at the position of the last run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portcall-orders-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const server = createServer({ name: 'shop', version: '1' }, { extensions: [events()] })
  onTestFinished(() => server.close())
  const payload = z.object({ orderId: z.string() })
  const created = server.event('order.created', { description: 'A new order', input: z.object({ region: z.string() }), payload })
  const path = join(folder, 'orders.json')
  const run = async (emit: () => Promise<unknown>): Promise<unknown[]> => {
    const handled: unknown[] = []
    const controller = new AbortController()
    const running = handleOrders(server, {
      path,
      signal: controller.signal,
      handle: async (orderId) => void handled.push(orderId),
    })
    await emit()
    await eventually(() => expect(handled.length).toBeGreaterThan(0))
    controller.abort()
    await running
    return handled
  }
  const emitOnceListening = async (): Promise<void> => {
    await eventually(async () => expect(await readFile(path, 'utf8')).toContain('cursor'))
    await created.emit({ orderId: '1' })
  }
  expect(await run(emitOnceListening)).toEqual(['1'])
  await created.emit({ orderId: '2' })
  expect(await run(async () => {})).toEqual(['2'])
})

test('receive-webhooks answers the challenge and takes an event', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => log.mockRestore())
  let secret = ''
  const send = async (body: object, id: string): Promise<Response> => {
    const text = JSON.stringify(body)
    const timestamp = Math.floor(Date.now() / 1000)
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': await signWebhook(secret, { id, timestamp, body: text }),
      'x-mcp-subscription-id': 'sub_1',
    }
    return webhook(new Request('https://app.example.com/mcp-events', { method: 'POST', headers, body: text }))
  }
  const ended: unknown[] = []
  const extension = defineServerExtension({
    id: 'io.modelcontextprotocol/events',
    setup(context) {
      const type = {
        name: 'order.created',
        description: 'A new order',
        delivery: ['webhook'],
        inputSchema: {},
        payloadSchema: {},
      }
      context.method('events/list', { open: true }, () => ({ events: [type] }))
      context.method('events/subscribe', { open: true }, async ({ delivery }) => {
        secret = (delivery as { secret: string }).secret
        expect(await (await send({ type: 'verification', challenge: 'x1' }, 'v1')).json()).toEqual({ challenge: 'x1' })
        return { id: 'sub_1', refreshBefore: null, cursor: null, truncated: false }
      })
      context.method('events/unsubscribe', { open: true }, ({ delivery }) => {
        ended.push(delivery)
        return {}
      })
    },
  })
  const server = createServer({ name: 'shop', version: '1' }, { extensions: [extension] })
  onTestFinished(() => server.close())
  const stop = await subscribe(server)
  const event = { eventId: 'e1', name: 'order.created', timestamp: '2026-11-27T09:15:04Z', data: { orderId: '7731' } }
  expect((await send(event, 'e1')).status).toBe(204)
  expect(log.mock.calls).toEqual([[{ orderId: '7731' }]])
  await stop()
  expect(ended).toHaveLength(1)
})
