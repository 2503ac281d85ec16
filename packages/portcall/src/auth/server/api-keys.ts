import { toBase64url } from '../../stores/base64url.ts'
import { isSame, sha256 } from './digest.ts'
import type { Verifier } from './types.ts'

/** One key that somebody holds, as its server knows it. */
export interface ApiKey {
  /** What `hashApiKey` makes of the key; the key itself rests nowhere. */
  readonly hash: string
  /** Who acts. */
  readonly subject: string
  readonly scopes?: readonly string[]
  /** Seconds since 1970. Default: it does not expire. */
  readonly expiresAt?: number
}

/** Finds a key by its hash, for those that rest in a database. */
export type FindApiKey = (hash: string) => ApiKey | undefined | Promise<ApiKey | undefined>

const ISSUER = 'api-key'
const PREFIX = 'key_'
const KEY_BYTES = 32

/** Makes a key that cannot be guessed: give it to whoever shall use it, keep its hash. */
export async function createApiKey(): Promise<{ readonly key: string; readonly hash: string }> {
  const key = PREFIX + toBase64url(crypto.getRandomValues(new Uint8Array(KEY_BYTES)))
  return { key, hash: await hashApiKey(key) }
}

/** The SHA-256 of a key, in base64url. Good for keys with the randomness of `createApiKey`; a password needs a slower hash. */
export function hashApiKey(key: string): Promise<string> {
  return sha256(key)
}

/** Makes the verifier of keys that this server has given out itself: `Authorization: Bearer key_…`. */
export function apiKeys(keys: readonly ApiKey[] | FindApiKey): Verifier {
  const find: FindApiKey = typeof keys === 'function' ? keys : (hash) => pick(keys, hash)
  return {
    issuers: [ISSUER],
    audience: [ISSUER],
    async verify(token) {
      const hash = await hashApiKey(token)
      const found = await find(hash)
      if (!found || !isSame(found.hash, hash)) return undefined
      const { subject, scopes = [], expiresAt } = found
      return { issuer: ISSUER, audience: [ISSUER], subject, scopes, expiresAt }
    },
  }
}

/** Looks at all keys, whichever it is: how long it takes tells nothing. */
function pick(keys: readonly ApiKey[], hash: string): ApiKey | undefined {
  let found: ApiKey | undefined
  for (const key of keys) if (isSame(key.hash, hash)) found = key
  return found
}
