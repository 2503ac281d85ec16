/*
 * Sealing: authenticated encryption of values that a server hands to clients and receives back, such as cursors and `requestState`. Clients
 * can neither read nor change a token, and it opens only for the caller and the request that it was created for.
 *
 * A token is the base64url encoding of: one byte of version, 8 bytes that identify the key, a 12-byte random nonce, and the AES-256-GCM
 * ciphertext of the JSON array [purpose, expiry, principal, binding, payload]. Version and key id are additional authenticated data. Purpose,
 * principal and binding are inside the ciphertext rather than in the additional data, so that an error can name the one that differs.
 */

import { retryableOnce } from '../../../../util/src/async.ts'
import { fromBase64url, toBase64url } from '../../../../util/src/base64url.ts'
import { canonicalJson } from '../../../../util/src/canonical-json.ts'
import { constantTimeEqual, sha256 } from '../../../../util/src/digest.ts'
import { PortcallError } from '../../../../util/src/errors.ts'
import { randomId } from '../../../../util/src/random.ts'

export interface SealerOptions {
  /**
   * The key ring: keys of 32 bytes in base64url, as `generateKey` returns them. The first key seals, all keys open. To rotate keys, prepend
   * the new one, and remove the old one when everything that it sealed has expired. Default: one random key that is lost when the process exits.
   */
  keys?: readonly string[] | KeyRing
  /** Returns the current time in milliseconds since 1970. */
  now?: () => number
}

/** Keys that may change while a process runs. */
export interface KeyRing {
  /** Resolves to the keys. The first key seals, all keys open. */
  load(): Promise<readonly string[]>
  /** Looks for keys that others have added, unless that was done just before, and resolves to all. */
  reload(): Promise<readonly string[]>
}

/** The values that a token is bound to. It opens only with the same values; an absent value matches only an absent value. */
export interface SealContext {
  /** The principal that the token belongs to. */
  principal?: string | undefined
  /** The purpose that the token may be used for, such as a digest of method and params. */
  binding?: string | undefined
}

export interface SealOptions extends SealContext {
  /** The token expires after this many milliseconds. */
  ttlMs: number
}

/** Seals values and opens them again. */
export interface Sealer {
  /** Seals a JSON value for a purpose, such as `'cursor'`. Resolves to the token, in base64url. */
  seal(purpose: string, payload: unknown, options: SealOptions): Promise<string>
  /** Resolves to the value that was sealed. Rejects with `SealError` if the token, the purpose or the context differs. */
  open(purpose: string, token: string, context?: SealContext): Promise<unknown>
}

/** Why a token does not open. */
export type SealErrorReason = 'malformed' | 'tampered' | 'expired' | 'principal' | 'binding' | 'purpose'

const MESSAGES: Record<SealErrorReason, string> = {
  malformed: 'The token is malformed',
  tampered: 'The token was changed, or sealed with a key that is not in the key ring',
  expired: 'The token has expired',
  principal: 'The token belongs to another caller',
  binding: 'The token belongs to another request',
  purpose: 'The token was created for another purpose',
}

/** A token did not open. `reason` is meant for logs: do not disclose more to callers than that the token is invalid. */
export class SealError extends PortcallError {
  override readonly name = 'SealError'
  readonly code = 'INVALID_SEAL'
  /** Why the token did not open. */
  readonly reason: SealErrorReason

  /** The message follows from the reason. */
  constructor(reason: SealErrorReason) {
    super(MESSAGES[reason])
    this.reason = reason
  }
}

const VERSION = 1
const KEY_BYTES = 32
const KEY_ID_BYTES = 8
const HEAD_BYTES = 1 + KEY_ID_BYTES
const NONCE_BYTES = 12
const TAG_BYTES = 16
const ALGORITHM = 'AES-GCM'

/** Returns a random key for a key ring. */
export function generateKey(): string {
  return randomId(KEY_BYTES)
}

/** Resolves to the SHA-256 digest of a JSON value, in base64url. The order of members does not matter. */
export async function digest(value: unknown): Promise<string> {
  return sha256(canonicalJson(value))
}

interface SealKey {
  readonly head: Uint8Array<ArrayBuffer>
  readonly key: CryptoKey
}

