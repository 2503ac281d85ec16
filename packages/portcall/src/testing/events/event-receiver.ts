import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { parseJson } from '../../../../util/src/parse-json.ts'
import type { EventWebhook } from '../../events/receiver/types.ts'
import { eventWebhook } from '../../events/receiver/webhook.ts'
import { checkSignature, createWebhookSecret, type SignatureCheck } from '../../events/signature.ts'
import { isObject } from '../../jsonrpc/message.ts'
import type { EventOccurrence } from '../../protocol/events.ts'

/**
 * The reaction of a fake receiver. `accept`: as a real one. A number: this status. `timeout`: none, until the sender gives up. `disconnect`: the
 * connection fails. `wrong_challenge`: a challenge gets another text back, and everything else is accepted.
 */
export type EventReceiverAnswer =
  | 'accept'
  | 'timeout'
  | 'disconnect'
  | 'wrong_challenge'
  | number
  | {
      /** The status. */
      readonly status: number
      /** The header `Retry-After`, in seconds. */
      readonly retryAfterS?: number
    }

/** A request that reached a fake receiver. */
export interface ReceivedDelivery {
  /** `event`, or the type of an envelope: `verification`, `gap`, `terminated`. */
  readonly type: string
  /** The header `webhook-id`. */
  readonly messageId: string
  /** The header `X-MCP-Subscription-Id`. */
  readonly subscriptionId: string
  /** The verdict on the signature, with the secret of the receiver. */
  readonly signature: SignatureCheck['type']
  /** The body, parsed. */
  readonly body: unknown
  /** The headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** When it arrived, by the clock of the receiver. */
  readonly receivedAt: number
  /** The status of the answer; `undefined` if there was none. */
  readonly status: number | undefined
}

/** Options of `eventReceiver`. */
export interface EventReceiverOptions {
  /** The URL that senders are given. Default: `https://receiver.test/events`. */
  readonly url?: string
  /** The secret of the subscription. Default: a new one. */
  readonly secret?: string
  /** The reaction to each request, unless `answerNext` says otherwise. It can be changed later. Default: `accept`. */
  readonly answer?: EventReceiverAnswer
  /** Returns the current time in milliseconds. Default: `Date.now`. */
  readonly now?: () => number
}

/** A fake receiver of webhooks. */
export interface EventReceiver {
  /** The URL to subscribe with. */
  readonly url: string
  /** The secret to subscribe with. */
  readonly secret: string
  /** Stands for the network: pass it as `events({ webhooks: { fetch } })`, or serve it as a handler. */
  readonly fetch: typeof globalThis.fetch
  /** Everything that arrived, in order, with what was refused and repeated. */
  readonly deliveries: readonly ReceivedDelivery[]
  /** The events that were accepted, each once. */
  readonly events: readonly EventOccurrence[]
  /** The reaction to each request. */
  answer: EventReceiverAnswer
  /** Sets the reactions to the next requests, one each. */
  answerNext(...answers: EventReceiverAnswer[]): void
}

const OPTIONS: OptionNames<EventReceiverOptions> = { url: 'nonempty', secret: 'nonempty', answer: true, now: 'function' }

/**
 * Creates a receiver of webhooks in memory, which records all deliveries and fails as a test wants it. Without sockets, it works with a fake
 * clock.
 *
 * @example
 * const receiver = eventReceiver()
 * const server = createServer(info, { extensions: [events({ webhooks: { fetch: receiver.fetch } })] })
 * receiver.answerNext(503, 'timeout', 413)
 */
export function eventReceiver(options: EventReceiverOptions = {}): EventReceiver {
  checkOptions('eventReceiver', options, { names: OPTIONS })
  const { url = 'https://receiver.test/events', secret = createWebhookSecret(), answer = 'accept', now = Date.now } = options
  const deliveries: ReceivedDelivery[] = []
  const events: EventOccurrence[] = []
  const next: EventReceiverAnswer[] = []
  const webhook = eventWebhook({ secrets: secret, now, onEvent: (event) => events.push(event) })
  const take = async (input: Request | URL | string, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    const text = await request.clone().text()
    const delivery = await readDelivery(request.headers, text, { secret, now })
    const at = deliveries.push({ ...delivery, status: undefined }) - 1
    const response = await respond(next.shift() ?? receiver.answer, { request, webhook, type: delivery.type })
    deliveries[at] = { ...delivery, status: response.status }
    return response
  }
  const receiver: EventReceiver = {
    url,
    secret,
    fetch: take,
    deliveries,
    events,
    answer,
    answerNext: (...answers) => void next.push(...answers),
  }
  return receiver
}

async function readDelivery(
  received: Headers,
  text: string,
  { secret, now }: { readonly secret: string; readonly now: () => number },
): Promise<Omit<ReceivedDelivery, 'status'>> {
  const headers = Object.fromEntries(received)
  const { 'webhook-id': messageId = '', 'x-mcp-subscription-id': subscriptionId = '' } = headers
  const signed = { id: messageId, timestamp: headers['webhook-timestamp'], signature: headers['webhook-signature'] }
  const { type: signature } = await checkSignature(signed, text, { secrets: secret, now })
  const body = parseJson(text)
  const type = isObject(body) && typeof body.type === 'string' ? body.type : 'event'
  return { type, messageId, subscriptionId, signature, body, headers, receivedAt: now() }
}

interface AnswerContext {
  readonly request: Request
  readonly webhook: EventWebhook
  readonly type: string
}

/** @throws TypeError, as fetch does, for a connection that fails; the reason of the sender when it gives up. */
async function respond(answer: EventReceiverAnswer, { request, webhook, type }: AnswerContext): Promise<Response> {
  if (answer === 'disconnect')
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
  if (answer === 'timeout') return untilAborted(request.signal)
  if (answer === 'wrong_challenge' && type === 'verification') return Response.json({ challenge: 'another' })
  if (answer === 'accept' || answer === 'wrong_challenge') return webhook(request)
  const { status, retryAfterS } = typeof answer === 'number' ? { status: answer } : answer
  return new Response(null, { status, headers: retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) } })
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
