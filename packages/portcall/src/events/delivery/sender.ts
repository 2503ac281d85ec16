/** Sends signed messages to the webhooks of subscribers, whose URLs anyone may name. */

import { isLargerThan } from '../../../../util/src/bytes.ts'
import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { constantTimeEqual } from '../../../../util/src/digest.ts'
import { parseJson } from '../../../../util/src/parse-json.ts'
import { randomId } from '../../../../util/src/random.ts'
import { readBytes } from '../../../../util/src/read-bytes.ts'
import { isStrictUrl } from '../../../../util/src/strict-url.ts'
import { raceAbort, timeoutSignal } from '../../../../util/src/timers.ts'
import { AuthError } from '../../auth/client/errors.ts'
import { type AddressPolicy, type AllowedAddress, createAddressPolicy } from '../../auth/client/http/address-policy.ts'
import { createWebSend, type HttpSend } from '../../auth/client/http/http-send.ts'
import { CHECKS_ADDRESSES, loadPlatformSend } from '../../auth/client/http/safe-fetch.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { MAX_DELIVERY_BYTES, SUBSCRIPTION_ID_HEADER } from '../../protocol/events.ts'
import { signWebhook } from '../signature.ts'
import {
  type DeliveryFailure,
  type DeliveryOutcome,
  deliveryFailure,
  deliveryOutcome,
  type VerificationOutcome,
} from './outcome.ts'

const MAX_URL_LENGTH = 2048
const MAX_ECHO_BYTES = 16 * 1024
const MESSAGE_ID = /^[!-~]{1,256}$/

/** Options of `createEventSender`. */
export interface EventSenderOptions {
  /**
   * Host names that may have private addresses, such as `127.0.0.1` for a receiver on this machine, which may then use http;
   * `insecurePrivateAddresses` for all of them. Default: none.
   */
  readonly allow?: readonly AllowedAddress[]
  /** Time for a whole request and its response, in milliseconds. Default: 10 seconds. */
  readonly timeoutMs?: number
  /** Sends the requests instead of the platform's client. The addresses that names resolve to are then not checked. */
  readonly fetch?: typeof globalThis.fetch
  /** Returns the current time in milliseconds. Default: `Date.now`. */
  readonly now?: () => number
}

/** One message for a webhook. */
export interface EventMessage {
  /** The URL of the webhook. */
  readonly url: string
  /** The secrets to sign with: the current one, and for a while the one that it replaced. */
  readonly secrets: string | readonly string[]
  /** The header `webhook-id`, which is the same for each attempt: up to 256 printable ASCII characters. */
  readonly messageId: string
  /** The header `X-MCP-Subscription-Id`. */
  readonly subscriptionId: string
  /** The body: a JSON text. */
  readonly body: string
  /** Aborts the attempt. */
  readonly signal?: AbortSignal | undefined
}

/** Sends messages to webhooks. */
export interface EventSender {
  /** Returns why a URL cannot be a webhook, as far as its text shows, or `undefined`. For the subscriber: the text contains no addresses. */
  problemOf(url: unknown): string | undefined
  /**
   * Sends a message once: POST, without following redirects. Each attempt has a timestamp and a signature of its own. Resolves to the outcome for
   * whatever the endpoint does. @throws the reason of the signal; TypeError for an id that cannot be sent.
   */
  deliver(message: EventMessage): Promise<DeliveryOutcome>
  /** Sends a random challenge to the webhook, which proves by returning it that it wants the deliveries. @throws the reason of the signal. */
  verify(message: Omit<EventMessage, 'messageId' | 'body'>): Promise<VerificationOutcome>
  /**
   * True if the addresses that names resolve to are checked, and the checked one is used: on Node. Other runtimes do not reveal them; there, keep
   * the network from reaching private addresses in another way.
   */
  readonly checksAddresses: boolean
}

const OPTIONS: OptionNames<EventSenderOptions> = { allow: 'array', timeoutMs: 10_000, fetch: 'function', now: 'function' }

/** Reads the response of an endpoint, within the time of the attempt. */
type Read<T> = (response: Response) => T | Promise<T>
type Attempt<T> =
  | T
  | { readonly type: 'retry'; readonly reason: DeliveryFailure }
  | { readonly type: 'refused'; readonly problem: string }

