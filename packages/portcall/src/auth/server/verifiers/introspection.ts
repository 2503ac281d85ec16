import { createSingleFlight } from '../../../../../util/src/async.ts'
import { checkOptions, type OptionNames } from '../../../../../util/src/check-options.ts'
import { sha256 } from '../../../../../util/src/digest.ts'
import { isSameIssuer } from '../../../../../util/src/issuer.ts'
import { createMemoryStore } from '../../../stores/memory/store.ts'
import type { KeyValueStore } from '../../../stores/store.ts'
import { VerifierUnavailableError } from '../errors.ts'
import { createIssuerFetch, type IssuerFetchOptions, type JsonResponse } from '../issuer-fetch.ts'
import type { insecureAnyAudience, VerifiedToken, Verifier } from '../types.ts'
import { readClaims } from './claims.ts'

export interface IntrospectionOptions extends IssuerFetchOptions {
  /** The introspection endpoint. */
  readonly endpoint: string
  /** The authorization server of the endpoint. A response with another `iss` is refused. */
  readonly issuer: string
  /** The credentials of this server at the endpoint. */
  readonly clientId: string
  /** The secret that belongs to `clientId`. */
  readonly clientSecret: string
  /** How the secret is sent: in the `Authorization` header or in the form. Default: `'basic'`. */
  readonly authentication?: 'basic' | 'post'
  /** The `aud` of responses, if it is not the URL of the resource. */
  readonly audience?: string | readonly string[] | typeof insecureAnyAudience
  /**
   * Lets tokens with neither a user name nor a subject belong to the client itself. Set it if programs call with client credentials, and the
   * responses for them have no `sub`. Default: false, such tokens are refused.
   */
  readonly clientTokens?: boolean
  /**
   * How long a response is cached, in milliseconds. A revoked token is accepted for that long. 0 sends a request for each call. Default: 30,000.
   */
  readonly cacheTtlMs?: number
  /** Stores responses under a hash of the token. Default: 10,000 of them in memory. */
  readonly cache?: KeyValueStore
  /** Returns the current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number
}

const NAMES: OptionNames<IntrospectionOptions> = {
  endpoint: 'url',
  issuer: 'nonempty',
  clientId: 'text',
  clientSecret: 'text',
  authentication: ['basic', 'post'],
  audience: 1,
  clientTokens: 'boolean',
  cacheTtlMs: 1,
  cache: 'store',
  now: 1,
  fetch: 1,
  allow: 'array',
}
const ADVICE = { url: 'Use "endpoint"', scope: 'Pass scopes to protect()', store: 'Use "cache"' }
const REQUIRED = {
  endpoint: 'Pass the URL of the introspection endpoint',
  issuer: 'Pass the authorization server of the endpoint',
  clientId: 'Pass the credentials of this server at the endpoint',
  clientSecret: 'Pass the secret that belongs to clientId. Is an environment variable not set?',
}
const CACHE_TTL_MS = 30_000
const MAX_CACHED = 10_000
const KEY = 'introspection/'

/**
 * Creates a verifier that asks the authorization server about each token (RFC 7662). Use it for opaque tokens, and for tokens that must be
 * revocable immediately. List it after verifiers that recognize their own tokens without a request.
 *
 * @throws TypeError for a missing or invalid option.
 */
export function introspection(options: IntrospectionOptions): Verifier {
  checkOptions('introspection()', options, { names: NAMES, advice: ADVICE, required: REQUIRED })
  const { endpoint, issuer, audience, clientTokens, cacheTtlMs = CACHE_TTL_MS, now = Date.now } = options
  const { cache = createMemoryStore({ maxEntries: MAX_CACHED }) } = options
  const introspect = createIntrospect(options)
  const requests = createSingleFlight<VerifiedToken | undefined>()

  const introspectAndCache = async (token: string, key: string): Promise<VerifiedToken | undefined> => {
    const verified = readResponse(await introspect(token), issuer)
    const ttlMs = verified?.expiresAt === undefined ? cacheTtlMs : Math.min(cacheTtlMs, verified.expiresAt * 1000 - now())
    if (ttlMs > 0) await cache.set(KEY + key, JSON.stringify(verified ?? null), { ttlMs })
    return verified
  }
  return {
    issuers: [issuer],
    ...(audience !== undefined && { audience: typeof audience === 'string' ? [audience] : audience }),
    ...(clientTokens !== undefined && { clientTokens }),
    async verify(token) {
      const key = await sha256(`${endpoint} ${token}`)
      const cached = await cache.get(KEY + key)
      if (cached !== undefined) return (JSON.parse(cached) as VerifiedToken | null) ?? undefined
      return requests.run(key, () => introspectAndCache(token, key))
    },
  }
}

function createIntrospect(options: IntrospectionOptions): (token: string) => Promise<JsonResponse> {
  const { endpoint, clientId, clientSecret, authentication = 'basic' } = options
  const issuerFetch = createIssuerFetch(endpoint, options)
  const isBasic = authentication === 'basic'
  const basic = btoa([clientId, clientSecret].map(formEncode).join(':'))
  const headers: Record<string, string> = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' }
  if (isBasic) headers.authorization = `Basic ${basic}`
  const credentials = isBasic ? {} : { client_id: clientId, client_secret: clientSecret }
  return (token) => {
    const body = new URLSearchParams({ token, token_type_hint: 'access_token', ...credentials })
    return issuerFetch({ method: 'POST', headers, body })
  }
}

/** Encodes a client id or secret for the `Authorization` header (RFC 6749, section 2.3.1). */
function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

/** @throws VerifierUnavailableError unless the response says whether the token is active. */
function readResponse({ status, json }: JsonResponse, issuer: string): VerifiedToken | undefined {
  if (status !== 200 || typeof json.active !== 'boolean')
    throw new VerifierUnavailableError(`The introspection endpoint responded with HTTP ${status}`)
  if (!json.active) return undefined
  const verified = readClaims(json, typeof json.iss === 'string' && !isSameIssuer(json.iss, issuer) ? json.iss : issuer)
  const { username } = json
  if (typeof username !== 'string' || username === '') return verified
  // The name of another user next to a subject that is the client: a user authorized the token.
  const { subject, clientId } = verified
  const isClient = subject !== undefined && subject === clientId && subject !== username
  return { ...verified, username, ...(isClient && { subject: undefined }) }
}
