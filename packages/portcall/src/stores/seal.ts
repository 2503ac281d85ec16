/*
 * What a server hands out and takes back (cursors, the state of a call that waits for input) is sealed: nobody else can read or
 * change it, and it opens only for the caller and the request that it was made for.
 *
 * A token is base64url of: one byte of version, 8 bytes that name the key, a 12-byte random nonce, and the AES-256-GCM box of a
 * JSON array [purpose, expiry, principal, binding, payload]. Version and key name are additional data of the box. Purpose,
 * principal and binding lie inside rather than in the additional data, so that a refusal can say which of them was wrong.
 */
import { fromBase64url, toBase64url } from './base64url.ts'
import { canonicalJson } from './canonical.ts'

export interface SealerOptions {
  /**
   * The key ring: 32 bytes each, in base64url, as `generateKey` makes them. The first one seals, all of them open: to rotate,
   * put the new key in front and drop the old one when everything that it sealed has expired. A function is asked when it is first
   * needed, and again when it has failed. Without it, one random key that dies with the process.
   */
  keys?: readonly string[] | (() => Promise<readonly string[]>)
  /** Milliseconds since 1970. */
  now?: () => number
}

export interface SealOptions extends OpenOptions {
  /** After this many milliseconds the token opens no more. */
  ttlMs: number
}

export interface OpenOptions {
  /** Whom the token belongs to. A token without one opens only without one. */
  principal?: string | undefined
  /** What the token may be used for, as a digest of method and params. A token without one opens only without one. */
  binding?: string | undefined
}

/** Seals values and opens them again. */
export interface Sealer {
  /** Seals a JSON value for a purpose, such as `'cursor'`. The token is base64url. */
  seal(purpose: string, payload: unknown, options: SealOptions): Promise<string>
  /** Gives back what was sealed. Rejects with `SealError` when anything differs from what was said at sealing. */
  open(purpose: string, token: string, options?: OpenOptions): Promise<unknown>
}

/** Why a token does not open. */
export type SealFault = 'malformed' | 'tampered' | 'expired' | 'principal' | 'binding' | 'purpose'

const REASONS: Record<SealFault, string> = {
  malformed: 'It is not a token of this kind',
  tampered: 'It was changed, or sealed with a key that is not in the ring',
  expired: 'It has expired',
  principal: 'It belongs to another caller',
  binding: 'It belongs to another request',
  purpose: 'It was made for another purpose',
}

/** A token did not open; `reason` says why. Tell it to logs: a caller has no claim to know more than that it was refused. */
export class SealError extends Error {
  override readonly name = 'SealError'
  readonly code = 'SEAL_REFUSED'
  readonly reason: SealFault

  constructor(reason: SealFault) {
    super(REASONS[reason])
    this.reason = reason
  }
}

const VERSION = 1
const KEY_BYTES = 32
const NAME_BYTES = 8
const HEAD_BYTES = 1 + NAME_BYTES
const NONCE_BYTES = 12
const TAG_BYTES = 16
const ALGORITHM = 'AES-GCM'

/** Makes random bytes, in base64url. 16 bytes are beyond guessing. None begins with a dash: on a command line that would be a flag. */
export function randomId(bytes = 16): string {
  const id = toBase64url(crypto.getRandomValues(new Uint8Array(bytes)))
  return id.startsWith('-') ? randomId(bytes) : id
}

/** Makes a key for a key ring. */
export function generateKey(): string {
  return randomId(KEY_BYTES)
}

/** The SHA-256 of a JSON value, in base64url; the order of members does not matter. */
export async function digest(value: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(value))
  return toBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

interface SealKey {
  readonly head: Uint8Array<ArrayBuffer>
  readonly key: CryptoKey
}

/** Makes a sealer. @throws TypeError for an empty ring and for keys that are none. */
export function createSealer(options: SealerOptions = {}): Sealer {
  const { keys, now = Date.now } = options
  if (typeof keys !== 'function' && keys?.length === 0)
    throw new TypeError('The key ring is empty: give at least one key, or leave `keys` out')
  const given = typeof keys === 'function' ? undefined : keys?.map(readKey)
  let ring: Promise<SealKey[]> | undefined
  // A random key is made when it is first needed: Workers have no random numbers before the first request.
  const readRing = async (): Promise<SealKey[]> => {
    const bytes = typeof keys === 'function' ? (await keys()).map(readKey) : (given ?? [readKey(generateKey(), 0)])
    return Promise.all(bytes.map(importKey))
  }
  const loadRing = (): Promise<SealKey[]> => {
    ring ??= readRing().catch((error) => {
      ring = undefined
      throw error
    })
    return ring
  }

  return {
    async seal(purpose, payload, { ttlMs, principal, binding }) {
      const [first] = await loadRing()
      if (!first) throw new TypeError('The key ring is empty')
      const text = JSON.stringify([purpose, now() + ttlMs, principal ?? null, binding ?? null, payload])
      return encrypt(first, text)
    },
    async open(purpose, token, { principal, binding } = {}) {
      const contents = JSON.parse(await decrypt(await loadRing(), token)) as [
        string,
        number,
        string | null,
        string | null,
        unknown,
      ]
      if (!same(contents[0], purpose)) throw new SealError('purpose')
      if (!same(contents[2], principal ?? null)) throw new SealError('principal')
      if (!same(contents[3], binding ?? null)) throw new SealError('binding')
      if (now() >= contents[1]) throw new SealError('expired')
      return contents[4]
    },
  }
}

function readKey(text: string, index: number): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64url(text)
  if (bytes?.length === KEY_BYTES) return bytes
  const found = /[^\w-]/.test(text) ? 'a character outside of A-Z a-z 0-9 - _' : `${text.length} characters`
  const want = `${KEY_BYTES} bytes in base64url without padding (43 characters)`
  throw new TypeError(`keys[${index}] has ${found}; a key is ${want}. Make one with generateKey()`)
}

async function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<SealKey> {
  const name = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).subarray(0, NAME_BYTES)
  const key = await crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['encrypt', 'decrypt'])
  return { head: Uint8Array.of(VERSION, ...name), key }
}

async function encrypt({ head, key }: SealKey, text: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const box = await crypto.subtle.encrypt({ name: ALGORITHM, iv, additionalData: head }, key, new TextEncoder().encode(text))
  const token = new Uint8Array(HEAD_BYTES + NONCE_BYTES + box.byteLength)
  token.set(head)
  token.set(iv, HEAD_BYTES)
  token.set(new Uint8Array(box), HEAD_BYTES + NONCE_BYTES)
  return toBase64url(token)
}

async function decrypt(ring: readonly SealKey[], token: string): Promise<string> {
  const bytes = fromBase64url(token)
  if (!bytes || bytes.length < HEAD_BYTES + NONCE_BYTES + TAG_BYTES || bytes[0] !== VERSION) throw new SealError('malformed')
  const entry = ring.find(({ head }) => head.every((byte, at) => byte === bytes[at]))
  if (!entry) throw new SealError('tampered')
  const iv = bytes.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES)
  const algorithm = { name: ALGORITHM, iv, additionalData: entry.head }
  const text = await crypto.subtle.decrypt(algorithm, entry.key, bytes.subarray(HEAD_BYTES + NONCE_BYTES)).catch(() => {
    throw new SealError('tampered')
  })
  return new TextDecoder().decode(text)
}

/** Compares in a time that depends on the lengths alone. */
function same(a: string | null, b: string | null): boolean {
  if (a === null || b === null) return a === b
  let difference = a.length ^ b.length
  for (let at = 0; at < b.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at)
  return difference === 0
}
