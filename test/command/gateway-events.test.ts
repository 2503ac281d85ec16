/** `portcall gateway` as the receiver of events that servers deliver to webhooks. */
import { request } from 'node:http'
import { connect } from 'portcall/client'
import { events } from 'portcall/events/client'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { type EventShop, serveEventShop } from '../support/event-shop.ts'
import { freePort } from '../support/free-port.mjs'
import { createWorkspace, startGateway } from './support/gateway.ts'
import { portcall } from './support/portcall.ts'

const NAME = 'shop__order.created'

function configOf(shop: EventShop, url: string, eventWebhook = true) {
  return { mcpServers: { shop: shop.entry }, gateway: { servers: { shop: { eventWebhook } }, eventWebhook: { url } } }
}

async function connectTo(url: string) {
  const client = await connect(url, { extensions: [events()] })
  onTestFinished(() => client.close())
  return client
}

interface Delivery {
  readonly url: string
  readonly host?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
}

/** Sends a request with any `Host`. Resolves to the status. */
const send = ({ url, host, headers = {}, method = 'POST' }: Delivery): Promise<number> =>
  new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', ...headers, ...(host !== undefined && { host }) }
    const outgoing = request(url, { method, headers: all }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    outgoing.once('error', reject).end(method === 'POST' ? '{"eventId":"x","name":"n","timestamp":"t","data":{}}' : undefined)
  })

test('delivers to clients by push what its server sends to the webhook, and unsubscribes when it stops', async () => {
  const shop = await serveEventShop()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/hooks/events`
  const workspace = await createWorkspace(configOf(shop, url))
  const { url: endpoint, child, end, log } = await startGateway(workspace, '--port', String(port))
  const client = await connectTo(endpoint)
  expect(await client.events.list().toArray()).toMatchObject([{ name: NAME, delivery: ['push'] }])
  const received: string[] = []
  await client.events.on(NAME, {}, ({ eventId }) => void received.push(eventId))
  const ids = Array.from({ length: 20 }, (_, at) => `ord-${at}`)
  for (const id of ids) await shop.emit(id)
  await eventually(() => expect(received).toEqual(ids))

  const [made] = shop.requests
  expect(made?.url).toMatch(new RegExp(`^${url}\\?stream=`))
  const signature = {
    'webhook-id': 'm1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': `v1,${'A'.repeat(43)}=`,
    'x-mcp-subscription-id': String(made?.id),
  }
  const forged = { url: made?.url ?? '', headers: signature }
  expect(await send(forged)).toBe(401)
  expect(await send({ ...forged, headers: { ...signature, 'x-mcp-subscription-id': 'sub_unknown' } })).toBe(503)
  expect(await send({ url })).toBe(400)
  expect(await send({ url, method: 'GET' })).toBe(405)
  expect(await send({ url: `${url}/other`, headers: signature })).toBe(404)

  const shown = await portcall(['gateway', 'status', '--json'], { env: workspace.env, cwd: workspace.dir })
  const plan = await portcall(['gateway', '--dry-run', '--config', workspace.file], { env: workspace.env, cwd: workspace.dir })
  expect(plan.out).toContain(url)
  child.kill('SIGTERM')
  const { out } = await end
  expect(shop.requests.at(-1)).toMatchObject({ method: 'events/unsubscribe', url: made?.url })
  const { secret = '' } = made ?? {}
  expect(secret).toMatch(/^whsec_/)
  for (const text of [shown.out, plan.out, out, log()]) expect(text).not.toContain(secret.slice(6))
}, 60_000)

test('a public name in Host is accepted for deliveries alone, if the gateway has no authorization', async () => {
  const shop = await serveEventShop()
  const workspace = await createWorkspace(configOf(shop, 'https://gateway.example.com/mcp-events'))
  const { url } = await startGateway(workspace)
  const { origin } = new URL(url)
  const at = (path: string, host: string): Promise<number> => send({ url: origin + path, host })
  expect(await at('/mcp-events', 'gateway.example.com')).toBe(400)
  for (const path of ['/mcp', '/mcp-events/x', '/'])
    for (const host of ['gateway.example.com', 'GATEWAY.example.com:8443'])
      expect([path, await at(path, host)]).toEqual([path, 403])
  expect(await at('/mcp-events', 'other.example.com')).toBe(403)
  expect(await at('/mcp', '127.0.0.1')).toBe(400)
}, 60_000)

test('changes of the configuration end and begin subscriptions, and keep others', async () => {
  const shop = await serveEventShop()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp-events`
  const workspace = await createWorkspace(configOf(shop, url))
  const { url: endpoint, log } = await startGateway(workspace, '--port', String(port))
  const client = await connectTo(endpoint)
  const received: string[] = []
  const subscription = await client.events.on(NAME, {}, ({ eventId }) => void received.push(eventId))
  await workspace.write({ ...configOf(shop, url), mcpServers: { shop: shop.entry, other: { url: 'http://127.0.0.1:9/mcp' } } })
  await eventually(() => expect(log()).toContain('added other'))
  await shop.emit('kept')
  await eventually(() => expect(received).toEqual(['kept']))
  expect(shop.requests).toHaveLength(1)

  await workspace.write(configOf(shop, url, false))
  await expect(subscription.ended).rejects.toThrow()
  await eventually(() => expect(shop.requests.at(-1)?.method).toBe('events/unsubscribe'))
  await eventually(async () => expect(await client.events.list().toArray()).toEqual([]))
  await workspace.write(configOf(shop, url))
  await eventually(async () => expect(await client.events.list().toArray()).toHaveLength(1))
  await client.events.on(NAME, {}, ({ eventId }) => void received.push(eventId))
  await shop.emit('again')
  await eventually(() => expect(received).toEqual(['kept', 'again']))

  await workspace.write(configOf(shop, `${url}-2`))
  await eventually(() => expect(log()).toContain('Restart the gateway to apply the changes of eventWebhook'))
  await shop.emit('still')
  await eventually(() => expect(received).toEqual(['kept', 'again', 'still']))
}, 60_000)

