/** The endpoint that receives the events of webhook subscriptions. */

import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { sha256 } from '../../../../util/src/digest.ts'
import { essence } from '../../../../util/src/media-type.ts'
import { readBytes } from '../../../../util/src/read-bytes.ts'
import { toStrings } from '../../../../util/src/strings.ts'
import { raceAbort, timeoutSignal } from '../../../../util/src/timers.ts'
import { MAX_DELIVERY_BYTES, SUBSCRIPTION_ID_HEADER } from '../../protocol/events.ts'
import { createMemoryStore } from '../../stores/memory/store.ts'
import { namespaceStore } from '../../stores/namespace.ts'
import { openStore } from '../../stores/open-store.ts'
import { sealerKeys } from '../../stores/sealing/key-ring.ts'
import { createSealer } from '../../stores/sealing/seal.ts'
import { sealStore } from '../../stores/sealing/sealed-store.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import { checkSignature, type SignatureCheck } from '../signature.ts'
import { type CheckedDelivery, createDeliveryLink, type DeliveryLink, type DeliveryResult } from './delivery-link.ts'
import { createSeenMessages, type SeenMessages } from './seen-messages.ts'
import type { DeliverySource, EventWebhook, EventWebhookOptions, WebhookListener } from './types.ts'
import { readContent, type WebhookContent } from './webhook-content.ts'
import { createWebhookRegistry, type StoredSubscription, type WebhookRegistry } from './webhook-registry.ts'
import { webhookUrlProblem } from './webhook-url.ts'

const STORE_TIMEOUT_MS = 5000
const PREFIX = 'portcall:webhook:'
const MAX_ID_LENGTH = 512
const MAX_TYPE_LENGTH = 200
const RETRY_AFTER_S = '5'
const TEXT = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

const OPTIONS: OptionNames<EventWebhookOptions> = {
  url: 'url',
  secrets: true,
  store: 'store',
  stores: 'stores',
  sealingKeys: 'texts',
  seenTtlMs: 86_400_000,
  maxBodyBytes: MAX_DELIVERY_BYTES,
  bodyTimeoutMs: 10_000,
  onEvent: 'function',
  onGap: 'function',
  onTerminated: 'function',
  onError: 'function',
  now: 'function',
}

/** A request that is answered with a status and without any detail. */
class Refusal {
  readonly response: Response
  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    this.response = new Response(`${text}\n`, { status, headers: { ...TEXT, ...headers } })
  }
}

const unknownYet = (): Refusal => new Refusal(503, 'This subscription is not known yet', { 'retry-after': RETRY_AFTER_S })

const notProcessed = (): Refusal => new Refusal(500, 'The delivery could not be processed')

/** The parts of one webhook. */
interface Receiver {
  readonly options: EventWebhookOptions
  readonly registry: WebhookRegistry
  readonly seen: SeenMessages
  /** The other processes that receive; `undefined` without `stores`. */
  readonly link: DeliveryLink | undefined
}

/** A request whose headers have been read. */
interface SignedRequest {
  readonly source: DeliverySource
  readonly bytes: Uint8Array
  check(secrets: string | readonly string[]): Promise<SignatureCheck>
}

/**
 * Creates the handler of the URL to which servers send the events of webhook subscriptions. It checks the signature over the bytes of the body
 * before it parses them, answers challenges, and drops repeated messages. A delivery is acknowledged when your function has resolved: store the
 * event there. Pass it the request before anything else reads the body.
 *
 * @throws TypeError if an option is invalid.
 * @example
 * const webhook = eventWebhook({ url: 'https://app.example.com/mcp-events' })
 * app.post('/mcp-events', (context) => webhook(context.req.raw))
 * await client.events.on('order.created', { region: 'eu' }, ({ data }) => save(data), { webhook })
 */
export function eventWebhook(options: EventWebhookOptions): EventWebhook {
  checkOptions('eventWebhook', options, { names: OPTIONS })
  const { url, now = Date.now, seenTtlMs = 86_400_000 } = options
  const shown = url === undefined ? undefined : String(url)
  const problem = shown === undefined ? undefined : webhookUrlProblem(shown)
  if (problem !== undefined) throw new TypeError(`eventWebhook: url ${problem}`)
  if (shown === undefined && options.secrets === undefined)
    throw new TypeError(
      'eventWebhook: nothing can be verified. Pass url, to subscribe with client.events.on, or the secrets of subscriptions that were made elsewhere',
    )
  const { subscriptions, messages } = storesOf(options)
  const bus = options.stores?.bus
  const link = bus && createDeliveryLink({ bus, receive: (delivery) => receiveHere(delivery, receiver) })
  const registry = createWebhookRegistry({ store: subscriptions, now, join: link?.join })
  const receiver: Receiver = { options, registry, seen: createSeenMessages(messages, seenTtlMs), link }
  const handle = async (request: Request): Promise<Response> => {
    try {
      return await answer(request, receiver)
    } catch (error) {
      if (error instanceof Refusal) return error.response
      options.onError?.(error)
      return notProcessed().response
    }
  }
  return Object.assign(handle, { url: shown, register: registry.register })
}

