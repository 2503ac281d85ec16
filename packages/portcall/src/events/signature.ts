/** Signatures of event webhooks: Standard Webhooks, symmetric (`v1`). https://www.standardwebhooks.com */

import { fromBase64, toBase64 } from '../../../util/src/base64.ts'
import { concatBytes } from '../../../util/src/bytes.ts'
import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { constantTimeEqual } from '../../../util/src/digest.ts'
import { toStrings } from '../../../util/src/strings.ts'

/** How far the timestamp of a message may be off before it is refused. */
const TIMESTAMP_TOLERANCE_S = 300
const SECRET_BYTES = { min: 24, max: 64 } as const

const PREFIX = 'whsec_'
const VERSION = 'v1,'
const NEW_SECRET_BYTES = 32
const SECRET_TEXT = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/
const TIMESTAMP_TEXT = /^\d{1,11}$/
/** A message has a signature for each secret that is valid, and there are two at most while a secret is replaced. */
const MAX_SIGNATURES = 20
const MAX_HEADER_LENGTH = 4096

/** The part of a message that its signature covers. */
export interface WebhookMessage {
  /** The header `webhook-id`. */
  readonly id: string
  /** The header `webhook-timestamp`, in seconds since 1970. */
  readonly timestamp: number
  /** The bytes of the body; a text is encoded in UTF-8. */
  readonly body: string | Uint8Array
}

/** The outcome of a check: the secret that fits, or why the message is refused. */
export type SignatureCheck =
  | {
      /** One of the signatures fits. */
      readonly type: 'valid'
      /** The secret that it was made with. */
      readonly secret: string
    }
  | {
      /** `malformed`: a header is missing or cannot be read. `expired`: the timestamp is too far off. `mismatch`: no signature fits. */
      readonly type: 'malformed' | 'expired' | 'mismatch'
    }

/** The headers of a message, as received. */
export interface SignatureHeaders {
  /** The header `webhook-id`. */
  readonly id: string | null | undefined
  /** The header `webhook-timestamp`. */
  readonly timestamp: string | null | undefined
  /** The header `webhook-signature`: one or several signatures, with spaces between them. */
  readonly signature: string | null | undefined
}

/** The secrets and the clock of a check. */
export interface SignatureCheckOptions {
  /** The secrets, of which one has to fit. Texts that are no secrets fit nothing. */
  readonly secrets: string | readonly string[]
  /** Returns the current time in milliseconds. Default: `Date.now`. */
  readonly now?: (() => number) | undefined
}

const CHECK_OPTIONS: OptionNames<SignatureCheckOptions> = { secrets: 'text or texts', now: 'function' }

/** Returns a new secret of 32 random bytes: `whsec_` and base64. */
export function createWebhookSecret(): string {
  return `${PREFIX}${toBase64(crypto.getRandomValues(new Uint8Array(NEW_SECRET_BYTES)))}`
}

/** Reports whether a text is a secret: `whsec_` and the base64 of 24 to 64 bytes, with or without padding. */
export function isWebhookSecret(text: unknown): text is string {
  return typeof text === 'string' && keyBytesOf(text) !== undefined
}

/** Returns the value of the header `webhook-signature`: one signature for each secret. @throws TypeError for a text that is no secret. */
export async function signWebhook(secrets: string | readonly string[], message: WebhookMessage): Promise<string> {
  const content = contentOf(message.id, String(message.timestamp), message.body)
  const signatures = toStrings(secrets).map(async (secret) => {
    const key = keyBytesOf(secret)
    if (!key) throw new TypeError('A webhook secret is whsec_ and the base64 of 24 to 64 bytes')
    return `${VERSION}${await signatureOf(key, content)}`
  })
  return (await Promise.all(signatures)).join(' ')
}

/**
 * Checks the signature of a message over the bytes of its body. Signatures of other versions, such as `v1a`, are ignored. Signatures are compared
 * in constant time.
 */
export async function checkSignature(
  headers: SignatureHeaders,
  body: string | Uint8Array,
  options: SignatureCheckOptions,
): Promise<SignatureCheck> {
  checkOptions('checkSignature', options, { names: CHECK_OPTIONS, required: { secrets: 'Pass the secrets of the subscription' } })
  const { secrets, now = Date.now } = options
  const { id, timestamp, signature } = headers
  if (!id || !timestamp || !signature || signature.length > MAX_HEADER_LENGTH || !TIMESTAMP_TEXT.test(timestamp))
    return { type: 'malformed' }
  const sent = signature
    .split(' ', MAX_SIGNATURES)
    .filter((text) => text.startsWith(VERSION))
    .map((text) => text.slice(VERSION.length))
  if (Math.abs(now() / 1000 - Number(timestamp)) > TIMESTAMP_TOLERANCE_S) return { type: 'expired' }
  const content = contentOf(id, timestamp, body)
  let match: string | undefined
  for (const secret of toStrings(secrets)) {
    const key = keyBytesOf(secret)
    if (!key) continue
    const expected = await signatureOf(key, content)
    for (const text of sent) if (constantTimeEqual(text, expected)) match ??= secret
  }
  return match === undefined ? { type: 'mismatch' } : { type: 'valid', secret: match }
}

function keyBytesOf(secret: string): Uint8Array<ArrayBuffer> | undefined {
  if (!SECRET_TEXT.test(secret)) return undefined
  try {
    const bytes = fromBase64(secret.slice(PREFIX.length))
    return bytes.length >= SECRET_BYTES.min && bytes.length <= SECRET_BYTES.max ? bytes : undefined
  } catch {
    return undefined
  }
}

function contentOf(id: string, timestamp: string, body: string | Uint8Array): Uint8Array {
  const encoder = new TextEncoder()
  const head = encoder.encode(`${id}.${timestamp}.`)
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  return concatBytes([head, bytes], head.length + bytes.length)
}

async function signatureOf(bytes: Uint8Array<ArrayBuffer>, content: Uint8Array): Promise<string> {
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, content as Uint8Array<ArrayBuffer>)))
}
