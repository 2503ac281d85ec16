import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, defineServerExtension } from 'portcall'
import { createEventSender, events } from 'portcall/events'
import { serve } from 'portcall/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { freePort } from '../support/free-port.mjs'
import { portcall, start, untilExit, untilOutput } from './support/portcall.ts'

/** A server with an event that can be emitted. */
async function serveShop() {
  const server = createServer({ name: 'shop', version: '1.0.0' }, { extensions: [events({ limits: { pollIntervalMs: 50 } })] })
  const created = server.event(
    'order.created',
    {
      description: 'A new order',
      input: z.object({ region: z.enum(['eu', 'us']) }),
      payload: z.object({ orderId: z.string(), region: z.string() }),
    },
    { match: ({ data }, { arguments: { region } }) => data.region === region },
  )
  const { url, close } = await serve(server, { port: 0, handleProcessSignals: false })
  onTestFinished(() => close())
  return { url, emit: (orderId: string) => created.emit({ orderId, region: 'eu' }, { eventId: `ord-${orderId}` }) }
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portcall-events-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

const lines = (text: string): any[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('portcall events', () => {
  test('lists event types', async () => {
    const { url } = await serveShop()
    expect(await portcall(['events', url])).toMatchObject({ code: 0, out: 'order.created  (poll, push)  A new order\n' })
    const { out } = await portcall(['events', url, 'list', '--json'])
    expect(JSON.parse(out)).toMatchObject({ events: [{ name: 'order.created', payloadSchema: { type: 'object' } }] })
  })

  test.each(['push', 'poll'])('listen prints events as lines of JSON, by %s', async (mode) => {
    const { url, emit } = await serveShop()
    const child = start(['events', url, 'listen', 'order.created', 'region=eu', '--mode', mode, '--count', '2'])
    const exit = untilExit(child)
    await untilOutput(child.stderr, /Listening/)
    await emit('1')
    await emit('2')
    const { code, out } = await exit
    expect(code).toBe(0)
    expect(lines(out).map(({ eventId, data }) => [eventId, data.orderId])).toEqual([
      ['ord-1', '1'],
      ['ord-2', '2'],
    ])
  })

  test('listen continues at the position in a file', async () => {
    const { url, emit } = await serveShop()
    const file = join(await temporaryFolder(), 'state.json')
    const args = ['events', url, 'listen', 'order.created', 'region=eu', '--count', '1', '--state', file]
    const child = start(args)
    const exit = untilExit(child)
    await untilOutput(child.stderr, /Listening/)
    await emit('1')
    expect(lines((await exit).out)).toMatchObject([{ eventId: 'ord-1' }])
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['{"arguments":{"region":"eu"},"name":"order.created"}'])
    await emit('2')
    const { code, out } = await portcall(args)
    expect([code, lines(out)]).toMatchObject([0, [{ eventId: 'ord-2' }]])
  })

  test('mistakes are explained, and nothing is sent', async () => {
    const { url } = await serveShop()
    const run = (...args: string[]) => portcall(['events', url, ...args])
    expect(await run('listn')).toMatchObject({ code: 2, err: expect.stringContaining('did you mean list') })
    expect(await run('listen')).toMatchObject({ code: 2, err: expect.stringContaining('name of an event type') })
    expect(await run('listen', 'order.create', 'region=eu')).toMatchObject({
      code: 2,
      err: expect.stringContaining('order.created'),
    })
    expect(await run('listen', 'order.created', 'region=asia')).toMatchObject({ code: 2, err: expect.stringContaining('region') })
    expect(await run('listen', 'order.created', 'region=eu', '--count', '0')).toMatchObject({ code: 2 })
    expect(await run('listen', 'order.created', 'region=eu', '--mode', 'pull')).toMatchObject({ code: 2 })
    expect(await run('subscribe', 'order.created', 'region=eu')).toMatchObject({ code: 2, err: expect.stringContaining('--url') })
    expect(
      await run('subscribe', 'order.created', 'region=eu', '--url', 'https://app.example.com/', '--secret', 'x'),
    ).toMatchObject({
      code: 2,
      err: expect.stringContaining('whsec_'),
    })
  })

  test('a server without events is rejected', async () => {
    const { url, close } = await serve(createServer({ name: 'none', version: '1' }), { port: 0, handleProcessSignals: false })
    onTestFinished(() => close())
    expect(await portcall(['events', url])).toMatchObject({ code: 3, err: expect.stringContaining('events') })
  })
})

describe('webhooks', () => {
  const sender = createEventSender({ allow: ['127.0.0.1'] })

  /** A server that sends events to webhooks. */
  async function serveWebhooks() {
    const requests: any[] = []
    const extension = defineServerExtension({
      id: 'io.modelcontextprotocol/events',
      setup(context) {
        const type = { name: 'ping', description: 'A ping', delivery: ['webhook'], inputSchema: {}, payloadSchema: {} }
        context.method('events/list', { open: true }, () => ({ events: [type] }))
        context.method('events/subscribe', { open: true }, async ({ delivery, ttlMs }) => {
          const { url, secret } = delivery as { url: string; secret: string }
          requests.push({ delivery, ttlMs })
          const target = { url, secrets: secret, subscriptionId: 'sub_1' }
          if (url.includes('127.0.0.1')) {
            const verified = await sender.verify(target)
            if (verified.type !== 'verified') throw new Error(verified.type)
            const event = { eventId: 'e1', name: 'ping', timestamp: '2026-11-27T09:15:04Z', data: {}, cursor: null }
            setTimeout(() => void sender.deliver({ ...target, messageId: 'e1', body: JSON.stringify(event) }), 50)
          }
          return { id: 'sub_1', refreshBefore: '2100-01-01T00:00:00Z', cursor: null, truncated: false }
        })
        context.method('events/unsubscribe', { open: true }, ({ delivery }) => {
          requests.push({ unsubscribed: delivery })
          return {}
        })
      },
    })
    const server = createServer({ name: 'pings', version: '1' }, { extensions: [extension] })
    const { url, close } = await serve(server, { port: 0, handleProcessSignals: false })
    onTestFinished(() => close())
    return { url, requests }
  }

  test('listen --webhook receives at a local port, and unsubscribes at the end', async () => {
    const { url, requests } = await serveWebhooks()
    const port = String(await freePort())
    const callback = `http://127.0.0.1:${port}/hook`
    const { code, out, err } = await portcall([
      'events',
      url,
      'listen',
      'ping',
      '--webhook',
      callback,
      '--port',
      port,
      '--count',
      '1',
    ])
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('Listening for ping (webhook)') })
    expect(lines(out)).toMatchObject([{ eventId: 'e1', name: 'ping' }])
    expect(requests).toMatchObject([{ delivery: { url: callback } }, { unsubscribed: { url: callback } }])
  })

  test('subscribe prints the id and a new secret; unsubscribe ends it', async () => {
    const { url, requests } = await serveWebhooks()
    const callback = 'https://app.example.com/mcp-events'
    const subscribed = await portcall(['events', url, 'subscribe', 'ping', '--url', callback, '--ttl', '60', '--json'])
    const { secret, ...result } = JSON.parse(subscribed.out)
    expect(result).toEqual({ id: 'sub_1', refreshBefore: '2100-01-01T00:00:00Z', cursor: null, truncated: false })
    expect(requests).toEqual([{ delivery: { mode: 'webhook', url: callback, secret }, ttlMs: 60_000 }])
    const again = await portcall(['events', url, 'subscribe', 'ping', '--url', callback, '--secret', secret])
    expect(again).toMatchObject({ code: 0, out: 'sub_1  ends at 2100-01-01T00:00:00Z unless it is made again\n' })
    expect(await portcall(['events', url, 'unsubscribe', 'ping', '--url', callback])).toMatchObject({ code: 0, out: '' })
  })
})

describe('portcall doctor --event', () => {
  const ask = (url: string, ...args: string[]) => portcall(['doctor', url, '--event', ...args])

  test('says why a host receives no events, and nothing of it where it does', async () => {
    const { url } = await serveShop()
    const fine = await ask(url, 'order.created', '--arguments', '{"region":"eu"}')
    expect([fine.code, fine.out]).toEqual([0, expect.stringMatching(/✓ Events/)])
    const unknown = await ask(url, 'order.paid')
    expect([unknown.code, unknown.out]).toEqual([1, expect.stringMatching(/✗ Events .*order\.paid[\s\S]*→/)])
    const wrong = await ask(url, 'order.created', '--arguments', '{"region":"mars"}', '--json')
    expect(wrong.code).toBe(1)
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const webhook = await ask(url, 'order.created', '--webhook', 'https://hooks.example.com/mcp', '--secret', secret)
    expect([webhook.code, webhook.out]).toEqual([1, expect.stringMatching(/✗ Events .*webhook/)])
    expect(webhook.out + webhook.err).not.toContain(secret)
    expect(await ask(url, 'order.created', '--webhook', 'https://hooks.example.com/mcp')).toMatchObject({ code: 2 })
  })
})
