/** Events in spans, metrics and logs: their data, the secrets of webhooks and the URLs of webhooks are in none of them (EVT-107). */
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { events } from 'portcall/events'
import { events as clientEvents, eventWebhook } from 'portcall/events/client'
import { createGateway } from 'portcall/gateway'
import { isObject } from 'portcall/jsonrpc'
import { metrics } from 'portcall/metrics'
import { serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'
import { clientTelemetry, gatewayTelemetry, serverTelemetry } from 'portcall/telemetry'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { useTelemetry } from './support/otlp.ts'

/** Everything is recorded that may be. */
const ALL = { recordArguments: true, recordResults: true }
const DATA = 'pears-of-ada-4711'
const ARGUMENT = 'account-of-ada-0815'
const PATH = 'hook-q7Zk2vXr9LwBn4Ty'

const telemetry = useTelemetry()

/** Collects the records of all levels. */
function createLog() {
  const records: string[] = []
  const write = (...parts: unknown[]): void => void records.push(JSON.stringify(parts))
  return { logger: { debug: write, info: write, warn: write, error: write, trace: write }, text: () => records.join('\n') }
}

/** Serves a webhook, whose endpoint at first fails and sends back what it got. */
async function startEndpoint(failures: number) {
  let failuresLeft = failures
  const http = createHttpServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    if (!body.includes('verification') && failuresLeft-- > 0) return void outgoing.writeHead(500, incoming.url).end(body)
    const target = new URL(incoming.url ?? '/', url)
    const response = await webhook(
      new Request(target, { method: 'POST', headers: incoming.headers as Record<string, string>, body }),
    )
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  })
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/${PATH}?token=${PATH}`
  const webhook = eventWebhook({ url })
  return webhook
}

/** A server with events, over HTTP, whose secrets are collected. */
async function startShop(prometheus: ReturnType<typeof metrics>, delivery: readonly ('poll' | 'push' | 'webhook')[]) {
  const log = createLog()
  const secrets: string[] = []
  const limits = { retryDelayMs: 20, maxRetryDelayMs: 20, maxAttempts: 2, sweepIntervalMs: 100 }
  const shop = createServer(
    { name: 'shop', version: '1' },
    {
      stores: prometheus.stores(memoryStores()),
      extensions: [events({ limits: { pollIntervalMs: 20 }, webhooks: { allow: ['127.0.0.1'], limits } })],
      logger: log.logger,
    },
  )
  shop.use((request, context, next) => {
    const given = request.params?.delivery
    if (isObject(given) && typeof given.secret === 'string') secrets.push(given.secret)
    return next(request, context)
  })
  shop.use(serverTelemetry(ALL))
  shop.use(prometheus.middleware)
  const created = shop.event('order.created', {
    description: 'Orders',
    input: z.object({ account: z.string() }),
    payload: z.object({ order: z.string() }),
    delivery: [...delivery],
  })
  const { url, close } = await serve(shop, {
    port: 0,
    authenticate: () => ({ principal: 'ann' }),
    metrics: prometheus,
    handleProcessSignals: false,
    drainTimeoutMs: 0,
  })
  onTestFinished(async () => {
    await shop.event.stop()
    await close()
    shop.close()
  })
  const page = async () => (await fetch(new URL('/metrics', url))).text()
  return { url, created, log, secrets, page }
}

async function open(url: string, extension: Parameters<typeof clientEvents>[0]) {
  const log = createLog()
  const extensions = [clientEvents({ minPollDelayMs: 20, ...extension })]
  const client = await connect(url, { ...clientTelemetry(ALL), extensions, logger: log.logger })
  onTestFinished(() => client.close())
  return { client, log }
}

/** Sends requests that fail because of their URL or secret. */
async function failToSubscribe(client: Awaited<ReturnType<typeof open>>['client']): Promise<void> {
  const name = (await client.events.list().toArray())[0]!.name
  for (const url of [`http://example.com/${PATH}`, `https://169.254.169.254/${PATH}`, `https://ann:${PATH}@example.com/`, PATH])
    for (const secret of [`whsec_${PATH}`, PATH])
      await expect(
        client.request('events/subscribe', {
          name,
          arguments: { account: ARGUMENT },
          cursor: null,
          delivery: { mode: 'webhook', url, secret },
        }),
      ).rejects.toThrow()
}