function storesOf({ store, stores, sealingKeys }: EventWebhookOptions): {
  readonly subscriptions: KeyValueStore
  readonly messages: KeyValueStore
} {
  if (store && stores) throw new TypeError('eventWebhook: pass either store or stores')
  const shared = store ?? stores?.store
  if (!shared) return { subscriptions: createMemoryStore({ maxEntries: 10_000 }), messages: createMemoryStore() }
  if (store && !sealingKeys?.length)
    throw new TypeError('eventWebhook: sealingKeys is missing. A store keeps secrets encrypted: pass [await generateKey()]')
  const timed = openStore(shared, STORE_TIMEOUT_MS)
  const messages = namespaceStore(timed, PREFIX)
  return { subscriptions: sealStore(messages, createSealer(sealerKeys(sealingKeys, timed))), messages }
}

async function answer(request: Request, receiver: Receiver): Promise<Response> {
  const signed = await readRequest(request, receiver.options)
  const found = await match(signed, receiver)
  const delivery = readContent(signed.bytes)
  if (!delivery) throw new Refusal(400, 'The body is neither an event nor an envelope')
  if (delivery.type === 'verification')
    return Response.json({ challenge: delivery.challenge }, { headers: { 'cache-control': 'no-store' } })
  const { name, arguments: args } = found ?? {}
  const source = { ...signed.source, ...(name !== undefined && { name }), ...(args && { arguments: args }) }
  const isTaken = found !== undefined && (await forward(found, { content: delivery, source }, receiver))
  if (!isTaken) await process(delivery, { source, key: found?.key, scope: await scopeOf(found), receiver })
  return new Response(null, { status: 204 })
}

/**
 * Forwards a delivery to the process that subscribed. Resolves to false if it is this one, or if nobody takes the delivery there.
 *
 * @throws Refusal if it failed there.
 */
async function forward(
  subscription: StoredSubscription,
  delivery: Omit<CheckedDelivery, 'key' | 'scope'>,
  { link }: Receiver,
): Promise<boolean> {
  const { process, key } = subscription
  if (!link || process === undefined || link.isOwn(process)) return false
  const result = await link.forward(process, { ...delivery, key, scope: await scopeOf(subscription) })
  if (result === 'failed') throw notProcessed()
  return result === 'done'
}

/** Processes a delivery that another process forwards. */
async function receiveHere({ content, source, key, scope }: CheckedDelivery, receiver: Receiver): Promise<DeliveryResult> {
  if (content.type === 'verification') return 'unknown'
  try {
    await process(content, { source, key, scope, receiver })
    return 'done'
  } catch (error) {
    if (error instanceof Refusal) return 'unknown'
    receiver.options.onError?.(error)
    return 'failed'
  }
}

/**
 * Finds the subscription whose secret fits: that of the id, or one whose result has not arrived yet, which then gets the id. An id is the same when
 * a subscription is made again after its end. Returns `undefined` if a secret of the options fits.
 *
 * @throws Refusal if there is none.
 */
async function match(signed: SignedRequest, { options, registry }: Receiver): Promise<StoredSubscription | undefined> {
  const { secrets } = options
  const { subscriptionId } = signed.source
  const { known, hasEnded } = await registry.find(subscriptionId)
  const checked = await signed.check(known.map(({ secret }) => secret))
  if (checked.type === 'valid') return known.find(({ secret }) => secret === checked.secret)
  const own = typeof secrets === 'function' ? await secrets(subscriptionId) : secrets
  const pending = await registry.pending()
  const check = await signed.check([...toStrings(own ?? []), ...pending.map(({ secret }) => secret)])
  if (check.type === 'mismatch' && hasEnded) throw new Refusal(410, 'This subscription has ended')
  if (check.type === 'mismatch' && known.length === 0 && own === undefined && !isVerification(signed.bytes)) throw unknownYet()
  const secret = accept(check)
  const subscription = pending.find((one) => one.secret === secret)
  if (subscription) await registry.bind(subscriptionId, subscription)
  return subscription
}

