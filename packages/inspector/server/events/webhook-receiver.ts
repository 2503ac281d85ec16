/** The receiver of webhooks: on loopback, with a port of its own, so that deliveries never reach the page of the inspector. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkSignature, type EventWebhook, eventWebhook, type SignatureCheck, signWebhook } from 'portcall/events/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { answerSafely } from '../../../util/src/answer-safely.ts'
import { readBody } from '../../../util/src/read-body.ts'
import { InspectorCommandError } from '../state/command-error.ts'

/** A delivery, as the page shows it. */
export type ShownDelivery = JsonObject & {
  readonly messageId: string
  readonly verdict: SignatureCheck['type']
  readonly status: number
}

/** One webhook of one subscription. */
export interface ReceivedWebhook {
  /** Pass it to `client.events.on`. */
  readonly webhook: EventWebhook
  /** Sends a delivery that arrived before once more, as its sender would: with the same ids, and a signature of now. */
  replay(messageId: string): Promise<void>
  close(): void
}

/** The receiver of all subscriptions. It listens from the first one on. */
export interface WebhookReceiver {
  /** Opens a URL of its own for a subscription, and calls back for each request that reaches it. */
  open(onDelivery: (delivery: ShownDelivery) => void): Promise<ReceivedWebhook>
  close(): Promise<void>
}

const MAX_BODY_BYTES = 256 * 1024
const MAX_KEPT = 100
const MAX_SHOWN = 200
const SUBSCRIPTION_ID = 'x-mcp-subscription-id'

/** The explanation of each verdict of the signature check. */
const REASONS: { readonly [Verdict in SignatureCheck['type']]: string } = {
  valid: 'The signature fits the secret of the subscription.',
  mismatch: 'No signature fits the secret: the sender has another secret, or the body was changed on the way.',
  expired: 'The time of the message is more than five minutes off: compare the clocks of both machines.',
  malformed: 'webhook-id, webhook-timestamp or webhook-signature is missing, or cannot be read.',
}

/** Creates the receiver. */
export function createWebhookReceiver(): WebhookReceiver {
  const webhooks = new Map<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>>()
  let listening: Promise<Server> | undefined
  const listen = (): Promise<Server> =>
    (listening ??= new Promise<Server>((resolve, reject) => {
      const server = createServer((request, response) => {
        const answer = webhooks.get(request.url?.split('?', 1)[0] ?? '')
        answerSafely(response, () => answer?.(request, response) ?? Promise.resolve(void response.writeHead(404).end()))
      })
      server.once('error', reject).listen(0, '127.0.0.1', () => resolve(server))
    }))
  return {
    async open(onDelivery) {
      const { port } = (await listen()).address() as AddressInfo
      const path = `/events/${randomUUID()}`
      const received = receiveAt(`http://127.0.0.1:${port}${path}`, onDelivery)
      webhooks.set(path, received.answer)
      return { webhook: received.webhook, replay: received.replay, close: () => void webhooks.delete(path) }
    },
    async close() {
      const server = await listening
      server?.closeAllConnections()
      await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()))
    },
  }
}

interface KeptDelivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function receiveAt(url: string, onDelivery: (delivery: ShownDelivery) => void) {
  let secret = ''
  let handled = 0
  const kept = new Map<string, KeptDelivery>()
  const inner = eventWebhook({ url })
  const webhook: EventWebhook = Object.assign((request: Request) => inner(request), {
    url,
    register: (registration: Parameters<EventWebhook['register']>[0]) => {
      ;({ secret } = registration)
      const { listener } = registration
      return inner.register({
        ...registration,
        listener: {
          ...listener,
          onEvent: (event, source) => {
            handled++
            return listener?.onEvent?.(event, source)
          },
        },
      })
    },
  })
  const take = async ({ headers, body }: KeptDelivery, isReplay: boolean): Promise<Response> => {
    const check = await checkSignature(
      { id: headers['webhook-id'], timestamp: headers['webhook-timestamp'], signature: headers['webhook-signature'] },
      body,
      { secrets: secret },
    )
    const before = handled
    const response = await inner(new Request(url, { method: 'POST', headers, body }))
    const messageId = (headers['webhook-id'] ?? '').slice(0, MAX_SHOWN)
    const content = contentOf(body)
    if (check.type === 'valid') {
      kept.set(messageId, { headers, body })
      if (kept.size > MAX_KEPT) kept.delete([...kept.keys()][0] ?? '')
    }
    onDelivery({
      kind: 'delivery',
      messageId,
      verdict: check.type,
      reason: REASONS[check.type],
      status: response.status,
      ...content,
      ...(isReplay && { isReplay }),
      ...(content.type === 'event' && response.status === 204 && { isRepeated: handled === before }),
    })
    return response
  }
  return {
    webhook,
    async answer(request: IncomingMessage, response: ServerResponse) {
      const body = await readBody(request, MAX_BODY_BYTES)
      if (body === undefined) return void response.writeHead(413).end()
      if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end()
      const answered = await take({ headers: headersOf(request), body }, false)
      response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(await answered.text())
    },
    async replay(messageId: string) {
      const delivery = kept.get(messageId)
      if (!delivery) throw new InspectorCommandError('NOT_FOUND', 'This delivery is no longer kept')
      const timestamp = Math.floor(Date.now() / 1000)
      const signature = await signWebhook(secret, { id: messageId, timestamp, body: delivery.body })
      const headers = { ...delivery.headers, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature }
      await take({ headers, body: delivery.body }, true)
    },
  }
}

const HEADERS = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature', SUBSCRIPTION_ID]

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(HEADERS.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])))
}

/** Returns what the page shows of a body. It may come from anyone. */
function contentOf(body: string): JsonObject {
  try {
    const { type = 'event', eventId, cursor, timestamp, data, error } = JSON.parse(body) as JsonObject
    const shown = type === 'event' ? { eventId, cursor, timestamp, data } : { cursor, error }
    return { type, ...(Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined)) as JsonObject) }
  } catch {
    return { type: 'unreadable' }
  }
}