test('a client keeps its subscription when the server is restarted, and it reaches the server as a new one', async () => {
  const shop = await serveEventShop()
  const port = await freePort()
  const workspace = await createWorkspace(configOf(shop, `http://127.0.0.1:${port}/mcp-events`))
  const { url } = await startGateway(workspace, '--port', String(port))
  const client = await connectTo(url)
  const received: string[] = []
  await client.events.on(NAME, {}, ({ eventId }) => void received.push(eventId))
  await shop.emit('before')
  await eventually(() => expect(received).toEqual(['before']))
  expect(await portcall(['gateway', 'restart', 'shop'], workspace)).toMatchObject({ code: 0 })
  await shop.emit('after')
  await eventually(() => expect(received).toEqual(['before', 'after']))
  const methods = () => shop.requests.map(({ method }) => method).sort()
  await eventually(() => expect(methods()).toEqual(['events/subscribe', 'events/subscribe', 'events/unsubscribe']))
  const [first, second] = shop.requests.filter(({ method }) => method === 'events/subscribe')
  expect(first?.secret).not.toBe(second?.secret)
}, 60_000)

test('mistakes', async () => {
  const shop = await serveEventShop(['push'])
  const servers = { shop: { eventWebhook: true } }
  const run = async (gateway: object, ...args: string[]) => {
    const { file, env, dir } = await createWorkspace({ mcpServers: { shop: shop.entry }, gateway: { servers, ...gateway } })
    return portcall(['gateway', ...args, '--config', file, ...(args.includes('check') ? [] : ['--port', '0'])], { env, cwd: dir })
  }
  const eventWebhook = { url: 'https://gateway.example.com/mcp-events' }
  const auth = { resource: 'http://gateway.example.com/mcp', apiKeys: [{ subject: 'a', key: 'k'.repeat(20) }] }
  for (const [gateway, message, ...args] of [
    [{}, 'gateway.servers.shop.eventWebhook needs gateway.eventWebhook.url'],
    [{ eventWebhook: { url: 'http://gateway.example.com/x' } }, 'gateway.eventWebhook.url must be an https URL'],
    [{ eventWebhook: { url: 'https://gateway.example.com' } }, 'gateway.eventWebhook.url needs a path'],
    [{ eventWebhook: { url: 'https://gateway.example.com/mcp/x' } }, 'must not be at the path of the endpoint'],
    [{ auth }, 'the one at the origin of gateway.auth.resource must be an https URL'],
    [{ eventWebhook }, 'a gateway over stdio receives no deliveries', '--stdio'],
  ] as const)
    expect(await run(gateway, ...args)).toMatchObject({ code: 2, err: expect.stringContaining(message) })
  const checked = await run({ eventWebhook }, 'check')
  expect(checked).toMatchObject({ code: 0, err: expect.stringContaining('shop delivers no events to webhooks only') })
}, 60_000)