function isVerification(bytes: Uint8Array): boolean {
  return readContent(bytes)?.type === 'verification'
}

/** Returns the secret that fits. @throws Refusal if none does. */
function accept(check: SignatureCheck): string {
  if (check.type === 'valid') return check.secret
  if (check.type === 'malformed') throw new Refusal(400, 'The headers of the signature are missing or malformed')
  throw new Refusal(401, 'The signature does not fit, or is too old')
}

/** Returns what tells the messages of a subscription from those of another server that names the same id: only one of them has the secret. */
async function scopeOf(subscription: StoredSubscription | undefined): Promise<string> {
  return subscription ? sha256(subscription.secret) : ''
}

interface Processing {
  readonly source: DeliverySource
  /** Finds the listener of a registered subscription. */
  readonly key: string | undefined
  readonly scope: string
  readonly receiver: Receiver
}

/** Passes a delivery on, once. @throws Refusal if nobody in this process takes it. */
async function process(delivery: Exclude<WebhookContent, { type: 'verification' }>, processing: Processing): Promise<void> {
  const { source, key, scope, receiver } = processing
  if (delivery.type === 'other') return
  const registered = key === undefined ? undefined : receiver.registry.listenerOf({ key })
  const listeners: readonly WebhookListener[] = [...(registered ? [registered] : []), receiver.options]
  const { subscriptionId, messageId } = source
  const eventId = delivery.type === 'event' ? delivery.event.eventId : undefined
  await receiver.seen.once({ subscriptionId, scope, messageId, eventId }, async () => {
    if (delivery.type === 'event' && !listeners.some((listener) => listener.onEvent)) throw unknownYet()
    for (const listener of listeners)
      if (delivery.type === 'event') await listener.onEvent?.(delivery.event, source)
      else if (delivery.type === 'gap') await listener.onGap?.(delivery.cursor, source)
      else await listener.onTerminated?.(delivery.error, source)
    if (delivery.type === 'terminated' && key !== undefined) await receiver.registry.end(subscriptionId, { key })
  })
}

/** Reads a request. @throws Refusal for what is no signed delivery. */
async function readRequest(request: Request, options: EventWebhookOptions): Promise<SignedRequest> {
  const { headers, method } = request
  const { now } = options
  if (method !== 'POST') throw new Refusal(405, 'Use POST', { allow: 'POST' })
  if (essence(headers.get('content-type')?.slice(0, MAX_TYPE_LENGTH)) !== 'application/json')
    throw new Refusal(415, 'Use application/json')
  const subscriptionId = headers.get(SUBSCRIPTION_ID_HEADER)
  const messageId = headers.get('webhook-id')
  if (!isId(subscriptionId) || !isId(messageId))
    throw new Refusal(400, `The headers webhook-id and ${SUBSCRIPTION_ID_HEADER} are required`)
  const bytes = await readBody(request, options)
  const signature = { id: messageId, timestamp: headers.get('webhook-timestamp'), signature: headers.get('webhook-signature') }
  return {
    source: { subscriptionId, messageId },
    bytes,
    check: (secrets) => checkSignature(signature, bytes, { secrets, now }),
  }
}

async function readBody(
  { headers, body, bodyUsed }: Request,
  { maxBodyBytes = MAX_DELIVERY_BYTES, bodyTimeoutMs = 10_000 }: EventWebhookOptions,
): Promise<Uint8Array> {
  const tooLarge = (): Refusal => new Refusal(413, 'The body is too large')
  if (bodyUsed)
    throw new TypeError('The body was read before eventWebhook got the request. Pass the request before anything parses its body')
  if (Number(headers.get('content-length') ?? 0) > maxBodyBytes) throw tooLarge()
  const timeout = timeoutSignal(bodyTimeoutMs)
  const reading = readBytes(body as ReadableStream<Uint8Array<ArrayBuffer>> | null, maxBodyBytes)
  const bytes = await raceAbort(reading, timeout).catch((error: unknown) => {
    if (timeout.aborted) throw new Refusal(408, 'The body did not arrive in time')
    throw error
  })
  if (!bytes) throw tooLarge()
  return bytes
}

function isId(text: string | null): text is string {
  return text !== null && text !== '' && text.length <= MAX_ID_LENGTH
}