/** Creates a sealer. @throws TypeError if the key ring is empty or a key is invalid. */
export function createSealer(options: SealerOptions = {}): Sealer {
  const { keys, now = Date.now } = options
  const { loadRing, findKey } = isRing(keys) ? importRing(keys) : importKeys(keys)

  return {
    async seal(purpose, payload, { ttlMs, principal, binding }) {
      const [first] = await loadRing()
      if (!first) throw new TypeError('The store returned no sealing key')
      const text = JSON.stringify([purpose, now() + ttlMs, principal ?? null, binding ?? null, payload])
      return encrypt(first, text)
    },
    async open(purpose, token, { principal, binding } = {}) {
      const contents = JSON.parse(await decrypt(findKey, token)) as [string, number, string | null, string | null, unknown]
      if (!isEqual(contents[0], purpose)) throw new SealError('purpose')
      if (!isEqual(contents[2], principal ?? null)) throw new SealError('principal')
      if (!isEqual(contents[3], binding ?? null)) throw new SealError('binding')
      if (now() >= contents[1]) throw new SealError('expired')
      return contents[4]
    },
  }
}

/** Keys in the form in which they are used. */
interface ImportedKeys {
  /** Resolves to the keys. */
  loadRing(): Promise<readonly SealKey[]>
  /** Resolves to the key that a token was sealed with, if it is known. */
  findKey(token: Uint8Array): Promise<SealKey | undefined>
}

const isRing = (keys: SealerOptions['keys']): keys is KeyRing => keys !== undefined && 'load' in keys

function importKeys(keys: readonly string[] | undefined): ImportedKeys {
  if (keys?.length === 0)
    throw new TypeError('sealingKeys is empty: pass at least one key, created with generateKey(), or omit it')
  const decodedKeys = keys?.map(decodeKey)
  // A random key is created on first use: Cloudflare Workers have no random numbers before the first request.
  const { run: loadRing } = retryableOnce(() => Promise.all((decodedKeys ?? [decodeKey(generateKey(), 0)]).map(importKey)))
  return { loadRing, findKey: async (token) => findIn(await loadRing(), token) }
}

function importRing(ring: KeyRing): ImportedKeys {
  const imported = new Map<string, Promise<SealKey>>()
  const importAll = (keys: readonly string[]): Promise<readonly SealKey[]> => {
    for (const key of imported.keys()) if (!keys.includes(key)) imported.delete(key)
    const importOnce = (key: string, index: number): Promise<SealKey> => {
      const sealKey = imported.get(key) ?? importKey(decodeKey(key, index))
      imported.set(key, sealKey)
      return sealKey
    }
    return Promise.all(keys.map(importOnce))
  }
  const loadRing = async (): Promise<readonly SealKey[]> => importAll(await ring.load())
  return {
    loadRing,
    findKey: async (token) => findIn(await loadRing(), token) ?? findIn(await importAll(await ring.reload()), token),
  }
}

const findIn = (ring: readonly SealKey[], token: Uint8Array): SealKey | undefined =>
  ring.find(({ head }) => head.every((byte, at) => byte === token[at]))

function decodeKey(text: string, index: number): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64url(text)
  if (bytes?.length === KEY_BYTES) return bytes
  const fault = /[^\w-]/.test(text) ? 'contains a character outside of A-Z a-z 0-9 - _' : `has ${text.length} characters`
  const format = `${KEY_BYTES} bytes in base64url without padding (43 characters)`
  throw new TypeError(`sealingKeys[${index}] ${fault}; a key must be ${format}. Create one with generateKey()`)
}

async function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<SealKey> {
  const id = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).subarray(0, KEY_ID_BYTES)
  const key = await crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['encrypt', 'decrypt'])
  return { head: Uint8Array.of(VERSION, ...id), key }
}

async function encrypt({ head, key }: SealKey, text: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const ciphertext = await crypto.subtle.encrypt(
    { name: ALGORITHM, iv, additionalData: head },
    key,
    new TextEncoder().encode(text),
  )
  const token = new Uint8Array(HEAD_BYTES + NONCE_BYTES + ciphertext.byteLength)
  token.set(head)
  token.set(iv, HEAD_BYTES)
  token.set(new Uint8Array(ciphertext), HEAD_BYTES + NONCE_BYTES)
  return toBase64url(token)
}

async function decrypt(findKey: ImportedKeys['findKey'], token: string): Promise<string> {
  const bytes = fromBase64url(token)
  if (!bytes || bytes.length < HEAD_BYTES + NONCE_BYTES + TAG_BYTES || bytes[0] !== VERSION) throw new SealError('malformed')
  const sealKey = await findKey(bytes)
  if (!sealKey) throw new SealError('tampered')
  const iv = bytes.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES)
  const algorithm = { name: ALGORITHM, iv, additionalData: sealKey.head }
  const text = await crypto.subtle.decrypt(algorithm, sealKey.key, bytes.subarray(HEAD_BYTES + NONCE_BYTES)).catch(() => {
    throw new SealError('tampered')
  })
  return new TextDecoder().decode(text)
}

function isEqual(a: string | null, b: string | null): boolean {
  return a === null || b === null ? a === b : constantTimeEqual(a, b)
}
