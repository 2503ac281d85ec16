import { checkOptions, type OptionNames } from '../../../../../util/src/check-options.ts'
import { describe } from '../../../../../util/src/describe.ts'
import { constantTimeEqual, sha256 } from '../../../../../util/src/digest.ts'
import { randomId } from '../../../../../util/src/random.ts'
import type { Verifier } from '../types.ts'

/** An API key as the server stores it. */
export interface ApiKey {
  /** The result of `hashApiKey`. The key itself is not stored. */
  readonly hash: string
  /** The user or program that the key identifies. */
  readonly subject: string
  /** The scopes of the key. Default: none. */
  readonly scopes?: readonly string[]
  /** When the key expires, in seconds since 1970. Default: never. */
  readonly expiresAt?: number
}

/** Returns the key with this hash, for instance from a database. */
export type FindApiKey = (hash: string) => ApiKey | undefined | Promise<ApiKey | undefined>

const ISSUER = 'api-key'
const NAMES: OptionNames<ApiKey> = { hash: 1, subject: 'nonempty', scopes: 'texts', expiresAt: 'number' }
const HASH = 'Pass the result of hashApiKey(key): { hash, subject }'
const SUBJECT = 'Pass the user or program that the key identifies: { hash, subject }'
/** The length of a SHA-256 in base64url. */
const HASH_SYNTAX = /^[\w-]{43}$/
const PREFIX = 'key_'
const KEY_BYTES = 32

/** Creates a random API key. Hand out the key and store its hash. */
export async function createApiKey(): Promise<{
  /** The key: `key_` and 32 random bytes in base64url. Show it to its owner once, and do not store it. */
  readonly key: string
  /** The SHA-256 of the key in base64url. Store it, and pass it to `apiKeys`. */
  readonly hash: string
}> {
  const key = PREFIX + randomId(KEY_BYTES)
  return { key, hash: await hashApiKey(key) }
}

/** Returns the SHA-256 of a key in base64url. This is safe for random keys as `createApiKey` returns; passwords need a slower hash. */
export function hashApiKey(key: string): Promise<string> {
  return sha256(key)
}

/**
 * Creates a verifier for API keys that this server has issued: `Authorization: Bearer key_…`.
 *
 * @throws TypeError if `keys` is neither an array of valid entries nor a function.
 */
export function apiKeys(keys: readonly ApiKey[] | FindApiKey): Verifier {
  checkKeys(keys)
  const find: FindApiKey = typeof keys === 'function' ? keys : (hash) => findIn(keys, hash)
  return {
    issuers: [ISSUER],
    audience: [ISSUER],
    async verify(token) {
      const hash = await hashApiKey(token)
      const key = await find(hash)
      if (!key || !constantTimeEqual(key.hash, hash)) return undefined
      const { subject, scopes = [], expiresAt } = key
      return { issuer: ISSUER, audience: [ISSUER], subject, scopes, expiresAt }
    },
  }
}

function checkKeys(keys: unknown): void {
  if (typeof keys === 'function') return
  if (!Array.isArray(keys))
    throw new TypeError(
      `apiKeys() needs an array of { hash, subject }, or a function that finds one, not ${typeof keys === 'string' ? 'a text' : describe(keys)}`,
    )
  for (const [index, key] of keys.entries()) {
    const where = `apiKeys(): key ${index + 1}`
    checkOptions(where, key, {
      names: NAMES,
      advice: { key: HASH, user: 'Use "subject"' },
      required: { hash: HASH, subject: SUBJECT },
    })
    if (typeof key.hash !== 'string' || !HASH_SYNTAX.test(key.hash))
      throw new TypeError(`${where}: hash is not a SHA-256 in base64url. ${HASH}`)
  }
}

/** Compares all keys, so that the time reveals nothing about them. */
function findIn(keys: readonly ApiKey[], hash: string): ApiKey | undefined {
  let match: ApiKey | undefined
  for (const key of keys) if (constantTimeEqual(key.hash, hash)) match = key
  return match
}
