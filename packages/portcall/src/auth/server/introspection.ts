import { createMemoryStore } from '../../stores/memory-store.ts'
import type { Store } from '../../stores/store.ts'
import { readClaims } from './claims.ts'
import { sha256 } from './digest.ts'
import { VerifierUnavailable } from './errors.ts'
import { createOutside, type Fetched, type OutsideOptions } from './outside.ts'
import type { insecureAnyAudience, Token, Verifier } from './types.ts'

/** Who is asked about tokens (RFC 7662), and how. */
export interface IntrospectionOptions extends OutsideOptions {
  /** The introspection endpoint. */
  readonly endpoint: string
  /** The authorization server that it belongs to. An answer that names another one is refused. */
  readonly issuer: string
  /** How this server authenticates itself there. */
  readonly clientId: string
  readonly clientSecret: string
  /** How the secret travels. Default: `'basic'`. */
  readonly authentication?: 'basic' | 'post'
  /** What stands in the `aud` of answers, where it is not the URL of the resource. */
  readonly audience?: string | readonly string[] | typeof insecureAnyAudience
  /** How long an answer is good for, in milliseconds; a token that was revoked passes for so long. 0 asks each time. Default: 30 s. */
  readonly cacheMs?: number
  /** Where answers rest, under a hash of the token. Default: 10,000 of them in memory. */
  readonly cache?: Store
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

const CACHE_MS = 30_000
const MAX_CACHED = 10_000
const KEY = 'introspection/'

/**
 * Makes a verifier that asks the authorization server about each token: the one for tokens that say nothing by themselves, and for those
 * that have to be revocable at once. Put it behind those that can tell their own tokens by looking at them.
 */
export function introspection(options: IntrospectionOptions): Verifier {
  const { issuer, audience, cacheMs = CACHE_MS, cache = createMemoryStore({ maxEntries: MAX_CACHED }), now = Date.now } = options
  const ask = createQuestion(options)
  const asking = new Map<string, Promise<Token | undefined>>()

  const fresh = async (token: string, key: string): Promise<Token | undefined> => {
    const known = readAnswer(await ask(token), issuer)
    const left = known?.expiresAt === undefined ? cacheMs : Math.min(cacheMs, known.expiresAt * 1000 - now())
    if (left > 0) await cache.set(KEY + key, JSON.stringify(known ?? null), { ttlMs: left })
    return known
  }
  return {
    issuers: [issuer],
    ...(audience !== undefined && { audience: typeof audience === 'string' ? [audience] : audience }),
    async verify(token) {
      const key = await sha256(token)
      const kept = await cache.get(KEY + key)
      if (kept !== undefined) return (JSON.parse(kept) as Token | null) ?? undefined
      const started = asking.get(key) ?? fresh(token, key).finally(() => asking.delete(key))
      asking.set(key, started)
      return started
    },
  }
}

function createQuestion(options: IntrospectionOptions): (token: string) => Promise<Fetched> {
  const { endpoint, clientId, clientSecret, authentication = 'basic' } = options
  const outside = createOutside(endpoint, options)
  const isBasic = authentication === 'basic'
  const basic = btoa([clientId, clientSecret].map(formEncode).join(':'))
  const headers: Record<string, string> = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' }
  if (isBasic) headers.authorization = `Basic ${basic}`
  const own = isBasic ? {} : { client_id: clientId, client_secret: clientSecret }
  return (token) => {
    const body = new URLSearchParams({ token, token_type_hint: 'access_token', ...own })
    return outside({ method: 'POST', headers, body })
  }
}

/** The form of a name or password in a header (RFC 6749, section 2.3.1). */
function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

/** @throws VerifierUnavailable for an answer that tells neither. */
function readAnswer({ status, json }: Fetched, issuer: string): Token | undefined {
  if (status !== 200 || typeof json.active !== 'boolean')
    throw new VerifierUnavailable(`The introspection endpoint answered with ${status}`)
  if (!json.active) return undefined
  return readClaims(json, typeof json.iss === 'string' ? json.iss : issuer)
}
