/** The scenario of a webhook that runs on every runtime: signatures, a challenge, repeated messages and refusals. */
import { createWebhookSecret, eventWebhook, signWebhook } from 'portcall/events/client'

/** The statuses of the responses and what was received, as JSON. */
export interface Received {
  statuses: { readonly [what: string]: number }
  challenge: unknown
  ids: string[]
  /** The signature of the Standard Webhooks project. */
  vector: string
}

/** The expected results. */
export const EXPECTED: Received = {
  statuses: { event: 204, again: 204, gap: 204, changed: 401, old: 401, large: 413, get: 405, unknown: 503, ended: 410 },
  challenge: { challenge: 'n3Yq' },
  ids: ['ord-7731'],
  vector: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}

const EVENT = { eventId: 'ord-7731', name: 'order.created', timestamp: '2026-11-27T09:15:04Z', data: { city: 'Zürich' } }
const URL = 'https://app.example.com/mcp-events'

/** Sends deliveries to a handler, without a network. */
export async function receive(): Promise<Received> {
  const ids: string[] = []
  const secret = createWebhookSecret()
  const webhook = eventWebhook({ url: URL })
  const listener = { onEvent: ({ eventId }: { eventId: string }) => void ids.push(eventId) }
  const subscription = await webhook.register({ secret, name: 'order.created', arguments: {}, listener })
  const send = async (body: string, { id = 'm1', ageS = 0, sent = body, to = 'sub_1' } = {}): Promise<Response> => {
    const timestamp = Math.floor(Date.now() / 1000) - ageS
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': await signWebhook(secret, { id, timestamp, body }),
      'x-mcp-subscription-id': to,
    }
    return webhook(new Request(URL, { method: 'POST', headers, body: sent }))
  }
  const verified = await send(JSON.stringify({ type: 'verification', challenge: 'n3Yq' }), { id: 'v1' })
  await subscription.confirm('sub_1', Date.now() + 60_000)
  const event = JSON.stringify(EVENT)
  const statuses = {
    event: (await send(event)).status,
    again: (await send(event)).status,
    gap: (await send('{"type":"gap","cursor":"c-1"}', { id: 'g1' })).status,
    changed: (await send(event, { sent: `${event} ` })).status,
    old: (await send(event, { ageS: 400 })).status,
    large: (await send(JSON.stringify('x'.repeat(300_000)))).status,
    get: (await webhook(new Request(URL))).status,
    unknown: (await send(event, { to: 'sub_2' })).status,
  }
  await subscription.end()
  const ended = (await send(event)).status
  const vector = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' }
  return {
    statuses: { ...statuses, ended },
    challenge: await verified.json(),
    ids,
    vector: await signWebhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', vector),
  }
}