/** Creates a sender. `loadSend` creates the HTTP client when the first message is sent. */
export function createEventSender(
  options: EventSenderOptions = {},
  loadSend: (policy: AddressPolicy) => Promise<HttpSend> = loadPlatformSend,
): EventSender {
  checkOptions('createEventSender', options, { names: OPTIONS })
  const { allow = [], timeoutMs = 10_000, fetch, now = Date.now } = options
  const policy = createAddressPolicy({ allow })
  let loading: Promise<HttpSend> | undefined
  const getSend = (): Promise<HttpSend> => (loading ??= fetch ? Promise.resolve(createWebSend(fetch)) : loadSend(policy))

  const post = async <T>(message: EventMessage, read: Read<T>): Promise<Attempt<T>> => {
    const { url, body, messageId, subscriptionId } = message
    if (!MESSAGE_ID.test(messageId) || !MESSAGE_ID.test(subscriptionId))
      throw new TypeError('The id of a message and of its subscription has 1 to 256 printable ASCII characters')
    const checked = checkUrl(url, policy)
    if (typeof checked === 'string') return { type: 'refused', problem: checked }
    const timestamp = Math.floor(now() / 1000)
    const headers = {
      'content-type': 'application/json',
      'webhook-id': messageId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': await signWebhook(message.secrets, { id: messageId, timestamp, body }),
      [SUBSCRIPTION_ID_HEADER.toLowerCase()]: subscriptionId,
    }
    const timeout = timeoutSignal(timeoutMs)
    const signal = message.signal ? AbortSignal.any([message.signal, timeout]) : timeout
    const exchange = async (): Promise<T> => {
      const send = await getSend()
      const response = await send(checked, { method: 'POST', headers, body, signal })
      try {
        return await read(response)
      } finally {
        if (!response.bodyUsed) response.body?.cancel().catch(() => {})
      }
    }
    try {
      return await raceAbort(exchange(), signal)
    } catch (error) {
      message.signal?.throwIfAborted()
      if (timeout.aborted) return { type: 'retry', reason: 'timeout' }
      if (error instanceof AuthError && error.reason === 'address_refused') return { type: 'refused', problem: error.message }
      return { type: 'retry', reason: deliveryFailure(error) }
    }
  }

  return {
    checksAddresses: fetch === undefined && CHECKS_ADDRESSES,
    problemOf(url) {
      return typeof url === 'string' ? shownProblemOf(checkUrl(url, policy)) : 'The URL of the webhook is missing'
    },
    async deliver(message) {
      if (isLargerThan(message.body, MAX_DELIVERY_BYTES)) return { type: 'too_large' }
      return post<DeliveryOutcome>(message, (response) => deliveryOutcome(response, now()))
    },
    async verify(message) {
      const challenge = randomId(24)
      const body = JSON.stringify({ type: 'verification', challenge })
      const outcome = await post({ ...message, messageId: `msg_verification_${randomId()}`, body }, async (response) =>
        (await returnsChallenge(response, challenge))
          ? { type: 'verified' as const }
          : { type: 'failed' as const, reason: 'challenge_failed' as const },
      )
      return outcome.type === 'retry' ? { type: 'failed', reason: outcome.reason } : outcome
    },
  }
}

/** Returns the URL, or why it cannot be a webhook. */
function checkUrl(text: string, policy: AddressPolicy): URL | string {
  if (text.length > MAX_URL_LENGTH) return `The URL of the webhook is longer than ${MAX_URL_LENGTH} characters`
  if (!isStrictUrl(text)) return 'The URL of the webhook is no https URL without user name, password and fragment'
  try {
    return policy.check(text)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function shownProblemOf(checked: URL | string): string | undefined {
  return typeof checked === 'string' ? checked : undefined
}

async function returnsChallenge(response: Response, challenge: string): Promise<boolean> {
  if (!response.ok) return false
  const bytes = await readBytes(response.body as ReadableStream<Uint8Array<ArrayBuffer>> | null, MAX_ECHO_BYTES)
  const echo = bytes && parseJson(new TextDecoder().decode(bytes))
  return isObject(echo) && typeof echo.challenge === 'string' && constantTimeEqual(echo.challenge, challenge)
}