/** Waits for the spans of both sides. That of a stream ends when the server has noticed that it is closed. */
async function spansArrive(method: string): Promise<void> {
  await eventually(async () => {
    await telemetry.sdk.flush()
    const kinds = telemetry.receiver.spans.filter(({ name }) => name === method).map(({ kind }) => kind)
    expect(new Set(kinds).size).toBe(2)
  })
}

function expectNothingIn(texts: Readonly<Record<string, string>>, secrets: readonly string[]): void {
  const kept = [...secrets, ...secrets.map((secret) => secret.slice('whsec_'.length)), DATA, ARGUMENT, PATH]
  for (const [where, text] of Object.entries(texts))
    for (const one of kept) expect([where, one, text.includes(one)]).toEqual([where, one, false])
}

test.each(['poll', 'push', 'webhook'] as const)(
  'EVT-107 %s: a server and a client record methods, and nothing of the events',
  async (mode) => {
    const webhook = await startEndpoint(3)
    const { url, created, log, secrets, page } = await startShop(metrics(), ['poll', 'push', 'webhook'])
    const { client, log: clientLog } = await open(url, { webhook })
    await failToSubscribe(client)
    const received: unknown[] = []
    await client.events.on('order.created', { account: ARGUMENT }, ({ data }) => void received.push(data.order), {
      mode,
      onError: () => {},
    })
    if (mode === 'webhook') {
      await created.emit({ order: DATA })
      await eventually(() => expect(log.text()).toMatch(/given up after 2 attempts/))
    }
    await created.emit({ order: DATA })
    await eventually(() => expect(received).toContain(DATA))
    await client.events.closeAll()
    const method = { poll: 'events/poll', push: 'events/stream', webhook: 'events/subscribe' }[mode]
    await spansArrive(method)
    const shown = await page()
    expect(shown).toContain(`mcp_method_name="${method}"`)
    expect(log.text()).toContain(`"method":"${method}"`)
    if (mode === 'webhook') expect(secrets.filter((secret) => secret.length > 40).length).toBeGreaterThan(0)
    expectNothingIn(
      { spans: telemetry.receiver.text(), metrics: shown, log: log.text(), 'log of the client': clientLog.text() },
      secrets,
    )
  },
)

test.each([
  ['poll', 'poll', 'events/poll'],
  ['push', 'push', 'events/stream'],
  ['push', 'webhook', 'events/subscribe'],
] as const)(
  'EVT-107 a gateway records nothing of the events that it passes on by %s, and receives by %s',
  async (mode, upstream, method) => {
    const webhook = await startEndpoint(1)
    const { url, created, log, secrets, page } = await startShop(metrics(), [upstream])
    const gatewayLog = createLog()
    const prometheus = metrics()
    const gateway = createGateway({
      servers: { shop: { target: url, eventWebhook: webhook } },
      policy: [gatewayTelemetry(ALL)],
      middleware: [prometheus.middleware],
      logger: gatewayLog.logger,
    })
    const listening = await serve(gateway, { port: 0, metrics: prometheus, handleProcessSignals: false, drainTimeoutMs: 0 })
    onTestFinished(async () => {
      await listening.close()
      await gateway.close()
    })
    const { client, log: clientLog } = await open(listening.url, {})
    await failToSubscribe(client)
    const received: unknown[] = []
    const subscription = await client.events.on(
      'shop__order.created',
      { account: ARGUMENT },
      ({ data }) => void received.push(data.order),
      {
        mode,
        onError: () => {},
      },
    )
    await created.emit({ order: DATA })
    await eventually(() => expect(received).toContain(DATA))
    await subscription.close()
    await spansArrive(method)
    const shown = await (await fetch(new URL('/metrics', listening.url))).text()
    expect(shown).toContain(`mcp_method_name="${mode === 'poll' ? 'events/poll' : 'events/stream'}"`)
    if (upstream === 'webhook') expect(secrets.length).toBeGreaterThan(0)
    expectNothingIn(
      {
        spans: telemetry.receiver.text(),
        metrics: shown,
        'metrics of the server': await page(),
        log: gatewayLog.text(),
        'log of the server': log.text(),
        'log of the client': clientLog.text(),
      },
      secrets,
    )
  },
)
